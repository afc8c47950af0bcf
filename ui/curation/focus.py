"""Where the keyboard's focus goes when a form opens or closes, or a step is done: what had it is often gone,
and the browser would begin at the top of the page again."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ui.shell.templates import run_script

Place = Literal["form", "bar", "told"]
"""What the place belongs to, which asks for the focus once it is drawn."""

_WANTED, _MOVES = "curation_focus", "curation_focus_moves"


def to(place: Place, selector: str) -> None:
    """Have the focus go there: to the first that fits a CSS selector."""
    st.session_state[_WANTED] = (place, selector)


def arrive(place: Place, of: str = "") -> None:
    """Move it, if it is to go there. Draw this after what is to have it; `of` tells several apart."""
    with st.container(key=f"curation_focus_{place}_{of}"):  # what follows stays the same element either way
        if st.session_state.get(_WANTED, ("", ""))[0] == place:
            _, selector = st.session_state.pop(_WANTED)
            st.session_state[_MOVES] = st.session_state.get(_MOVES, 0) + 1
            run_script("curation.focus", selector=selector, move=st.session_state[_MOVES])
