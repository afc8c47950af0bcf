"""Whether its words carry a memory stands with it wherever it is read: as text, with the reasons."""

from __future__ import annotations

import re
import time
from html import unescape
from pathlib import Path

from streamlit.testing.v1 import AppTest

from memcore.domain.models import Grounding, Proposal, Reason, Source, now
from memcore.memory import open_memory
from memcore.review.curate.acts import EditMemories
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT
from ui.shell import opened
from ui.shell.jobs import board


def texts(html: str) -> list[str]:
    """The memories on the Memories page, in order."""
    found = re.findall(r'<div class="ms-fact[^"]*"><div class="ms-text">(.*?)</div>', html)
    return [unescape(text) for text in found]


def test_each_verdict_is_written_with_its_reasons(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("5_Memories"))
    for label in ("supported", "not supported", "partly supported", "contradicted", "not checked yet"):
        assert re.search(rf'<span class="ms-tag[^"]*">{label}</span>', html), label
    for reason in ("two is not said; there it is 3.", "Miso is not named there.", "visit not said there."):
        assert f"<li>{reason}</li>" in html
    warned = set(re.findall(r'<span class="ms-tag warn">([^<]*)</span>', html))
    assert warned >= {"not supported", "contradicted"}
    assert warned.isdisjoint({"supported", "partly supported", "not checked yet"})


def test_memories_are_filtered_and_ordered_by_it(seeded: Path, open_page: Open) -> None:
    page = open_page("5_Memories", support="unsupported")
    assert texts(shown(page)) == ["Ada adopted a cat called Miso"]
    first = texts(shown(open_page("5_Memories", order="unsupported first")))
    assert first[:4] == [
        "Ada's cat Miso is two years old",
        "Ada adopted a cat called Miso",
        "Ben can't visit before May",
        "Ada moved to Lisbon in the week of 26 Feb 2024",
    ]


def test_a_memory_shows_the_message_that_carries_it_better(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("5_Memories", memory="mem_2"))
    assert "Another message carries it better" in html
    assert "sleeps on my keyboard" in html
    assert "carries it better" not in shown(open_page("5_Memories", memory="mem_1"))


def test_what_a_reason_quotes_is_text(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        (statement,) = [s for s in memory.store.unjudged("me", "other") if s.object_id == "mem_5"]
        reason = Reason("content", SCRIPT, "Hardly any of it is said there.")
        with memory.store.write(actor="test") as writer:
            writer.put_groundings([(statement, Grounding("unsupported", 0.9, (reason,)))])
    html = shown(open_page("5_Memories"))
    assert "Hardly any of it is said there." in html
    assert "<script>" not in html


def test_it_stands_with_the_memories_of_a_proposal(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("8_Review", proposal="prop_2"))
    assert re.search(r'<span class="ms-tag[^"]*">(supported|contradicted|not supported)</span>', html)


def test_compare_says_how_much_of_each_system_is_carried(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("10_Compare", log="conv_1", systems="memscope,lightmem"))
    assert "supported by their words" in html
    assert re.search(r"\d+ %<div", html)
    assert re.search(r"\d+ % not checked yet", html)


def until_done(page: AppTest) -> AppTest:
    for _ in range(120):
        page.run()
        if not board().running():
            return page.run()
        time.sleep(0.5)
    raise AssertionError("the job did not end")


def test_corrections_are_proposed_on_demand_and_only_once(
    seeded: Path, open_page: Open, light_embedder: None
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.curation.do(EditMemories(("mem_6",), "Ada sells nine trumpets in Rome"))
    page = open_page("5_Memories", support="unsupported")
    page.button(key="propose_corrections").click().run()
    html = shown(until_done(page))
    assert "new proposal" in html
    assert not page.exception
    with open_memory(seeded, backends=LightBackends) as memory:
        first = {p.id for p in memory.review.proposals() if p.made_by.startswith("grounding")}
    opened.close()
    page.button(key="propose_corrections").click().run()
    html = shown(until_done(page))
    assert "0 new proposals" in html
    with open_memory(seeded, backends=LightBackends) as memory:
        assert {p.id for p in memory.review.proposals() if p.made_by.startswith("grounding")} == first
    assert first


def test_only_what_is_doubtful_has_the_button(seeded: Path, open_page: Open, light_embedder: None) -> None:
    keys = {b.key for b in open_page("5_Memories", support="supported").button}
    assert "propose_corrections" not in keys
    assert "propose_corrections" in {b.key for b in open_page("8_Review").button}


def test_a_citation_stands_beside_the_one_it_would_replace(
    seeded: Path, open_page: Open, light_embedder: None
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        old = memory.memories.view("mem_5").memory
        made = Proposal("prop_cite", "me", "cite", (old.id,), (), old.text, old.text, "Not said there.",
                        "grounding (rules)", "low", "pending", now(),
                        sources=(Source("msg_4", 0, 20),))  # fmt: skip
        with memory.store.write(actor="grounding") as writer:
            writer.put_proposals([made])
    html = shown(open_page("8_Review", proposal="prop_cite"))
    assert "Cites now" in html
    assert "Would cite" in html
    assert "<mark>The cat Miso is two </mark>" in html
