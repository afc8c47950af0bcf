"""`Memory`: the one object that the app, the command line and other programs talk to.

A store and the backends it works with, given to it; the verbs that change or ask it; and rooms for the
rest (`memory.memories`, `.graph`, `.traces`, `.review`, `.curation`, `.runs`, `.exports`, `.evidence`,
`.people`). Each verb says what role it needs (`rights.needs`). It contains no algorithm of its own. One
`Memory` may be used from several threads. It does not know Streamlit, argument parsing or log formats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any

from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE, LogRead, Proposal
from memcore.domain.models.erasure import ErasedKind, ErasureReport
from memcore.domain.models.people import person_named
from memcore.domain.protocols import Cancelled, Llm, Progress
from memcore.inspection import comparison, why_not
from memcore.inspection import overview as look
from memcore.inspection.comparison import Comparison
from memcore.inspection.overview import Overview, Problem
from memcore.inspection.why_not import WhyNot
from memcore.memory.curation import CurationRoom
from memcore.memory.evidence import Evidence
from memcore.memory.exports import Exports
from memcore.memory.graph import Graph
from memcore.memory.memories import Memories
from memcore.memory.people import People
from memcore.memory.review import Review
from memcore.memory.rights import Rights, everyone, needs
from memcore.memory.runs import Runs
from memcore.memory.traces import Traces
from memcore.retrieval.context import Retrieved, assemble, results_for
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Answer, SearchReport, TimeOfAsking, without_model
from memcore.retrieval.time_of_asking import time_of_asking, usual_time_of_asking
from memcore.review import consolidate as consolidation
from memcore.review import decide, erase
from memcore.review.consolidate import ConsolidationReport
from memcore.review.decide import Decided, Undone
from memcore.review.unsupported import UnsupportedReport, propose_corrections
from memcore.runs import retry
from memcore.runs import turns as turns_told
from memcore.runs.bulk import BulkReport, Readers, ingest_in_bulk
from memcore.runs.grounding import SessionJudge, ask_model, doubts, ground
from memcore.runs.ingest import LOAD, IngestReport, in_silence, ingest
from memcore.runs.record import RunRecord
from memcore.runs.resegment import Resegmented, resegment
from memcore.runs.turns import Told, Turn
from memcore.runtime.backends import Backends
from memcore.runtime.config import Settings
from memcore.runtime.doctor import DoctorReport, check_packages, check_systems
from memcore.runtime.examine import store_checks, surroundings
from memcore.stages.answer import WrittenAnswer, answer_question
from memcore.stages.grounding.judge_llm import LlmJudge
from memcore.store import ExactIndex, HnswIndex, SqlStore
from memcore.systems.registry import SYSTEMS, system_named


def _erased(given: Mapping[str, Any]) -> Iterable[str]:
    """Whose memory an erasure takes: an owner's, by the name that is its target."""
    return (given["target"] if given["what"] == "owner" else given["owner"],)


class Memory:
    """A store and everything one can do with it. Use as a context manager, or call `close`."""

    def __init__(self, store: SqlStore, backends: Backends, *, person: str = "") -> None:
        """`store` was opened for the embedding model that `backends` has; `close` closes it. `person`: as
        `acting_for`."""
        self._store = store
        self.backends = backends
        self._judge = SessionJudge(store, backends.embedder_when_needed())
        store.judge_with(self._judge)
        self._furnish(Rights(store, person))

    def _furnish(self, rights: Rights) -> None:
        """Make the rooms, for whom this memory is."""
        store, backends = self._store, self.backends
        self._rights = rights
        self._record = RunRecord(store, backends, started_by=rights.person)
        self.evidence = Evidence(store, rights)
        self.memories = Memories(store, rights)
        self.graph = Graph(store, rights, self._record, self.default_recipe)
        self.traces = Traces(store, rights, backends)
        self.review = Review(store, rights, backends, self._record, self._consolidate, self.default_recipe)
        self.curation = CurationRoom(store, rights, backends, self.default_recipe)
        self.runs = Runs(store, rights)
        self.exports = Exports(store, rights)
        self.people = People(store, rights)

    def acting_for(self, person: str) -> Memory:
        """The same open memory for whoever logged in under this name: its verbs refuse with NotPermittedError
        what was not granted to them (`memory.people`), and they are the actor of what is done. To close
        either closes both."""
        theirs = copy(self)
        theirs._furnish(Rights(self._store, person_named(person)))
        return theirs

    @property
    def store(self) -> SqlStore:
        """What is stored, without the rights of persons. Raises NotPermittedError but for the operator."""
        self._rights.require_operator("What reads the store itself")
        return self._store

    @property
    def read_only(self) -> bool:
        """Whether the store can only be read, since it may not be written where it is."""
        return self._store.read_only

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.backends.settings

    def close(self) -> None:
        """Save the index caches and release the store to other processes."""
        self._store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ read

    @needs("review")
    def ingest(
        self,
        logs: LogRead,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str = DEFAULT_RECIPE,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Store the logs' good messages, then run the system over everything unprocessed.

        Raises UsageError for an unknown system or a log read for another owner, LlmUnavailableError
        before any work when the chosen model cannot be reached."""
        if any(log.conversation.owner != owner for log in logs.logs):
            raise UsageError("The log was read for another owner.", f"Read it with owner={owner!r}.")
        return self._ingest(logs, owner, recipe, progress, cancelled)

    @needs("review", of=everyone)
    def ingest_in_bulk(
        self,
        logs: Iterable[LogRead],
        readers: Readers,
        *,
        recipe: str = DEFAULT_RECIPE,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> BulkReport:
        """Store the logs of any number of owners, one log after the other, then have `readers` run the system
        over everything of these owners that is unprocessed. Raises as `ingest`."""
        system_named(recipe)
        self._store.require_writable()
        self.backends.require_llm()
        report = ingest_in_bulk(
            self._store,
            logs,
            begin=lambda owner: self._record.begin(owner, recipe, "ingest"),
            readers=readers,
            llm=self.backends.llm_document(),
            progress=progress,
            cancelled=cancelled,
        )
        self._ask_model(report.owners, progress, cancelled)
        for owner in report.owners:
            self.review.decide_automatically(owner)
        return report

    @needs("review")
    def resume(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str = DEFAULT_RECIPE,
        conversation_id: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Work on stored messages (of one conversation, if one is named) that the system has not
        processed yet."""
        return self._ingest(None, owner, recipe, progress, cancelled, conversation_id=conversation_id)

    @needs("review")
    def take(
        self,
        turns: Sequence[Turn],
        *,
        conversation: str,
        session: str = "",
        owner: str = DEFAULT_OWNER,
        client: str = "",
    ) -> Told:
        """Store turns as a program tells them, each once; `read_on` reads them. Raises as
        `runs.turns.take`."""
        return turns_told.take(
            self._store, turns, owner=owner, conversation=conversation, session=session, client=client
        )

    @needs("review")
    def read_on(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Work on stored messages of a conversation that goes on, with a system (None: `default_recipe`):
        what does not fill its buffers yet waits for more, or for `resume`. Raises as `ingest`."""
        chosen = recipe or self.default_recipe(owner)
        return self._ingest(None, owner, chosen, None, cancelled, to_the_end=False)

    @needs("review")
    def retry(
        self,
        run_id: str,
        *,
        owner: str = DEFAULT_OWNER,
        session_ids: Sequence[str] | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Read again only what a run failed on (in some sessions, if they are named), as a new run that
        names it. Raises NotFoundError, and UsageError when nothing of it waits any more."""
        failed, only = retry.to_retry(self._store, run_id, session_ids, owner=owner)
        return self._ingest(None, owner, failed.recipe, progress, cancelled, only=only, retry_of=run_id)

    def _ingest(
        self,
        logs: LogRead | None,
        owner: str,
        recipe: str,
        progress: Progress | None,
        cancelled: Cancelled | None,
        *,
        conversation_id: str | None = None,
        only: Collection[str] | None = None,
        retry_of: str = "",
        to_the_end: bool = True,
    ) -> IngestReport:
        chosen = system_named(recipe)
        self._store.require_writable()
        self.backends.require_llm()
        named = {retry.RETRY_OF: retry_of} if retry_of else {}
        run = self._record.begin(owner, recipe, "ingest", **named)
        tell = progress or in_silence
        tell(LOAD, 0, 1)
        tools = self.backends.tools(recipe, self._store, run.id, cancelled=cancelled)
        tell(LOAD, 1, 1)
        report = ingest(
            self._store,
            logs,
            run=run,
            recipe=chosen,
            tools=tools,
            llm=self.backends.llm_document(),
            make_index=ExactIndex,
            conversation_id=conversation_id,
            only=only,
            to_the_end=to_the_end,
            progress=progress,
            cancelled=cancelled,
        )
        self._ask_model([owner], progress, cancelled)
        self.review.decide_automatically(owner)
        return report

    @needs("review")
    def resegment(
        self,
        session_id: str,
        starts: Sequence[str],
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str = DEFAULT_RECIPE,
        actor: str = "person",
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Resegmented:
        """Divide a session into topics by hand: one starts at each message of `starts`. What changed is
        read again; one undo takes it back. Raises UsageError for a system that has no topics, and as
        `runs.resegment.resegment`."""
        if not system_named(recipe).topics:
            topical = ", ".join(name for name, one in SYSTEMS.items() if one.topics)
            raise UsageError(f"{recipe} does not divide sessions into topics.", f"Choose one of: {topical}.")
        self._store.require_writable()
        self.backends.require_llm()
        self.evidence.session(session_id, owner=owner, recipe=recipe)  # unless it is somebody else's
        run = self._record.begin(owner, recipe, "resegment")
        return resegment(
            self._store,
            session_id,
            starts,
            run=run,
            recipe=system_named(recipe),
            tools=self.backends.tools(recipe, self._store, run.id, cancelled=cancelled),
            llm=self.backends.llm_document(),
            actor=actor,
            progress=progress,
            cancelled=cancelled,
        )

    # ------------------------------------------------------------------ ask

    @needs("read")
    def default_recipe(self, owner: str = DEFAULT_OWNER) -> str:
        """The system that answers when nobody names one: memscope, unless only others remember something;
        then the one of them that last learned something."""
        there = self._store.remembering(owner)
        return DEFAULT_RECIPE if DEFAULT_RECIPE in there or not there else there[0]

    @needs("read")
    def search(
        self,
        query: str,
        *,
        k: int = 10,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        asked_at: datetime | None = None,
        recipe: str | None = None,
    ) -> SearchReport:
        """The k best memories for a question, found as the system finds them (None: `default_recipe`),
        with their words and score parts. "10 days ago" counts from `asked_at` (None: as
        `usual_time_of_asking` says, or `as_of` where that is given); the trace says which it was. Where the
        system's search asks a chosen model and that gives nothing, it searches as without one, and the trace
        says so (`failure`). Raises UsageError."""
        chosen = system_named(recipe or self.default_recipe(owner))
        question = Question(query, owner, chosen.name, k, as_of, asked_at)
        asked = time_of_asking(self._store, question)
        question = replace(question, asked_at=asked.at)

        def look(model: Llm | None) -> SearchReport:
            tools = SearchTools(self.backends.embedder(), model, self.settings.of(chosen.name))
            return chosen.search(self._store, tools, question)

        found, failure = None, None
        if chosen.search_uses_llm:
            found, failure = self._record.answered("search", owner, chosen.name, look)
        found = found or look(None)
        judged = self._store.groundings([hit.id for hit in found.hits], owner=owner)
        hits = tuple(replace(hit, grounding=judged.get(hit.id)) for hit in found.hits)
        notes = (*without_model(failure), *found.trace.notes)
        trace = replace(found.trace, asked=asked, notes=notes, failure=failure)
        return replace(found, hits=hits, trace=trace)

    @needs("read")
    def usual_time_of_asking(self, owner: str = DEFAULT_OWNER) -> TimeOfAsking:
        """When a question counts as asked if nobody says when: now, if the owner's newest message is at most
        30 days old, else when that was said."""
        return usual_time_of_asking(self._store.last_said(owner))

    @needs("read")
    def why_not(
        self,
        query: str,
        object_id: str,
        *,
        k: int = 10,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        asked_at: datetime | None = None,
        recipe: str | None = None,
    ) -> WhyNot:
        """Why a message or a memory is not among the first k results for a question. Raises as `search`, and
        as `inspection.why_not.why_not`."""
        chosen = system_named(recipe or self.default_recipe(owner))
        depth = k if chosen.ranking_depends_on_k else max(k, why_not.DEPTH)
        return why_not.why_not(
            self._store,
            object_id,
            owner=owner,
            recipe=chosen.name,
            k=k,
            search=lambda: self.search(
                query, k=depth, owner=owner, as_of=as_of, asked_at=asked_at, recipe=chosen.name
            ),
        )

    @needs("read")
    def retrieve(
        self,
        query: str,
        *,
        budget: int = 2000,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        asked_at: datetime | None = None,
        recipe: str | None = None,
    ) -> Retrieved:
        """The context that `ask` answers from, and no answer. Raises as `search`, and UsageError for a
        budget that holds nothing."""
        found = self.search(
            query, k=results_for(budget), owner=owner, as_of=as_of, asked_at=asked_at, recipe=recipe
        )
        count = self.backends.token_counter()
        context = assemble(found.hits, budget, count, newest_first=found.newest_first)
        return Retrieved(found.query, context, found.trace)

    @needs("read")
    def ask(
        self,
        query: str,
        *,
        budget: int = 2000,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        asked_at: datetime | None = None,
        recipe: str | None = None,
    ) -> Answer:
        """The context for a question within `budget` cl100k tokens, and the chosen model's answer with
        citations: None when no model is chosen, or it gives none, which costs the answer alone (`failure`
        says why). A model that was not there for the search is not waited for again. Raises UsageError."""
        found = self.retrieve(
            query, budget=budget, owner=owner, as_of=as_of, asked_at=asked_at, recipe=recipe
        )
        written, failure = None, found.trace.failure
        if failure is None or not failure.unavailable:
            written, failure = self._record.answered("ask", owner, "", partial(_written, found))
        return Answer(
            query=found.query,
            context=found.context.text,
            context_tokens=found.context.tokens,
            citations=found.context.citations,
            answer=written.text if written else None,
            answered_by=self.backends.model_name() if written else "",
            warnings=written.warnings if written else (),
            trace=found.trace,
            failure=failure,
        )

    @needs("read")
    def compare(
        self, conversation_id: str, recipes: Sequence[str], *, owner: str = DEFAULT_OWNER
    ) -> Comparison:
        """What several systems remember of one log, by message, and what that took. Runs none of them
        (`resume` does). Raises UsageError for an unknown system, NotFoundError for an unknown log."""
        for recipe in recipes:
            system_named(recipe)
        return comparison.compare(
            self._store, conversation_id, recipes, self.backends.token_counter(), owner=owner
        )

    # ------------------------------------------------------------------ consolidate and decide

    @needs("review")
    def consolidate(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> ConsolidationReport:
        """Propose updates for the owner's memories, those of one system or of each that has a sleep time, in
        turn. Changes no memory. Raises UsageError for an unknown system, LlmUnavailableError before any
        work when the chosen model cannot be reached."""
        self._store.require_writable()
        report = self._consolidate(self._store, owner, recipe, progress, cancelled)
        self.review.decide_automatically(owner)
        return report

    def _consolidate(
        self,
        store: SqlStore,
        owner: str,
        recipe: str | None,
        progress: Progress | None,
        cancelled: Cancelled | None,
    ) -> ConsolidationReport:
        if recipe is not None:
            system_named(recipe)
        self.backends.require_llm()
        run = self._record.begin(owner, recipe or "", "consolidate")
        model = self.backends.llm(store, run.id)
        return consolidation.consolidate(
            store,
            run=run,
            decider=self.backends.decider(model),
            own_deciders=self.backends.own_deciders(model),
            embedder=self.backends.embedder(),
            make_index=HnswIndex,
            recipes=[recipe] if recipe else [name for name, one in SYSTEMS.items() if one.sleep_time],
            queue_top_k=self.settings.queue_top_k,
            queue_keep=self.settings.queue_keep,
            queue_threshold=self.settings.queue_threshold,
            progress=progress,
            cancelled=cancelled,
        )

    @needs("review")
    def approve(
        self, proposal_ids: Sequence[str], *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> Decided:
        """Apply proposals of the owner's; one undo takes back the whole call. Raises as
        `review.decide.approve`."""
        embedder = self.backends.embedder_when_needed()
        return decide.approve(self._store, embedder, proposal_ids, actor, owner=owner)

    @needs("review")
    def reject(
        self, proposal_ids: Sequence[str], *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> Decided:
        """Turn proposals of the owner's down. Raises as `review.decide.reject`."""
        return decide.reject(self._store, proposal_ids, actor, owner=owner)

    @needs("review")
    def edit(
        self, proposal_id: str, text: str, *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> Proposal:
        """Change what a proposal would store; it stays pending. Raises as `review.decide.edit`."""
        return decide.edit(self._store, proposal_id, text, actor, owner=owner)

    @needs("review")
    def undo(self, event_id: str, *, owner: str = DEFAULT_OWNER, actor: str = "person") -> Undone:
        """Take back an event with its whole batch. Raises as `review.decide.undo`."""
        return decide.undo(self._store, event_id, actor, owner=owner)

    @needs("administer", of=_erased)
    def preview_erasure(self, what: ErasedKind, target: str, *, owner: str = DEFAULT_OWNER) -> ErasureReport:
        """What `erase` would take away, counted on a copy. Raises as `erase`."""
        return self._erase(what, target, owner, "", keep=False)

    @needs("administer", of=_erased)
    def erase(
        self, what: ErasedKind, target: str, *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> ErasureReport:
        """Erase a message, a conversation (by id), a person (all that this speaker said) or an owner, with
        all that rests on it, for good: there is no undo. Raises NotFoundError, and StoreBusyError while a run
        is at work or the store is read."""
        return self._erase(what, target, owner, actor, keep=True)

    def _erase(self, what: ErasedKind, target: str, owner: str, actor: str, *, keep: bool) -> ErasureReport:
        self._store.require_writable()  # what would go is counted on a copy beside it
        erase.require_no_run(self._store)
        plan = erase.plan(self._store, what, target, target if what == "owner" else owner)
        removed, changed = self._store.erase(plan, actor=actor, keep=keep)
        return ErasureReport(what, target, plan.owner, removed, changed, keep)

    @needs("review")
    def ground(
        self,
        *,
        owner: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> int:
        """Check what was not checked yet, or by other rules, against the words it cites, of one owner or
        (None) of all; returns how many memories, triples and summaries that were. What is newly written is
        checked at once."""
        self._store.require_writable()
        checked = ground(self._store, self._judge, owner=owner, progress=progress, cancelled=cancelled)
        self._ask_model(self._store.owners() if owner is None else [owner], progress, cancelled)
        return checked

    def _ask_model(
        self, owners: Sequence[str], progress: Progress | None, cancelled: Cancelled | None
    ) -> None:
        """Ask the chosen model about what the rules leave in doubt, where the settings say so: a run of its
        own, which says what came of it."""
        chosen = self.settings.ground_method == "model" and self.backends.has_llm
        if not chosen or (cancelled is not None and cancelled()):
            return
        for owner in owners:
            doubtful = doubts(self._store, owner, self._judge.version)
            if not doubtful:
                continue
            run = self._record.begin(owner, "", "ground")
            with self._record.running(run) as totals:
                model = self.backends.llm(self._store, run.id)
                assert model is not None, "asked only when a model is chosen"
                judge = LlmJudge(model, workers=self.settings.llm_workers)
                found = ask_model(
                    self._store, doubtful, judge, run_id=run.id, progress=progress, cancelled=cancelled
                )
                totals |= {"memories": found.asked, "judged": found.judged, "error": "\n".join(found.errors)}

    @needs("review")
    def propose_corrections(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> UnsupportedReport:
        """Check what was not checked yet, and propose what can be done about the owner's memories (of one
        system, if one is named) that their words do not carry: cite elsewhere, cut, delete. Changes none.
        Raises UsageError for an unknown system."""
        if recipe is not None:
            system_named(recipe)
        self.ground(owner=owner, progress=progress, cancelled=cancelled)
        run = self._record.begin(owner, recipe or "", "ground")
        with self._record.running(run) as totals:
            report = propose_corrections(
                self._store,
                run=run,
                judge=self._judge,
                examiner=self._judge,
                shortener=self.backends.shortener(),
                recipe=recipe,
                progress=progress,
                cancelled=cancelled,
            )
            totals |= {"memories": report.memories, "proposals": report.proposals, "retired": report.retired}
        return report

    # ------------------------------------------------------------------ look

    @needs("read")
    def overview(self, owner: str = DEFAULT_OWNER) -> Overview:
        """What is stored, what changed lately, what waits, and what failed; `problems` tells what is not
        sound."""
        return look.overview(
            self._store,
            owner,
            self.runs.systems(owner),
            failed_messages=lambda run_id: sum(
                len(p.messages) for p in self.runs.failed_parts(run_id, owner=owner)
            ),
        )

    @needs("administer", of=everyone)
    def problems(self, *, history: bool = True) -> tuple[Problem, ...]:
        """What of `doctor` fails without loading a model or asking a server. Reads the whole history;
        without `history` only packages and systems are looked at, nothing of the store."""
        checks = (*check_packages(), *check_systems(), *(store_checks(self._store) if history else ()))
        return tuple(Problem(f"{c.name}: {c.what}", c.fix) for c in checks if c.state == "fail")

    @needs("administer", of=everyone)
    def doctor(self) -> DoctorReport:
        """What is installed, active and reachable, and whether the store is sound."""
        return DoctorReport((*surroundings(self.backends), *store_checks(self._store)))


def _written(found: Retrieved, model: Llm) -> WrittenAnswer:
    """The model's answer from a context."""
    numbers = [citation.number for citation in found.context.citations]
    return answer_question(model, found.query, found.context.text, numbers, asked_at=found.trace.asked.at)
