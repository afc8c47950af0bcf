"""What a system shows of its own steps, as plain data: headings, words, tables, links to memories.

The Buffers page draws it without knowing the system. A system names the stages whose traces it draws
(`System.drawings`); one that names none shows what it read part by part, and what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter

from memcore.domain.models import StageTrace

WORDS = 300
FEW = 2
"""Lines that are shown of many; the others wait behind "Show more"."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text of a log or of a model; beyond `most` characters the rest is unfolded on demand."""

    text: str
    most: int = WORDS


@dataclass(frozen=True, slots=True)
class Explained:
    """A sentence whose technical terms say at a hover what they are."""

    text: str


@dataclass(frozen=True, slots=True)
class ToMemory:
    """A link to a memory, by its `text` or, where none is given, by the text it is stored with."""

    id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A word that stands out: an operation, a theme."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Small:
    """Small print."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """One line after the other, `shown` at once."""

    lines: tuple[tuple[Piece, ...], ...]
    shown: int = FEW


@dataclass(frozen=True, slots=True)
class Failure:
    """An error; without a text it is none."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under their headings; the columns in `numbers` (from 0) hold numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[tuple[Piece, ...], ...], ...]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of a bar: what it holds, in words, and its `shade` (None: set apart, in grey; `faint`: not of
    what the page is about)."""

    size: int
    says: str
    shade: int | None = None
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Named bars of parts, up to a limit that is drawn as a line."""

    bars: tuple[tuple[str, tuple[BarPart, ...]], ...]
    limit: int
    limit_name: str
    axis: str
    in_words: str


Piece: TypeAlias = (
    "str | Words | Explained | ToMemory | Label | Small | Paragraph | Lines | Failure | Table | Bars"
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a step of a system did. It stands in the part `segment_id`, or (None) tells of the session as a
    whole, `first` before what was read. Where the part is not there, one that is `late` stands after the last
    part, and of another only the failures are told, above the parts. `waits`: a person decides about some
    of it."""

    heading: str
    pieces: tuple[Piece, ...]
    segment_id: str | None = None
    late: bool = False
    first: bool = False
    waits: bool = False

    def failures(self) -> list[str]:
        """The errors it tells of."""
        return [piece.text for piece in self.pieces if isinstance(piece, Failure) and piece.text]

    def memory_ids(self) -> list[str]:
        """The memories it names by id only."""
        return [piece.id for piece in within(self.pieces) if isinstance(piece, ToMemory) and not piece.text]


def within(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """All pieces, those inside others among them."""
    for piece in pieces:
        yield piece
        if isinstance(piece, Small | Paragraph):
            yield from within(piece.pieces)
        elif isinstance(piece, Lines):
            for line in piece.lines:
                yield from within(line)
        elif isinstance(piece, Table):
            for row in piece.rows:
                for cell in row:
                    yield from within(cell)


@dataclass(frozen=True, slots=True)
class Shown:
    """The session that is drawn: its parts, and the number of each of its messages, by id."""

    segment_ids: frozenset[str] = frozenset()
    numbers: Mapping[str, int] = field(default_factory=dict)


Draw = Callable[[Sequence[StageTrace], Shown], list[Drawing]]
"""The drawings of one session's traces of one stage, oldest first."""

Trace = TypeVar("Trace")
_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)


def read_traces(traces: Sequence[StageTrace], kind: type[Trace]) -> list[Trace]:
    """Stored traces as the dataclass that their stage wrote."""
    return [_adapter(kind).validate_python(trace.payload) for trace in traces]
