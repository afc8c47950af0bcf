"""Which branch of an edited conversation is read, asked on screen where a log has several.

The choice is remembered for the browser session.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.logs import Branch, Branching
from ui.importing.reading import Upload
from ui.shell.frame import meta
from ui.shell.text import clock, count, label


def choose(upload: Upload, several: Sequence[Branching]) -> dict[str, str]:
    """Ask which branch of each such conversation to read, the current one unless a person says otherwise;
    by conversation, the branches that are not the current ones. Nothing for a log without branches."""
    if not several:
        return {}
    chosen: dict[str, str] = st.session_state.setdefault(f"branches_{upload.key}", {})
    have = f"{count(len(several), 'conversation')} {'has' if len(several) == 1 else 'have'} several branches"
    with st.expander(f"{have} in {label(upload.name)}", expanded=len(several) == 1):
        meta(
            "A branch begins where a message was edited or answered anew. Read is the "
            "one the log ends in, unless you choose another."
        )
        titles = {one.conversation: one.title for one in several}
        picked = several[0]
        if len(several) > 1:
            name = st.selectbox(
                "Conversation",
                list(titles),
                key=f"branched_{upload.key}",
                format_func=lambda key: titles[key] or "untitled",
            )
            picked = next(one for one in several if one.conversation == name)
        current, leaf = picked.branches[0].leaf, _branch(upload, picked, chosen)
        chosen.pop(picked.conversation, None)
        if leaf != current:
            chosen[picked.conversation] = leaf
        if len(several) > 1 and chosen:
            meta(_others(len(chosen), len(several)))
    return dict(chosen)


def _branch(upload: Upload, of: Branching, chosen: dict[str, str]) -> str:
    branches = {branch.leaf: branch for branch in of.branches}
    leaves = list(branches)
    before = chosen.get(of.conversation, leaves[0])
    return str(
        st.radio(
            f"Branch of {label(of.title or 'the conversation')}",
            leaves,
            index=leaves.index(before) if before in branches else 0,
            key=f"branch_{upload.key}_{of.conversation}",
            format_func=lambda leaf: label(branches[leaf].first_words or "ends earlier", 90),
            captions=[_about(branch, branch.leaf == leaves[0]) for branch in of.branches],
        )
    )


def _about(branch: Branch, is_current: bool) -> str:
    parts = [count(branch.messages, "message")]
    if branch.last_at:
        parts.append(f"to {clock(branch.last_at)}")
    return label(" · ".join([*(["current"] if is_current else []), *parts]))


def _others(changed: int, of: int) -> str:
    return f"{changed} of {of} {'is' if changed == 1 else 'are'} read by another branch than the current one."
