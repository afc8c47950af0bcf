"""`Memory`: the one object that the app, the command line and other programs talk to.

It opens a store, builds the backends the settings name, runs recipes, searches, consolidates and
applies a person's decisions. It contains no algorithm of its own. One `Memory` may be used from
several threads. It does not know Streamlit, argument parsing or log formats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from memcore import exporting
from memcore.domain import models
from memcore.domain.errors import MemcoreError, NotFoundError, StoreError, UsageError
from memcore.domain.models import (
    DEFAULT_OWNER,
    DEFAULT_RECIPE,
    Conversation,
    Entity,
    Event,
    LogRead,
    Proposal,
    RuleSwitch,
    Run,
    RunKind,
    Session,
    now,
)
from memcore.domain.protocols import Cancelled, Llm, Progress
from memcore.exporting import graphml
from memcore.inspection import comparison, graph_layers
from memcore.inspection import graph as graph_view
from memcore.inspection import objects as views
from memcore.inspection import update_queue as queue_view
from memcore.inspection.comparison import Comparison, LogProgress
from memcore.inspection.graph import EntityGraph, EntityMerge, GraphView
from memcore.inspection.graph_layers import GraphLayers
from memcore.inspection.objects import MemoryView, ProposalView, RunView, SessionView
from memcore.inspection.update_queue import QueuesView
from memcore.llm.statistics import ledger_statistics
from memcore.retrieval.context import Context, Retrieved, assemble
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Answer, Quote, SearchReport
from memcore.review import automatic, decide, merging
from memcore.review import consolidate as consolidation
from memcore.review.additions import Addition, propose_addition
from memcore.review.automatic import RuleState
from memcore.review.decide import Decided, Undone
from memcore.runs import dry_run as preview
from memcore.runs import retry
from memcore.runs.dry_run import ConsolidationPreview
from memcore.runs.ingest import IngestReport, ingest, new_run
from memcore.runs.resegment import Resegmented, resegment
from memcore.runs.retry import WaitingPart
from memcore.runtime import backends
from memcore.runtime.config import Settings, load_settings
from memcore.runtime.doctor import (
    Check,
    CheckState,
    DoctorReport,
    check_packages,
    check_python,
    check_systems,
)
from memcore.stages.compress import CompressionTrace, compress
from memcore.store import DuckStore, ExactIndex, HnswIndex, open_store, reembed, store_exists
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import System

__all__ = [
    "IngestReport",
    "Memory",
    "Resegmented",
    "diagnose",
    "open_memory",
    "reembed_store",
    "require_store",
]


class Memory:
    """A store and everything one can do with it. Use as a context manager, or call `close`."""

    def __init__(self, settings: Settings) -> None:
        """Raises StoreError (damaged, held by another process, other embedding model) and
        BackendError (an in-process model is missing)."""
        self.settings = settings
        model_id, dimension = backends.embedding_space(settings)
        self._store: DuckStore = open_store(settings.store_dir, embedding_model=model_id, dimension=dimension)

    def close(self) -> None:
        """Save the index caches and release the store to other processes."""
        self._store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ what is there

    def owners(self) -> list[str]:
        """Everyone who has a memory in this store."""
        return self._store.owners()

    def stats(self, owner: str = DEFAULT_OWNER) -> dict[str, int]:
        """How many there are of each kind of object, for one owner."""
        return self._store.stats(owner)

    def count_stored(self, logs: models.LogRead) -> int:
        """How many of these messages are stored: ingesting them again would add none of them."""
        return len(self._store.messages_by_id([m.id for log in logs.logs for m in log.messages]))

    def pending_messages(self, owner: str = DEFAULT_OWNER, *, recipe: str = "memscope") -> int:
        """How many stored messages the recipe has not worked on yet (`resume` does)."""
        return self._store.count_pending(recipe, owner)

    def recipes(self, owner: str = DEFAULT_OWNER) -> list[str]:
        """The recipes that have been run for this owner."""
        return sorted({r.recipe for r in self._store.runs() if r.kind == "ingest" and r.owner == owner})

    def unfinished(self, owner: str = DEFAULT_OWNER) -> dict[str, int]:
        """System → how many stored messages it has not worked on, for the recipes this owner uses."""
        used = self.recipes(owner) or ["memscope"]
        pending = {recipe: self.pending_messages(owner, recipe=recipe) for recipe in used}
        return {recipe: messages for recipe, messages in pending.items() if messages}

    def active(self) -> dict[str, str]:
        """What is active (encoder, compressor, extractor, decider, llm), in words. Loads nothing."""
        return backends.active(self.settings)

    def conversations(self, owner: str = DEFAULT_OWNER) -> list[Conversation]:
        """The owner's conversations."""
        return self._store.conversations(owner)

    def sessions(self, owner: str = DEFAULT_OWNER) -> list[Session]:
        """The owner's sessions, by conversation and time."""
        return self._store.sessions(owner=owner)

    def session(self, session_id: str, *, recipe: str | None = None) -> SessionView:
        """One session with messages, segments and memories, as one recipe worked on it (None: the
        default one, or the first that did). Raises NotFoundError."""
        return views.session_view(self._store, session_id, recipe)

    def memories(self, owner: str = DEFAULT_OWNER, **filters: Any) -> list[models.MemoryEntry]:
        """The owner's memories; filters as in `protocols.MemoryFilter`, with `limit` and `offset`."""
        return self._store.memories(owner, **filters)

    def triples(self, owner: str = DEFAULT_OWNER, **filters: Any) -> list[models.Triple]:
        """The owner's triples; filters as in `protocols.Store.triples`."""
        return self._store.triples(owner, **filters)

    def memories_by_id(self, ids: Sequence[str]) -> dict[str, models.MemoryEntry]:
        """The memories with these ids, by id; an id that stands for none is left out."""
        return self._store.memories_by_id(ids)

    def count_memories(self, owner: str = DEFAULT_OWNER, **filters: Any) -> int:
        """How many `memories` there are; the active ones, unless `states` says otherwise."""
        return self._store.count_memories(owner, **filters)

    def persons(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> list[str]:
        """Everyone whom the owner's memories are about, in alphabetical order."""
        return self._store.persons(owner, recipe=recipe)

    def memory(self, memory_id: str) -> MemoryView:
        """One memory with its evidence and history. Raises NotFoundError."""
        return views.memory_view(self._store, memory_id)

    def entities(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> list[Entity]:
        """The owner's entities, of one recipe or (None) of all, merged ones included."""
        return self._store.entities(owner, recipe=recipe)

    def graphs(self, owner: str = DEFAULT_OWNER) -> list[str]:
        """The recipes that have a graph of this owner's conversations."""
        return self._store.graphs(owner)

    def entity_graph(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> EntityGraph:
        """The whole graph that a recipe (None: `default_recipe`) has found, by its links."""
        return graph_view.entity_graph(self._store, owner, recipe or self.default_recipe(owner))

    def graph(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        recipe: str | None = None,
        whole: EntityGraph | None = None,
        centre: str | None = None,
        depth: int = 1,
        relation: str | None = None,
        contains: str = "",
        as_of: datetime | None = None,
        include_invalidated: bool = True,
        max_entities: int = 150,
        max_triples: int = 400,
    ) -> GraphView:
        """A part of a recipe's graph (None: `default_recipe`'s) with its evidence, as
        `inspection.graph.graph_view`; `whole` saves reading it again."""
        return graph_view.graph_view(
            self._store,
            whole or self.entity_graph(owner, recipe=recipe),
            centre=centre,
            depth=depth,
            relation=relation,
            contains=contains,
            as_of=as_of,
            include_invalidated=include_invalidated,
            max_entities=max_entities,
            max_triples=max_triples,
        )

    def graph_layers(
        self,
        view: GraphView,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        sessions: bool = True,
        chunks: bool = True,
    ) -> GraphLayers:
        """The sessions and chunks that the triples of a part of the graph come from."""
        chosen = recipe or self.default_recipe(owner)
        return graph_layers.graph_layers(
            self._store, view, owner=owner, recipe=chosen, sessions=sessions, chunks=chunks
        )

    def graphml(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> bytes:
        """A recipe's whole graph (None: `default_recipe`'s) as GraphML."""
        return graphml.graphml(*graph_view.whole_graph(self._store, self.entity_graph(owner, recipe=recipe)))

    def quotes(self, sources: Sequence[models.Source]) -> tuple[Quote, ...]:
        """The text of sources."""
        return views.quotes_of(self._store, sources)

    def compression(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """How the session's messages were compressed (payload: `CompressionTrace`), by this recipe or,
        with None, by any."""
        return self._store.traces(stage="compress", unit=session_id, recipe=recipe)

    def try_compression(
        self, messages: Sequence[models.Message], rate: float, *, protect: bool = True
    ) -> CompressionTrace:
        """What the active compressor would make of messages at another rate. Stores nothing. Raises
        UsageError for a rate outside (0, 1], BackendError."""
        chosen = backends.compressor(replace(self.settings, protect_words=protect))
        return compress(messages, rate, chosen)[1]

    def segmentation(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """How the session was divided into topics (payload: `SegmentationTrace`); `recipe` as above."""
        return self._store.traces(stage="segment", unit=session_id, recipe=recipe)

    def sensory(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """How sensory memory filled and emptied (payload: `SensoryTrace`); `recipe` as above."""
        return self._store.traces(stage="sensory", unit=session_id, recipe=recipe)

    def buffers(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """What filled short-term memory and why it was released (payload: `BufferTrace`); `recipe` as
        above."""
        return self._store.traces(stage="buffer", unit=session_id, recipe=recipe)

    def extraction(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """What was skipped in the session and why (payload: `ExtractionTrace`); `recipe` as above."""
        return self._store.traces(stage="extract", unit=session_id, recipe=recipe)

    def synthesis(self, session_id: str, *, recipe: str | None = None) -> list[models.StageTrace]:
        """Which units of the session became one and which did not (payload: `SynthesisTrace`); `recipe` as
        above."""
        return self._store.traces(stage="synthesis", unit=session_id, recipe=recipe)

    def stage_traces(
        self, session_id: str, stage: str, *, recipe: str | None = None
    ) -> list[models.StageTrace]:
        """What a stage that only some recipes have did in the session (payload: the stage's own trace);
        `recipe` as above."""
        return self._store.traces(stage=stage, unit=session_id, recipe=recipe)

    def reading(self, conversation_id: str, *, owner: str = DEFAULT_OWNER) -> LogProgress:
        """How much of a log each recipe has worked on."""
        return comparison.reading(self._store, conversation_id, owner=owner)

    def compare(
        self, conversation_id: str, recipes: Sequence[str], *, owner: str = DEFAULT_OWNER
    ) -> Comparison:
        """What several recipes remember of one log, by message, and what that took. Runs none of them
        (`resume` does). Raises UsageError for an unknown recipe, NotFoundError for an unknown log."""
        for recipe in recipes:
            _known_recipe(recipe)
        return comparison.compare(
            self._store, conversation_id, recipes, backends.token_counter(), owner=owner
        )

    # ------------------------------------------------------------------ import

    def ingest(
        self,
        logs: LogRead,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str = "memscope",
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Store the logs' good messages, then run the recipe over everything unprocessed.

        Raises UsageError for an unknown recipe or a log read for another owner, LlmUnavailableError
        before any work when the chosen model cannot be reached."""
        if any(log.conversation.owner != owner for log in logs.logs):
            raise UsageError("The log was read for another owner.", f"Read it with owner={owner!r}.")
        return self._ingest(logs, owner, recipe, progress, cancelled)

    def resume(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str = "memscope",
        conversation_id: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Work on stored messages (of one conversation, if one is named) that the recipe has not
        processed yet."""
        return self._ingest(None, owner, recipe, progress, cancelled, conversation_id=conversation_id)

    def failed_parts(self, run_id: str) -> tuple[WaitingPart, ...]:
        """What a run failed on and what of it still waits. Raises NotFoundError."""
        return retry.failed_parts(self._store, run_id)

    def retry(
        self,
        run_id: str,
        *,
        session_ids: Sequence[str] | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> IngestReport:
        """Read again only what a run failed on (in some sessions, if they are named), as a new run that
        names it. Raises NotFoundError, and UsageError when nothing of it waits any more."""
        failed, only = retry.to_retry(self._store, run_id, session_ids)
        return self._ingest(
            None, failed.owner, failed.recipe, progress, cancelled, only=only, retry_of=run_id
        )

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
    ) -> IngestReport:
        _known_recipe(recipe)
        backends.require_llm(self.settings)
        named = {retry.RETRY_OF: retry_of} if retry_of else {}
        run = new_run(owner, recipe, self._recorded_settings() | named)
        report = ingest(
            self._store,
            logs,
            run=run,
            recipe=SYSTEMS[recipe],
            tools=backends.tools(self.settings, recipe, self._store, run.id),
            llm=backends.llm_document(self.settings),
            make_index=ExactIndex,
            conversation_id=conversation_id,
            only=only,
            progress=progress,
            cancelled=cancelled,
        )
        self.decide_automatically(owner)
        return report

    def resegment(
        self,
        session_id: str,
        starts: Sequence[str],
        *,
        recipe: str = "memscope",
        actor: str = "person",
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Resegmented:
        """Divide a session into topics by hand: one starts at each message of `starts`. What changed is
        read again; one undo takes it back. Raises UsageError for a system that has no topics, and as
        `runs.resegment.resegment`."""
        if not _known_recipe(recipe).topics:
            topical = ", ".join(name for name, one in SYSTEMS.items() if one.topics)
            raise UsageError(f"{recipe} does not divide sessions into topics.", f"Choose one of: {topical}.")
        backends.require_llm(self.settings)
        run = new_run(
            self.session(session_id, recipe=recipe).owner, recipe, self._recorded_settings(), kind="resegment"
        )
        return resegment(
            self._store,
            session_id,
            starts,
            run=run,
            recipe=SYSTEMS[recipe],
            tools=backends.tools(self.settings, recipe, self._store, run.id),
            llm=backends.llm_document(self.settings),
            actor=actor,
            progress=progress,
            cancelled=cancelled,
        )

    # ------------------------------------------------------------------ ask

    def default_recipe(self, owner: str = DEFAULT_OWNER) -> str:
        """The recipe that answers when nobody names one: memscope, unless only others remember something;
        then the one of them that last learned something."""
        there = self._store.remembering(owner)
        return DEFAULT_RECIPE if DEFAULT_RECIPE in there or not there else there[0]

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        recipe: str | None = None,
    ) -> SearchReport:
        """The k best memories for a question, found as the recipe finds them (None: `default_recipe`),
        with their words and score parts. Raises UsageError, and LlmError where the recipe's search asks
        a chosen model."""
        chosen = _known_recipe(recipe or self.default_recipe(owner))
        question = Question(query, owner, chosen.name, k, as_of)
        with self._asking_model("search", owner, chosen.name, wanted=chosen.search_uses_llm) as model:
            tools = SearchTools(backends.embedder(self.settings), model, self.settings.of(chosen.name))
            return chosen.search(self._store, tools, question)

    @contextmanager
    def _asking_model(
        self, kind: RunKind, owner: str, recipe: str, *, wanted: bool = True
    ) -> Iterator[Llm | None]:
        """The chosen model, its calls recorded under a run of their own; None when none is chosen."""
        if not wanted or self.settings.llm == "none":
            yield None
            return
        run = new_run(owner, recipe, self._recorded_settings(), kind=kind)
        self._keep(run)
        try:
            yield backends.llm(self.settings, self._store, run.id)
        except MemcoreError as error:
            self._keep(replace(run, state="failed", finished_at=now(), error=str(error)))
            raise
        self._keep(replace(run, state="finished", finished_at=now()))

    def ask(
        self,
        query: str,
        *,
        budget: int = 2000,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        recipe: str | None = None,
    ) -> Answer:
        """The context for a question within `budget` cl100k tokens, and the chosen model's answer
        with citations (None when no model is chosen). Raises UsageError and LlmError."""
        found = self.retrieve(query, budget=budget, owner=owner, as_of=as_of, recipe=recipe)
        context = found.context
        answer: str | None = None
        warnings: tuple[str, ...] = ()
        if self.settings.llm != "none":
            answer, warnings = self._answer(found.query, context, owner)
        return Answer(
            query=found.query,
            context=context.text,
            context_tokens=context.tokens,
            citations=context.citations,
            answer=answer,
            answered_by=backends.model_name(self.settings),
            warnings=warnings,
            trace=found.trace,
        )

    def retrieve(
        self,
        query: str,
        *,
        budget: int = 2000,
        owner: str = DEFAULT_OWNER,
        as_of: datetime | None = None,
        recipe: str | None = None,
    ) -> Retrieved:
        """The context that `ask` answers from, and no answer. Raises as `search`, and UsageError for a
        budget that holds nothing."""
        found = self.search(query, k=results_for(budget), owner=owner, as_of=as_of, recipe=recipe)
        context = assemble(found.hits, budget, backends.token_counter(), newest_first=found.newest_first)
        return Retrieved(found.query, context, found.trace)

    def _answer(self, query: str, context: Context, owner: str) -> tuple[str, tuple[str, ...]]:
        from memcore.stages.answer import answer_question

        with self._asking_model("ask", owner, "") as model:
            assert model is not None, "asked only when a model is chosen"
            written = answer_question(model, query, context.text, [c.number for c in context.citations])
        return written.text, written.warnings

    # ------------------------------------------------------------------ consolidate and review

    def consolidate(
        self,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> consolidation.ConsolidationReport:
        """Propose updates for the owner's memories, those of one recipe or of each that has a sleep time, in
        turn. Changes no memory. Raises UsageError for an unknown recipe, LlmUnavailableError before any
        work when the chosen model cannot be reached."""
        report = self._consolidate(self._store, owner, recipe, progress, cancelled)
        self.decide_automatically(owner)
        return report

    def _consolidate(
        self,
        store: DuckStore,
        owner: str,
        recipe: str | None,
        progress: Progress | None,
        cancelled: Cancelled | None,
    ) -> consolidation.ConsolidationReport:
        if recipe is not None:
            _known_recipe(recipe)
        backends.require_llm(self.settings)
        run = new_run(owner, recipe or "", self._recorded_settings(), kind="consolidate")
        return consolidation.consolidate(
            store,
            run=run,
            decider=backends.decider(self.settings, backends.llm(self.settings, store, run.id)),
            embedder=backends.embedder(self.settings),
            make_index=HnswIndex,
            recipes=[recipe] if recipe else [name for name, one in SYSTEMS.items() if one.sleep_time],
            queue_top_k=self.settings.queue_top_k,
            queue_keep=self.settings.queue_keep,
            queue_threshold=self.settings.queue_threshold,
            progress=progress,
            cancelled=cancelled,
        )

    def consolidations(self, owner: str = DEFAULT_OWNER) -> list[Run]:
        """The owner's consolidations, newest first."""
        return queue_view.consolidations(self._store, owner)

    def queues(
        self,
        run_id: str | None = None,
        *,
        owner: str = DEFAULT_OWNER,
        actions: Sequence[str] | None = None,
        contains: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> QueuesView | None:
        """The update queues of a consolidation, as `update_queue.queues_view`."""
        return queue_view.queues_view(
            self._store, owner, run_id, actions=actions, contains=contains, limit=limit, offset=offset
        )

    def preview_consolidation(
        self,
        questions: Sequence[str] = (),
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        k: int = 10,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> ConsolidationPreview:
        """What `consolidate` would propose, and which questions would retrieve differently if all that
        then waits were approved. Tried on a copy; the store is left alone. Raises as `consolidate`,
        UsageError for an empty question, and CancelledError."""
        return preview.preview_consolidation(
            self._store,
            lambda copy: self._consolidate(copy, owner, recipe, progress, cancelled),
            self._asking(questions, owner, recipe, k),
            progress=progress,
            cancelled=cancelled,
        )

    def preview_approval(
        self,
        proposal_ids: Sequence[str],
        questions: Sequence[str] = (),
        *,
        owner: str = DEFAULT_OWNER,
        k: int = 10,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> ConsolidationPreview:
        """Which questions would retrieve differently if these proposals were approved. Tried on a copy;
        the store is left alone. Raises NotFoundError, UsageError for an empty question, CancelledError."""
        return preview.preview_approval(
            self._store,
            proposal_ids,
            self._asking(questions, owner, self._recipe_of(proposal_ids), k),
            progress=progress,
            cancelled=cancelled,
        )

    def _asking(self, questions: Sequence[str], owner: str, recipe: str | None, k: int) -> preview.Asking:
        chosen = _known_recipe(recipe or self.default_recipe(owner))
        tools = SearchTools(backends.embedder(self.settings), own=self.settings.of(chosen.name))
        return preview.Asking(tuple(questions), chosen.search, tools, owner, chosen.name, k)

    def _recipe_of(self, proposal_ids: Sequence[str]) -> str | None:
        """Whose memories the first of the proposals is about."""
        proposal = self._store.proposal(proposal_ids[0]) if proposal_ids else None
        return proposal.recipe if proposal else None

    def proposals(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        states: Sequence[str] | None = ("pending",),
        recipe: str | None = None,
    ) -> list[Proposal]:
        """Proposals in these states (None: all), of one recipe's memories, if one is named."""
        return self._store.proposals(owner, states=states, recipe=recipe)

    def entity_merges(
        self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None
    ) -> tuple[EntityMerge, ...]:
        """The proposals that wait to merge entities of a recipe's graph (None: `default_recipe`'s)."""
        return graph_view.entity_merges(self._store, owner, recipe or self.default_recipe(owner))

    def propose_entity_merges(
        self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None
    ) -> tuple[Proposal, ...]:
        """Propose to merge entities of a recipe's graph that bear one name, as `consolidate` does besides
        much else; returns the new proposals. Merges nothing."""
        chosen = recipe or self.default_recipe(owner)
        run = new_run(owner, chosen, self._recorded_settings(), kind="names")
        self._keep(run)
        try:
            made = merging.propose_entity_merges(self._store, run, actor="memscope")
        except MemcoreError as error:
            self._keep(replace(run, state="failed", finished_at=now(), error=str(error)))
            raise
        totals = {"proposals": len(made)}
        self._keep(replace(run, state="finished", finished_at=now(), totals=totals))
        return made

    def propose_addition(
        self, addition: Addition, *, owner: str = DEFAULT_OWNER, recipe: str | None = None
    ) -> Proposal:
        """Let another program's memory wait for a person, in a recipe's memory (None: `default_recipe`'s).
        Remembers nothing. What was proposed before is returned as it has become. Raises UsageError for a
        recipe whose search would never find it."""
        chosen = _known_recipe(recipe or self.default_recipe(owner)).name
        if not SYSTEMS[chosen].finds_unlinked_memories:
            takes = ", ".join(name for name, one in SYSTEMS.items() if one.finds_unlinked_memories)
            raise UsageError(
                f"{chosen} finds memories only through its graph, so never one that stands alone.",
                f"Add it to the memory of another recipe: {takes}.",
            )
        if known := self._store.proposal(addition.proposal_id(owner, chosen)):
            return known
        run = new_run(owner, chosen, self._recorded_settings(), kind="propose")
        proposal = propose_addition(self._store, run, addition)
        self._keep(replace(run, state="finished", finished_at=now(), totals={"proposals": 1}))
        return proposal

    def proposal(self, proposal_id: str) -> ProposalView:
        """One proposal with diff, candidates and evidence. Raises NotFoundError."""
        return views.proposal_view(self._store, proposal_id)

    def approve(self, proposal_ids: Sequence[str], *, actor: str = "person") -> Decided:
        """Apply proposals; one undo takes back the whole call. Raises as `review.decide.approve`."""
        return decide.approve(self._store, backends.EmbedderWhenNeeded(self.settings), proposal_ids, actor)

    def reject(self, proposal_ids: Sequence[str], *, actor: str = "person") -> Decided:
        """Turn proposals down. Raises as `review.decide.reject`."""
        return decide.reject(self._store, proposal_ids, actor)

    def automatic_rules(self, owner: str = DEFAULT_OWNER) -> tuple[RuleState, ...]:
        """The rules that may decide for a person, which of them are on, and what each would approve now."""
        return automatic.rule_states(self._store, owner)

    def switch_rule(
        self, name: str, on: bool, *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> RuleSwitch:
        """Switch an automatic rule on or off. Raises UsageError for an unknown one."""
        return automatic.switch(self._store, owner, name, on, actor)

    def decide_automatically(self, owner: str = DEFAULT_OWNER) -> tuple[Decided, ...]:
        """Let the rules that are on approve what waits; `consolidate` and `ingest` end with this."""
        return automatic.decide_automatically(self._store, backends.EmbedderWhenNeeded(self.settings), owner)

    def edit(self, proposal_id: str, text: str, *, actor: str = "person") -> Proposal:
        """Change what a proposal would store; it stays pending. Raises as `review.decide.edit`."""
        return decide.edit(self._store, proposal_id, text, actor)

    def undo(self, event_id: str, *, actor: str = "person") -> Undone:
        """Take back an event with its whole batch. Raises as `review.decide.undo`."""
        return decide.undo(self._store, event_id, actor)

    def history(self, object_id: str | None = None, *, limit: int | None = None) -> list[Event]:
        """What happened (to one object), oldest first; with a limit, the newest that many."""
        events = self._store.events(object_id=object_id, limit=limit, newest_first=True)
        return events[::-1]

    def step(self, batch: str) -> list[Event]:
        """Everything that happened in one step, which one undo takes back, oldest first."""
        return self._store.events(batch=batch)

    def decisions(self, *, limit: int | None = None) -> list[Event]:
        """What people decided, edited, undid and moved (topic boundaries), newest first; no run did it."""
        decided = self._store.events(run_id="", limit=limit, newest_first=True)
        moved = self._store.events(object_type="topic_cut", limit=limit, newest_first=True)
        both = {event.seq: event for event in (*decided, *moved)}
        return [both[seq] for seq in sorted(both, reverse=True)][:limit]

    # ------------------------------------------------------------------ work done

    def runs(self, *, limit: int | None = None) -> list[Run]:
        """Runs, newest first."""
        return self._store.runs(limit=limit)

    def run(self, run_id: str) -> RunView:
        """One run with traces, calls and stage times. Raises NotFoundError."""
        return views.run_view(self._store, run_id)

    def token_statistics(self, *, owner: str = DEFAULT_OWNER, run_id: str | None = None) -> dict[str, Any]:
        """What language model calls and embeddings cost, in LightMem's layout
        (`llm.statistics.token_statistics`), in one run or all of the owner's. Raises NotFoundError."""
        return ledger_statistics(self._store, owner=owner, run_id=run_id)

    # ------------------------------------------------------------------ in and out

    def export(
        self,
        to: Path,
        *,
        format: str = "jsonl",
        owner: str | None = None,
        recipe: str | None = None,
        overwrite: bool = False,
    ) -> int:
        """Write everything (of one owner, as one recipe made it) to a file in one of `exporting.FORMATS`;
        returns the number of objects in it. Raises as `exporting.export`."""
        return exporting.export(self._store, to, format, owner=owner, recipe=recipe, overwrite=overwrite)

    def exported(self, format: str, *, owner: str | None = None, recipe: str | None = None) -> bytes:
        """The same as the bytes of a file."""
        return exporting.exported(self._store, format, owner=owner, recipe=recipe)

    def import_store(self, path: Path) -> int:
        """Read an exported store into this one; returns the number of rows that were new."""
        return self._store.import_jsonl(path)

    def doctor(self) -> DoctorReport:
        """What is installed, active and reachable, and whether the store is sound."""
        return DoctorReport((*_surroundings(self.settings), *self._store_checks()))

    def _store_checks(self) -> list[Check]:
        checks = []
        for finding in self._store.check():
            state: CheckState = "ok" if finding.sound else "fail"
            checks.append(Check(f"store {finding.name}", state, finding.what, finding.fix))
        return checks

    def _recorded_settings(self) -> dict[str, Any]:
        kept = {k: v for k, v in self.settings.flat().items() if k not in ("openai_api_key", "store_dir")}
        return {**kept, "active": self.active()}

    def _keep(self, run: Run) -> None:
        with self._store.write(actor="memscope", run_id=run.id) as writer:
            writer.put_run(run)


def results_for(budget: int) -> int:
    """How many results a context of so many tokens is chosen from."""
    return max(10, budget // 20)


def _known_recipe(recipe: str) -> System[Any, Any]:
    if recipe not in SYSTEMS:
        raise UsageError(f"There is no recipe {recipe!r}.", f"Choose one of: {', '.join(SYSTEMS)}.")
    return SYSTEMS[recipe]


def diagnose(settings: Settings) -> DoctorReport:
    """`Memory.doctor`, also for a store that is not there yet or cannot be opened."""
    checks = _surroundings(settings)
    if not store_exists(settings.store_dir):
        what = f"there is none in {settings.store_dir}"
        return DoctorReport((*checks, Check("store", "warn", what, "Import a log, or name another --store.")))
    try:
        with Memory(settings) as memory:
            checks += memory._store_checks()
    except StoreError as error:
        checks.append(Check("store", "fail", error.cause, error.fix))
    return DoctorReport(tuple(checks))


def _surroundings(settings: Settings) -> list[Check]:
    checks = [check_python(), *check_packages(), *check_systems()]
    checks += [Check(f"active {name}", "ok", what) for name, what in backends.active(settings).items()]
    return checks + backends.check_models(settings)


def require_store(settings: Settings) -> None:
    """Raise NotFoundError when there is no store yet where one should be read."""
    if not store_exists(settings.store_dir):
        raise NotFoundError(
            f"There is no store in {settings.store_dir}.",
            f"Check the path, or make one: python -m memcore ingest LOG --store {settings.store_dir}",
        )


def reembed_store(settings: Settings) -> int:
    """Move a store to the embedding model the settings name; returns the number of texts embedded.

    The way on after EmbeddingMismatchError. Raises StoreBusyError while the store is open."""
    return reembed(settings.store_dir, backends.embedder(settings))


def open_memory(store: Path | str | None = None, **settings: Any) -> Memory:
    """Open (or make) the store in directory `store`; further settings by name (`runtime.config.Settings`).

    Without a directory: `MEMSCOPE_STORE`, else ./memscope_data.
    """
    return Memory(load_settings(Path(store) if store is not None else None, **settings))
