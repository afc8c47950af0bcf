"""Review: decide one proposal at a time; nothing is lost, everything can be undone."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from memcore.memory import open_memory
from tests.app.conftest import Open, shown
from ui import opened

pytestmark = pytest.mark.usefixtures("light_embedder")


def state_of(store: Path, proposal_id: str) -> str:
    opened.close()
    with open_memory(store) as memory:
        return memory.proposal(proposal_id).proposal.state


def test_a_proposal_shows_its_diff_evidence_reason_and_risk(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("6_Review"))
    assert '<ins class="ms">, who is two years old</ins>' in html
    assert "<mark>I adopted a cat called Miso.</mark>" in html
    assert "similarity 0.81" in html
    assert "The newer statement says more." in html
    assert "rule: refinement" in html
    assert "low risk" in html


def test_keys_are_bound_to_the_buttons(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    keys = {b.key: b.proto.shortcut for b in app.button if b.proto.shortcut}
    assert keys == {"approve": "a", "reject": "x", "edit": "e", "previous": "k", "next": "j"}


def test_approving_applies_it_and_moves_on_to_the_next(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="approve").click().run()
    assert not app.exception
    assert "1 of 2" in shown(app)
    assert app.query_params["proposal"] == "prop_2"
    assert state_of(seeded, "prop_1") == "applied"


def test_undo_brings_back_the_proposal_and_the_memory(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="approve").click().run()
    app.button(key="undo").click().run()
    assert app.query_params["proposal"] == "prop_1"
    assert "1 of 3" in shown(app)
    assert state_of(seeded, "prop_1") == "pending"
    with open_memory(seeded) as memory:
        assert memory.memory("mem_2").memory.state == "active"


def test_rejecting_changes_no_memory(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="reject").click().run()
    assert state_of(seeded, "prop_1") == "rejected"
    with open_memory(seeded) as memory:
        assert memory.memory("mem_2").memory.state == "active"


def test_an_edited_text_is_kept_beside_the_proposed_one(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="edit").click().run()
    app.text_area(key="text_prop_1").set_value("Ada has a two-year-old cat, Miso").run()
    app.button(key="save_edit").click().run()
    html = shown(app)
    assert "Edited by you. Proposed first: Ada adopted a cat called Miso, who is two years old" in html
    app.button(key="approve").click().run()
    opened.close()
    with open_memory(seeded) as memory:
        assert "Ada has a two-year-old cat, Miso" in [m.text for m in memory.memories()]


def test_next_and_previous_move_through_the_queue(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="next").click().run()
    assert "2 of 3" in shown(app)
    app.button(key="previous").click().run()
    assert "1 of 3" in shown(app)


def test_a_decision_made_elsewhere_meanwhile_is_told_not_overwritten(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    opened.opened().reject(["prop_1"], actor="someone else")
    app.button(key="approve").click().run()
    assert not app.exception
    assert "someone else" in shown(app)
    assert state_of(seeded, "prop_1") == "rejected"


def test_the_table_filters_by_risk_and_words(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review", view="Table", risk="high")
    assert "1 of 3; choose a row" in shown(app)
    assert list(app.dataframe[0].value["operation"]) == ["delete"]


def test_history_lists_decisions_with_undo(seeded: Path, open_page: Open) -> None:
    app = open_page("6_Review")
    app.button(key="reject").click().run()
    app = open_page("6_Review", view="History")
    assert "Rejected" in shown(app)
    undo = [b for b in app.button if b.key and b.key.startswith("undo_")]
    undo[0].click().run()
    assert "Undone" in shown(app)
    assert state_of(seeded, "prop_1") == "pending"


def test_a_decided_proposal_stays_readable_by_its_link(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded) as memory:
        memory.reject(["prop_3"])
    app = open_page("6_Review", proposal="prop_3")
    assert "rejected" in shown(app)
    assert "<script>" in unescape(shown(app))
    assert "approve" not in [b.key for b in app.button]


def test_consolidation_runs_as_a_job_and_reports_what_it_proposed(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ui.jobs import board

    app = open_page("6_Review")
    app.button(key="consolidate").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    report = job.future.result(timeout=60)
    app.run()
    assert not app.exception
    assert f"{report.proposals} new proposal" in shown(app)
