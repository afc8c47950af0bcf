"""Which files of recorded replies may be read: a person's own decision, kept outside every store.

A recording is a path, and the path stands in a store's settings, and a store may have been made by somebody
else. So a file is only read that the person named (environment, command line) or permitted (by writing it
on Settings; kept in their configuration directory).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memcore.domain.errors import UsageError
from memcore.runtime import caller, servers

FILE = "recordings.json"
BACKEND = "recorded"


def named(llm: str) -> str | None:
    """The file that `recorded:FILE` names, its path whole; None for another model. Raises UsageError.

    >>> named("ollama") is None, named("recorded:/tmp/talk.jsonl")
    (True, '/tmp/talk.jsonl')
    """
    kind, _, file = llm.partition(":")
    return whole(file) if kind == BACKEND and file else None


def whole(path: str) -> str:
    """A path that a person wrote, whole and without links, as permissions keep it. Raises UsageError."""
    try:
        if path.strip() and path.isprintable():
            return str(caller.here(Path(path.strip()).expanduser()).resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise _no_file(path) from error
    raise _no_file(path)


def _no_file(path: str) -> UsageError:
    return UsageError(
        f"{path[:200]!r} is no file of recorded replies.", "Write recorded:FILE, or the path of it."
    )


def permitted(environ: Mapping[str, str] | None = None) -> frozenset[str]:
    """The files that the person has permitted. Raises UsageError for a damaged list of them."""
    return frozenset(servers.own_list(FILE, environ))


def permit(path: str, environ: Mapping[str, str] | None = None) -> str:
    """Permit a file from now on, for every store; its whole path. Raises UsageError as `whole`."""
    file = whole(path)
    servers.keep_own_list(FILE, permitted(environ) | {file}, environ)
    return file
