"""Judging what is stored: each statement against the sessions in which the words that it cites were said.

`SessionJudge` is what a store asks about everything that is written into it; `ground` asks it about what was
stored before there was one, or judged by other rules. A summary is judged sentence by sentence against its
whole session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memcore.domain.models import SUPPORT, Grounding, Message, Statement
from memcore.domain.protocols import Cancelled, Embedder, Judge, Progress, Store
from memcore.stages.align import sentence_spans
from memcore.stages.grounding.judge import Grounder
from memcore.stages.grounding.model import grounding_model

GROUND = "check"
"""The stage that progress is told in."""

AT_ONCE = 500
"""Statements judged and stored in one transaction."""


class SessionJudge:
    """Implements Judge, with the messages of a store and without a language model."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

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
            grounder = Grounder([m for session in scope for m in said.messages(session)], self._embedder)
            grounder.prepare([text for place in places for text in _parts(statements[place])])
            for place in places:
                cited = said.cited(statements[place])
                parts = _parts(statements[place])
                found[place] = _together(parts, [grounder.judge(part, cited) for part in parts])
        return found


class _Said:
    """What the statements of one call cite, read at once."""

    def __init__(self, store: Store, statements: Sequence[Statement]) -> None:
        self._store = store
        cited = {i for statement in statements if statement.kind != "summary" for i in statement.cited}
        self._session_of = {i: m.session_id for i, m in store.messages_by_id(sorted(cited)).items()}
        self._messages: dict[str, list[Message]] = {}

    def messages(self, session_id: str) -> list[Message]:
        """A session's messages, in order."""
        if session_id not in self._messages:
            self._messages[session_id] = self._store.messages(session_id)
        return self._messages[session_id]

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
