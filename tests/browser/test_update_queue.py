"""The Update queue page on the sample, in a browser: list, graph, the way to Review, and a dry run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from memcore import open_memory
from memcore.logs import read_log
from tests.browser.conftest import ROOT, _serve

pytestmark = [pytest.mark.browser, pytest.mark.models]


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on the sample, imported and consolidated."""
    store: Path = tmp_path_factory.mktemp("sample") / "store"
    with open_memory(store) as memory:
        memory.ingest(read_log(ROOT / "sample_data" / "two_friends.json"))
        assert memory.consolidate().proposals
    yield from _serve(store)


def test_queues_stand_as_a_list_and_lead_to_their_proposals(page: Page, sample_server: str) -> None:
    page.goto(f"{sample_server}/Update_queue")
    expect(page.get_by_text("Nora is a vegetarian.", exact=True)).to_be_visible()
    expect(page.get_by_text("Nora is not a vegetarian any more.", exact=True).first).to_be_visible()
    expect(page.get_by_text(re.compile(r"\d+ queues decided to change nothing"))).to_be_visible()
    page.get_by_role("button", name="Show them").click()
    expect(page).to_have_url(re.compile("action=ignore"))
    expect(page.get_by_text(re.compile(r"\d+ queues, closest first"))).to_be_visible()

    page.goto(f"{sample_server}/Update_queue?words=vegetarian")
    expect(page.get_by_text("1 queue, closest first")).to_be_visible()
    page.get_by_role("link", name="Its proposal").click()
    expect(page.get_by_role("heading", name="Review", level=1)).to_be_visible()
    expect(page.locator("del.ms", has_text="Nora is a vegetarian.")).to_be_visible()


def test_queues_stand_as_a_graph_with_its_table(page: Page, sample_server: str) -> None:
    page.goto(f"{sample_server}/Update_queue?view=Graph")
    expect(page.frame_locator("iframe").locator("canvas")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    frame = next(f for f in page.frames if f != page.main_frame and f.locator("canvas").count())
    labels = frame.evaluate("nodes.get().map(n => n.label)")
    assert "Nora is a vegetarian." in labels
    widths = frame.evaluate("edges.get().map(e => [Number(e.label), e.width])")
    assert sorted(widths) == sorted(widths, key=lambda pair: pair[1])


def test_a_dry_run_shows_a_changed_retrieval_and_changes_nothing(page: Page, sample_server: str) -> None:
    page.goto(f"{sample_server}/Update_queue?view=Dry+run")
    page.get_by_label("Questions, one a line").fill("Is Nora a vegetarian?")
    page.get_by_label("Questions, one a line").press("Control+Enter")
    page.get_by_role("button", name="What would change?").click()
    expect(page.get_by_text("1 of 1", exact=True)).to_be_visible(timeout=180_000)  # else progress
    expect(page.locator("del.ms", has_text="Nora is a vegetarian.").first).to_be_visible()
    expect(page.get_by_text("Already waiting", exact=True)).to_be_visible()
    page.goto(f"{sample_server}/Memories?text=Nora+is+a+vegetarian")
    expect(page.get_by_text("1 memory", exact=True)).to_be_visible()
