"""Judging what is stored: each statement against the sessions in which the words that it cites were said.

`SessionJudge` is what a store asks about everything that is written into it; `ground` asks it about what was
stored before there was one, or judged by other rules. A summary is judged sentence by sentence against its
whole session. `ask_model` puts the memories that this leaves in doubt to a language model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from threading import Lock

from memcore.domain.errors import LlmError, LlmUnavailableError
from memcore.domain.models import DOUBTFUL, SUPPORT, Grounding, Message, Standing, Statement
from memcore.domain.protocols import Cancelled, Embedder, Judge, Progress, Store
from memcore.stages.align import sentence_spans
from memcore.stages.grounding.judge import TURNS_BEFORE, Grounder
from memcore.stages.grounding.judge_llm import Doubt, LlmJudge
from memcore.stages.grounding.model import grounding_model
from memcore.stages.grounding.standing import Conversation

GROUND = "check"
"""The stage that progress is told in."""

AT_ONCE = 500
"""Statements judged and stored in one transaction."""
EARLIER = 400
"""Messages of earlier sessions in which what a statement names, counts and dates may stand."""
AT_A_TIME = 16
"""Earlier sessions that are read from the store at once, until there are enough."""
KEPT = 128
"""Sessions, or several that are cited together, that are kept as read. Those of a conversation are gone
through again and again, and `EARLIER` messages are seldom of more."""
ASKED_AT_ONCE = 32
"""Memories that a model is asked about before what it says is stored."""


class SessionJudge:
    """Implements Judge and Examiner, with the messages of a store and without a language model."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._used: dict[tuple[str, ...], tuple[list[Message], Grounder]] = {}
        self._using = Lock()

    @property
    def version(self) -> str:
        """The version of the rules."""
        return grounding_model().version

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        """A verdict each, of one without citations, too; None where a cited message is not stored."""
        said = _Said(self._store, statements)
        by_scope: dict[tuple[str, ...], list[int]] = {}
        found: list[Grounding | None] = [None] * len(statements)
        for place, statement in enumerate(statements):
            scope = said.scope(statement)
            if scope is not None:
                by_scope.setdefault(scope, []).append(place)
        for scope, places in by_scope.items():
            asked = [(p, part) for p in places for part in _parts(statements[p])]
            judged = self._judged(said, scope, [(statements[p], part) for p, part in asked])
            for place, some in groupby(zip(asked, judged, strict=True), key=lambda one: one[0][0]):
                parts, verdicts = zip(*((part, verdict) for (_, part), verdict in some), strict=True)
                found[place] = _together(parts, verdicts)
        return found

    def standing(self, statements: Sequence[Statement]) -> list[Standing | None]:
        """How each stands with the whole conversations of what it cites; None where that is nothing, or not
        stored."""
        said = _Said(self._store, statements)
        conversations: dict[tuple[str, ...], Conversation] = {}
        found: list[Standing | None] = []
        for statement in statements:
            sessions = said.conversation(said.scope(statement) or ())
            if sessions and sessions not in conversations:
                conversations[sessions] = Conversation([m for one in sessions for m in said.messages(one)])
            whole = conversations.get(sessions)
            found.append(None if whole is None else whole.standing(statement.text, said.cited(statement)))
        return found

    def _judged(
        self, said: _Said, scope: Sequence[str], asked: Sequence[tuple[Statement, str]]
    ) -> list[Grounding]:
        """The verdict on each part of a statement. Most are plain from a few words, and reading all messages
        of a session with the encoder may cost more than the system that is judged."""
        grounder = self._grounder(said, scope)
        cited = [said.cited(statement) for statement, _ in asked]
        found = [grounder.judge_cheaply(part, ids) for (_, part), ids in zip(asked, cited, strict=True)]
        told = [at for at, one in enumerate(found) if one is None and asked[at][0].kind == "summary"]
        for session in said.sessions_before(scope) if told else ():
            before = self._grounder(said, (session,))
            ids = [message.id for message in said.messages(session)]
            for at in told:
                found[at] = before.judge_cheaply(asked[at][1], ids)
            told = [at for at in told if found[at] is None]
            if not told:
                break
        left = [at for at, one in enumerate(found) if one is None]
        grounder.prepare([asked[at][1] for at in left])
        return [
            one or grounder.judge(part, ids) for one, (_, part), ids in zip(found, asked, cited, strict=True)
        ]

    def _grounder(self, said: _Said, scope: Sequence[str]) -> Grounder:
        """Reads sessions, or has read them: step after step of a run writes about the same ones."""
        messages = [m for session in scope for m in said.messages(session)]
        with self._using:
            known = self._used.pop(tuple(scope), None)
            if known is None or known[0] != messages:
                known = messages, Grounder(messages, self._embedder, earlier=partial(said.earlier, scope))
            self._used[tuple(scope)] = known
            while len(self._used) > KEPT:
                del self._used[next(iter(self._used))]
        return known[1]


class _Said:
    """What the statements of one call cite, read at once."""

    def __init__(self, store: Store, statements: Sequence[Statement]) -> None:
        self._store = store
        cited = {i for statement in statements if statement.kind != "summary" for i in statement.cited}
        self._session_of = {i: m.session_id for i, m in store.messages_by_id(sorted(cited)).items()}
        self._messages: dict[str, list[Message]] = {}
        told = {i for statement in statements if statement.kind == "summary" for i in statement.cited}
        self._read({*self._session_of.values(), *told})

    def messages(self, session_id: str) -> list[Message]:
        """A session's messages, in order."""
        self._read([session_id])
        return self._messages[session_id]

    def _read(self, session_ids: Collection[str]) -> None:
        unread = sorted(set(session_ids).difference(self._messages))
        if unread:
            found = self._store.messages_by_session(unread)
            self._messages |= {one: found.get(one, []) for one in unread}

    def earlier(self, scope: Sequence[str]) -> list[Message]:
        """The last messages of its conversation that were said before the first of these sessions, up to
        `EARLIER`; none of nothing that is cited."""
        sessions = reversed(list(self.sessions_before(scope)))
        return [message for session in sessions for message in self.messages(session)][-EARLIER:]

    def sessions_before(self, scope: Sequence[str]) -> Iterator[str]:
        """The sessions of its conversation before the first of these, the last one first, until they have
        `EARLIER` messages."""
        session = self._store.session(scope[0]) if scope else None
        if session is None:
            return
        before = [
            one.id
            for one in reversed(self._store.sessions(conversation_id=session.conversation_id))
            if one.position < session.position
        ]
        found = 0
        for start in range(0, len(before), AT_A_TIME):
            some = before[start : start + AT_A_TIME]
            self._read(some)
            for one in some:
                if found >= EARLIER:
                    return
                found += len(self.messages(one))
                yield one

    def conversation(self, scope: Sequence[str]) -> tuple[str, ...]:
        """All sessions of the conversations that these are of."""
        of = dict.fromkeys(one.conversation_id for i in scope if (one := self._store.session(i)) is not None)
        return tuple(s.id for one in of for s in self._store.sessions(conversation_id=one))

    def scope(self, statement: Statement) -> tuple[str, ...] | None:
        """The sessions that a statement is judged against; None: they are not all there."""
        if statement.kind == "summary":
            return statement.cited if self.messages(statement.cited[0]) else None
        sessions = [self._session_of.get(i) for i in statement.cited]
        return None if None in sessions else tuple(dict.fromkeys(i for i in sessions if i is not None))

    def cited(self, statement: Statement) -> list[str]:
        """The ids of the messages that a statement cites."""
        if statement.kind == "summary":
            return [message.id for message in self.messages(statement.cited[0])]
        return list(statement.cited)


def _parts(statement: Statement) -> list[str]:
    """What is judged as one: a memory, a triple, a sentence of a summary."""
    if statement.kind != "summary":
        return [statement.text]
    return [statement.text[start:end] for start, end in sentence_spans(statement.text)] or [statement.text]


def _together(parts: Sequence[str], found: Sequence[Grounding]) -> Grounding:
    """The verdict on a whole, of those on its parts: the worst, with every reason."""
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda one: (SUPPORT.index(one.verdict), one.score))
    reasons = (
        reason if reason.words else replace(reason, words=part)
        for part, one in zip(parts, found, strict=True)
        for reason in one.reasons
    )
    if worst.verdict == "unsupported" and any(one.verdict == "supported" for one in found):
        worst = replace(worst, verdict="partly")
    return replace(worst, reasons=tuple(reasons))


def ground(
    store: Store,
    judge: Judge,
    *,
    owner: str | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> int:
    """Judge what these rules have not judged yet, of one owner or (None) of all; how many verdicts that gave.
    What was judged before it was cancelled stays so."""
    statements = store.unjudged(owner, judge.version)
    done = 0
    for start in range(0, len(statements), AT_ONCE):
        if cancelled is not None and cancelled():
            break
        some = statements[start : start + AT_ONCE]
        found = [(s, g) for s, g in zip(some, judge.judge(some), strict=True) if g is not None]
        with store.write(actor="grounding") as writer:
            writer.put_groundings(found)
        done += len(found)
        if progress is not None:
            progress(GROUND, start + len(some), len(statements))
    return done


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What asking a model came to: how many memories were `asked` about, how many verdicts that gave, and why
    the others kept theirs."""

    asked: int
    judged: int
    errors: tuple[str, ...]


def doubts(store: Store, owner: str, version: str) -> list[Doubt]:
    """The owner's active memories that these rules do not call supported, as far as no model was asked."""
    memories = store.memories(owner, verdicts=DOUBTFUL)
    found = store.groundings([memory.id for memory in memories])
    asked = [
        (Statement.of_memory(m), found[m.id])
        for m in memories
        if m.id in found and found[m.id].made_by == version
    ]
    said = _Said(store, [statement for statement, _ in asked])
    made = (_doubt(said, statement, verdict) for statement, verdict in asked)
    return [doubt for doubt in made if doubt.fits]


def _doubt(said: _Said, statement: Statement, found: Grounding) -> Doubt:
    cited: dict[str, Message] = {}
    before: dict[str, Message] = {}
    for session in said.scope(statement) or ():
        messages = said.messages(session)
        for place, message in enumerate(messages):
            if message.id in statement.cited:
                cited[message.id] = message
                before |= {m.id: m for m in messages[max(0, place - TURNS_BEFORE) : place]}
    return Doubt(
        statement, found, tuple(cited.values()), tuple(m for i, m in before.items() if i not in cited)
    )


def ask_model(
    store: Store,
    doubtful: Sequence[Doubt],
    judge: LlmJudge,
    *,
    run_id: str,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> SecondOpinion:
    """Ask a model about what is in doubt; what it says takes the place of what the rules said. Where it gives
    no usable answer, that stays."""
    judged, asked, errors = 0, 0, []
    for start in range(0, len(doubtful), ASKED_AT_ONCE):
        if cancelled is not None and cancelled():
            break
        some = doubtful[start : start + ASKED_AT_ONCE]
        found = list(zip(some, judge.judge(some), strict=True))
        asked += len(some)
        new = [(doubt.statement, one) for doubt, one in found if isinstance(one, Grounding)]
        judged += len(new)
        errors += [f"{doubt.statement.object_id}: {one}" for doubt, one in found if isinstance(one, LlmError)]
        with store.write(actor=judge.name, run_id=run_id) as writer:
            writer.put_groundings(new)
        if progress is not None:
            progress(GROUND, start + len(some), len(doubtful))
        if any(isinstance(one, LlmUnavailableError) for _, one in found):
            break
    return SecondOpinion(asked, judged, tuple(errors))
