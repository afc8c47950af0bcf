"""A link to what is another owner's shows what a link to nothing shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import RUN

MINE = ("Lisbon", "Miso", "Porto", "my knee", "the prompt")
"""Words of the seeded owner's conversation."""


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("5_Memories", {"memory": "mem_1"}),
        ("5_Memories", {"session": "ses_1"}),
        ("8_Review", {"proposal": "prop_1"}),
        ("8_Review", {"view": "History"}),
        ("8_Review", {"view": "History", "object": "mem_1"}),
        ("8_Review", {"view": "Found wrong"}),
        ("12_Runs_and_cost", {}),
        ("12_Runs_and_cost", {"run": RUN}),
        ("2_Compression", {"session": "ses_1"}),
        ("3_Topics", {"session": "ses_1", "segment": "seg_1"}),
        ("4_Buffers", {"session": "ses_1"}),
        ("6_Graph", {"entity": "ent_2"}),
        ("7_Update_queue", {"run": RUN}),
        ("9_Ask", {"q": "rowing", "why": "msg_0"}),
        ("10_Compare", {"log": "conv_1"}),
    ],
)
def test_a_link_to_what_is_somebody_elses_shows_nothing_of_it(
    two_owners: Path, open_page: Open, page: str, query: dict[str, str]
) -> None:
    app = open_page(page, owner="you", **query)
    assert not app.exception
    told = shown(app) + str([(box.label, box.options) for box in app.selectbox]) + str(app.dataframe)
    assert not [words for words in MINE if words in told]


def test_the_same_link_shows_it_to_its_owner(two_owners: Path, open_page: Open) -> None:
    assert "Lisbon" in shown(open_page("5_Memories", owner="me", memory="mem_1"))
    assert "Miso" in shown(open_page("8_Review", owner="me", proposal="prop_1"))
    assert "the prompt" in shown(open_page("12_Runs_and_cost", owner="me", run=RUN))


def test_what_was_decided_for_one_owner_is_not_the_last_step_of_another(
    two_owners: Path, open_page: Open
) -> None:
    app = open_page("8_Review", owner="me")
    app.button(key="reject").click().run()
    assert not app.button(key="undo").disabled
    app.query_params["owner"] = "you"
    app.query_params.pop("proposal", None)
    app.run()
    assert app.button(key="undo").disabled
    app.query_params["owner"] = "me"
    app.run()
    app.button(key="undo").click().run()
    assert not app.exception
    with open_memory(two_owners, backends=LightBackends) as memory:
        assert "prop_1" in {proposal.id for proposal in memory.review.proposals()}
