"""What a project may be called, and where its store may be made.

Names and places are what somebody typed. A name becomes part of a path only through `folder_name`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.errors import UsageError

MOST_CHARACTERS = 60
_FOLDER_CHARACTERS = 40


def folder_name(name: str) -> str:
    """A name as a folder's: letters, digits, - and _.

    >>> folder_name("../../etc"), folder_name("My team: 2024"), folder_name("…")
    ('etc', 'My_team_2024', 'project')
    """
    return re.sub(r"[^\w-]+", "_", name).strip("_-")[:_FOLDER_CHARACTERS] or "project"


def checked(name: str, others: Collection[str]) -> str:
    """A name as it is kept: on one line, readable, and no other project's. Raises UsageError."""
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > MOST_CHARACTERS or not wanted.isprintable():
        raise UsageError(
            "This cannot be the name of a project." if wanted else "A project needs a name.",
            f"Give it 1 to {MOST_CHARACTERS} characters, none of them invisible.",
        )
    if taken := next((one for one in others if same(one) == same(wanted)), None):
        raise UsageError(f"There is a project “{taken}” already.", "Choose another name.")
    return wanted


def same(name: str) -> str:
    """Equal for names that one would take for each other."""
    return unicodedata.normalize("NFKC", name).casefold()


def free_name(wanted: str, others: Collection[str]) -> str:
    """The name of a directory as that of a project, told apart from the others."""
    readable = "".join(one if one.isprintable() else " " for one in wanted)
    base = " ".join(readable.split())[: MOST_CHARACTERS - 6].strip() or "project"
    taken = {same(one) for one in others}
    names = (base if number == 1 else f"{base} ({number})" for number in range(1, len(taken) + 2))
    return next(name for name in names if same(name) not in taken)


def path(place: str) -> Path:
    """A directory that a person named, absolute and without links. Raises UsageError."""
    written = place.strip()
    if not written:
        raise UsageError("No directory was named.", "Write it whole, for example ~/memscope/work.")
    try:
        found = Path(written).expanduser()
        if written.isprintable() and found.is_absolute():
            return found.resolve()
        why = "it does not begin with / or ~" if written.isprintable() else "it has invisible characters"
    except (OSError, ValueError, RuntimeError) as error:
        why = str(error)
    raise UsageError(
        f"{written[:200]!r} is not the place of a directory: {why}.",
        "Write it whole, for example ~/memscope/work.",
    )


def new_directory(path: Path) -> Path:
    """Make a directory, or take one that is empty. Raises UsageError."""
    try:
        if not path.parent.is_dir():
            raise UsageError(f"There is no directory {path.parent}.", "Make it first, or correct the place.")
        private_files.make_directory(path)
        if not path.is_dir() or any(path.iterdir()):
            raise UsageError(
                f"{path} is not an empty directory.",
                "Name one that is new or empty; a store that is there can be opened as it is.",
            )
        private_files.close_to_others(path)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def new_folder(name: str, within: Path) -> Path:
    """Make a folder that is called like a name, and that nobody had before. Raises UsageError."""
    folder = folder_name(name)
    try:
        private_files.make_directory(within)
        number = 1
        while True:
            path = within / (folder if number == 1 else f"{folder}-{number}")
            try:
                path.mkdir(mode=private_files.DIRECTORY)
            except FileExistsError:
                number += 1
            else:
                return path.resolve()
    except OSError as error:
        raise unwritable(within, error) from error


def unwritable(path: Path, error: OSError) -> UsageError:
    """Why nothing could be written there."""
    return UsageError(
        f"{path} cannot be written: {error.strerror or error}.",
        "Choose a place you may write to, with free disk space.",
    )
