"""Home: how to begin, and what is stored, changed, waits and looks wrong, each line a link to its page."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memcore.inspection.overview import Problem
from memcore.memory import Memory, open_memory
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import RUN, START
from ui.overview import examined
from ui.shell import opened
from ui.shell.text import label

pytestmark = pytest.mark.usefixtures("light_embedder", "patient")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page waits until the store was examined, however busy the machine is."""
    monkeypatch.setattr(examined, "WAITED_SECONDS", 60)


def lines(open_page: Open) -> dict[str, tuple[str, str]]:
    """The links of the page: what each says → page and parameters."""
    app = open_page()
    assert not app.exception
    found = [one.proto for one in app.main.get("page_link")]
    return {one.label: (one.page, one.query_string) for one in found}


def test_an_empty_store_says_in_three_lines_how_to_begin(open_page: Open) -> None:
    html = shown(open_page())
    assert html.count("<li>") == 3
    assert "What waits" not in html


def test_what_is_stored_waits_and_changed_leads_to_its_page(seeded: Path, open_page: Open) -> None:
    html = shown(open_page())
    assert "<b>1</b><span>log</span>" in html
    assert "<b>8</b><span>messages</span>" in html
    found = lines(open_page)
    with open_memory(seeded, backends=LightBackends) as memory:
        remembered = memory.memories.count(recipe="memscope")
    named = label(f"Memscope’s own: {remembered} memories")
    (stored,) = [one for text, one in found.items() if text.startswith(named)]
    assert stored == ("Memories", "recipe=memscope")
    (decide,) = [one for text, one in found.items() if text.startswith("Decide 3 proposed changes")]
    assert decide == ("Review", "")
    assert ("Runs_and_cost", f"run={RUN}") in found.values()


def test_failed_runs_and_problems_look_wrong_and_lead_to_their_fix(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing. Packages and the store were examined" in shown(open_page())
    with open_memory(seeded, backends=LightBackends) as memory:
        failed = replace(
            memory.runs.all()[0],
            id="run_failed",
            kind="consolidate",
            state="failed",
            error="the *server* is down",
            started_at=START + timedelta(days=1),
        )
        with memory.store.write(actor="test") as writer:
            writer.put_run(failed)
    problem = Problem("store history: a gap", "Restore it.")
    monkeypatch.setattr(Memory, "problems", lambda self, *, history: (problem,))
    found = lines(open_page)
    (run,) = [one for text, one in found.items() if label("the *server* is down") in text]
    assert run == ("Runs_and_cost", "run=run_failed")
    assert found[label("store history: a gap")] == ("Settings", "")
    assert "Restore it." in shown(open_page())


def test_a_store_that_takes_long_to_examine_is_examined_beside_the_page_once_for_every_tab(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, begun = threading.Event(), []

    def slowly(self: Memory, *, history: bool) -> tuple[Problem, ...]:
        begun.append(self)
        assert goes_on.wait(60)
        return (Problem("store history: a gap", "Restore it."),)

    monkeypatch.setattr(Memory, "problems", slowly)
    monkeypatch.setattr(examined, "WAITED_SECONDS", 0.01)
    first, second = open_page(), open_page()
    for tab in (first, second):
        assert "The store is being examined" in shown(tab)
        assert "a gap" not in shown(tab)
    goes_on.set()
    monkeypatch.setattr(examined, "WAITED_SECONDS", 60)
    assert "Restore it." in shown(first.run())
    assert "Restore it." in shown(second.run())
    assert len(begun) == 1


def test_what_is_stored_later_is_examined_anew(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(), (Problem("store history: a gap", "Restore it."),)]
    monkeypatch.setattr(Memory, "problems", lambda self, *, history: found.pop(0))
    assert "Nothing. Packages and the store were examined" in shown(open_page())
    assert "Nothing. Packages and the store were examined" in shown(open_page())
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.reject([memory.review.proposals()[0].id])
    assert "Restore it." in shown(open_page())


def test_of_a_long_history_packages_alone_are_looked_at_and_the_page_says_so(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examined, "MOST_EVENTS", 3)
    asked = []
    monkeypatch.setattr(Memory, "problems", lambda self, *, history: asked.append(history) or ())
    html = shown(open_page())
    assert asked == [False]
    assert "python -m memcore doctor" in html
    assert "the store were examined" not in html


def test_a_store_that_is_opened_anew_is_examined_anew(seeded: Path, open_page: Open) -> None:
    assert "Nothing. Packages and the store were examined" in shown(open_page())
    opened.close()
    assert "Nothing. Packages and the store were examined" in shown(open_page())


def test_a_decision_of_a_person_is_among_the_changes(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        first = memory.review.proposals()[0]
        memory.reject([first.id])
    (decided,) = [one for text, one in lines(open_page).items() if text.startswith("Rejected by person")]
    assert decided == ("Review", f"proposal={first.id}")


def test_what_was_rejected_and_undone_is_said_in_its_words(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        rejected = memory.reject(["prop_3"])
        undone = memory.undo(rejected.event_id)
        memory.undo(undone.event_id)
        ended = memory.approve(["prop_2"])
        memory.undo(ended.event_id)
    found = list(lines(open_page))
    moved = "Mark as no longer true: Ada moved to Lisbon in the week of 26 Feb 2024"
    assert label(f"Undone (“Approved and applied”) by person, and 1 further change: {moved}", 200) in found
    assert label(f"Approved and applied by person, and 1 further change: {moved}", 200) in found
    for did in ("Rejected", "Undone (“Rejected”)", "Redone (“Rejected”)"):
        begins = label(f"{did} by person: Delete a memory: Ben was")
        assert [one for one in found if one.startswith(begins)]
