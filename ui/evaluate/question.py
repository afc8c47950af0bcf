"""One question of an evaluation: its evidence, where that ranked in each view and in the whole, what was
retrieved instead, and why it lost. Draws what `memcore.retrieval.missed` found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from memcore.evaluation.missed import evidence_of, is_missed
from memcore.evaluation.retrieval_result import QuestionResult
from memcore.retrieval.missed import Evidence, loss_of, view_places
from memcore.retrieval.reasons import figure, why
from memcore.retrieval.results import Hit
from ui.components import evidence, missed
from ui.evaluate.evaluation import Evaluation
from ui.shell import links, templates
from ui.shell.frame import meta, note
from ui.shell.marked import block
from ui.shell.templates import joined, render, show
from ui.shell.text import count, day, shorten

_RETRIEVED = 20
_FEW = 4


def draw(found: Evaluation, one: QuestionResult, name: str, order: Sequence[str], k: int) -> None:
    """One question, called `name`; `order` are the questions one may go on to, `k` how many turns count."""
    with st.container(horizontal=True):
        links.within("← All questions", "all_questions", question=None)
        if name in order:
            at = order.index(name)
            for text, key, to in (("Previous", "previous", at - 1), ("Next", "next", at + 1)):
                if 0 <= to < len(order):
                    links.within(text, f"{key}_question", question=order[to])
    asked, log = one.question, found.result.dataset.logs[one.question.owner]
    kind = asked.category if asked.category == asked.type else f"{asked.category} {asked.type}"
    parts = [kind, name, f"searched in {one.milliseconds:.0f} ms"]
    templates.draw(
        "evaluate.question",
        text=block(asked.text, 600),
        answer=block(asked.answer, 600) or "none given",
        small=" · ".join(parts),
    )
    pieces = evidence_of(one, log)
    among = sum(piece.rank is not None and piece.rank <= k for piece in pieces)
    state = "ms-fail" if is_missed(one, k) else "ms-ok"
    of = pieces[0].of
    known = count(len(pieces), "evidence turn" if of == "turns" else "evidence session")
    missed.outcome("", f"{among} of {known} among the first {k} {of}.", state)
    st.header("The evidence", anchor=False)
    for piece in pieces:
        with st.container(border=True):
            _piece(found, one, piece, k)
    _retrieved(one, pieces, k)


def _piece(found: Evaluation, one: QuestionResult, piece: Evidence, k: int) -> None:
    missed.said(piece.messages[:_FEW], stored=False)
    if (more := len(piece.messages) - _FEW) > 0:
        meta(f"and {more:,} more turns of this session")
    made = list(
        dict.fromkeys(
            each for m in piece.messages for each in found.made.get(m.id, ()) if each.kind == "memory"
        )
    )
    remembered = "; ".join(f"“{shorten(each.text, 140)}”" for each in made[:_FEW])
    further = f" and {len(made) - _FEW:,} more" if len(made) > _FEW else ""
    text = f"Remembered as: {remembered}{further}" if made else "No memory was made from it."
    meta(text)
    lost = loss_of(piece, one.report, k, found.made)
    if lost is None:
        missed.outcome(f"Rank {piece.rank:,}", "in the whole.", "ms-ok")
    else:
        where = (
            f"Rank {piece.rank:,} in the whole."
            if piece.rank is not None
            else f"Not among what the search returned for {found.result.search_k:,} results."
        )
        missed.outcome(where, " ".join(why(lost)), "ms-fail")
    if lost is not None:
        missed.lost_by(lost)
    missed.views(view_places(piece, one.report, found.made))


def _retrieved(one: QuestionResult, pieces: Sequence[Evidence], k: int) -> None:
    st.header("What was retrieved", anchor=False)
    if not one.report.hits:
        note("Nothing was found.")
        return
    gold = frozenset(i for piece in pieces for i in piece.ids)
    of = pieces[0].of
    out: list[Markup] = []
    ranks: dict[str, int] = {}
    for hit in one.report.hits[:_RETRIEVED]:
        before = len(ranks)
        for quote in hit.quotes:
            ranks.setdefault(quote.message.id if of == "turns" else quote.message.session_id, len(ranks) + 1)
        out.append(_hit(_new_ranks(before, len(ranks), of), hit, gold))
        if before < k <= len(ranks):
            out.append(render("evaluate.cut", text=f"the first {k} {of} end here"))
    if (more := len(one.report.hits) - _RETRIEVED) > 0:
        out.append(render("shell.meta", text=f"and {more:,} more results"))
    show(joined(out))


def _new_ranks(before: int, after: int, of: str) -> str:
    """Which ranks a result took up: it may quote several turns, or only such as were quoted already.

    >>> _new_ranks(3, 4, "turns"), _new_ranks(3, 6, "turns"), _new_ranks(3, 3, "sessions")
    ('4', '4 to 6', 'no new session')
    """
    if after == before:
        return f"no new {of[:-1]}"
    return f"{after}" if after == before + 1 else f"{before + 1} to {after}"


def _hit(ranks: str, hit: Hit, gold: frozenset[str]) -> Markup:
    small = [f"score {figure(hit.score)}", f"said {day(hit.mentioned_at)}"]
    small += [f"{name} {figure(value)}" for name, value in hit.components.items()]
    return render(
        "evaluate.hit",
        ranks=ranks,
        gold=any(quote.message.id in gold for quote in hit.quotes),
        kind=hit.kind if hit.kind != "memory" else "",
        text=block(hit.text, 500),
        small=" · ".join(small),
        quotes=evidence.quote_block(hit.quotes, 300, stored=False) if hit.kind == "memory" else "",
    )
