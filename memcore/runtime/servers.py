"""Which model servers may be contacted: a person's own decision, kept outside every store.

What a conversation says, and the API key, go to the model server. Its address stands in a store's settings,
and a store may have been made by somebody else. So an address is only contacted that the person named
(environment, command line), permitted (`permit`, kept in their configuration directory), or that needs no
asking: this machine itself, and OpenAI's own, which is the default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from memcore.domain import private_files
from memcore.domain.errors import UsageError
from memcore.runtime import caller

FILE = "servers.json"
DEFAULT = "https://api.openai.com:443"
_PORTS = {"http": 80, "https": 443}


def config_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where a person's own settings are kept: `MEMSCOPE_CONFIG`, else memscope in `XDG_CONFIG_HOME` or
    ~/.config."""
    return caller.own_directory("MEMSCOPE_CONFIG", "XDG_CONFIG_HOME", ".config", environ)


def origin(url: str) -> str:
    """Scheme, host and port of a server's address. Raises UsageError for what is no http address.

    >>> origin("https://API.example.com/v1")
    'https://api.example.com:443'
    """
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in _PORTS or not host:
        raise UsageError(
            f"{url[:200]!r} is no address of a model server.", "Write for example https://host:8000/v1."
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port or _PORTS[parts.scheme]}"


def needs_no_asking(server: str) -> bool:
    """Whether an origin is this machine, or the one that is the default.

    >>> needs_no_asking("http://127.0.0.1:11434"), needs_no_asking("http://127.0.0.1.evil.example:80")
    (True, False)
    """
    host = urlsplit(server).hostname or ""
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    return local or server == DEFAULT


def permitted(environ: Mapping[str, str] | None = None) -> frozenset[str]:
    """The origins that the person has permitted. Raises UsageError for a damaged file."""
    return frozenset(origin(one) for one in own_list(FILE, environ))


def permit(url: str, environ: Mapping[str, str] | None = None) -> str:
    """Permit a server from now on, for every store; its origin. Raises UsageError as `origin`."""
    server = origin(url)
    keep_own_list(FILE, permitted(environ) | {server}, environ)
    return server


def withdraw(url: str, environ: Mapping[str, str] | None = None) -> str:
    """Take a permission back; the origin it was for. Raises UsageError if there was none."""
    server, there = origin(url), permitted(environ)
    if server not in there:
        names = ", ".join(sorted(there)) or "none"
        raise UsageError(f"{server} is not among the permitted servers.", f"There are: {names}.")
    keep_own_list(FILE, there - {server}, environ)
    return server


def own_list(file: str, environ: Mapping[str, str] | None) -> list[str]:
    """What the person has permitted in a file of their configuration directory. Raises UsageError for a
    damaged one."""
    path = config_directory(environ) / file
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", f"Correct {path}, or delete it.") from error
    if not isinstance(kept, list) or not all(isinstance(one, str) for one in kept):
        raise UsageError(f"{path} is no list of texts.", f"Correct {path}, or delete it.")
    return kept


def keep_own_list(file: str, permitted: Iterable[str], environ: Mapping[str, str] | None) -> None:
    """Keep what the person permits in a file of their configuration directory."""
    directory = config_directory(environ)
    private_files.make_directory(directory)
    private_files.replace(directory / file, (json.dumps(sorted(permitted), indent=2) + "\n").encode())
