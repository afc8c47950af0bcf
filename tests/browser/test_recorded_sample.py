"""From an empty Home to six systems side by side, read by a language model, without one and offline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LONGEST_RUN, settled

pytestmark = [pytest.mark.browser, pytest.mark.models, pytest.mark.slow]
TITLES = ("Memscope’s own", "LightMem", "SimpleMem", "Mem0", "Mem0-graph", "LiCoMemory")


def test_the_systems_differ_in_what_they_remember(page: Page, empty_server: str) -> None:
    page.goto(empty_server)
    page.get_by_role("button", name="Load sample as a language model reads it").click()
    expect(page).to_have_url(re.compile(r"Compare\?.*job=\w+"))
    page.reload()
    for title in TITLES:
        expect(page.get_by_text(re.compile(rf"{title}: \d+ messages in"))).to_be_visible(timeout=LONGEST_RUN)
    settled(page)

    # each has its own number of memories, and each lost messages that another kept
    costs = page.get_by_role("table").first
    expect(costs.get_by_role("row")).to_have_count(len(TITLES) + 1)
    expect(page.get_by_text(re.compile(r"did not remember \d+ messages? that"))).not_to_have_count(0)

    # what one question finds differs, too; asked twice
    page.get_by_text("A question", exact=True).click()
    contexts = page.locator(".ms-cmp.contexts > div")
    for question in ("Who took Biscuit in?", "What is Tomás allergic to?"):
        page.get_by_label("Question", exact=True).fill(question)
        page.get_by_role("button", name="Compare contexts").click()
        expect(contexts).to_have_count(len(TITLES), timeout=LONGEST_RUN)
        settled(page)
    assert len(set(contexts.all_inner_texts())) == len(TITLES)
    expect(page.get_by_test_id("stException")).to_have_count(0)
