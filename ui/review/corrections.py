"""Proposing what can be done about memories that have no support: a button, and what came of it."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from memcore.review.unsupported import UnsupportedReport
from ui.review.proposal import counted
from ui.shell import links, opened, progress
from ui.shell.frame import note
from ui.shell.jobs import board, busy, found_again
from ui.shell.text import count

HELP = (
    "Looks at every memory that is not, or only partly, supported by the words it cites: another message to "
    "cite, a part to leave out, else whether to delete it. It only proposes."
)


def button(memory: Memory, page: str) -> None:
    """Start it as a job of this page."""
    owner = opened.owner(memory)
    if st.button(
        "Propose corrections", key="propose_corrections", disabled=bool(busy()), help=busy() or HELP
    ):
        job = board().start(
            page,
            "Corrections",
            UnsupportedReport,
            lambda tick, cancelled: memory.propose_corrections(
                owner=owner, progress=tick, cancelled=cancelled
            ),
        )
        links.address(proposal=None, job=job.id)
        st.rerun()


def outcome(page: str) -> bool:
    """Its progress, then what came of it; whether the address names one."""
    if (job := found_again(page, UnsupportedReport)) is None:
        return False
    progress.follow(job, lambda report: _told(report, page))
    return True


def _told(report: UnsupportedReport, page: str) -> None:
    kinds = counted([name for name, number in report.by_operation.items() for _ in range(number)])
    note(
        f"{count(report.memories, 'memory', 'memories')} not, or only partly, supported: "
        f"{count(report.proposals, 'new proposal')}{f' ({kinds})' if kinds else ''}.",
        *(["What was proposed before is not proposed again."] if not report.proposals else []),
    )
    if page != "Review":
        links.link("Review", "Decide on them")
