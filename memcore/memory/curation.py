"""`memory.curation`: a person's own hand on what is remembered, and what people found wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER, AskedQuestion, Curation, now, stable_id
from memcore.memory.rights import Rights, needs
from memcore.retrieval.question import SearchTools
from memcore.review.curate import mistakes, perform, showing
from memcore.review.curate.acts import Act, AddMemory
from memcore.review.curate.mistakes import Mistakes
from memcore.review.curate.perform import Done, Expected, Planned
from memcore.review.curate.showing import ObjectChange
from memcore.runs import dry_run
from memcore.runs.dry_run import QuestionPreview
from memcore.runtime.backends import Backends
from memcore.store import SqlStore
from memcore.systems.registry import SYSTEMS, system_named

KEPT_QUESTIONS = 50
"""Of an owner's questions, the newest that many are kept."""
COMPARED_QUESTIONS = 10
"""Of these, the newest that many are asked again in a preview."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an act would do: every object it changes, and every recent question of the same system, as it is
    answered now and as it would be (`QuestionPreview.changed` says whether that differs). `expected` goes to
    `do`, which then refuses if something of it has changed meanwhile."""

    act: Act
    objects: tuple[ObjectChange, ...]
    questions: tuple[QuestionPreview, ...]
    expected: Expected

    @property
    def affected(self) -> tuple[QuestionPreview, ...]:
        """The questions that would be answered differently."""
        return tuple(question for question in self.questions if question.changed)


class CurationRoom:
    """Look at an act before it is done, do it, and see what people have corrected. `Memory.undo` takes an act
    back by the event that `do` names."""

    def __init__(
        self,
        store: SqlStore,
        rights: Rights,
        backends: Backends,
        default_system: Callable[[str], str],
    ) -> None:
        self._store = store
        self._rights = rights
        self._backends = backends
        self._default_system = default_system

    @needs("review")
    def preview(
        self,
        act: Act,
        *,
        owner: str = DEFAULT_OWNER,
        questions: Sequence[str] | None = None,
        k: int = 10,
    ) -> Preview:
        """What an act would change, and which questions (None: the newest that were asked) would then be
        answered differently among the first k; tried on a copy. Raises NotFoundError and UsageError."""
        planned = self._planned(act, owner)
        recipe = self._recipe_of(planned)
        asked = self._recent(owner, recipe) if questions is None else tuple(questions)
        system = system_named(recipe)
        tools = SearchTools(self._backends.embedder_when_needed(), own=self._backends.settings.of(recipe))
        asking = dry_run.Asking(asked, system.search, tools, owner, recipe, k)
        compared = dry_run.preview_change(
            self._store,
            lambda copy: perform.do(copy, tools.embedder, act, owner=owner, actor=dry_run.ACTOR),
            asking,
        )
        return Preview(act, showing.shown(planned), compared, planned.expected)

    @needs("review")
    def do(
        self,
        act: Act,
        *,
        owner: str = DEFAULT_OWNER,
        actor: str = "person",
        expected: Expected | None = None,
    ) -> Done:
        """Do an act in one step, which one undo takes back. Raises as `preview`, and ConflictError when
        something of `expected` (`Preview.expected`) has changed meanwhile."""
        self._check(act)
        embedder = self._backends.embedder_when_needed()
        return perform.do(self._store, embedder, act, owner=owner, actor=actor, expected=expected)

    @needs("read")
    def wrong(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> Mistakes:
        """What people found wrong and have not taken back, by stage and system."""
        return mistakes.mistakes(self._store, owner, recipe=recipe)

    @needs("read")
    def decided(self, object_id: str, *, owner: str = DEFAULT_OWNER) -> Curation | None:
        """What a person last decided about an object of the owner's by hand (None: nothing that stands)."""
        curation = self._store.curation(object_id)
        stands = curation is not None and curation.standing and curation.owner == owner
        return curation if stands else None

    @needs("read")
    def note_question(
        self, text: str, result_ids: Sequence[str], *, owner: str = DEFAULT_OWNER, recipe: str | None = None
    ) -> None:
        """Keep a question that a person asked, for previews: once, as newly asked. None is kept
        by a store that can only be read, or of somebody who may only see it."""
        if self._store.read_only or not self._rights.may("review", owner):
            return
        system = recipe or self._default_system(owner)
        asked = now()
        key = stable_id("que", owner, system, text, asked)
        question = AskedQuestion(key, owner, system, text, asked, tuple(result_ids))
        with self._store.write(actor="person") as writer:
            writer.add_question(question, keep=KEPT_QUESTIONS)

    @needs("read")
    def questions(self, owner: str = DEFAULT_OWNER) -> list[AskedQuestion]:
        """The questions that were asked lately, newest first."""
        return self._store.questions(owner)

    def _planned(self, act: Act, owner: str) -> Planned:
        self._check(act)
        return perform.plan(self._store, act, owner, embedding_model=self._store.embedding_model)

    def _check(self, act: Act) -> None:
        if isinstance(act, AddMemory) and not system_named(act.recipe).finds_unlinked_memories:
            takes = ", ".join(name for name, one in SYSTEMS.items() if one.finds_unlinked_memories)
            raise UsageError(
                f"{act.recipe} finds memories only through its graph, so never one that stands alone.",
                f"Add it to the memory of another recipe: {takes}.",
            )

    def _recipe_of(self, planned: Planned) -> str:
        if isinstance(planned.act, AddMemory):
            return planned.act.recipe
        return planned.scene.targets[0].recipe

    def _recent(self, owner: str, recipe: str) -> tuple[str, ...]:
        asked = [one.text for one in self._store.questions(owner) if one.recipe == recipe]
        return tuple(dict.fromkeys(asked))[:COMPARED_QUESTIONS]
