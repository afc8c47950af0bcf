"""From a click in a chart to the turns it is about: their numbers go into the URL, the page scrolls there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Message
from ui.shell import links
from ui.shell.templates import run_script

PARAM, _ARRIVING, _JUMPS = "turn", "arriving_at_turn", "jumps_to_turns"


def to(messages: Sequence[Message], wanted: Sequence[str], *, scroll: bool = True) -> None:
    """Point at these messages by id, from the next drawing on."""
    numbers = [str(n) for n, message in enumerate(messages, start=1) if message.id in wanted]
    links.address(**{PARAM: ",".join(numbers)})
    st.session_state[_ARRIVING] = scroll


def lit(messages: Sequence[Message]) -> tuple[str, ...]:
    """The ids of the messages the URL points at; numbers that are none point at nothing."""
    wanted = {part.strip() for part in st.query_params.get(PARAM, "").split(",")}
    return tuple(message.id for n, message in enumerate(messages, start=1) if str(n) in wanted)


def arrive() -> None:
    """Scroll to the first of them, once after a click. Draw this after the turns."""
    if st.session_state.pop(_ARRIVING, False):
        st.session_state[_JUMPS] = st.session_state.get(_JUMPS, 0) + 1
        run_script("topics.scroll", jump=st.session_state[_JUMPS])
