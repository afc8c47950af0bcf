"""What is wrong with how a page looks, in a browser: what axe-core finds, and what lies beyond the screen."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.conftest import LONGEST_RUN, settled

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NOT_OURS = {
    ("presentation-role-conflict", "stFileUploaderDropzone"),
    ("region", "stFloatingOverlayPortal"),
    ("aria-dialog-name", "stToast"),
}
"""Rule and part of Streamlit: st.file_uploader gives its drop area a name and role=presentation; what floats
over the page (the tooltip under the pointer) stands outside of its landmarks; a toast is a dialog without a
name."""
PHONE = {"width": 390, "height": 844}


def dark(page: Page) -> None:
    """Look at it in the dark theme."""
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'")


def drawn(page: Page) -> None:
    """Wait until the script has ended and what it sent is on screen. A page that tells that the store is
    being examined is drawn once more when that is done, and is dimmed meanwhile."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)
    expect(page.get_by_text("The store is being examined")).to_have_count(0, timeout=LONGEST_RUN)
    settled(page)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def faults(page: Page) -> list[str]:
    """What axe-core finds, in frames too: rule, place, what is wrong."""
    axe = Axe()
    for frame in page.frames:
        frame.evaluate(axe.axe_script)
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
    found: list[dict[str, Any]] = axe.run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
        if not any(rule["id"] == of and part in node["html"] for of, part in NOT_OURS)
    ]


def beyond(page: Page) -> int:
    """How many pixels of the page lie beyond the screen's right edge, once it has settled."""
    main = "document.querySelector('[data-testid=stMain]')"
    pixels = f"Math.max({main}.scrollWidth - {main}.clientWidth, document.body.scrollWidth - innerWidth)"
    try:
        page.wait_for_function(f"() => {pixels} <= 0", timeout=20_000)
    except TimeoutError:
        return int(page.evaluate(pixels))
    return 0
