"""Where each page is, and links that carry what they point at in the URL."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from ui.shell import chosen
from ui.shell.address import change, leave, stand
from ui.shell.text import label

PAGES = {
    "Home": "app.py",
    "Import": "pages/1_Import.py",
    "Compression": "pages/2_Compression.py",
    "Topics": "pages/3_Topics.py",
    "Buffers": "pages/4_Buffers.py",
    "Memories": "pages/5_Memories.py",
    "Graph": "pages/6_Graph.py",
    "Update queue": "pages/7_Update_queue.py",
    "Review": "pages/8_Review.py",
    "Ask": "pages/9_Ask.py",
    "Compare": "pages/10_Compare.py",
    "Evaluate": "pages/11_Evaluate.py",
    "Runs and cost": "pages/12_Runs_and_cost.py",
    "Settings": "pages/13_Settings.py",
}
"""In the order of the sidebar."""


def numbered(page: str, title: str) -> str:
    """A page's title with the number that its file and the README give it, as a Markdown label.

    >>> numbered("Runs and cost", "Runs & cost"), numbered("Home", "Home")
    ('12\u2002Runs & cost', 'Home')
    """
    number, found, _ = Path(PAGES[page]).name.partition("_")
    return f"{number}\u2002{title}" if found else title


def link(page: str, text: str = "", **params: str) -> None:
    """A link to a page; `params` are its deep link. `text` is Markdown: pass names through `label`."""
    st.page_link(PAGES[page], label=text or label(page), query_params=chosen.along(params) or None)


def within(text: str, key: str, **params: str | None) -> None:
    """A link to another view of the page one is on: sets or, with None, drops query parameters.
    (`st.page_link` to the current page does not update the address, measured on Streamlit 1.67.)"""
    st.button(text, key=key, type="tertiary", on_click=address, kwargs=params)


def address(**params: str | None) -> None:
    """Change the query parameters of the page one is on."""
    change(**chosen.with_what_ends(params))


def only(**params: str | None) -> None:
    """Let these be all that the address says, beside what goes along from page to page."""
    stand()
    address(**{**dict.fromkeys(chosen.others()), **params})


def href(page: str, **params: str) -> str:
    """The same as a relative URL, for links inside HTML we draw. They load the page anew, so what was chosen
    stands in them."""
    path = "" if page == "Home" else page.replace(" ", "_")
    params = chosen.along(params)
    return f"./{path}?{urlencode(params)}" if params else f"./{path}"


def go(page: str, **params: str) -> None:
    """Leave for another page now."""
    leave()
    st.switch_page(PAGES[page], query_params=chosen.along(params) or None)
