"""Update queue: what was compared and decided, as list and as graph, and what a dry run would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import Candidate
from memcore.domain.protocols import Llm
from memcore.memory import open_memory
from memcore.review.decisions import Decider, Decision, UpdateQueue
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT
from ui.shell import opened
from ui.shell.jobs import board
from ui.update_queue import queue_graph

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "7_Update_queue"
CAT, ADOPTED = "Ada has a cat called Miso", "Ada adopted the cat called Miso"


class Mutual:
    """Lets two memories of Ada's cat replace each other if both are asked about, and everything
    else be."""

    name = "scripted"

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        return [self._one(queue) for queue in queues]

    def _one(self, queue: UpdateQueue) -> Decision:
        candidates = tuple(Candidate(memory.id, score) for memory, score in queue.candidates)
        about = {"mem_2": "mem_4", "mem_4": "mem_2"}.get(queue.target.id, "")
        if about in [candidate.memory_id for candidate in candidates]:
            return Decision(
                queue.target, candidates, "delete", None, f"The cat. {SCRIPT}", self.name, "high", (about,)
            )
        return Decision(queue.target, candidates, "ignore", None, "Nothing new.", self.name, "low")


class MutualBackends(LightBackends):
    """Decides as `Mutual`."""

    def decider(self, model: Llm | None) -> Decider:
        return Mutual()


@pytest.fixture
def consolidated(seeded: Path) -> Path:
    """The seeded store without its hand-made proposals, the cat's two memories said at one moment, and
    consolidated with a decider that makes them delete each other."""
    opened.work_with(MutualBackends)
    with open_memory(seeded, backends=MutualBackends, queue_threshold=0.05) as memory:
        memory.reject([p.id for p in memory.review.proposals()])
        cat, older = memory.memories.view("mem_4").memory, memory.memories.view("mem_2").memory
        moved = replace(older, text=ADOPTED, mentioned_at=cat.mentioned_at)
        with memory.store.write(actor="test") as writer:
            writer.put_memories([replace(cat, text=CAT), moved], kind="memory.changed")
        assert memory.consolidate().cycles
    return seeded


def finish(app: AppTest) -> AppTest:
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.result(timeout=180)
    app.run()
    assert not app.exception
    return app


def test_without_memories_it_says_how_to_begin(store: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert "Nothing is stored yet." in shown(app)
    assert "load_sample" in [button.key for button in app.button]


def test_what_was_never_consolidated_can_be_at_once(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert "never consolidated" in shown(app)
    app = finish(app.button(key="consolidate").click().run())
    assert "new proposal" in shown(app)


def test_each_queue_stands_with_members_scores_dates_and_decision(
    consolidated: Path, open_page: Open
) -> None:
    html = shown(open_page(PAGE))
    assert "2 queues, closest first" in html
    assert ADOPTED in html
    assert "The cat." in html
    assert "scripted" in html
    assert "3 May 2024, decisive" in html


def test_ignored_queues_are_folded_with_their_count(consolidated: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert "decided to change nothing" in shown(app)
    assert "Nothing new." not in shown(app)
    app.button(key="show_ignored").click().run()
    assert not app.exception
    assert app.query_params["action"] == "ignore"
    assert "Nothing new." in shown(app)


def test_a_circle_stands_on_top_with_the_proposal_that_waits(consolidated: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    html = shown(app)
    assert "Decisions in a cycle: 1 pair that would replace each other" in html
    assert html.index("Decisions in a cycle") < html.index("closest first")
    assert "deferred" not in html.split("Decisions in a cycle")[0]
    assert "Deferred: a proposal about it is waiting already" in html


def test_words_choose_queues(consolidated: Path, open_page: Open) -> None:
    assert "No queue matches." in shown(open_page(PAGE, words="no such words"))
    assert "2 queues" in shown(open_page(PAGE, words="mISo"))


def test_untrusted_text_stays_text(consolidated: Path, open_page: Open) -> None:
    html = shown(open_page(PAGE))
    assert "<script>window.pwned" not in html
    assert "<script>window.pwned" in unescape(html)


def test_the_graph_has_its_table(consolidated: Path, open_page: Open) -> None:
    app = open_page(PAGE, view="Graph")
    assert not app.exception
    table = app.dataframe[0].value
    assert set(table["decision"]) == {"Delete"}
    assert CAT in list(table["compared with"])
    assert "An arrow leads from a target" in shown(app)


def test_the_graph_is_capped_with_a_count(
    consolidated: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_graph, "MOST_MEMORIES", 1)
    assert "1 queue; not drawn: 1 further queue" in shown(open_page(PAGE, view="Graph"))


def test_a_member_stands_right_of_its_targets_and_a_circle_in_one_column() -> None:
    places = queue_graph.layered(
        ("a", "b", "c", "d"), (("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "c"))
    )
    assert places["a"][0] < places["b"][0] < places["c"][0] == places["d"][0]
    assert len(set(places.values())) == 4


def test_an_unknown_run_is_said_so(consolidated: Path, open_page: Open) -> None:
    app = open_page(PAGE, run="run_nowhere")
    assert not app.exception
    assert "no consolidation with the id run_nowhere" in shown(app)


def test_a_dry_run_shows_what_would_change_and_changes_nothing(consolidated: Path, open_page: Open) -> None:
    def counts() -> dict[str, int]:
        return opened.opened().evidence.stats()

    app = open_page(PAGE, view="Dry run")
    before = counts()
    app.text_area(key="bound_questions").set_value("What is Ada's cat called?\n\nWhere is Ben?").run()
    app = finish(app.button(key="dry_run").click().run())
    html = shown(app)
    assert "questions would retrieve differently" in html
    assert '<del class="ms">' in html
    assert "Already waiting" in [element.value for element in app.header]
    assert counts() == before
    reloaded = open_page(PAGE, view="Dry run", job=app.query_params["job"])
    assert "questions would retrieve differently" in shown(reloaded)
    assert reloaded.text_area(key="bound_questions").value == "What is Ada's cat called?\nWhere is Ben?"


def test_a_dry_run_can_be_about_what_waits_alone(consolidated: Path, open_page: Open) -> None:
    app = open_page(PAGE, view="Dry run")
    app.radio(key="bound_by").set_value("waiting").run()
    app = finish(app.button(key="dry_run").click().run())
    assert "Name questions to see" in shown(app)


def test_a_dry_run_is_asked_as_the_address_says_and_its_result_ends_with_another_choice(
    consolidated: Path, open_page: Open
) -> None:
    app = open_page(PAGE, view="Dry run")
    app.text_area(key="bound_questions").set_value("Where is Ben?").run()
    app.radio(key="bound_by").set_value("waiting").run()
    app = finish(app.button(key="dry_run").click().run())
    assert "0 of 1" in shown(app) or "1 of 1" in shown(app)
    reloaded = open_page(PAGE, **{name: str(value) for name, value in app.query_params.items()})
    assert reloaded.text_area(key="bound_questions").value == "Where is Ben?"
    assert reloaded.radio(key="bound_by").value == "waiting"
    assert "would retrieve differently" in shown(reloaded)
    reloaded.radio(key="bound_by").set_value("afresh").run()
    assert "would retrieve differently" not in shown(reloaded)


@pytest.mark.parametrize("number", ["0", "99", "²", "x"])
def test_an_impossible_page_shows_the_first(consolidated: Path, open_page: Open, number: str) -> None:
    app = open_page(PAGE)
    app.query_params["page"] = number
    app.run()
    assert not app.exception
    assert "Its queue: " in shown(app)


def test_memories_of_two_systems_are_told_apart(consolidated: Path, open_page: Open) -> None:
    assert " · LightMem" not in shown(open_page(PAGE, action="all"))
    opened.close()
    with open_memory(consolidated, backends=MutualBackends, queue_threshold=0.05) as memory:
        named = ("mem_2", "mem_4", "mem_6")
        twins = [replace(memory.memories.view(i).memory, id=f"light_{i}", recipe="lightmem") for i in named]
        with memory.store.write(actor="test") as writer:
            writer.put_memories(twins)
        memory.consolidate()
    assert " · LightMem" in shown(open_page(PAGE, action="all"))
