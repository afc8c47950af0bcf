"""What the buttons of the Review page do: decide, undo, move. Called as callbacks, before the page draws.

The decision is the library's; this module only remembers where the reader was and what to tell them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from memcore.errors import MemcoreError
from memcore.memory import Memory

MESSAGE, ERROR, LAST, EDITING = "review_message", "review_error", "review_last", "review_editing"
VERBS = {"approve": "Approved", "reject": "Rejected"}


def focus(proposal_id: str | None) -> None:
    """Bring a proposal into focus, also in the URL."""
    st.session_state.pop(EDITING, None)
    if proposal_id:
        st.query_params["proposal"] = proposal_id
    elif "proposal" in st.query_params:
        del st.query_params["proposal"]


def move(queue: Sequence[str], current: str, steps: int) -> None:
    """Go `steps` along the queue; stay at its ends. A quick second key goes on from the first."""
    current = st.query_params.get("proposal", current)
    place = queue.index(current) + steps if current in queue else 0
    focus(queue[max(0, min(place, len(queue) - 1))])


def decide(memory: Memory, verb: Literal["approve", "reject"], current: str, queue: Sequence[str]) -> None:
    """Approve or reject the proposal in focus and go on to the next. A second key that came before
    the next one was drawn decides nothing: the person had not seen it."""
    if st.query_params.get("proposal", current) != current:
        return
    try:
        decided = (memory.approve if verb == "approve" else memory.reject)([current])
    except MemcoreError as error:
        st.session_state[ERROR] = error
        return
    st.session_state[LAST] = (decided.event_id, current)
    st.session_state[MESSAGE] = f"{VERBS[verb]}. Undo with U."
    place = queue.index(current) if current in queue else 0
    rest = [i for i in queue if i != current]
    focus(rest[min(place, len(rest) - 1)] if rest else None)


def undo(memory: Memory, event_id: str, proposal_id: str | None) -> None:
    """Take back a decision and show what it was about again."""
    try:
        undone = memory.undo(event_id)
    except MemcoreError as error:
        st.session_state[ERROR] = error
        return
    st.session_state.pop(LAST, None)
    changed = "1 object is" if undone.objects == 1 else f"{undone.objects} objects are"
    st.session_state[MESSAGE] = f"Undone: {changed} as before."
    if proposal_id:
        focus(proposal_id)


def begin_edit(proposal_id: str) -> None:
    st.session_state[EDITING] = proposal_id


def end_edit() -> None:
    st.session_state.pop(EDITING, None)


def save_edit(memory: Memory, proposal_id: str, key: str) -> None:
    """Keep the edited text as the proposal's; it waits for approval like any other."""
    try:
        memory.edit(proposal_id, st.session_state[key])
    except MemcoreError as error:
        st.session_state[ERROR] = error
        return
    st.session_state[MESSAGE] = "Text changed. Approve it to apply it."
    end_edit()
