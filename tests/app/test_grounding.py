"""Whether its words carry a memory stands with it wherever it is read: as text, with the reasons."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from memcore.domain.models import Grounding, Reason
from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT


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
