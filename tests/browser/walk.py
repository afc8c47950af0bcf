"""A walk through a page: every control it finds is used twice in a row.

The controls are found by their test ids, so that a new one needs no line here. What a control brings up (a
form, its preview, what confirms it) is walked through too, each time from the address anew; of the rows of a
list the first stands for all. After each use the control shows what was chosen, nothing has failed and
nothing runs on. Where it writes into the address, the address says what the control says: a reload and
the browser's Back show the same page, and a link of the sidebar leads to what a new visitor would see there.

Not walked through: links, charts and tables with rows to choose (canvases: `test_topics`, `test_review`), and
what stands there only while a job runs (Cancel: `tests/app/test_jobs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from playwright.sync_api import ConsoleMessage, Page, expect
from playwright.sync_api import Error as BrowserError

from tests.browser.controls import ACTS, Control, calm, controls, found, said, state, use

GOES = {
    "select split": "choosing is the act: the topic is divided, and the box with it",
}
"""Controls that show a value and are not there any more once they were used, with the reason."""


@dataclass(frozen=True)
class Place:
    """Where a walk is: an address, and what was used there, each for the n-th time."""

    address: str
    steps: tuple[tuple[Control, int], ...] = ()
    came: Place | None = None
    """How the address came about; None: it is there from the beginning."""

    def then(self, *steps: tuple[Control, int]) -> Place:
        """The place after these were used here."""
        return replace(self, steps=(*self.steps, *steps))

    @property
    def begun(self) -> Place:
        """The same place, from an address that is there from the beginning."""
        return self if self.came is None else self.came.begun.then(*self.steps)

    def __str__(self) -> str:
        return " → ".join([f"/{self.address}", *(str(one) for one, _ in self.steps)])


class Walk:
    """One walk through a page and all that its controls bring up, with what failed on the way."""

    def __init__(self, page: Page, serve: Callable[[], str], name: str, only: str = "") -> None:
        self.page, self.serve, self.name, self.only = page, serve, name, only
        self.url = serve()
        self.seen: set[str] = set()
        self.used: list[str] = []
        self.failed: list[str] = []
        self.complaints: list[str] = []
        page.on("console", self._complained)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _complained(self, message: ConsoleMessage) -> None:
        if (
            message.type == "error" and "Failed to load resource" not in message.text
        ):  # Streamlit seeks its root
            self.complaints.append(message.text)

    def through(self, address: str) -> None:
        """All controls, first those that stand there at once."""
        self.todo = [(Place(address), {""})]
        while self.todo:
            place, new = self.todo.pop(0)
            if new <= self.seen:
                continue
            for control in self.standing_at(place):
                if not control.disabled and control.family not in self.seen and self.only in control.family:
                    self.seen.add(control.family)
                    self.try_twice(place, control)

    def standing_at(self, place: Place) -> list[Control]:
        """What is to be used there."""
        try:
            if place.steps:
                last, turn = place.steps[-1]
                use(self.page, self.standing(replace(place, steps=place.steps[:-1]), last), turn)
                calm(self.page)
            else:
                self.page.goto(f"{self.url}/{place.address}")
                self.drawn()
            return controls(self.page)
        except (AssertionError, BrowserError) as error:
            self.failed.append(f"{place}: {_short(error)}")
            return []

    def try_twice(self, place: Place, control: Control) -> None:
        """Use it twice, and note what failed."""
        self.used.append(f"{place} → {control}")
        self.complaints.clear()
        try:
            self.twice(place, control)
        except (AssertionError, BrowserError) as error:
            self.failed.append(f"{place} → {control}: {_short(error)}")

    def twice(self, place: Place, control: Control) -> None:
        """In a row; an act that ends what it stood on is done again from where it stood."""
        now = self.standing(place, control)
        before = self.page.url
        self.once(now, 0)
        first = self.page.url
        self.brings_up(place.then((control, 0)))
        again = found(self.page, control)
        if again is None or again.disabled:
            assert control.kind in ACTS or control.family in GOES, "it is gone once it was used"
            again = self.standing(place, control)
        self.once(again, 1)
        self.brings_up(place.then((control, 0), (control, 1)))
        if control.kind in ACTS:
            self.page.reload()
            self.drawn()
            address = self.page.url.removeprefix(f"{self.url}/")
            self.brings_up(Place(address, came=place.then((control, 0))), first=True)
        elif first != before:
            assert self.page.url != first, f"the address says the first choice: {first}"
            self.kept()

    def once(self, control: Control, turn: int) -> None:
        """Use it once: it shows what was chosen, and nothing failed."""
        wanted = use(self.page, control, turn)
        calm(self.page)
        self.sound()
        now = found(self.page, control)
        if wanted is not None and now is not None and control.family not in GOES:
            assert _same(now.shows, wanted), f"it shows “{now.shows}”, not “{wanted}” (use {turn + 1})"

    def kept(self) -> None:
        """The page shows what its address says: after a reload, by the sidebar, and by the browser's Back."""
        page, address = self.page, self.page.url
        shown = state(page)
        page.reload()
        self.drawn()
        assert state(page) == shown, f"after a reload: {_differing(shown, state(page))}"
        self.sidebar("Settings" if self.name != "Settings" else "Home")
        self.sidebar(self.name)
        returned = state(page)
        page.reload()
        self.drawn()
        assert state(page) == returned, f"on return: {_differing(state(page), returned)}"
        page.go_back()
        self.drawn()
        page.go_back()
        expect(page).to_have_url(address)
        self.drawn()
        assert state(page) == shown, f"by the browser's Back: {_differing(shown, state(page))}"

    def sidebar(self, name: str) -> None:
        """Leave by a link of the sidebar."""
        title = "Runs & cost" if name == "Runs and cost" else name
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
        expect(self.page.get_by_role("heading", level=1, name=title)).to_be_visible()
        self.drawn()

    def standing(self, place: Place, control: Control) -> Control:
        """The control where it stands; where earlier acts left nothing of it, on a store made anew."""
        now = self.usable(place, control)
        if now is None:
            self.page.goto("about:blank")
            self.url = self.serve()
            now = self.usable(place.begun, control)
        assert now is not None, "it does not stand there a second time"
        return now

    def usable(self, place: Place, control: Control) -> Control | None:
        """The control as it is there now; None where it cannot be used, or what leads there cannot."""
        self.complaints.clear()
        self.page.goto(f"{self.url}/{place.address}")
        self.drawn()
        for step, turn in (*place.steps, (control, -1)):
            now = found(self.page, step)
            if now is None or now.disabled or turn < 0:
                return now if now is not None and not now.disabled else None
            use(self.page, now, turn)
            calm(self.page)
        return None

    def brings_up(self, place: Place, *, first: bool = False) -> None:
        """Walk on from here, before all else if it is `first`, where there is anything new on the page that
        the walk is about."""
        here = re.match(r"[^?]*", self.page.url.removeprefix(f"{self.url}/"))
        of_page = "" if self.name == "Home" else self.name.replace(" ", "_")
        new = {one.family for one in controls(self.page) if not one.disabled} - self.seen
        if not self.only and new and here is not None and here[0] == of_page:
            self.todo.insert(0 if first else len(self.todo), (place, new))

    def drawn(self) -> None:
        """The page is there and nothing failed."""
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()
        calm(self.page)
        self.sound()

    def sound(self) -> None:
        """Nothing failed."""
        assert self.page.get_by_test_id("stException").count() == 0, "it fails with a traceback"
        assert "unexpected error" not in said(self.page), "a job stopped on an unexpected error"
        assert self.complaints == [], f"the console says {self.complaints}"


def _same(shown: str, wanted: str) -> bool:
    """Whether a control shows this; a number may be written in another way."""
    try:
        return float(shown) == float(wanted)
    except ValueError:
        return shown == wanted


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:600]


def _differing(one: dict[str, object], other: dict[str, object]) -> str:
    """What is only in one of two states."""
    parts = [({*map(str, a.items())} if isinstance(a, dict) else {*a}) for a in _both(one, other)]
    return f"gone {sorted(parts[0] - parts[2])} {sorted(parts[1] - parts[3])}, new " + (
        f"{sorted(parts[2] - parts[0])} {sorted(parts[3] - parts[1])}"
    )


def _both(one: dict[str, object], other: dict[str, object]) -> list[object]:
    return [one["controls"], one["text"], other["controls"], other["text"]]
