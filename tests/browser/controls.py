"""The controls of a page as a browser finds them, by Streamlit's test ids: what each shows, and how a person
uses it, with another value each time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, expect

from memcore.systems.registry import SYSTEMS
from tests.browser.conftest import settled

KINDS = {
    "stTextInput": "text",
    "stTextArea": "text",
    "stNumberInput": "number",
    "stSelectbox": "select",
    "stMultiSelect": "several",
    "stRadio": "choice",
    "stButtonGroup": "choice",
    "stCheckbox": "check",
    "stSlider": "slider",
    "stDateInput": "day",
    "stTab": "tab",
    "stExpander": "expander",
    "stPagination": "pages",
    "stFileUploader": "file",
    "stDownloadButton": "download",
    "stFormSubmitButton": "button",
    "stButton": "button",
}
ACTS = ("button", "download", "file")
"""Kinds that do something when used; all others show a value."""
FOLDS = ("expander", "tab")
"""Kinds that show and hide a part of the page, and choose nothing."""
SIZES = r"[0-9,.]+( [kM]?B\b)?"
"""What of a label differs with what is stored."""
JOB_ENDS = 400_000
"""Milliseconds that a job on a busy machine may take."""

_READ = """kinds => {
  const seen = e => e.checkVisibility({checkOpacity: false}) && !e.closest("[inert]");
  const text = e => [...(e?.querySelectorAll("[data-testid=stIconMaterial]") ?? [])]
    .reduce((all, icon) => all.replace(icon.innerText, ""), e?.innerText ?? "").trim();
  const key = e => [...(e.closest("[data-testid=stElementContainer]")?.classList ?? [])]
    .find(name => name.startsWith("st-key-"))?.slice(7) ?? "";
  const shows = {
    text: e => e.querySelector("input, textarea").value,
    number: e => e.querySelector("input").value,
    select: e => e.querySelector("input").value,
    several: e => [...e.querySelectorAll("[data-tag] [title]")].map(one => one.title).join(" | "),
    choice: e => text(e.querySelector("[role=radio][aria-checked=true], label:has(input:checked)")),
    check: e => String(e.querySelector("input").checked),
    slider: e => e.querySelector("input[type=range]").value,
    day: e => [...e.querySelectorAll("[role=spinbutton]")].map(text).join(" "),
    tab: e => String(e.ariaSelected),
    expander: e => String(e.querySelector("details")?.open ?? e.querySelector("summary")?.ariaExpanded),
    pages: e => text(e.querySelector("[aria-current=page]")),
  };
  const found = [];
  for (const [id, kind] of Object.entries(kinds)) {
    document.querySelectorAll(`[data-testid=${id}]`).forEach((e, place) => {
      if (!seen(e) || e.closest("[data-testid=stToast]")) return;
      const field = e.querySelector("input, textarea, button, summary");
      const label = kind === "expander" ? text(e.querySelector("summary"))
        : kind === "button" || kind === "download" || kind === "tab" ? text(e)
        : text(e.querySelector("[data-testid=stWidgetLabel]"))
          || field?.ariaLabel || e.querySelector("[aria-label]")?.ariaLabel || "";
      found.push({
        id, kind, place, label, key: key(e),
        shows: shows[kind] ? shows[kind](e) : "",
        disabled: kind !== "pages" && (!!field?.disabled || e.querySelector("[aria-disabled=true]") !== null),
        form: e.closest("[data-testid=stForm]") !== null,
        hint: field?.placeholder ?? "",
      });
    });
  }
  return found;
}"""
_SAID = """() => {
  const parts = "stHtml, stMarkdownContainer, stHeading, stText, stProgress".split(", ")
    .map(id => `[data-testid=stMain] [data-testid=${id}]`).join(", ");
  return [...document.querySelectorAll(parts)]
    .filter(e => e.checkVisibility() && !e.closest("[data-testid=stToast]"))
    .map(e => e.innerText.trim()).join("\\n");
}"""


@dataclass(frozen=True)
class Control:
    """A control on a page: which of its kind it is, what it is called and what it shows."""

    id: str
    kind: str
    place: int
    label: str
    key: str
    shows: str = field(compare=False)
    disabled: bool = field(compare=False)
    form: bool = False
    hint: str = ""

    @property
    def family(self) -> str:
        """What the same control of every row of a list has in common."""
        if not self.key:
            return f"{self.kind} {re.sub(SIZES, '', re.sub(r'^[0-9]+[.] .*', 'numbered', self.label))}"
        ids = rf"_({'|'.join(SYSTEMS)})(?=_|$)|_?[a-z]+_[0-9a-f]{{6,}}(?=_|$)|_?[0-9]+(?=_|$)|[0-9a-f]{{10,}}"
        return f"{self.kind} {re.sub(ids, '', self.name) or self.name}"

    @property
    def name(self) -> str:
        """Its key, without the id that a file is given each time it is chosen, or an evaluation each time."""
        return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{12}$", "", self.key)

    def __str__(self) -> str:
        return f"{self.kind} “{' '.join(self.label.split()) or self.key}”"


def controls(page: Page) -> list[Control]:
    """Every control that can be seen now."""
    return [Control(**one) for one in page.evaluate(_READ, KINDS)]


def said(page: Page) -> str:
    """What the page says now, without how long anything took."""
    return re.sub(r"\d[\d,.]* ?(ms|s)\b", "… s", page.evaluate(_SAID))


def state(page: Page) -> dict[str, Any]:
    """All that a page shows: the state of its controls, and its text."""
    shown = {
        f"{one.id} {one.key or one.label} {one.place}": one.shows
        for one in controls(page)
        if one.kind not in (*ACTS, "expander")
    }
    return {"controls": shown, "text": said(page).splitlines()}


def found(page: Page, wanted: Control) -> Control | None:
    """The same control as it is now: by its key, or by its kind and label where it has none."""
    alike = [one for one in controls(page) if (one.id, one.name) == (wanted.id, wanted.name)]
    if not wanted.key:
        alike = [one for one in alike if one.family == wanted.family]
        alike.sort(key=lambda one: (one.label != wanted.label, abs(one.place - wanted.place)))
    return alike[0] if alike else None


def at(page: Page, control: Control) -> Locator:
    """Where it is."""
    return page.get_by_test_id(control.id).nth(control.place)


def calm(page: Page) -> None:
    """Wait until nothing runs any more, a job neither."""
    settled(page)
    working = page.locator("[class*=st-key-cancel_], [data-testid=stProgress], [data-testid=stSpinner]")
    if working.count():
        expect(working).to_have_count(0, timeout=JOB_ENDS)
        settled(page)


# --------------------------------------------------------------------------- using

QUESTIONS = ("Where does Nora live now?", "What does Tomás play?", "Is Nora a vegetarian?")
DAYS = ("2024-05-08", "2024-06", "2024")
WORDS = ("Nora", "tea", "a")
SERVERS = ("http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3")
FILES = {
    f"friends_{n}.md": f"[2024-03-0{n} 10:00] Ada: I adopted a cat called {name}.\n".encode()
    for n, name in ((1, "Miso"), (2, "Rex"), (3, "Kit"))
}


def use(page: Page, control: Control, turn: int) -> str | None:
    """Use it as a person would, the `turn`-th time; what it is to show from now on (None: an act)."""
    there = at(page, control)
    there.scroll_into_view_if_needed()
    wanted = _USES[control.kind](page, there, control, turn)
    if control.form and control.kind not in ("button", "text", "number"):
        form = there.locator("xpath=ancestor::*[@data-testid='stForm']")
        form.get_by_test_id("stFormSubmitButton").first.locator(
            "button[data-testid^=stBaseButton]"
        ).first.click()
    return wanted


def _text(page: Page, there: Locator, control: Control, turn: int) -> str:
    asks = "question" in control.label.lower()
    dated = re.match(r"\d{4}", control.hint)
    names_a_server = re.search("host|URL", control.label)
    offered = QUESTIONS if asks else DAYS if dated else SERVERS if names_a_server else WORDS
    options = [one for one in offered if one != control.shows]
    box = there.locator("input, textarea")
    box.fill(options[turn])
    box.press("Control+Enter" if control.id == "stTextArea" else "Enter")
    return options[turn]


def _number(page: Page, there: Locator, control: Control, turn: int) -> str:
    box = there.locator("input")
    step, most = (
        float(box.get_attribute(name) or default) for name, default in (("step", 1), ("max", "inf"))
    )
    now = float(control.shows or 0)
    wanted = now + step if now + step <= most else now - 2 * step
    box.fill(f"{wanted:g}" if step < 1 else str(int(wanted)))
    box.press("Enter")
    return f"{wanted:g}"


def _select(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.locator("input").click()
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    names = [name.strip() for name in options.all_inner_texts()]
    wanted = next((name for name in names if name != control.shows), names[0])
    if turn and len(names) > 2:
        wanted = next(name for name in reversed(names) if name != control.shows)
    options.nth(names.index(wanted)).click()
    return wanted


def _several(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.locator("input").click()
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    before = control.shows.split(" | ") if control.shows else []
    names = [name.strip() for name in options.all_inner_texts()]
    wanted = next(name for name in names if name not in (*before, "Select all"))
    options.nth(names.index(wanted)).click()
    page.keyboard.press("Escape")
    return " | ".join([*before, wanted])


def _choice(page: Page, there: Locator, control: Control, turn: int) -> str:
    options = (
        there.get_by_role("radio") if control.id == "stButtonGroup" else there.locator("label:has(input)")
    )
    names = [name.strip() for name in options.all_inner_texts()]
    others = [name for name in names if name != control.shows]
    options.nth(names.index(others[turn % len(others)])).click()
    return others[turn % len(others)]


def _check(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.locator("label").first.click(position={"x": 8, "y": 8})
    return {"true": "false", "false": "true"}[control.shows]


def _slider(page: Page, there: Locator, control: Control, turn: int) -> str:
    thumb = there.locator("input[type=range]").first
    thumb.press("ArrowLeft")
    if thumb.input_value() == control.shows:
        thumb.press("ArrowRight")
    return thumb.input_value()


def _day(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.get_by_test_id("stDateInputCalendarButton").click()
    calendar = page.get_by_test_id("stDateInputCalendar")
    calendar.locator("[role=gridcell] [role=button]:not([aria-disabled=true])").nth(9 + turn).click()
    if calendar.count():
        page.keyboard.press("Escape")
    expect(calendar).to_have_count(0)
    return next(one.shows for one in controls(page) if (one.id, one.place) == (control.id, control.place))


def _tab(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.click()
    return "true"


def _expander(page: Page, there: Locator, control: Control, turn: int) -> str:
    there.locator("summary").click()
    return {"true": "false", "false": "true"}[control.shows]


def _pages(page: Page, there: Locator, control: Control, turn: int) -> str:
    others = there.get_by_test_id("stPaginationPage")
    wanted = others.nth(turn % others.count()).inner_text().strip()
    others.nth(turn % others.count()).click()
    return wanted


def _file(page: Page, there: Locator, control: Control, turn: int) -> None:
    files = {f"kept_{n}.jsonl": b"{}" for n in range(2)} if "jsonl" in control.label else FILES
    name = sorted(files)[turn]
    with page.expect_response(lambda answer: "upload_file" in answer.url):
        there.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "text/markdown", "buffer": files[name]}
        )
    expect(there).to_contain_text(name)


def _download(page: Page, there: Locator, control: Control, turn: int) -> None:
    with page.expect_download() as download:
        there.locator("button[data-testid^=stBaseButton]").first.click()
    assert download.value.path().stat().st_size, f"{control} gives an empty file"


def _button(page: Page, there: Locator, control: Control, turn: int) -> None:
    there.locator("button[data-testid^=stBaseButton]").first.click()  # its help is a button, too


_USES: dict[str, Any] = {
    "text": _text,
    "number": _number,
    "select": _select,
    "several": _several,
    "choice": _choice,
    "check": _check,
    "slider": _slider,
    "day": _day,
    "tab": _tab,
    "expander": _expander,
    "pages": _pages,
    "file": _file,
    "download": _download,
    "button": _button,
}
