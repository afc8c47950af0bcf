"""Forms in Chromium, those for correcting by hand above all: each, while open, gives axe-core nothing to say
in light and in dark and fits a phone; after each step of a correction the focus is where one goes on, on each
of four pages, twice in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from memcore.memory import open_memory
from memcore.review.curate.acts import EditMemories, MarkWrong
from tests.app.hostile import EVALUATION, keep_evaluation
from tests.app.seed import seed
from tests.browser.conftest import _serve, session, settled
from tests.browser.looks import PHONE, beyond, dark, drawn, faults

pytestmark = [pytest.mark.browser, pytest.mark.models]

MEMORY, GRAPH = "Memories?memory=mem_2", "Graph?entity=ent_1&correct=tri_2"
SESSION, ASK = "Memories?session=ses_1", "Ask?q=Who+has+a+cat%3F"
FORMS = {
    **{f"memory {verb}": (MEMORY, (verb,)) for verb in ("Edit", "Wrong", "Ended", "Split", "Delete", "Cite")},
    "memories Merge": ("Memories", ("select", "select", "Merge")),
    "memories Edit": ("Memories", ("select", "select", "Edit")),
    "session Add": (SESSION, ("Add a memory",)),
    **{
        f"graph {verb}": (GRAPH, (verb,))
        for verb in (
            "Rename", "Change type", "Merge with others", "Split", "Change a relation",
            "Relations are wrong", "Relations ended", "Delete relations",
        )
    },
    "ask Edit": (ASK, ("Correct", "Edit")),
    "ask Add": (f"{ASK}&why=msg_1", ("Add a memory",)),
    "ask why not": (f"{ASK}&k=1&why=msg_6", ()),
    "review Edit": ("Review", ("Correct", "Edit")),
    "review Found wrong": ("Review?view=Found+wrong", ()),
    "review Rules": ("Review?view=Rules", ()),
    "settings Erase": ("Settings?erase=message&which=msg_2", ("Count what would go",)),
    "evaluation kept": (f"Evaluate?job={EVALUATION}", ()),
    "home": ("", ()),
}  # fmt: skip
"""Address, and what is pressed there, one after the other."""
ALWAYS = {"memory Edit", "graph Split"}
"""What a default run opens."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a small store in which something was found wrong; what a test changes it takes back."""
    directory = tmp_path_factory.mktemp("curation_forms") / "store"
    seed(directory)
    with open_memory(directory, llm="none") as memory:
        memory.curation.do(MarkWrong(("mem_3", "mem_6"), "person", "It was Ben " * 20))
        memory.curation.do(EditMemories(("mem_7",), kind="state", stage="time", reason="In May"))
        memory.curation.note_question("Who has a cat?", [])
    keep_evaluation(directory, "friends")
    yield from _serve(directory)


@pytest.fixture
def light(browser: Browser) -> Iterator[Page]:
    """A fresh browser session in the light theme."""
    with session(browser, color_scheme="light") as context:
        yield context.new_page()


def main(page: Page) -> Locator:
    return page.get_by_test_id("stMain")


def press(page: Page, what: str) -> None:
    """A button by how its name begins; "select" ticks the next memory of the list."""
    if what == "select":
        main(page).locator("[class*=st-key-select_] label:not(:has(input:checked))").first.click()
    else:
        others = page.locator(":not(.st-key-review_keys *)")  # Review has an "Edit" of its own
        named = main(page).get_by_role("button", name=re.compile(rf"^\W*{re.escape(what)}"))
        named.and_(others).first.click()
    settled(page)


def each() -> list[Any]:
    return [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow) for name in FORMS]


@pytest.mark.parametrize("name", each())
def test_an_open_form_reads_well_and_fits(light: Page, server: str, name: str) -> None:
    address, buttons = FORMS[name]
    light.goto(f"{server}/{address}")
    drawn(light)
    for button in buttons:
        press(light, button)
    if "Count what would go" in buttons:
        expect(light.get_by_text("It would go:")).to_be_visible()
    elif buttons:
        expect(light.locator("[class*=st-key-curation_open_]")).to_be_visible()
    expect(light.get_by_test_id("stException")).to_have_count(0)
    assert faults(light) == []
    dark(light)
    assert faults(light) == []
    light.set_viewport_size(PHONE)
    assert beyond(light) == 0


@dataclass(frozen=True)
class Walk:
    """How one gets to a form, what is typed into which field of it."""

    address: str
    buttons: tuple[str, ...]
    field: str
    typed: str


WALKS = {
    "Memories": Walk(MEMORY, ("Edit",), "What it says", "Ada adopted a dog called Rex"),
    "Graph": Walk("Graph?entity=ent_1", ("Rename",), "Its name", "Ada Lee"),
    "Ask": Walk(ASK, ("Correct", "Edit"), "What it says", "Nobody has a cat"),
    "Review": Walk("Review", ("Correct", "Edit"), "What it says", "Ada adopted a dog called Rex"),
}


def has_focus(page: Page, within: str) -> None:
    """Wait until the focus is on what fits a selector, or in it."""
    page.wait_for_function(
        "where => document.activeElement.closest(where) !== null", arg=within, timeout=10_000
    )


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "Memories" else pytest.mark.slow) for n in WALKS]
)
def test_the_focus_goes_where_one_goes_on(light: Page, server: str, name: str) -> None:
    walk = WALKS[name]
    verb = walk.buttons[-1].casefold()
    light.goto(f"{server}/{walk.address}")
    drawn(light)
    for _ in range(2):
        for button in walk.buttons:
            press(light, button)
        expect(light.get_by_label(walk.field).first).to_be_focused()
        press(light, "Leave it")
        has_focus(light, f"[class*=st-key-curate_{verb}_]")
        press(light, walk.buttons[-1])
        light.get_by_label(walk.field).first.fill(walk.typed)
        press(light, "See what changes")
        has_focus(light, ".st-key-curation_preview")
        assert light.locator("ins.ms").first.inner_text() != "", "what changes is shown word by word"
        expect(light.get_by_text("recent question").first).to_be_visible()
        light.keyboard.press("y")
        expect(light.locator(".st-key-curation_told")).to_contain_text("Done:")
        settled(light)
        has_focus(light, ".st-key-curation_undo")
        light.keyboard.press("u")
        expect(light.locator(".st-key-curation_told")).to_contain_text("Undone:")
        settled(light)
        has_focus(light, ".st-key-curation_undo")
    expect(light.get_by_test_id("stException")).to_have_count(0)
