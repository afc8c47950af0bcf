"""Several systems on one log: what each remembers from which message, and what that took.

A message is the unit of comparison, because every memory names the messages it came from. Costs are
those of the ingest runs that worked on the log, as they were recorded: a run that read several logs is
given whole, with what it covered, since nobody knows which call was for which log. Consolidations and
questions are runs of their own and not among them. Read-only; nothing here runs a system or judges
whose memories are better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memcore.domain.errors import NotFoundError
from memcore.domain.models import (
    Conversation,
    MemoryEntry,
    Message,
    Run,
    Session,
    Source,
    Triple,
    triple_text,
)
from memcore.domain.protocols import Store
from memcore.llm.statistics import spent
from memcore.retrieval.context import Context
from memcore.systems.registry import SYSTEMS

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class LogProgress:
    """How far recipes got with a log of so many `messages`: recipe → how many it has worked on."""

    messages: int
    done: Mapping[str, int]

    def left(self, recipe: str) -> int:
        """How many it has not worked on."""
        return self.messages - self.done.get(recipe, 0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the ingest runs that worked on a log took, whole. `conversations` are all they worked on, and
    `messages` how many of those they finished. Tokens are sums of what servers reported (None: of no call
    did one say), seconds of the runs whose end is recorded (None: of none). `models` are the language
    models that were chosen; with none, rules and the language pipeline did the work instead."""

    runs: tuple[Run, ...]
    conversations: tuple[str, ...]
    messages: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    unreported_calls: int
    seconds: float | None
    untimed_runs: int
    models: tuple[str, ...]

    @property
    def of_several_logs(self) -> bool:
        """Whether these figures hold other logs, too: then no part of them is known to be this log's."""
        return len(self.conversations) > 1


@dataclass(frozen=True, slots=True)
class Kept:
    """What a system keeps of a log: `memories` that are active and those `past`, triples that hold,
    session summaries, proposals that wait, and the `tokens` of all texts that stand: active memories,
    summaries, and triples no memory states."""

    memories: int
    past: int
    triples: int
    summaries: int
    proposals: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SystemOnLog:
    """One system on one log: `remembered` is message id → the memories that came from it (past ones, too,
    but for deleted ones), `pending` the messages it has not worked on yet. `verdicts`: how many of its active
    memories their words carry how far (`Store.verdicts`)."""

    recipe: str
    remembered: Mapping[str, tuple[MemoryEntry, ...]]
    pending: frozenset[str]
    kept: Kept
    cost: Cost
    verdicts: Mapping[str, int] = field(default_factory=dict)

    def missed(self, message_id: str) -> bool:
        """Whether it has worked on the message and remembers nothing from it."""
        return message_id not in self.remembered and message_id not in self.pending


@dataclass(frozen=True)
class Comparison:
    """One log as several systems remember it. `source_tokens` are those of its messages' texts."""

    conversation: Conversation
    sessions: tuple[Session, ...]
    messages: tuple[Message, ...]
    source_tokens: int
    systems: tuple[SystemOnLog, ...]

    @cached_property
    def _by_recipe(self) -> dict[str, SystemOnLog]:
        return {system.recipe: system for system in self.systems}

    def missed(self, missed_by: str, remembered_by: str) -> tuple[str, ...]:
        """The messages, in order, from which `remembered_by` remembers something and `missed_by`, which has
        worked on them, nothing."""
        remembering, missing = self._by_recipe[remembered_by], self._by_recipe[missed_by]
        return tuple(m.id for m in self.messages if m.id in remembering.remembered and missing.missed(m.id))

    def select(
        self,
        *,
        remembered_by: str | None = None,
        missed_by: str | None = None,
        session_id: str | None = None,
        contains: str = "",
    ) -> tuple[Message, ...]:
        """The messages, in order, that one system remembers something from, another has missed, of one
        session, and in which or in whose memories a text occurs (whatever its case)."""
        wanted = contains.casefold()
        return tuple(
            message
            for message in self.messages
            if (session_id is None or message.session_id == session_id)
            and (remembered_by is None or message.id in self._by_recipe[remembered_by].remembered)
            and (missed_by is None or self._by_recipe[missed_by].missed(message.id))
            and (not wanted or any(wanted in text.casefold() for text in self._texts(message)))
        )

    def _texts(self, message: Message) -> Iterable[str]:
        yield message.speaker
        yield message.text
        for system in self.systems:
            yield from (memory.text for memory in system.remembered.get(message.id, ()))

    def stored_per_1000(self, system: SystemOnLog) -> float | None:
        """Stored tokens per 1,000 source tokens; None for a log without words."""
        return 1000 * system.kept.tokens / self.source_tokens if self.source_tokens else None


def reading(store: Store, conversation_id: str, *, owner: str) -> LogProgress:
    """How much of one of the owner's conversations each recipe has worked on."""
    done: Counter[str] = Counter()
    for one in store.coverage(owner):
        if one.conversation_id == conversation_id:
            done[one.recipe] += one.messages
    return LogProgress(len(store.messages_of(conversation_id)), dict(done))


def compare(
    store: Store, conversation_id: str, recipes: Sequence[str], count_tokens: CountTokens, *, owner: str
) -> Comparison:
    """The log of one of the owner's conversations as `recipes` remember it, each once, in their order.
    Raises NotFoundError for a conversation the owner has not."""
    conversation = next((c for c in store.conversations(owner) if c.id == conversation_id), None)
    if conversation is None:
        raise NotFoundError(
            f"{owner} has no log with the id {conversation_id!r}.", "Choose one from the list of logs."
        )
    sessions = tuple(store.sessions(conversation_id=conversation_id))
    messages = tuple(store.messages_of(conversation_id))
    log = _Log(
        store,
        conversation,
        frozenset(session.id for session in sessions),
        frozenset(message.id for message in messages),
        count_tokens,
    )
    return Comparison(
        conversation,
        sessions,
        messages,
        sum(count_tokens(message.text) for message in messages),
        tuple(_system(log, recipe) for recipe in dict.fromkeys(recipes)),
    )


def only_in(contexts: Mapping[str, Context]) -> dict[str, frozenset[str]]:
    """By name, the messages that only this one of the contexts quotes."""
    quoted = {name: frozenset(_quoted(context)) for name, context in contexts.items()}
    return {
        name: own - frozenset().union(*(ids for other, ids in quoted.items() if other != name))
        for name, own in quoted.items()
    }


def _quoted(context: Context) -> Iterable[str]:
    return (quote.message.id for citation in context.citations for quote in citation.hit.quotes)


@dataclass(frozen=True, slots=True)
class _Log:
    """The log in hand, and where what systems made of it is found."""

    store: Store
    conversation: Conversation
    session_ids: frozenset[str]
    message_ids: frozenset[str]
    count_tokens: CountTokens

    def cited(self, sources: Sequence[Source]) -> tuple[str, ...]:
        """The messages of this log among sources, each once."""
        return tuple(dict.fromkeys(s.message_id for s in sources if s.message_id in self.message_ids))


def _system(log: _Log, recipe: str) -> SystemOnLog:
    owner = log.conversation.owner
    remembered: dict[str, list[MemoryEntry]] = {}
    memories = []
    for memory in log.store.memories(owner, recipe=recipe, states=None, message_ids=sorted(log.message_ids)):
        cited = log.cited(memory.sources)
        if cited and memory.state != "deleted":
            memories.append(memory)
            for message_id in cited:
                remembered.setdefault(message_id, []).append(memory)
    pending = log.store.pending_messages(recipe, owner, conversation_id=log.conversation.id)
    return SystemOnLog(
        recipe,
        {message_id: tuple(found) for message_id, found in remembered.items()},
        frozenset(message.id for message in pending),
        _kept(log, recipe, memories),
        _cost(log, recipe),
        log.store.verdicts(owner, recipe=recipe, conversation_id=log.conversation.id),
    )


def _kept(log: _Log, recipe: str, memories: Sequence[MemoryEntry]) -> Kept:
    store, owner = log.store, log.conversation.owner
    active = [memory for memory in memories if memory.state == "active"]
    triples = [t for t in store.triples(owner, recipe=recipe) if t.mentions and log.cited(t.sources)]
    holding = [triple for triple in triples if triple.invalidated_at is None]
    summaries = [
        s.text for s in store.summaries(owner, recipe=recipe) if s.session_id in log.session_ids and s.text
    ]
    if SYSTEMS[recipe].running_summary:
        summaries = summaries[-1:]
    stated = [memory.text for memory in active] + summaries
    stated += _texts(store, [triple for triple in holding if not triple.memory_ids])
    ours = {memory.id for memory in memories}
    ours |= {i for t in triples for i in (t.id, t.subject_id, t.object_id)}
    return Kept(
        memories=len(active),
        past=len(memories) - len(active),
        triples=len(holding),
        summaries=len(summaries),
        proposals=sum(not ours.isdisjoint(p.target_ids) for p in store.proposals(owner)),
        tokens=sum(map(log.count_tokens, stated)),
    )


def _texts(store: Store, triples: Sequence[Triple]) -> list[str]:
    ends = store.entities_by_id(list({i for t in triples for i in (t.subject_id, t.object_id)}))
    return [triple_text(ends[t.subject_id].name, t.relation, ends[t.object_id].name) for t in triples]


def _cost(log: _Log, recipe: str) -> Cost:
    store, owner = log.store, log.conversation.owner
    covered = [c for c in store.coverage(owner) if c.recipe == recipe]
    of_log = {c.run_id for c in covered if c.conversation_id == log.conversation.id}
    runs = {run.id: run for run in store.runs() if run.id in of_log and run.kind == "ingest"}
    covered = [c for c in covered if c.run_id in runs]
    costs = spent([cost for run_id in runs for cost in store.llm_costs(owner, run_id=run_id)])
    seconds = [run.seconds for run in runs.values() if run.seconds is not None]
    return Cost(
        runs=tuple(runs.values()),
        conversations=tuple(dict.fromkeys(c.conversation_id for c in covered)),
        messages=sum(c.messages for c in covered),
        calls=costs["calls"] or 0,
        prompt_tokens=costs["prompt_tokens"],
        completion_tokens=costs["completion_tokens"],
        unreported_calls=costs["unreported_calls"] or 0,
        seconds=sum(seconds) if seconds else None,
        untimed_runs=len(runs) - len(seconds),
        models=tuple(dict.fromkeys(model for run in runs.values() if (model := _model(run)))),
    )


def _model(run: Run) -> str:
    """The language model that was chosen when it ran; empty for none."""
    chosen = str((run.settings.get("active") or {}).get("llm", "none"))
    return "" if chosen == "none" else chosen
