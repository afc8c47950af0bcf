"""Review lists what people found wrong: by stage with counts, each with words, reason and the way to it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import open_memory
from memcore.review.curate import acts
from tests.app.conftest import LightBackends, Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE, VIEW = "8_Review", "Found wrong"
CAT, LISBON = "Ada adopted a cat called Miso", "Ada moved to Lisbon in the week of 26 Feb 2024"


@pytest.fixture
def marked(seeded: Path) -> Path:
    """Two memories marked wrong, one corrected with its reason, one relation marked wrong by Ben."""
    with open_memory(seeded, backends=LightBackends) as memory:
        do = memory.curation.do
        do(acts.MarkWrong(("mem_2",), "person", "It was <b>Ben</b>"))
        do(acts.MarkWrong(("mem_1",), "time", "It was in May"))
        do(acts.EditMemories(("mem_3",), "Ben can visit in May", stage="time", reason="He said so"))
        do(acts.MarkWrong(("tri_3",), "graph"), actor="ben")
    return seeded


def texts(app: AppTest) -> str:
    """What one reads, without tags."""
    return unescape(re.sub(r"<[^>]+>", " ", shown(app)))


def headings(app: AppTest) -> list[str]:
    return [heading.value for heading in app.header]


def test_each_stands_under_its_stage_with_words_reason_actor_and_way(marked: Path, open_page: Open) -> None:
    app = open_page(PAGE, view=VIEW)
    assert not app.exception
    assert headings(app) == [
        "Time: the date is wrong",
        "Graph: the relation is wrong",
        "Person: it is about somebody else",
    ]
    said = texts(app)
    for text in (CAT, LISBON, "Ben can't visit before May", "Ada <b>say</b>"):
        assert text in said, "as it stood before"
    assert "Wrong because  It was <b>Ben</b>" in said, "words of people are no HTML"
    assert "No reason was given." in said
    assert "relation marked wrong by ben, " in said
    assert "memory corrected by person, " in said
    assert "I adopted a cat called Miso." in said, "the words it cites"
    ways = [one.proto for one in app.main.get("page_link") if one.proto.label == "Details"]
    assert {way.query_string for way in ways} == {"memory=mem_1", "memory=mem_2", "memory=mem_3"}
    app = next(b for b in app.button if b.key == "wrong_tri_3").click().run()
    assert app.query_params["object"] in ("tri_3", ["tri_3"])
    assert "Relation marked wrong" in shown(app)


def test_counts_are_by_system_and_stage(marked: Path, open_page: Open) -> None:
    html = shown(open_page(PAGE, view=VIEW))
    (table,) = re.findall(r'aria-label="Found wrong, by system and stage".*?</table>', html, re.DOTALL)
    cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", table, re.DOTALL)
    assert cells[0] == "system"
    assert set(cells[1:4]) == {"time", "graph", "person"}
    assert (cells[1], cells[4]) == ("time", "all")
    assert cells[6:] == ["2", "1", "1", "4"]


def test_stage_and_system_are_filters_of_the_address(marked: Path, open_page: Open) -> None:
    app = open_page(PAGE, view=VIEW, stage="person")
    assert headings(app) == ["Person: it is about somebody else"]
    assert "1 of 4 that were found wrong" in texts(app)
    app = app.button(key="clear_wrong").click().run()
    assert len(headings(app)) == 3
    app = app.selectbox(key="chosen_stage").select("graph").run()
    assert app.query_params["stage"] in ("graph", ["graph"])
    assert headings(app) == ["Graph: the relation is wrong"]
    app = open_page(PAGE, view=VIEW, recipe="lightmem")
    assert "Nothing that was found wrong fits these filters." in texts(app)


def test_what_is_taken_back_is_not_listed(marked: Path, open_page: Open) -> None:
    with open_memory(marked, backends=LightBackends) as memory:
        for row in memory.curation.wrong().rows:
            memory.undo(memory.review.history(row.object_id)[-1].id)
    app = open_page(PAGE, view=VIEW)
    assert "Nothing is marked wrong." in texts(app)


def test_home_leads_to_the_list(marked: Path, open_page: Open) -> None:
    (way,) = [
        one.proto for one in open_page().main.get("page_link") if "Found wrong by people" in one.proto.label
    ]
    assert (way.page, way.query_string) == ("Review", "view=Found+wrong")
