"""One proposal for a decision: the diff, what it would change, what it was compared with, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from memcore.domain.models import Proposal
from memcore.inspection.grounding import verdict_of
from memcore.inspection.objects import ProposalView
from memcore.memory import Memory
from memcore.review.proposals import corrects
from ui.components import evidence
from ui.components.diff import diff_html
from ui.components.recipes import TITLES
from ui.curation import controls as curation
from ui.shell import links, templates
from ui.shell.frame import meta
from ui.shell.marked import block
from ui.shell.templates import render, show
from ui.shell.text import clock, count, shorten

OPERATIONS = {
    "add": "Add a memory",
    "update": "Update a memory",
    "merge": "Merge memories that say the same",
    "cite": "Cite another message",
    "delete": "Delete a memory",
    "invalidate": "Mark as no longer true",
    "merge_entities": "Merge two names of one thing",
}
COUNTED = {
    "add": ("addition", ""),
    "update": ("update", ""),
    "merge": ("merge", ""),
    "cite": ("citation", ""),
    "delete": ("removal", ""),
    "invalidate": ("ending", ""),
    "merge_entities": ("merge of names", "merges of names"),
}
EFFECTS = {
    "add": "A new memory, which cites the words below: those in which a program proposed it.",
    "update": "This memory is replaced by the new text from the newer statement on; it stays in the history.",
    "merge": "One memory takes the place of these; they stay in the history.",
    "delete": "This memory no longer counts in answers; it stays in the history.",
    "invalidate": "This memory counts only for times before the newer statement.",
    "merge_entities": "Both names mean one entity; its relations are kept.",
}

CORRECTED = {
    "cite": "The memory stays as it is and cites other words.",
    "update": "The new text takes the place of what was never said; that stays in the history.",
    "delete": "No answer has this memory any more, of whatever time is asked; it stays in the history.",
}
"""The effects where a proposal corrects what its words do not carry."""

WOULD = {"applied": "changed", "rejected": "would have changed", "superseded": "would have changed"}
"""What is said of the memories that a decided proposal was about."""

CASE = "case"
"""What the list of a proposal's memories is called where one is taken up from it."""


def counted(operations: Sequence[str]) -> str:
    """How many of which operation, the commonest first.

    >>> counted(["merge", "delete", "merge"]), counted(["merge_entities"] * 2)
    ('2 merges, 1 removal', '2 merges of names')
    """
    found = Counter(operations).most_common()
    return ", ".join(count(number, *COUNTED.get(name, (name, ""))) for name, number in found)


def head(proposal: Proposal, place: str) -> Markup:
    """Operation, risk, place in the queue, and whose memory it is about."""
    tags = [(f"{proposal.risk} risk", "warn" if proposal.risk == "high" else "")]
    if proposal.state != "pending":
        tags.append((proposal.state, "strong"))
    return render(
        "review.head",
        place=place,
        system=TITLES.get(proposal.recipe, proposal.recipe),
        operation=OPERATIONS.get(proposal.operation, proposal.operation),
        tags=tags,
    )


def draw(memory: Memory, owner: str, view: ProposalView) -> None:
    """The whole case, most decisive part first; its memories can be corrected here."""
    proposal = view.proposal
    with st.container(border=True):
        show(diff_html(view.diff))
        if effect := _effect(proposal):
            meta(effect)
        if view.cites:
            show(_citations(view))
        if proposal.edited_from is not None:
            templates.draw("review.proposed_first", text=block(proposal.edited_from, 300))
    templates.draw("review.why", reason=block(proposal.reason, 600), made=_made(proposal))
    _members(memory, owner, view)
    if proposal.run_id:
        links.link("Runs and cost", "The run that proposed it", run=proposal.run_id)


def _effect(proposal: Proposal) -> str:
    if proposal.state in ("rejected", "superseded"):
        return "It changed nothing."
    return (CORRECTED if corrects(proposal) else EFFECTS).get(proposal.operation, "")


def _citations(view: ProposalView) -> Markup:
    """What the memory cites, beside what it would; once that is decided for it, the same."""
    now = render("review.citation", role="Cites now", words=_words_of_targets(view))
    if view.proposal.state == "applied":
        return now
    role = "Would cite" if view.proposal.state == "pending" else "Would have cited"
    return evidence.pair(
        now, render("review.citation", role=role, words=evidence.quote_block(view.cites, 500))
    )


def _words_of_targets(view: ProposalView) -> Markup:
    cited = tuple(quote for one in view.targets for quote in view.quotes.get(one.id, ()))
    return evidence.quote_block(cited, 500)


def _members(memory: Memory, owner: str, view: ProposalView) -> None:
    if view.words is not None:
        with st.container(border=True):
            show(evidence.quote_block((view.words,), 500))
    scores = {m.id: score for m, score in view.candidates}
    rows = [(WOULD.get(view.proposal.state, "would change"), m) for m in view.targets]
    rows += [("compared with", m) for m, _ in view.candidates if m not in view.targets]
    for role, one in rows:
        score = scores.get(one.id)
        similarity = f", similarity {score:.2f}" if score is not None else ""
        with st.container(border=True):
            line = evidence.memory_line(one, verdict_of(view.groundings.get(one.id)))
            left = render("review.member", role=f"{role}{similarity}", memory=line)
            words = evidence.quote_block(view.quotes.get(one.id, ()), 500)
            show(evidence.pair(left, words))
            with st.container(horizontal=True, vertical_alignment="center"):
                links.link("Memories", "Details", memory=one.id)
                if one.state != "deleted":
                    curation.correct_button(one.id, CASE)
            curation.of_listed(memory, owner, one.id, CASE, keys=False)
    if view.entities:
        named = [
            (block(e.name, 200), e.type, ", ".join(e.aliases), clock(e.first_seen)) for e in view.entities
        ]
        heads = ("entity", "type", "also called", "first seen")
        templates.draw("shell.table", heads=heads, rows=named)


def _made(proposal: Proposal) -> str:
    by = f"Proposed by {proposal.made_by}, {clock(proposal.created_at)} UTC."
    if proposal.decided_at:
        by += f" {_decision(proposal)}."
    return by


def _decision(proposal: Proposal) -> str:
    return f"{proposal.state.capitalize()} by {proposal.decided_by}, {clock(proposal.decided_at)} UTC"


def decided(proposal: Proposal) -> str:
    """What was decided, by whom and when, and about what."""
    operation = OPERATIONS.get(proposal.operation, proposal.operation)
    return f"{_decision(proposal)}. {operation}: “{shorten(proposal.after or proposal.before, 120)}”"
