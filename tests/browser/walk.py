"""A walk through a page: every control it finds is used twice in a row, after leaving and coming back, and
after a reload.

The controls are found by their test ids, so that a new one needs no line here. What a control brings up (a
form, its preview, what confirms it) is walked through too; of the rows of a list the first stands for all.
After each use the control shows what was chosen, nothing has failed and nothing runs on. What a control
chooses stands in the address: Back, a reload, the same choice made again, and Back from another page show the
same page, and a link of the sidebar leads to what a new visitor would see there. The few choices that the
address says nothing of are named with the reason (`HELD`), and made again on return and after a reload.

Not walked through: links, charts and tables with rows to choose (canvases: `test_topics`, `test_review`), and
what stands there only while a job runs (Cancel: `tests/app/test_jobs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from playwright.sync_api import ConsoleMessage, Page, expect
from playwright.sync_api import Error as BrowserError

from tests.browser.controls import ACTS, FOLDS, Control, calm, controls, found, said, state, use

GOES = {
    "select split": "choosing is the act: a draft divides the topic, and the box with it",
    "text project_name": "Enter sends the form, and another page comes",
    "text project_place": "Enter sends the form, and another page comes",
    "text new_name_": "Enter sends the form, which has done its work",
}
"""Acts that show a value, and are not there any more once they were used, with the reason."""
HELD = {
    "select format_": "of a file that this browser session holds",
    "text import_owner": "of a file that this browser session holds",
    "select recipe": "of a file that this browser session holds; once it is read, the address says it",
    "select other_recipe": "said by the button that reads; once it has, the address says it",
    "check select": "rows that are taken together for one act",
    "text text": "a text that is being written; it is kept once it is saved",
    "check sure_": "what ends something for good is confirmed anew each time",
    "check erase_sure": "what ends something for good is confirmed anew each time",
}
"""How the families of choices begin that no address says, with the reason. Fields of a form are others: they
are sent, not chosen."""
STORED = {
    "check rule_": "whether a rule decides by itself is a decision of its own",
    "check set_": "a setting",
    "number set_": "a setting",
    "select set_": "a setting",
    "text set_": "a setting",
}
"""How the families of choices begin that the store keeps, with the reason."""
MOST_LINES = 4
"""So many lines of a page that shows something else are told."""


@dataclass(frozen=True)
class Place:
    """Where a walk is: an address, and what was used there, each for the n-th time."""

    address: str
    steps: tuple[tuple[Control, int], ...] = ()
    came: Place | None = field(default=None, compare=False)
    """How the address came about; None: it is there from the beginning."""
    server: str = field(default="", compare=False)
    """Where it came about: on another store it says nothing."""

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
        self.at: Place | None = None
        self.todo: list[tuple[Place, set[str]]] = []
        self.seen: set[str] = set()
        self.used: list[str] = []
        self.failed: list[str] = []
        self.complaints: list[str] = []
        self.afresh: dict[str, dict[str, object]] = {}
        page.on("console", self._complained)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _complained(self, message: ConsoleMessage) -> None:
        if (
            message.type == "error" and "Failed to load resource" not in message.text
        ):  # Streamlit seeks its root
            self.complaints.append(message.text)

    def through(self, *addresses: str) -> None:
        """All controls, first those that stand there at once: of views that have the same, one's."""
        brought: set[str] = set()
        self.todo = [(Place(address), {""}) for address in addresses]
        while self.todo:
            place, new = self.todo.pop(0)
            if new <= self.seen:
                continue
            brought |= new - {""}
            held = [control for control in self.standing_at(place, new) if self.walked(place, control)]
            if held:
                self.noted(str(place), partial(self.returned, place, held))
        self.failed += [f"{family} came up and stood there no more" for family in sorted(brought - self.seen)]

    def walked(self, place: Place, control: Control) -> bool:
        """Use it, if none of its family was; whether the address says nothing of it."""
        if control.disabled or control.family in self.seen or self.only not in control.family:
            return False
        self.seen.add(control.family)
        self.used.append(f"{place} → {control}")
        return self.noted(self.used[-1], partial(self.twice, place, control)) is True

    def noted(self, where: str, does: Callable[[], object]) -> object:
        """What it gives; None: it failed, which is noted."""
        try:
            return does()
        except (AssertionError, BrowserError) as error:
            self.failed.append(f"{where}: {' '.join(str(error).split())[:600]}")
            self.at = None
            return None

    def standing_at(self, place: Place, new: set[str]) -> list[Control]:
        """What is to be used there; where earlier acts took away what was new, on a store made anew."""
        self.noted(str(place), partial(self.arrive, place))
        wanted = new - self.seen - {""}
        if self.at == place and not wanted <= {control.family for control in controls(self.page)}:
            self.noted(str(place), partial(self.goes_anew, place))
        return controls(self.page) if self.at == place else []

    # ------------------------------------------------------------------- using

    def twice(self, place: Place, control: Control) -> bool:
        """In a row; an act that ends what it stood on is done again from where it stood. Whether the address
        says nothing of it."""
        now = self.standing(place, control)
        before = self.page.url, state(self.page)
        chosen = self.once(now, 0)
        first = self.page.url, state(self.page)
        path = place.then((control, 0))
        self.brings_up(path)
        again = found(self.page, control)
        if again is None or again.disabled:
            assert control.kind in ACTS or control.family in GOES, "it is gone once it was used"
            again, path = self.standing(place, control), place
        same = self.once(again, 1) == chosen
        path = path.then((control, 1))
        self.brings_up(path)
        if control.kind in ACTS or control.family in GOES:
            self.acted(path, control)
        elif first[0] != before[0]:
            assert (self.page.url == first[0]) is same, f"the address says the first choice: {first[0]}"
            self.kept(control, *(before if same else first), turn=0 if same else 1)
        elif same and now.shows == chosen:
            return False  # there is nothing else to choose
        elif control.family.startswith((*STORED,)):
            self.stored(control)
        else:
            held = control.form or control.kind in FOLDS or control.family.startswith((*HELD,))
            assert held, "a reload loses it: the address says nothing of it"
            return True
        return False

    def once(self, control: Control, turn: int) -> str | None:
        """Use it once: it shows what was chosen, which is given, and nothing failed."""
        before = self.page.url
        wanted = use(self.page, control, turn)
        calm(self.page)
        self.sound()
        if wanted is not None and control.family not in GOES:
            shown = self.showing(control, wanted)
            assert _same(shown, wanted), f"it shows “{shown}”, not “{wanted}” (use {turn + 1})"
        if control.kind in ("button", "file") or control.family in GOES or self.page.url != before:
            self.at = None
        return wanted

    def showing(self, control: Control, wanted: str) -> str:
        """What it shows; it is given a moment to unfold or to fold, and where it is gone it is let go."""
        shown = ""
        for _ in range(20):
            now = found(self.page, control)
            shown = wanted if now is None else now.shows
            if _same(shown, wanted):
                break
            self.page.wait_for_timeout(100)
        return shown

    def acted(self, path: Place, control: Control) -> None:
        """What it did is there after a reload."""
        if control.kind != "download":
            self.afresh.clear()
            self.page.reload()
            self.drawn()
            address = self.page.url.removeprefix(f"{self.url}/")
            self.at = Place(address)
            self.brings_up(Place(address, came=path, server=self.url), first=True)

    def stored(self, control: Control) -> None:
        """Chosen once more, which differs from what it showed first, it is shown on return and after a
        reload."""
        self.again(control, 0)
        chosen = found(self.page, control)
        self.leave()
        for how, comes in (("on return", self.page.go_back), ("after a reload", self.page.reload)):
            comes()
            self.drawn()
            now = found(self.page, control)
            assert chosen and now, f"{how} it is gone"
            assert now.shows == chosen.shows, f"{how} it shows “{now.shows}”, not “{chosen.shows}”"

    def kept(self, control: Control, first: str, shown: dict[str, object], turn: int) -> None:
        """The page shows what its address says; the control is used after a reload and on return."""
        page, address, second = self.page, self.page.url, state(self.page)
        self.back(first, shown, "by Back to the first choice")
        page.reload()
        self.drawn()
        self.says(shown, "after a reload")
        self.again(control, turn)
        assert page.url == address, f"the second choice gave {address}, made again {page.url}"
        self.says(second, "by the second choice, made again after a reload")
        self.leave()
        self.back(address, second, "by Back from another page")
        self.sidebar(self.name)
        returned = state(page)
        if page.url not in self.afresh:
            page.reload()
            self.drawn()
            self.afresh[page.url] = state(page)
        self.says(returned, "after a reload of what the sidebar opened", self.afresh[page.url])
        self.again(control, 0)

    def again(self, control: Control, turn: int) -> None:
        """Use it as it stands now, if it does."""
        now = found(self.page, control)
        if now is not None and not now.disabled:
            self.once(now, turn)

    def returned(self, place: Place, held: list[Control]) -> bool:
        """What the address says nothing of is used once more after leaving and coming back, and after a
        reload; what had to be opened, as every form, was used after one from the beginning."""
        for away in (True,) if place.steps else (True, False):
            self.arrive(place, away=away)
            for control in held:
                self.once(self.standing(place, control), 0)
        return True

    # ------------------------------------------------------------------- going

    def standing(self, place: Place, control: Control) -> Control:
        """The control where it stands; where earlier acts left nothing of it, on a store made anew."""
        for go in (lambda: self.at == place, partial(self.goes, place), partial(self.goes_anew, place)):
            if go() and (now := found(self.page, control)) is not None and not now.disabled:
                return now
        raise AssertionError("it does not stand there a second time")

    def arrive(self, place: Place, *, away: bool = False) -> None:
        """Go there; where earlier acts left nothing of it, on a store made anew."""
        there = self.goes(place, away=away) or self.goes_anew(place)
        assert there, "what leads there cannot be used a second time"

    def goes(self, place: Place, *, away: bool = False) -> bool:
        """Go there, with `away` by way of another page; False: what leads there cannot be used."""
        self.at = None
        self.complaints.clear()
        way = place if place.server in ("", self.url) else place.begun
        self.page.goto(f"{self.url}/{way.address}")
        self.drawn()
        if away:
            self.leave()
            self.page.go_back()
            self.drawn()
        for step, turn in way.steps:
            now = found(self.page, step)
            if now is None or now.disabled:
                return False
            use(self.page, now, turn)
            calm(self.page)
            if step.kind in ACTS:
                self.afresh.clear()
        self.at = place
        return True

    def goes_anew(self, place: Place) -> bool:
        """The same on a store made anew."""
        self.page.goto("about:blank")
        self.afresh.clear()
        self.url = self.serve()
        return self.goes(place)

    def leave(self) -> None:
        """For another page."""
        self.sidebar("Settings" if self.name != "Settings" else "Home")

    def sidebar(self, name: str) -> None:
        """By a link of the sidebar."""
        title = "Runs & cost" if name == "Runs and cost" else name
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
        expect(self.page.get_by_role("heading", level=1, name=title)).to_be_visible()
        self.drawn()

    def back(self, address: str, shown: dict[str, object], how: str) -> None:
        """By the browser's Back, which leads to this address and shows what was there."""
        self.page.go_back()
        expect(self.page).to_have_url(address)
        self.drawn()
        self.says(shown, how)

    def says(self, shown: dict[str, object], how: str, now: dict[str, object] | None = None) -> None:
        """The page shows the same again."""
        now = state(self.page) if now is None else now
        assert now == shown, f"{how}: {_differing(shown, now)}"

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
    """Whether a control shows this; a number may be written in another way, several in another order."""
    try:
        return float(shown) == float(wanted)
    except ValueError:
        return sorted(shown.split(" | ")) == sorted(wanted.split(" | "))


def _differing(one: dict[str, object], other: dict[str, object]) -> str:
    """What is only in one of two states; of many lines the first."""
    one_has, one_says, other_has, other_says = [
        {*map(str, a.items())} if isinstance(a, dict) else {*a} for a in _both(one, other)
    ]
    gone = [*sorted(one_has - other_has), *sorted(one_says - other_says)[:MOST_LINES]]
    new = [*sorted(other_has - one_has), *sorted(other_says - one_says)[:MOST_LINES]]
    return f"gone {gone}, new {new}"


def _both(one: dict[str, object], other: dict[str, object]) -> list[object]:
    return [one["controls"], one["text"], other["controls"], other["text"]]
