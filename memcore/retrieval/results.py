"""What retrieval returns: hits with their score parts and quoted source words, and the trace of how."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memcore.domain.models import Grounding, Message


@dataclass(frozen=True, slots=True)
class Quote:
    """The exact words of a source: characters `start:end` of a message's raw text."""

    message: Message
    start: int
    end: int

    @property
    def text(self) -> str:
        """The quoted characters themselves."""
        return self.message.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `components` are the parts of the score by name (in hybrid search evidence, session,
    semantic, lexical, speaker, time, memory), already weighted: they sum to `score`. `detail` are the figures
    a strategy ranked by, in its own terms (None: unknown). A message nothing was extracted from can be found
    too, with kind `message`; a session summary, with kind `summary`, leads into the results of its
    session. `grounding` is whether its words carry it, noted by whoever lets a system search (None: not
    checked yet, or a message)."""

    id: str
    kind: Literal["memory", "message", "summary"]
    text: str
    score: float
    components: dict[str, float]
    quotes: tuple[Quote, ...]
    mentioned_at: datetime | None = None
    event_at: datetime | None = None
    event_end: datetime | None = None
    state: str = "active"
    detail: dict[str, float | None] = field(default_factory=dict)
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class TimeOfAsking:
    """When a question was asked, as far as the search knows, and where that is from: `given` with the
    question, the moment it asks about (`as of`), `now`, or the `newest message`. None: no message has a
    time (`unknown`), and times that count from the asking are not read."""

    at: datetime | None
    origin: Literal["given", "as of", "now", "newest message", "unknown"]


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What the question was understood to ask for, before any view ran. `time_words` are the characters of
    times like "10 days ago", which were understood as `time_from` and `time_to`. `roles` are whose words it
    asks for by "I" (the user's) and "you" (the assistant's). SimpleMem's plan also has the `intent`, the
    `complexity` (0 to 1), the `depth` k_dyn that follows from it, the `queries` it was decomposed into and
    the `indexes` to ask. `made_by` is the rules, or model and prompt version."""

    query: str
    persons: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    time_from: datetime | None = None
    time_to: datetime | None = None
    time_words: tuple[tuple[int, int], ...] = ()
    asks_when: bool = False
    asks_now: bool = False
    roles: tuple[str, ...] = ()
    intent: str = ""
    complexity: float | None = None
    depth: int | None = None
    queries: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    made_by: str = "rules"

    @property
    def words(self) -> str:
        """The question with spaces in place of its `time_words`: nobody says "10 days ago" on the day itself.
        All of it where nothing else is asked."""
        rest = self.query
        for start, end in self.time_words:
            rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
        return rest if any(map(str.isalnum, rest)) else self.query


@dataclass(frozen=True, slots=True)
class ViewTrace:
    """One view's own ranking, best first, as (object id, raw score), and its milliseconds."""

    view: str
    ranking: tuple[tuple[str, float], ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something a search ranked: the `id` of the memory or message that would be its hit, the messages it
    stands for, and the parts of its score, which sum to `score`."""

    id: str
    message_ids: tuple[str, ...]
    components: dict[str, float]
    score: float


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """Why the chosen model gave nothing: the error's cause, and the step that mends it. `unavailable`: its
    server could not be reached or does not have it, so that asking it anything else is in vain."""

    cause: str
    fix: str
    unavailable: bool = False


def without_model(failure: ModelFailure | None) -> list[str]:
    """In words for a person, that a search did without the chosen model; nothing where it did not.

    >>> without_model(ModelFailure("No server answers at http://127.0.0.1:9.", "Start it."))
    ['The search did without the chosen language model: No server answers at http://127.0.0.1:9. Start it.']
    """
    said = "The search did without the chosen language model:"
    return [f"{said} {failure.cause} {failure.fix}"] if failure else []


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """Everything that led to the hits: the plan, each view's ranking, the weights and thresholds of
    the strategy, in words what else it did or could not do (`notes`), and, of a strategy that combines
    several views, everything it ranked, best first (`candidates`). `asked` is noted by whoever lets a
    system search, which needs not know it; so is `failure`, with which the search asked no model though one
    is chosen and the system's search asks it."""

    plan: QueryPlan
    views: tuple[ViewTrace, ...]
    weights: dict[str, float]
    as_of: datetime | None
    milliseconds: float
    strategy: str = "hybrid"
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    asked: TimeOfAsking = TimeOfAsking(None, "unknown")
    failure: ModelFailure | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Hits best first, and how they were found. `newest_first`: best means newest, and a context tells
    them oldest first, as the log reads."""

    query: str
    hits: tuple[Hit, ...]
    trace: SearchTrace
    newest_first: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered place in the context: [number] stands for this hit."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Answer:
    """The context assembled for a question within `budget` tokens, what it cites, and the model's
    answer: None when no model is chosen, or when it did not answer (`failure` says why)."""

    query: str
    context: str
    context_tokens: int
    citations: tuple[Citation, ...]
    answer: str | None
    answered_by: str
    warnings: tuple[str, ...]
    trace: SearchTrace
    failure: ModelFailure | None = None
