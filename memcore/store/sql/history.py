"""Reading what changed and what was done: proposals, events, runs, traces, model calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcore.domain.models import (
    AskedQuestion,
    Curation,
    Event,
    Grant,
    LlmCall,
    LlmCost,
    Proposal,
    RuleSwitch,
    Run,
    StageTrace,
)
from memcore.store.sql.database import Database
from memcore.store.sql.query import Select, one
from memcore.store.sql.tables import (
    CURATIONS,
    EVENTS,
    EVIDENCE,
    GRANTS,
    LLM_CALLS,
    PROPOSALS,
    QUESTIONS,
    REVIEWABLE,
    RULE_SWITCHES,
    RUNS,
    TRACES,
)

_AMONG_NEWEST = 1_000
"""Whose an event is stands in its snapshots, and reading those of a long history takes 2 µs each: the newest
few of an owner are looked for among so many first."""

_COUNTED = (*EVIDENCE.values(), *REVIEWABLE.values(), RUNS)


class HistoryReader:
    """The review and work parts of the Store protocol."""

    _database: Database
    _waiting: dict[tuple[str, str | None], tuple[int, list[Proposal]]]
    _counted: dict[str, tuple[int, dict[str, int]]]

    def proposals(
        self, owner: str, *, states: Sequence[str] | None = ("pending",), recipe: str | None = None
    ) -> list[Proposal]:
        """By the time they were made, then id; those of one recipe's memories, if one is named. Those that
        wait are kept until a proposal changes: whoever goes through them asks for them at every step."""
        if states is None or tuple(states) != ("pending",):
            return self._proposals(owner, states, recipe)
        newest = self._database.newest(PROPOSALS.name)  # noted before reading
        kept = self._waiting.get((owner, recipe))
        if kept is None or kept[0] != newest:
            kept = newest, self._proposals(owner, states, recipe)
            self._waiting[owner, recipe] = kept
        return list(kept[1])

    def _proposals(self, owner: str, states: Sequence[str] | None, recipe: str | None) -> list[Proposal]:
        select = Select(PROPOSALS).where("owner = ?", owner).where_in("state", states)
        if recipe is not None:
            select.where("recipe = ?", recipe)
        return select.order("created_at, id").all(self._database)

    def proposal(self, proposal_id: str) -> Proposal | None:
        """The proposal, or None when there is none of this id."""
        return one(self._database, PROPOSALS, proposal_id)

    def last_decided(self, owner: str, by: Sequence[str] | None = None) -> Proposal | None:
        """The proposal that was applied or rejected last, by one of these or (None) by anyone."""
        select = Select(PROPOSALS).where("owner = ? and state in ('applied', 'rejected')", owner)
        select.where_in("decided_by", by).order("decided_at desc nulls last, id", limit=1)
        return next(iter(select.all(self._database)), None)

    def rule_switches(self, owner: str) -> list[RuleSwitch]:
        """The rules of automatic approval that this owner ever set, on or off."""
        return Select(RULE_SWITCHES).where("owner = ?", owner).order("rule").all(self._database)

    def grants(self, *, person: str | None = None) -> list[Grant]:
        """What persons may do with whose memory, or no longer, by person, then owner."""
        select = Select(GRANTS)
        if person is not None:
            select.where("person = ?", person)
        return select.order("person, owner").all(self._database)

    def curations(self, owner: str, *, recipe: str | None = None) -> list[Curation]:
        """What a person decided about the owner's objects by hand and has not undone, by time."""
        select = Select(CURATIONS).where("owner = ? and standing", owner)
        if recipe is not None:
            select.where("recipe = ?", recipe)
        return select.order('"at", id').all(self._database)

    def curation(self, object_id: str) -> Curation | None:
        """What a person last decided about this object by hand, also if it was undone."""
        return one(self._database, CURATIONS, Curation.id_for(object_id))

    def questions(self, owner: str) -> list[AskedQuestion]:
        """The questions noted for an owner, newest first."""
        return Select(QUESTIONS).where("owner = ?", owner).order("asked_at desc, id").all(self._database)

    def events(
        self,
        *,
        object_id: str | None = None,
        batch: str | None = None,
        event_id: str | None = None,
        run_id: str | None = None,
        object_type: str | None = None,
        owner: str | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[Event]:
        """Events that meet every condition given, oldest first unless asked otherwise."""
        wanted = {
            "object_id": object_id,
            "batch": batch,
            "id": event_id,
            "run_id": run_id,
            "object_type": object_type,
        }
        given = {column: value for column, value in wanted.items() if value is not None}
        if newest_first and limit is not None and owner is not None and not given:
            found = self._events(given, owner, limit, newest_first, among_newest=limit + _AMONG_NEWEST)
            if len(found) == limit:
                return found
        return self._events(given, owner, limit, newest_first)

    def _events(
        self,
        given: dict[str, str],
        owner: str | None,
        limit: int | None,
        newest_first: bool,
        *,
        among_newest: int | None = None,
    ) -> list[Event]:
        select = Select(EVENTS)
        for column, value in given.items():
            select.where(f"{column} = ?", value)
        if among_newest is not None:
            select.where("seq > (select max(seq) from events) - ?", among_newest)
        if owner is not None:
            select.where("""coalesce("after"->>'owner', "before"->>'owner', '') in (?, '')""", owner)
        return select.order("seq desc" if newest_first else "seq", limit=limit).all(self._database)

    def last_event_of(self, object_id: str) -> Event | None:
        """The newest event of an object, or None when nothing happened to it."""
        return next(iter(self.events(object_id=object_id, newest_first=True, limit=1)), None)

    def find_object(self, object_id: str) -> tuple[str, dict[str, Any]] | None:
        """(object type, snapshot) of whatever has this id: evidence, a reviewable object or a run."""
        for object_type, table in (REVIEWABLE | EVIDENCE | {"run": RUNS}).items():
            found = one(self._database, table, object_id)
            if found is not None:
                return object_type, table.snapshot(found)
        return None

    def runs(self, *, owner: str | None = None, limit: int | None = None) -> list[Run]:
        """Newest first."""
        select = Select(RUNS)
        if owner is not None:
            select.where("owner = ?", owner)
        return select.order("started_at desc, id", limit=limit).all(self._database)

    def run(self, run_id: str) -> Run | None:
        """The run, or None when there is none of this id."""
        return one(self._database, RUNS, run_id)

    def traces(
        self,
        *,
        run_id: str | None = None,
        stage: str | None = None,
        unit: str | None = None,
        recipe: str | None = None,
    ) -> list[StageTrace]:
        """In the order they were written; `recipe` is that of their run."""
        select = Select(TRACES)
        for column, value in {"run_id": run_id, "stage": stage, "unit": unit}.items():
            if value is not None:
                select.where(f"{column} = ?", value)
        if recipe is not None:
            select.where("run_id in (select id from runs where recipe = ?)", recipe)
        return select.order("rowid").all(self._database)

    def llm_calls(self, *, run_id: str | None = None, limit: int | None = None) -> list[LlmCall]:
        """Newest first."""
        select = Select(LLM_CALLS)
        if run_id is not None:
            select.where("run_id = ?", run_id)
        return select.order('"at" desc, id', limit=limit).all(self._database)

    def llm_costs(self, owner: str, *, run_id: str | None = None) -> list[LlmCost]:
        """Calls and tokens of this owner's runs, a row a stage; nobody was asked what stayed unanswered."""
        rows = self._database.query(
            """
            select stage, count(*), sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint,
                count(*) filter (where prompt_tokens is null or completion_tokens is null)
            from llm_calls
            where run_id in (select id from runs where owner = $1 and ($2::text is null or id = $2))
                and outcome <> 'unanswered'
            group by stage order by stage
            """,
            [owner, run_id],
        )
        return [LlmCost(*row) for row in rows]

    def stats(self, owner: str) -> dict[str, int]:
        """How much there is of everything of one owner, kept until any of it changes; runs and model calls
        belong to no owner's count but to the store's."""
        newest = self._database.newest(*(table.name for table in _COUNTED))  # noted before reading
        kept = self._counted.get(owner)
        if kept is None or kept[0] != newest:
            kept = newest, self._stats(owner)
            self._counted[owner] = kept
        return dict(kept[1])

    def _stats(self, owner: str) -> dict[str, int]:
        counts = self._database.query(
            """
            with mine as (select s.id from sessions s join conversations c on c.id = s.conversation_id
                          where c.owner = $1)
            select
                (select count(*) from conversations where owner = $1),
                (select count(*) from mine),
                (select count(*) from messages where session_id in (select id from mine)),
                (select count(*) from segments where session_id in (select id from mine)),
                (select count(*) from memories where owner = $1 and state = 'active'),
                (select count(*) from memories where owner = $1 and state <> 'active'),
                (select count(*) from entities where owner = $1 and merged_into is null),
                (select count(*) from triples where owner = $1 and invalidated_at is null),
                (select count(*) from triples where owner = $1 and invalidated_at is not null),
                (select count(*) from summaries where owner = $1),
                (select count(*) from proposals where owner = $1 and state = 'pending'),
                (select count(*) from proposals where owner = $1 and state <> 'pending'),
                (select count(*) from runs where owner = $1)
            """,
            [owner],
        )
        names = (
            "conversations",
            "sessions",
            "messages",
            "segments",
            "memories",
            "memories_past",
            "entities",
            "triples",
            "triples_invalidated",
            "summaries",
            "proposals_pending",
            "proposals_decided",
            "runs",
        )
        return dict(zip(names, map(int, counts[0]), strict=True))
