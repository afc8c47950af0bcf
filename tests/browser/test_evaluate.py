"""The sample evaluated in a browser: run, reloaded meanwhile, figures, curves, files, a missed question."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

from tests.browser.conftest import settled

pytestmark = [pytest.mark.browser, pytest.mark.models]


def evaluated(page: Page, server: str) -> None:
    page.goto(f"{server}/Evaluate")
    page.get_by_role("button", name="Load sample", exact=True).click()
    settled(page)
    page.get_by_role("button", name="Evaluate on LoCoMo").click()
    expect(page).to_have_url(re.compile(r"job=\w+"))


@pytest.mark.slow
def test_a_newcomer_evaluates_the_sample_and_opens_what_was_missed(page: Page, empty_server: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_url(request)))
    page.on("websocket", lambda socket: asked.append(_url(socket)))
    page.goto(empty_server)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Evaluate").click()
    expect(page.get_by_text("For whoever chooses, tunes or builds a memory")).to_be_visible()
    evaluated(page, empty_server)

    # the job is in the URL, so a reload loses nothing
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Beside plain rankings")).to_be_visible(timeout=180_000)
    expect(page.get_by_role("row", name=re.compile(r"^turn recall@10 ")).get_by_role("cell")).to_have_count(6)

    # the curves, and the same numbers as a table
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(6)
    page.get_by_text("The curves as a table").click()
    expect(page.get_by_role("row", name=re.compile("^Memscope’s own 250 "))).to_be_visible()

    # files
    with page.expect_download() as download:
        page.get_by_role("button", name="Whole result as JSON").click()
    document = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert (document["dataset"], document["scored"]) == ("locomo", 20)
    with page.expect_download() as download:
        page.get_by_role("button", name="Questions as JSON Lines").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert [len(lines), {"id", "evidence", "figures"} <= {*json.loads(lines[0])}] == [20, True]

    # every question, and one of them
    page.goto(f"{page.url}&show=all&words=hearts")
    page.get_by_role("link", name="Why does Tomás care so much about hearts?").click()
    expect(page).to_have_url(re.compile("question=two-friends"))
    expect(page.get_by_role("heading", name="What was retrieved")).to_be_visible()
    expect(page.get_by_text("my dad's heart attack in 2015").first).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^lexical message"))).to_be_visible()
    page.get_by_role("button", name="All questions").click()
    expect(page.get_by_text("1 of 20 questions.")).to_be_visible()

    home = empty_server.removeprefix("http://")
    assert [url for url in asked if not re.match(rf"(https?|wss?)://{home}/|data:|blob:|about:", url)] == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page, empty_server: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    evaluated(page, empty_server)
    expect(page.get_by_role("heading", name="Beside plain rankings")).to_be_visible(timeout=180_000)
    main = "document.querySelector('[data-testid=stMain]').scrollWidth"
    settled(page)
    assert page.evaluate(main) <= 390
    page.goto(f"{page.url}&show=all&question=two-friends+question+3")
    expect(page.get_by_role("heading", name="What was retrieved")).to_be_visible()
    expect(page.locator("table.ms-tight").first).to_be_visible()
    settled(page)
    assert page.evaluate(main) <= 390
    parts = page.locator("table.ms-tight").evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)")
    assert max(parts) <= 0


def test_a_damaged_file_is_named_with_its_place(page: Page, empty_server: str) -> None:
    page.goto(f"{empty_server}/Evaluate")
    damaged = [{"sample_id": "a", "conversation": {"session_1": [{"text": "no id"}]}, "qa": []}]
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "mine.json", "mimeType": "application/json", "buffer": json.dumps(damaged).encode()}
    )
    expect(page.get_by_role("button", name="Remove mine.json")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Evaluate on LoCoMo").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("mine.json is damaged at record 1 session_1 turn 1")
    expect(alert).to_contain_text("Restore the file")
    expect(page.get_by_role("button", name="Remove mine.json")).to_be_visible()


def _url(thing: Request | WebSocket) -> str:
    return thing.url
