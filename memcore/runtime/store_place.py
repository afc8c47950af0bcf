"""Where a store is: in a directory, or in a server's database, for which a directory of this machine keeps
what is no row of it (settings, evaluations) and the address, without a password.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.domain.server_address import ServerAddress
from memcore.runtime import caller

_ADDRESS_FILE = "address"
_SERVERS = "servers"

_PASSWORDS: dict[str, str] = {}
"""Those that addresses came with, for as long as this process runs: shown address → password."""


def data_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where the stores of new projects are made: `MEMSCOPE_DATA`, else memscope in `XDG_DATA_HOME` or
    ~/.local/share."""
    return caller.own_directory("MEMSCOPE_DATA", "XDG_DATA_HOME", ".local/share", environ)


def place_of(
    where: Path | str, environ: Mapping[str, str] | None = None
) -> tuple[Path, ServerAddress | None]:
    """The directory of a store, and the server whose database it is in, if it is. Raises StoreError for an
    address that cannot be read."""
    address = ServerAddress.parse(where) if isinstance(where, str) else None
    if address is None:
        return Path(where), _remembered(Path(where), environ)
    if address.password:
        _PASSWORDS[address.shown] = address.password
    return _placed(address, environ)


def remember(address: ServerAddress) -> None:
    """Write the address into its directory, so that the directory alone leads to the server."""
    if address.directory is None or (address.directory / _ADDRESS_FILE).exists():
        return
    try:
        private_files.make_directory(address.directory)
        private_files.replace(address.directory / _ADDRESS_FILE, address.shown.encode())
    except OSError as error:
        raise StoreError(
            f"{address.directory}, where settings and evaluations of {address} are kept, cannot be written: "
            f"{error}.",
            "Let yourself write there, or name another place in MEMSCOPE_DATA.",
        ) from error


def _placed(address: ServerAddress, environ: Mapping[str, str] | None) -> tuple[Path, ServerAddress]:
    directory = data_directory(environ) / _SERVERS / address.digest
    password = address.password or _PASSWORDS.get(address.shown, "")
    return directory, replace(address, password=password, directory=directory)


def _remembered(directory: Path, environ: Mapping[str, str] | None) -> ServerAddress | None:
    """The server of a directory that `place_of` gave; what lies in any other is no address."""
    if directory.resolve().parent != (data_directory(environ) / _SERVERS).resolve():
        return None
    try:
        written = (directory / _ADDRESS_FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    address = ServerAddress.parse(written)
    if address is None or address.digest != directory.name:
        return None
    return _placed(address, environ)[1]
