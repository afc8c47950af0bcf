"""Whether the words that a statement cites carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memcore.domain.models.identity import stable_id, text_hash
from memcore.domain.models.memories import MemoryEntry

Support = Literal["supported", "partly", "unsupported", "contradicted"]
SUPPORT: tuple[Support, ...] = ("supported", "partly", "unsupported", "contradicted")
DOUBTFUL = SUPPORT[1:]
"""All but "supported"."""
ReasonKind = Literal["name", "number", "date", "negation", "content"]
StatementKind = Literal["memory", "triple", "summary"]


@dataclass(frozen=True, slots=True)
class Reason:
    """What in a statement has no support: its `kind`, the `words` of the statement it is about (empty: the
    whole), and `why`, a sentence for a person. `message_id` is the message that supports it better than the
    cited ones (empty: none known); `contradicts` where the cited words say something else."""

    kind: ReasonKind
    words: str
    why: str
    message_id: str = ""
    contradicts: bool = False

    @property
    def sentence(self) -> str:
        """Why, with the words it is about.

        >>> Reason("content", "ski", "Hardly any of it is said there.").sentence
        '“ski”: Hardly any of it is said there.'
        """
        if not self.words or self.words.casefold() in self.why.casefold():
            return self.why
        return f"“{self.words}”: {self.why}"


@dataclass(frozen=True, slots=True)
class Grounding:
    """The verdict on a statement. `score` is the probability, 0 to 1, that the cited words do not carry it;
    `better` the id of the message that carries it where the cited one does not (empty: none known);
    `made_by` the version of the rules, and after a comma the model that was asked after them, with its
    prompt's version."""

    verdict: Support
    score: float
    reasons: tuple[Reason, ...] = ()
    better: str = ""
    made_by: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons in words, each once."""
        return tuple(dict.fromkeys(reason.sentence for reason in self.reasons))


@dataclass(frozen=True, slots=True)
class Statement:
    """Words of an object that can be judged. `cited` are the ids of the messages it cites, in its order; of a
    summary, the one id of its session."""

    kind: StatementKind
    object_id: str
    owner: str
    text: str
    cited: tuple[str, ...]

    @classmethod
    def of_memory(cls, memory: MemoryEntry) -> Statement:
        """What a memory says."""
        cited = tuple(source.message_id for source in memory.sources)
        return cls("memory", memory.id, memory.owner, memory.text, cited)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a statement stands with the conversation that it is of. `readable`: the rules know the language of
    what it cites; `heard` and `unheard`: its names, numbers and words with content that anybody said, and
    those that nobody did; `most`: the largest share of them, times aside, that one message says with the
    turns before it, 0 to 1, and 1 of fewer than can be told; `there`: the share that the cited messages say;
    `denied`: which of its facts (`name`: whose it is) they say otherwise."""

    readable: bool
    heard: tuple[str, ...]
    unheard: tuple[str, ...]
    most: float
    there: float
    denied: frozenset[ReasonKind]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict as a store keeps it: on these words and citations of an object (`text_hash`, `cited`). An
    object that says or cites something else has another one, or none yet; back as it was, this again."""

    id: str
    owner: str
    kind: StatementKind
    object_id: str
    text_hash: str
    cited: tuple[str, ...]
    verdict: Support
    score: float
    reasons: tuple[Reason, ...]
    better: str
    made_by: str

    @classmethod
    def of(cls, statement: Statement, found: Grounding) -> Judged:
        """The verdict that was found on a statement."""
        said = text_hash(statement.text)
        return cls(
            id=stable_id("gnd", statement.object_id, said, *statement.cited),
            owner=statement.owner,
            kind=statement.kind,
            object_id=statement.object_id,
            text_hash=said,
            cited=statement.cited,
            verdict=found.verdict,
            score=found.score,
            reasons=found.reasons,
            better=found.better,
            made_by=found.made_by,
        )

    @property
    def grounding(self) -> Grounding:
        """The verdict alone."""
        return Grounding(self.verdict, self.score, self.reasons, self.better, self.made_by)
