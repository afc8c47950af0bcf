"""From a click in a chart to the turns it is about: their numbers go into the URL, the page scrolls there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Message

PARAM, _ARRIVING, _JUMPS = "turn", "arriving_at_turn", "jumps_to_turns"

# An expander takes a moment to open, and scrolling into it before would scroll within it.
_SCROLL = """<script>
(function seek(tries) {
  const turn = document.querySelector(".ms-turn.lit");
  if (turn && turn.getBoundingClientRect().height > 0)
    setTimeout(() => turn.scrollIntoView({ block: "center", behavior: "smooth" }), 600);
  else if (tries) setTimeout(() => seek(tries - 1), 150);
})(20);  // jump %d: the same script again would not run
</script>"""


def to(messages: Sequence[Message], wanted: Sequence[str], *, scroll: bool = True) -> None:
    """Point at these messages by id, from the next drawing on."""
    numbers = [str(n) for n, message in enumerate(messages, start=1) if message.id in wanted]
    st.query_params[PARAM] = ",".join(numbers)
    st.session_state[_ARRIVING] = scroll


def lit(messages: Sequence[Message]) -> tuple[str, ...]:
    """The ids of the messages the URL points at; numbers that are none point at nothing."""
    wanted = {part.strip() for part in st.query_params.get(PARAM, "").split(",")}
    return tuple(message.id for n, message in enumerate(messages, start=1) if str(n) in wanted)


def arrive() -> None:
    """Scroll to the first of them, once after a click. Draw this after the turns."""
    if st.session_state.pop(_ARRIVING, False):
        st.session_state[_JUMPS] = st.session_state.get(_JUMPS, 0) + 1
        st.html(_SCROLL % st.session_state[_JUMPS], unsafe_allow_javascript=True)
