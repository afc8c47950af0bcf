"""The pages of the stages in Chromium, on the sample and, where it is at hand, on a LoCoMo conversation.

Both logs were read by memscope and by lightmem through the real models, and consolidated.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.models]


def opened(page: Page, address: str, heading: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_compression_follows_the_slider_without_storing(page: Page, read_server: str) -> None:
    opened(page, f"{read_server}/Compression", "Compression")
    kept = page.locator("del.ms-dropped")
    expect(kept.first).to_be_visible()
    dropped = kept.count()
    slider = page.get_by_role("slider", name="Retention rate")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowLeft")
    expect(page.get_by_text("A trial: nothing is stored")).to_be_visible()
    expect(page.get_by_text("asked for 40%")).to_be_visible(timeout=90_000)  # models are loaded first
    page.wait_for_function("n => document.querySelectorAll('del.ms-dropped').length > n", arg=dropped)
    page.get_by_role("button", name="Back to what is stored").click()
    expect(page.get_by_text("A trial: nothing is stored")).to_have_count(0)
    expect(kept).to_have_count(dropped)


def test_buffers_show_what_filled_and_what_fired(page: Page, read_server: str) -> None:
    opened(page, f"{read_server}/Buffers?recipe=lightmem", "Buffers")
    expect(page.get_by_role("heading", name="Sensory memory")).to_be_visible()
    expect(page.get_by_role("heading", name="Short-term memory")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    table = page.locator("table.ms").last
    expect(table).to_contain_text(re.compile("the threshold was reached|nothing more was to come"))
    expect(table).to_contain_text(re.compile(r"[1-9]\d* memor(y|ies)"))
    table.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Topics", level=1)).to_be_visible()


def test_the_update_queue_is_a_list_and_a_graph(page: Page, read_server: str) -> None:
    opened(page, f"{read_server}/Update_queue", "Update queue")
    queue, to_the_rest = page.get_by_text("Its queue:").first, page.get_by_role("button", name="Show them")
    expect(queue.or_(to_the_rest).first).to_be_visible()
    if not queue.is_visible():  # every queue decided to change nothing
        to_the_rest.click()
    expect(queue).to_be_visible()
    opened(page, f"{read_server}/Update_queue?view=Graph&action=ignore", "Update queue")
    expect(page.frame_locator("iframe").locator("canvas")).to_be_visible()
