"""A dry run on screen: its questions, what would be proposed, and what would be retrieved differently."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Proposal
from memcore.memory import Memory
from memcore.review.diff import word_diff
from memcore.runs.dry_run import ConsolidationPreview, QuestionPreview
from ui.components.diff import diff_html
from ui.components.report import figures
from ui.shell import links, opened, params, templates
from ui.shell.frame import meta, note
from ui.shell.jobs import board, busy
from ui.shell.marked import block
from ui.shell.templates import render
from ui.shell.text import count
from ui.update_queue.update_queue import action_tag

PAGE, TITLE = "Update queue", "Dry run"
CHANGES = {"afresh": "A new consolidation, and approving all of it", "waiting": "Approving what waits now"}
_PROPOSALS, _QUESTIONS = 20, 20


def form(memory: Memory, waiting: Sequence[Proposal], asked: Sequence[str]) -> None:
    """Ask for questions, to begin with those that were `asked`, and begin. What is chosen anew ends the
    result of what was chosen before."""
    meta(
        "Tried on a copy of the store that is thrown away: nothing here is changed, and no proposal is "
        "stored."
    )
    written = st.text_area(
        "Questions, one a line",
        height=110,
        placeholder="Where does Nora live now?\nWhat does she eat?",
        **params.bound("questions", st.query_params.get("questions", "\n".join(asked)), clears=("job",)),
    )
    by = params.one_of("by", list(CHANGES)) if waiting else "afresh"
    if waiting:
        st.radio(
            "What would change by",
            list(CHANGES),
            format_func=lambda by: CHANGES[by],
            horizontal=True,
            **params.bound("by", by, usual="afresh", clears=("job",)),
        )
    if st.button(
        "What would change?", key="dry_run", type="primary", disabled=bool(busy()), help=busy() or None
    ):
        questions = [line.strip() for line in written.splitlines() if line.strip()]
        _start(memory, questions, [p.id for p in waiting] if by == "waiting" else None)


def _start(memory: Memory, questions: list[str], proposal_ids: list[str] | None) -> None:
    owner = opened.owner(memory)
    if proposal_ids is None:
        job = board().start(
            PAGE,
            TITLE,
            ConsolidationPreview,
            lambda tick, cancelled: memory.review.preview_consolidation(
                questions, owner=owner, progress=tick, cancelled=cancelled
            ),
        )
    else:
        job = board().start(
            PAGE,
            TITLE,
            ConsolidationPreview,
            lambda tick, cancelled: memory.review.preview_approval(
                proposal_ids, questions, owner=owner, progress=tick, cancelled=cancelled
            ),
        )
    links.address(job=job.id)
    st.rerun()


def draw(preview: ConsolidationPreview) -> None:
    """What it found."""
    _sums(preview)
    if preview.errors or preview.not_applied:
        note("Not everything could be tried:", *preview.errors, *preview.not_applied)
    if not (preview.proposals or preview.waiting):
        note("Nothing would be proposed, so nothing would change.")
        return
    if preview.questions:
        st.header("What would be retrieved", anchor=False)
        _retrieved(preview.questions)
    else:
        meta("Name questions to see what they would retrieve differently.")
    for heading, proposals in (
        ("Would be proposed", preview.proposals),
        ("Already waiting", preview.waiting),
    ):
        if proposals:
            st.header(heading, anchor=False)
            _proposals(proposals)


def _sums(preview: ConsolidationPreview) -> None:
    changed = sum(one.changed for one in preview.questions)
    with st.container(border=True):
        figures(
            (len(preview.proposals), "would be proposed"),
            (len(preview.waiting), "already waiting"),
            (f"{changed} of {len(preview.questions)}", "questions would retrieve differently"),
        )
        if preview.llm_calls:
            spent = f"{count(preview.llm_calls, 'call')} and {count(preview.llm_tokens, 'token')}"
            meta(f"The language model was really asked: {spent}.")


def _retrieved(questions: Sequence[QuestionPreview]) -> None:
    """The questions that would retrieve differently, each with both lists; the others named."""
    changed = [one for one in questions if one.changed]
    same = [one for one in questions if not one.changed]
    for one in changed[:_QUESTIONS]:
        _question(one)
    if len(changed) > _QUESTIONS:
        more = count(len(changed) - _QUESTIONS, "more question")
        meta(f"and {more} that would retrieve differently")
    if same:
        texts = [block(one.question, 200) for one in same]
        templates.draw("update_queue.same", number=len(same), questions=texts)


def _question(one: QuestionPreview) -> None:
    dropped, entered = {hit.id for hit in one.dropped}, {hit.id for hit in one.entered}
    told = [
        f"{len(dropped)} would no longer come" if dropped else "",
        f"{len(entered)} would newly come" if entered else "",
        f"{len(one.moved)} would move" if one.moved else "",
    ]
    before = [(hit, "gone" if hit.id in dropped else "", 0) for hit in one.before]
    after = [(hit, "new" if hit.id in entered else "", one.moved.get(hit.id, (0, 0))[0]) for hit in one.after]
    with st.container(border=True):
        templates.draw(
            "update_queue.question",
            text=block(one.question, 300),
            told=", ".join(part for part in told if part),
            before=render("update_queue.hits", heading="Now", rows=before),
            after=render("update_queue.hits", heading="Afterwards", rows=after),
        )


def _proposals(proposals: Sequence[Proposal]) -> None:
    for proposal in proposals[:_PROPOSALS]:
        with st.container(border=True):
            templates.draw(
                "update_queue.proposal",
                action=action_tag(proposal.operation),
                small=f"{proposal.risk} risk · {proposal.made_by}",
                diff=diff_html(word_diff(proposal.before, proposal.after or "")),
                reason=block(proposal.reason, 300),
            )
    if len(proposals) > _PROPOSALS:
        meta(f"and {count(len(proposals) - _PROPOSALS, 'more')}")
