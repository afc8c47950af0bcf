"""A dry run on screen: its questions, what would be proposed, and what would be retrieved differently."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Proposal
from memcore.memory import Memory
from memcore.review.diff import word_diff
from memcore.runs.dry_run import ConsolidationPreview, QuestionPreview, Retrieved
from ui.components import evidence
from ui.components.diff import diff_html
from ui.components.report import figures
from ui.shell import opened
from ui.shell.frame import note
from ui.shell.jobs import board
from ui.shell.text import block, count, safe, shorten
from ui.update_queue.update_queue import action_tag

TITLE = "Dry run"
_AFRESH, _WAITING = "A new consolidation, and approving all of it", "Approving what waits now"
_PROPOSALS, _QUESTIONS = 20, 20


def form(memory: Memory, waiting: Sequence[Proposal]) -> None:
    """Ask for questions and begin."""
    st.html(
        '<div class="ms-meta">Tried on a copy of the store that is thrown away: nothing here is changed, and '
        "no proposal is stored.</div>"
    )
    written = st.text_area(
        "Questions, one a line",
        key="dry_questions",
        height=110,
        placeholder="Where does Nora live now?\nWhat does she eat?",
    )
    what = _AFRESH
    if waiting:
        what = st.radio("What would change by", (_AFRESH, _WAITING), key="dry_what", horizontal=True)
    if st.button("What would change?", key="dry_run", type="primary", disabled=board().running() is not None):
        questions = [line.strip() for line in written.splitlines() if line.strip()]
        _start(memory, questions, [p.id for p in waiting] if what == _WAITING else None)


def _start(memory: Memory, questions: list[str], proposal_ids: list[str] | None) -> None:
    owner = opened.owner(memory)
    if proposal_ids is None:
        job = board().start(
            "Update queue",
            TITLE,
            lambda tick, cancelled: memory.preview_consolidation(
                questions, owner=owner, progress=tick, cancelled=cancelled
            ),
        )
    else:
        job = board().start(
            "Update queue",
            TITLE,
            lambda tick, cancelled: memory.preview_approval(
                proposal_ids, questions, owner=owner, progress=tick, cancelled=cancelled
            ),
        )
    st.query_params["job"] = job.id
    st.rerun()


def draw(preview: ConsolidationPreview) -> None:
    """What it found."""
    changed = [one for one in preview.questions if one.changed]
    same = [one for one in preview.questions if not one.changed]
    with st.container(border=True):
        figures(
            (len(preview.proposals), "would be proposed"),
            (len(preview.waiting), "wait already"),
            (f"{len(changed)} of {len(preview.questions)}", "questions would retrieve differently"),
        )
        if preview.llm_calls:
            spent = f"{count(preview.llm_calls, 'call')} and {count(preview.llm_tokens, 'token')}"
            st.html(f'<div class="ms-meta">The language model was really asked: {safe(spent)}.</div>')
    if preview.errors or preview.not_applied:
        note("Not everything could be tried:", *preview.errors, *preview.not_applied)
    if not (preview.proposals or preview.waiting):
        note("Nothing would be proposed, so nothing would change.")
        return
    if preview.questions:
        st.header("What would be retrieved", anchor=False)
    elif not preview.questions:
        st.html('<div class="ms-meta">Name questions to see what they would retrieve differently.</div>')
    for one in changed[:_QUESTIONS]:
        _question(one)
    if len(changed) > _QUESTIONS:
        more = count(len(changed) - _QUESTIONS, "more question")
        st.html(f'<div class="ms-meta">and {more} that would retrieve differently</div>')
    if same:
        lines = "".join(f"<li>{block(one.question, 200)}</li>" for one in same)
        st.html(
            f'<details><summary class="ms-meta" style="cursor:pointer">'
            f"{count(len(same), 'question')} would retrieve the same</summary><ul>{lines}</ul></details>"
        )
    for heading, proposals in (("Would be proposed", preview.proposals), ("Waits already", preview.waiting)):
        if proposals:
            st.header(heading, anchor=False)
            _proposals(proposals)


def _question(one: QuestionPreview) -> None:
    dropped, entered = {hit.id for hit in one.dropped}, {hit.id for hit in one.entered}
    told = [
        f"{len(dropped)} would no longer come" if dropped else "",
        f"{len(entered)} would newly come" if entered else "",
        f"{len(one.moved)} would move" if one.moved else "",
    ]
    before = "".join(_hit(hit, "gone" if hit.id in dropped else "") for hit in one.before)
    after = "".join(
        _hit(hit, "new" if hit.id in entered else "", one.moved.get(hit.id, (0, 0))[0]) for hit in one.after
    )
    with st.container(border=True):
        st.html(
            f'<div class="ms-lead"><b>{block(one.question, 300)}</b></div>'
            f'<div class="ms-meta">{safe(", ".join(part for part in told if part))}</div>'
            + evidence.pair(
                f'<div class="ms-meta">Now</div>{before}', f'<div class="ms-meta">Afterwards</div>{after}'
            )
        )


def _hit(hit: Retrieved, fate: str, was: int = 0) -> str:
    text = safe(shorten(hit.text, 180))
    if fate == "gone":
        text = f'<del class="ms">{text}</del>'
    elif fate == "new":
        text = f'<ins class="ms">{text}</ins>'
    moved = f' <span class="ms-meta">{"↑" if hit.rank < was else "↓"} was {was}</span>' if was else ""
    message = f" {evidence.tag('message')}" if hit.kind == "message" else ""
    return (
        f'<div class="ms-turn"><span class="ms-no">{hit.rank}</span><span>{text}{message}{moved}</span></div>'
    )


def _proposals(proposals: Sequence[Proposal]) -> None:
    for proposal in proposals[:_PROPOSALS]:
        with st.container(border=True):
            st.html(
                f"<div>{action_tag(proposal.operation)}"
                f'<span class="ms-meta">{safe(proposal.risk)} risk · {safe(proposal.made_by)}</span></div>'
                f"{diff_html(word_diff(proposal.before, proposal.after or ''))}"
                f'<div class="ms-meta">{block(proposal.reason, 300)}</div>'
            )
    if len(proposals) > _PROPOSALS:
        st.html(f'<div class="ms-meta">and {count(len(proposals) - _PROPOSALS, "more")}</div>')
