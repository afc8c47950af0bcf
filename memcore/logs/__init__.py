"""Conversation logs of many formats, read into the domain's evidence.

The format is found from the content, never from the file's name. A reader is one module with `matches`
and `read`, and one line in `FORMATS`. Good records are kept, bad ones reported with their place; only a
file that yields nothing raises LogError. Reads files, stores nothing, and writes nothing to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from memcore.domain.errors import LogError, UsageError
from memcore.domain.models import LogRead, Skipped
from memcore.logs.assemble import Assembler
from memcore.logs.branches import Branch, Branching, MessageTree
from memcore.logs.containers import MAX_BYTES, MAX_UNPACKED, unpack
from memcore.logs.decode import beginning, decode
from memcore.logs.drafts import Content, ConversationDraft, Neighbours, ReadOptions
from memcore.logs.formats import (
    chatgpt,
    claude,
    claude_code,
    csv_table,
    locomo,
    longmemeval,
    ollama,
    open_webui,
    openai_messages,
    sharegpt,
    slack,
    telegram,
    transcript,
    whatsapp,
)
from memcore.logs.unknown_format import unknown_format

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "Branch",
    "Branching",
    "ReadOptions",
    "Reader",
    "branches_of",
    "columns_of",
    "detect",
    "missing_times",
    "read_bytes",
    "read_head",
    "read_log",
]

HEAD_BYTES = 256 * 1024
"""How much of a file `read_head` reads."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: how to call it on screen, and the functions of its module. `trees`, for formats whose
    conversations have branches, reads them with all of these."""

    title: str
    matches: Callable[[Content], bool]
    read: Callable[[Content, ReadOptions], Iterator[ConversationDraft]]
    trees: Callable[[Content], Iterator[MessageTree]] | None = None


FORMATS: dict[str, Reader] = {
    "locomo": Reader("LoCoMo samples", locomo.matches, locomo.read),
    "longmemeval": Reader("LongMemEval questions or sessions", longmemeval.matches, longmemeval.read),
    "chatgpt": Reader("ChatGPT export (ZIP or JSON)", chatgpt.matches, chatgpt.read, chatgpt.trees),
    "claude": Reader("Claude.ai export (ZIP or JSON)", claude.matches, claude.read, claude.trees),
    "claude-code": Reader("Claude Code transcript (JSON Lines)", claude_code.matches, claude_code.read),
    "open-webui": Reader("Open WebUI export", open_webui.matches, open_webui.read, open_webui.trees),
    "sharegpt": Reader("ShareGPT (JSON, JSON Lines)", sharegpt.matches, sharegpt.read),
    "ollama": Reader("Ollama chat bodies (JSON, JSON Lines)", ollama.matches, ollama.read),
    "openai": Reader("OpenAI messages (JSON, JSON Lines)", openai_messages.matches, openai_messages.read),
    "slack": Reader("Slack export (ZIP)", slack.matches, slack.read),
    "telegram": Reader("Telegram export (result.json)", telegram.matches, telegram.read),
    "whatsapp": Reader("WhatsApp chat", whatsapp.matches, whatsapp.read),
    "csv": Reader("CSV with a header", csv_table.matches, csv_table.read),
    "transcript": Reader("plain or Markdown transcript", transcript.matches, transcript.read),
}
"""The readers by format name, in the order in which they are tried."""


def read_log(path: Path, options: ReadOptions = ReadOptions()) -> LogRead:  # noqa: B008 (frozen)
    """Read one file. Raises LogError when nothing in it can be read, UsageError for an unknown format.

    Files beside it are looked at only where its format refers to them (LongMemEval's sessions).
    """
    try:
        size = path.stat().st_size
        _check_size(path.name, size)
        data = path.read_bytes()
    except OSError as error:
        raise LogError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Check that it exists, is a file, and that you may read it.",
            file=path.name,
        ) from error

    def beside(pattern: str) -> Iterator[Content]:
        for neighbour in sorted(path.parent.glob(pattern)):
            if neighbour != path and neighbour.is_file() and neighbour.stat().st_size <= MAX_BYTES:
                for name, unpacked in unpack(neighbour.name, neighbour.read_bytes()).files.items():
                    yield decode(name, unpacked)

    return _read(path.name, data, options, beside)


def read_bytes(name: str, data: bytes, options: ReadOptions = ReadOptions()) -> LogRead:  # noqa: B008
    """Read an upload. `name` is only used to say where a message comes from. Raises as `read_log`."""
    _check_size(name, len(data))
    return _read(name, data, options, None)


def read_head(name: str, data: bytes, options: ReadOptions = ReadOptions()) -> LogRead:  # noqa: B008
    """What an upload begins with, to be looked at while `read_bytes` reads the whole, not to be stored; of an
    archive, what its first log does. It is read as if the file ended there: the last message may be cut off,
    and what the rest tells (the order of day and month, a name, the branch that is current) is not known yet.
    Raises as `read_bytes`, also for what can be read only as a whole."""
    _check_size(name, len(data))
    _check_format(options)
    files = unpack(name, data).files
    is_archive = set(files) != {name}
    failures: list[LogError] = []
    for member, unpacked in files.items():
        try:
            content = decode(f"{name}/{member}" if is_archive else name, beginning(unpacked, HEAD_BYTES))
            if is_archive:
                content.neighbours = _within(name, files, member, set(), HEAD_BYTES)
            return _read_content(content, options, Assembler(options))
        except LogError as error:
            failures.append(error)
    raise failures[0]


def detect(name: str, data: bytes) -> str | None:
    """The format of a file's content (for an archive: of the first log in it), None if it is unknown.
    The start of a file is enough, except for archives. Raises LogError as `read_log` for damaged data."""
    for member, unpacked in unpack(name, data).files.items():
        if found := _format_of(decode(member, unpacked)):
            return found
    return None


def columns_of(name: str, data: bytes) -> tuple[str, ...]:
    """The column names of a CSV upload, for a person to say what each is. Raises as `read_bytes`."""
    _check_size(name, len(data))
    return tuple(csv_table.header(decode(name, data)))


def branches_of(name: str, data: bytes, options: ReadOptions = ReadOptions()) -> tuple[Branching, ...]:  # noqa: B008
    """The conversations of an upload that have several branches, for a person to choose which is read
    (`ReadOptions.branches`). What of it cannot be read has none; `read_bytes` reports it. Raises as
    `read_bytes` for an upload that cannot be opened, UsageError for an unknown format."""
    _check_size(name, len(data))
    _check_format(options)
    found: list[Branching] = []
    for member, unpacked in unpack(name, data).files.items():
        try:
            content = decode(member, unpacked)
        except LogError:
            continue
        reader = FORMATS.get(_chosen_format(content, options) or "")
        if reader and reader.trees:
            found += (several for tree in reader.trees(content) if (several := tree.branching(content)))
    return tuple(found)


def missing_times(log_read: LogRead) -> int:
    """How many messages have no time: a person should be asked for a base date when there are any."""
    return sum(message.said_at is None for log in log_read.logs for message in log.messages)


def _check_size(name: str, size: int) -> None:
    if size > MAX_BYTES:
        raise LogError(
            f"{name} has {size / 2**20:.0f} MiB; at most {MAX_BYTES >> 20} MiB are read at once.",
            "Split it (JSON Lines and transcripts by lines, JSON arrays by records) and read the parts.",
            file=name,
        )
    if size == 0:
        raise LogError(
            f"{name} is empty.",
            "Export the log again; it should contain messages.",
            file=name,
            where="0 bytes",
        )


def _check_format(options: ReadOptions) -> None:
    if options.format != "auto" and options.format not in FORMATS:
        raise UsageError(
            f"There is no log format {options.format!r}.", f"Use auto or one of {', '.join(FORMATS)}."
        )


def _chosen_format(content: Content, options: ReadOptions) -> str | None:
    """The format to read it in: as a person says, else as it is found."""
    named = "csv" if options.format == "auto" and options.columns else options.format
    return _format_of(content) if named == "auto" else named


def _format_of(content: Content) -> str | None:
    return next((name for name, reader in FORMATS.items() if reader.matches(content)), None)


def _read(name: str, data: bytes, options: ReadOptions, beside: Neighbours | None) -> LogRead:
    _check_format(options)
    unpacked = unpack(name, data)
    is_archive = set(unpacked.files) != {name}
    assembler = Assembler(options)
    read: dict[str, LogRead] = {}
    failures: dict[str, LogError] = {}
    joined: set[str] = set()
    for member, member_data in unpacked.files.items():
        if member in joined:
            continue
        asked: set[str] = set()
        try:
            content = decode(f"{name}/{member}" if is_archive else name, member_data)
            if is_archive:
                content.neighbours = _within(name, unpacked.files, member, asked)
            elif beside:
                content.neighbours = beside
            read[member] = _read_content(content, options, assembler)
        except LogError as error:
            failures[member] = error
        else:
            joined |= asked
    own = [found for member, found in read.items() if member not in joined]
    if not own:
        raise next(iter(failures.values()))
    skipped = (
        Skipped(error.file, error.where, error.cause, records=0)
        for member, error in failures.items()
        if member not in joined
    )
    return LogRead(
        tuple(log for found in own for log in found.logs),
        (*unpacked.skipped, *(place for found in own for place in found.skipped), *skipped),
        tuple(date for found in own for date in found.unclear_dates),
    )


def _read_content(content: Content, options: ReadOptions, assembler: Assembler) -> LogRead:
    """The conversations in one file. Raises LogError when there are none."""
    format_name = _chosen_format(content, options)
    if format_name is None:
        raise unknown_format(content, [reader.title for reader in FORMATS.values()])
    drafts = FORMATS[format_name].read(content, options)
    logs = [log for draft in drafts if (log := assembler.assemble(draft, content, format_name))]
    if not logs:
        first = content.skipped[0] if content.skipped else None
        reason = f" {first.where}: {first.why}." if first else ""
        raise LogError(
            f"{content.name} holds no message that can be read as {FORMATS[format_name].title}.{reason}",
            "Correct the file, or choose another format.",
            file=content.name,
            where=first.where if first else "",
        )
    return LogRead(tuple(logs), tuple(content.skipped), tuple(content.unclear_dates))


def _within(
    archive: str, files: dict[str, bytes], own: str, asked: set[str], most: int = MAX_UNPACKED
) -> Neighbours:
    """The other files of the same archive, of those that match a pattern `most` bytes; those that were asked
    for are no logs of their own. One that is no text is not given: read by itself, it is reported."""

    def beside(pattern: str) -> Iterator[Content]:
        left = most
        for name, data in files.items():
            if left <= 0:
                return
            if name != own and fnmatch(name if "/" in pattern else PurePosixPath(name).name, pattern):
                begun = beginning(data, left)
                left -= len(data)
                try:
                    neighbour = decode(f"{archive}/{name}", begun)
                except LogError:
                    continue
                asked.add(name)
                yield neighbour

    return beside
