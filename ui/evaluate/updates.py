"""A kept evaluation of consolidation: its figures, and every changed answer as it was proposed or missed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from memcore.inspection.shares import in_percent
from ui.components.report import figures
from ui.shell.frame import meta, note
from ui.shell.templates import draw
from ui.shell.text import count


def draw_updates(document: Mapping[str, Any]) -> None:
    """The few figures to begin with; what was missed with the two memories that are most alike, and what was
    proposed."""
    recall, first = document["evidence_recall@10"], document["newest_first"]
    figures(
        (in_percent(document["linked"], 1), "of changed answers proposed"),
        (in_percent(document["about_person"], 1), "of proposals about a person"),
        (f"{recall['before']:.1f} → {recall['after_all']:.1f} %", "of evidence among ten results"),
        (f"{first['before']:.1f} → {first['after_all']:.1f} %", "newest answer first"),
    )
    meta(
        f"{count(document['questions'], 'question')}; {count(document['proposals'], 'proposal')} of "
        f"{count(document['memories'], 'memory', 'memories')}. The arrow: before any decision, and once "
        "every proposal was approved."
    )
    st.header("Missed", anchor=False)
    if document["missed"]:
        draw("evaluate.missed_updates", rows=[_missed(one) for one in document["missed"]])
    else:
        note("Every changed answer was proposed.")
    if document["found"]:
        st.header("Proposed", anchor=False)
        draw("evaluate.found_updates", rows=document["found"])


def _missed(one: Mapping[str, Any]) -> dict[str, str]:
    shown = {name: str(one.get(name, "–")) for name in ("question", "answer", "why", "older", "newer")}
    return shown | {"cosine": f"{one['cosine']:.2f}" if "cosine" in one else ""}
