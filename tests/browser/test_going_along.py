"""What was chosen on one page, in a real browser: by the sidebar, by a link in a text, after a reload."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import settled

SECOND = r"\?.*\bsession=ses_2\b"


def test_a_session_goes_along_by_links_and_survives_a_reload(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Topics")
    chosen = page.get_by_role("combobox", name="Session")
    expect(chosen).to_have_value("Moving · 4 Mar 2024")
    chosen.click()
    page.get_by_role("option").nth(1).click()
    settled(page)
    second = chosen.input_value()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Settings").click()
    expect(page).to_have_url(re.compile(f"/Settings{SECOND}"))
    page.get_by_test_id("stSidebar").get_by_role("link", name="Buffers").click()
    expect(page.get_by_role("combobox", name="Session")).to_have_value(second)
    page.reload()
    expect(page.get_by_role("combobox", name="Session")).to_have_value(second)
    expect(page).to_have_url(re.compile(f"/Buffers{SECOND}"))
    page.goto(f"{seeded_server}/Topics?session=ses_1")
    expect(page.get_by_role("combobox", name="Session")).to_have_value("Moving · 4 Mar 2024")


def test_back_leads_back(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Topics?session=ses_2")
    expect(page.get_by_role("combobox", name="Session")).to_have_value(re.compile(r"\w"))
    page.get_by_test_id("stSidebar").get_by_role("link", name="Memories").click()
    expect(page).to_have_url(re.compile(r"/Memories\?.*session=ses_2"))
    expect(page.get_by_role("heading", name="Memories")).to_be_visible()
    settled(page)
    page.go_back()
    expect(page).to_have_url(f"{seeded_server}/Topics?session=ses_2")
    expect(page.get_by_role("heading", name="Topics")).to_be_visible()
    settled(page)
    page.go_back()
    expect(page).to_have_url("about:blank")


def test_back_leads_back_however_soon(page: Page, seeded_server: str) -> None:
    """As soon as anything of the next page is there, its browser has just been told where it is."""
    filtered = f"{seeded_server}/Memories?kind=plan"
    page.goto(filtered)
    kind = page.get_by_role("combobox", name="Kind")
    for other in ("Buffers", "Settings", "Graph", "Review") * 2:
        expect(kind).to_have_value("plan")
        page.get_by_test_id("stSidebar").get_by_role("link", name=other).click()
        expect(page.get_by_role("heading", name=other, level=1)).to_be_visible()
        page.go_back()
        expect(page).to_have_url(filtered)
    expect(kind).to_have_value("plan")


def test_the_sidebars_link_to_the_page_one_is_on_opens_it_afresh_and_back_undoes_that(
    page: Page, seeded_server: str
) -> None:
    filtered = f"{seeded_server}/Memories?kind=plan"
    kind = page.get_by_role("combobox", name="Kind")
    page.goto(filtered)
    expect(kind).to_have_value("plan")
    settled(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Memories").click()
    expect(page).to_have_url(f"{seeded_server}/Memories")
    expect(kind).to_have_value("")
    settled(page)
    page.go_back()
    expect(page).to_have_url(filtered)
    expect(kind).to_have_value("plan")
    settled(page)
    page.go_back()
    expect(page).to_have_url("about:blank")
