"""What the buttons of the Review page do: decide one or many, undo, move. Called as callbacks, before the
page draws.

The decision is the library's; this module only remembers where the reader was and what to tell them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from memcore.domain.errors import ConflictError, MemcoreError
from memcore.memory import Memory
from memcore.review.decide import Outcome
from ui.curation import state as correcting
from ui.shell import address, links, live, opened
from ui.shell.frame import draw_error
from ui.shell.text import count, label

Verb = Literal["approve", "reject"]

EDITING = "review_editing"
_MESSAGE, _ERROR, _ASKED, _LEFT, _IN_FRONT = (
    f"review_{name}" for name in ("message", "error", "asked", "left", "in_front")
)
_VERBS = {"approve": "Approved", "reject": "Rejected"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision on several proposals that waits for confirmation."""

    verb: Verb
    ids: tuple[str, ...]


def told() -> None:
    """Draw what the last key or button did, and why it did not."""
    if message := st.session_state.pop(_MESSAGE, None):
        st.toast(label(message, 200))
    if error := live.once(_ERROR):
        draw_error(error)
        if isinstance(error, ConflictError) and error.object_id:
            links.link("Review", "See what happened to it", view="History", object=error.object_id)


def refuse(error: MemcoreError) -> None:
    """Nothing was done: `told` says why."""
    st.session_state[_ERROR] = error


def focus(proposal_id: str | None, **others: str | None) -> None:
    """Bring a proposal into focus, also in the URL, with what else changes there."""
    st.session_state.pop(EDITING, None)
    links.address(proposal=proposal_id, **others)


def in_front(queue: Sequence[str]) -> str:
    """The proposal in focus while the URL names none: the first that waits. It stays while the page is drawn
    by itself, even if another program has decided it: who presses a key must not decide one that just came
    into its place."""
    before: str | None = st.session_state.get(_IN_FRONT)
    now = before if before is not None and live.by_itself() else queue[0]
    st.session_state[_IN_FRONT] = now
    return now


def move(queue: Sequence[str], current: str, steps: int) -> None:
    """Go `steps` along the queue; stay at its ends. A quick second key goes on from the first."""
    address.stand()
    current = st.query_params.get("proposal", current)
    place = queue.index(current) + steps if current in queue else 0
    focus(queue[max(0, min(place, len(queue) - 1))])


def decide(memory: Memory, verb: Verb, current: str, queue: Sequence[str], shown_by: str | None) -> None:
    """Approve or reject the proposal in focus, which the page shows whose address names `shown_by`, and go on
    to the next. A second key that came before the browser showed the next one decides nothing: the person
    had not seen it."""
    seen = st.query_params.get("proposal") == shown_by
    address.stand()
    if seen and st.query_params.get("proposal", current) == current:
        _decide(memory, verb, current, queue)


def _decide(memory: Memory, verb: Verb, current: str, queue: Sequence[str]) -> None:
    if _decided(memory, verb, [current]) is None:
        focus(current)  # what became of it stands there, under the error that says so
        return
    st.session_state[_MESSAGE] = f"{_VERBS[verb]}. Undo with U."
    place = queue.index(current) if current in queue else 0
    rest = [i for i in queue if i != current]
    focus(rest[min(place, len(rest) - 1)] if rest else None)


def ask(verb: Verb, ids: Sequence[str]) -> None:
    """Have a decision on several proposals confirmed first."""
    st.session_state[_ASKED] = Asked(verb, tuple(ids))


def asked() -> Asked | None:
    """The decision that waits to be confirmed."""
    found: Asked | None = st.session_state.get(_ASKED)
    return found


def leave() -> None:
    """Decide nothing after all."""
    st.session_state.pop(_ASKED, None)


def decide_many(memory: Memory) -> None:
    """Do what was asked, as one step with one undo. What was decided elsewhere meanwhile, or can no longer
    be applied, is left and told one by one (`left`)."""
    wanted: Asked = st.session_state.pop(_ASKED)
    outcomes = _decided(memory, wanted.verb, wanted.ids)
    if outcomes is None:
        return
    left = tuple(outcome for outcome in outcomes if outcome.conflict)
    st.session_state[_LEFT] = left
    done = f"{_VERBS[wanted.verb]} {count(len(outcomes) - len(left), 'proposal')}."
    st.session_state[_MESSAGE] = f"{done} One undo (U) takes all of it back."


def left() -> tuple[Outcome, ...]:
    """Those of the last decision on several that could not be made, with the reason."""
    found: tuple[Outcome, ...] = st.session_state.get(_LEFT, ())
    return found


def _decided(memory: Memory, verb: Verb, ids: Sequence[str]) -> tuple[Outcome, ...] | None:
    st.session_state.pop(_LEFT, None)
    try:
        decided = (memory.approve if verb == "approve" else memory.reject)(ids, owner=opened.owner(memory))
    except MemcoreError as error:
        refuse(error)
        return None
    correcting.forget()
    return decided.outcomes


def undo(memory: Memory, event_id: str, proposal_id: str | None = None) -> None:
    """Take back a step with everything that happened in it, and show what it was about again."""
    st.session_state.pop(_LEFT, None)
    correcting.forget()
    try:
        undone = memory.undo(event_id, owner=opened.owner(memory))
    except MemcoreError as error:
        refuse(error)
        return
    changed = "1 object is" if undone.objects == 1 else f"{undone.objects} objects are"
    st.session_state[_MESSAGE] = f"Undone: {changed} as before."
    if proposal_id:
        focus(proposal_id)


def switch_rule(memory: Memory, owner: str, name: str, key: str) -> None:
    """Switch an automatic rule as its toggle says."""
    on = bool(st.session_state[key])
    try:
        memory.review.switch_rule(name, on, owner=owner)
    except MemcoreError as error:
        refuse(error)
        return
    st.session_state[_MESSAGE] = f"The rule “{name}” is {'on' if on else 'off'}."


def apply_rules(memory: Memory, owner: str) -> None:
    """Let the rules that are on decide what waits now."""
    try:
        steps = memory.review.decide_automatically(owner)
    except MemcoreError as error:
        refuse(error)
        return
    correcting.forget()
    approved = sum(not outcome.conflict for step in steps for outcome in step.outcomes)
    st.session_state[_MESSAGE] = f"The rules approved {count(approved, 'proposal')}. Undo with U."


def begin_edit(proposal_id: str) -> None:
    """Show the editor of this proposal."""
    st.session_state[EDITING] = proposal_id


def end_edit() -> None:
    """Close the editor; what was typed is dropped."""
    st.session_state.pop(EDITING, None)


def save_edit(memory: Memory, proposal_id: str, key: str, queue: Sequence[str] | None = None) -> None:
    """Keep the edited text as the proposal's, beside the one proposed first. It waits for approval like any
    other; with a `queue`, it is approved at once."""
    try:
        memory.edit(proposal_id, st.session_state[key], owner=opened.owner(memory))
    except MemcoreError as error:
        refuse(error)
        return
    st.session_state[_MESSAGE] = "Text changed. Approve it to apply it."
    end_edit()
    if queue is not None:
        _decide(memory, "approve", proposal_id, queue)
