"""Review: decide one proposal at a time; nothing is lost, everything can be undone."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from memcore.memory import open_memory
from memcore.review.decide import WRITING
from tests.app.conftest import LightBackends, Open, shown
from ui.shell import opened
from ui.shell.text import label

pytestmark = pytest.mark.usefixtures("light_embedder")


def state_of(store: Path, proposal_id: str) -> str:
    opened.close()
    with open_memory(store, backends=LightBackends) as memory:
        return memory.review.proposal(proposal_id).proposal.state


def test_a_proposal_shows_its_diff_evidence_reason_and_risk(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("8_Review"))
    assert '<ins class="ms">, who is two years old</ins>' in html
    assert "<mark>I adopted a cat called Miso.</mark>" in html
    assert "similarity 0.81" in html
    assert "The newer statement says more." in html
    assert "rule: refinement" in html
    assert "low risk" in html


def test_keys_are_bound_to_the_buttons(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    keys = {b.key: b.proto.shortcut for b in app.button if b.proto.shortcut}
    assert keys == {"approve": "a", "reject": "x", "edit": "e", "undo": "u", "previous": "k", "next": "j"}


def test_approving_applies_it_and_moves_on_to_the_next(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="approve").click().run()
    assert not app.exception
    assert "1 of 2" in shown(app)
    assert app.query_params["proposal"] == "prop_2"
    assert state_of(seeded, "prop_1") == "applied"


def test_undo_brings_back_the_proposal_and_the_memory(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="approve").click().run()
    app.button(key="undo").click().run()
    assert app.query_params["proposal"] == "prop_1"
    assert "1 of 3" in shown(app)
    assert state_of(seeded, "prop_1") == "pending"
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.memories.view("mem_2").memory.state == "active"


def test_rejecting_changes_no_memory(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="reject").click().run()
    assert state_of(seeded, "prop_1") == "rejected"
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.memories.view("mem_2").memory.state == "active"


def test_an_edited_text_is_kept_beside_the_proposed_one(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="edit").click().run()
    app.text_area(key="text_prop_1").set_value("Ada has a two-year-old cat, Miso").run()
    app.button(key="save_edit").click().run()
    html = shown(app)
    assert "Edited by you. Proposed first: Ada adopted a cat called Miso, who is two years old" in html
    app.button(key="approve").click().run()
    opened.close()
    with open_memory(seeded, backends=LightBackends) as memory:
        assert "Ada has a two-year-old cat, Miso" in [m.text for m in memory.memories.find()]


def test_next_and_previous_move_through_the_queue(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="next").click().run()
    assert "2 of 3" in shown(app)
    app.button(key="previous").click().run()
    assert "1 of 3" in shown(app)


def test_a_decision_made_elsewhere_meanwhile_is_told_not_overwritten(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    opened.opened().reject(["prop_1"], actor="someone else")
    app.button(key="approve").click().run()
    assert not app.exception
    assert "someone else" in shown(app)
    assert state_of(seeded, "prop_1") == "rejected"


def test_the_table_filters_by_risk_and_words(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="Table", risk="high")
    assert "1 of 3 that wait; all 1: 1 removal" in shown(app)
    assert list(app.dataframe[0].value["operation"]) == ["Delete a memory"]


def test_the_filters_of_the_table_hold_one_at_a_time_too_and_can_be_cleared(
    seeded: Path, open_page: Open
) -> None:
    app = open_page("8_Review", risk="medium", words="lisbon")
    assert "1 of 1" in shown(app)
    assert "1 of 3 that wait: medium risk, “lisbon”" in shown(app)
    app.button(key="clear_filters").click().run()
    assert "1 of 3" in shown(app)
    assert "risk" not in app.query_params


def test_many_are_decided_after_a_second_yes_that_counts_them_and_undone_at_once(
    seeded: Path, open_page: Open
) -> None:
    app = open_page("8_Review", view="Table")
    app.button(key="approve_many").click().run()
    assert "Approve 3: 1 update, 1 ending, 1 removal?" in shown(app)
    assert "1 of high risk" in shown(app)
    assert len(opened.opened().review.proposals()) == 3

    app.button(key="confirm_many").click().run()
    assert not app.exception
    assert {p.state for p in opened.opened().review.proposals(states=None)} == {"applied"}
    assert len({e.batch for e in opened.opened().review.decisions()}) == 1
    app.button(key="undo").click().run()
    assert len(opened.opened().review.proposals()) == 3


def test_a_second_thought_leaves_them_waiting(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="Table", operation="delete")
    app.button(key="reject_many").click().run()
    assert "Reject 1: 1 removal?" in shown(app)
    app.button(key="leave_many").click().run()
    assert "Reject 1: 1 removal?" not in shown(app)
    assert state_of(seeded, "prop_3") == "pending"


def test_of_many_those_decided_elsewhere_meanwhile_are_told_one_by_one(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="Table")
    app.button(key="reject_many").click().run()
    opened.opened().reject(["prop_2"], actor="someone else")
    app.button(key="confirm_many").click().run()
    assert "1 was left as it is." in shown(app)
    assert "rejected already (proposal.rejected by someone else" in shown(app)
    decided = {p.id: p.decided_by for p in opened.opened().review.proposals(states=("rejected",))}
    assert decided == {"prop_1": "person", "prop_2": "someone else", "prop_3": "person"}


def test_a_question_about_what_no_longer_waits_is_withdrawn(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="Table")
    app.button(key="approve_many").click().run()
    opened.opened().reject(["prop_2"], actor="someone else")
    app.run()
    assert "confirm_many" not in [b.key for b in app.button]
    assert "2 of 2 that wait" in shown(app)


def test_a_text_is_edited_and_approved_in_one_go_and_both_texts_are_kept(
    seeded: Path, open_page: Open
) -> None:
    app = open_page("8_Review")
    app.button(key="edit").click().run()
    app.text_area(key="text_prop_1").set_value("Ada has a two-year-old cat, Miso").run()
    app.button(key="save_approve").click().run()
    assert "1 of 2" in shown(app)
    proposal = opened.opened().review.proposal("prop_1").proposal
    assert (proposal.state, proposal.after) == ("applied", "Ada has a two-year-old cat, Miso")
    assert proposal.edited_from == "Ada adopted a cat called Miso, who is two years old"


def test_u_takes_back_one_step_after_the_other(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    assert app.button(key="undo").disabled
    app.button(key="reject").click().run()
    app.button(key="reject").click().run()
    app.button(key="undo").click().run()
    assert app.query_params["proposal"] == "prop_2"
    app.button(key="undo").click().run()
    assert app.query_params["proposal"] == "prop_1"
    assert len(opened.opened().review.proposals()) == 3
    assert app.button(key="undo").disabled


def test_a_decision_can_be_undone_after_a_reload_and_in_another_tab(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="edit").click().run()
    app.text_area(key="text_prop_1").set_value("Ada has a two-year-old cat, Miso").run()
    app.button(key="save_approve").click().run()

    first, second = open_page("8_Review"), open_page("8_Review", proposal="prop_1")
    assert label("Takes back: Applied by person") in first.button(key="undo").help
    assert "Ada has a two-year-old cat, Miso" in first.button(key="undo").help
    second.button(key="undo").click().run()
    assert state_of(seeded, "prop_1") == "pending"
    assert first.run().button(key="undo").disabled
    assert first.button(key="undo").help == "There is no decision to take back."


def test_undo_takes_back_a_decision_made_elsewhere_that_stands_on_the_page(
    seeded: Path, open_page: Open
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.approve(["prop_2"], actor="the command line")
        memory.reject(["prop_3"])
    app = open_page("8_Review", proposal="prop_2")
    html = shown(app)
    assert "would change" not in html
    assert '<div class="ms-meta">changed</div>' in html
    assert "Applied by the command line" in app.button(key="undo").help
    app.button(key="undo").click().run()
    assert (state_of(seeded, "prop_2"), state_of(seeded, "prop_3")) == ("pending", "rejected")
    assert "would change" in shown(app)


def test_what_was_rejected_says_that_it_changed_nothing(seeded: Path, open_page: Open) -> None:
    opened.opened().reject(["prop_3"], actor="someone else")
    html = shown(open_page("8_Review", proposal="prop_3"))
    assert "It changed nothing." in html
    assert "would have changed" in html
    assert "no longer counts in answers" not in html


def test_rules_are_off_until_switched_on_and_their_decisions_carry_their_name(
    seeded: Path, open_page: Open
) -> None:
    memory = opened.opened()
    twin = memory.memories.view("mem_2").memory
    with memory.store.write(actor="memscope") as writer:
        writer.put_memories([replace(twin, id="mem_twin")])
        twice = replace(memory.review.proposals()[0], id="prop_twice", operation="merge", after=twin.text)
        writer.put_proposals([replace(twice, target_ids=("mem_2", "mem_twin"), candidates=())])
    app = open_page("8_Review", view="Rules")
    assert [toggle.value for toggle in app.toggle] == [False, False]
    assert "1 waiting proposal fits it now." in shown(app)
    assert "apply_rules" not in [b.key for b in app.button]

    app.toggle(key="rule_exact duplicates").set_value(True).run()
    app.button(key="apply_rules").click().run()
    assert memory.review.proposal("prop_twice").proposal.decided_by == "rule: exact duplicates"
    app = open_page("8_Review", view="History")
    assert "rule: exact duplicates" in shown(app)
    assert "exact duplicates: on" in shown(app)


def test_an_objects_history_has_an_undo_at_every_step_and_says_what_stands_in_its_way(
    seeded: Path, open_page: Open
) -> None:
    memory = opened.opened()
    memory.approve(["prop_1"])
    (changed,) = [e for e in memory.review.history("mem_2") if e.kind == "memory.superseded"]
    made = memory.review.proposal("prop_1").events[-1].batch
    successor = next(e.object_id for e in memory.review.step(made) if e.kind == "memory.added")
    with memory.store.write(actor="someone else") as writer:
        writer.put_memories(
            [replace(memory.memories.view(successor).memory, topic="Pets")], kind="memory.updated"
        )

    app = open_page("8_Review", view="History", object="mem_2")
    assert "Replaced by a newer memory" in shown(app)
    app.button(key=f"undo_{changed.id}").click().run()
    assert "was changed later (memory.updated by someone else" in shown(app)
    assert "Undo evt_" in shown(app)
    link = next(one.proto for one in app.get("page_link"))
    assert link is not None

    app = open_page("8_Review", view="History", object=successor)
    later = memory.review.history(successor)[-1]
    app.button(key=f"undo_{later.id}").click().run()
    app = open_page("8_Review", view="History", object="mem_2")
    app.button(key=f"undo_{changed.id}").click().run()
    assert "undone" in shown(app)
    assert memory.memories.view("mem_2").memory.state == "active"


def test_undoing_a_step_of_a_run_says_first_how_much_that_is(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="History", object="mem_2")
    (made,) = opened.opened().review.history("mem_2")
    app.button(key=f"undo_{made.id}").click().run()
    assert (
        "The run changed all of this in one step: 7 memories, 5 entities, 4 relations, 1 summary."
        in shown(app)
    )
    app.button(key="leave_step").click().run()
    assert "undo_step" not in [b.key for b in app.button]
    assert opened.opened().memories.view("mem_2").memory.state == "active"


def test_history_lists_decisions_with_undo(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="reject").click().run()
    app = open_page("8_Review", view="History")
    assert "Rejected" in shown(app)
    undo = [b for b in app.button if b.key and b.key.startswith("undo_")]
    undo[0].click().run()
    assert "Undone" in shown(app)
    assert state_of(seeded, "prop_1") == "pending"


def test_a_decided_proposal_stays_readable_by_its_link(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.reject(["prop_3"])
    app = open_page("8_Review", proposal="prop_3")
    assert "rejected" in shown(app)
    assert "<script>" in unescape(shown(app))
    assert "approve" not in [b.key for b in app.button]


def test_consolidation_runs_as_a_job_and_reports_what_it_proposed(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ui.shell.jobs import board

    app = open_page("8_Review")
    app.button(key="consolidate").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    report = job.future.result(timeout=180)
    app.run()
    assert not app.exception
    assert f"{report.proposals} new proposal" in shown(app)


def test_edit_says_why_it_cannot_be_pressed(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        by_operation = {p.operation: p.id for p in memory.review.proposals()}
    writes_none = next(i for operation, i in by_operation.items() if operation not in WRITING)
    edit = open_page("8_Review", proposal=writes_none).button(key="edit")
    assert (edit.disabled, edit.help) == (True, "This change writes no text: approve or reject it as it is.")
    app = open_page("8_Review", proposal=next(i for op, i in by_operation.items() if op in WRITING))
    assert (app.button(key="edit").disabled, app.button(key="edit").help) == (False, "")
    app.button(key="edit").click().run()
    assert (app.button(key="edit").disabled, app.button(key="edit").help) == (True, "Its text is open below.")


def test_a_second_key_decides_nothing_before_the_next_is_on_screen(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="reject").click().run()
    app.query_params.clear()  # the browser's address is still that from before
    app.button(key="reject").click().run()
    assert [p.id for p in opened.opened().review.proposals()] == ["prop_2", "prop_3"]
    assert app.query_params["proposal"] == "prop_2"
    app.button(key="reject").click().run()
    assert [p.id for p in opened.opened().review.proposals()] == ["prop_3"]


def test_a_second_quick_key_goes_on_from_the_first(seeded: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    app.button(key="next").click().run()
    app.query_params.clear()
    app.button(key="next").click().run()
    assert app.query_params["proposal"] == "prop_3"
