"""One question of an evaluation: its evidence, where that ranked in each view and in the whole, what was
retrieved instead, and why it lost. Draws what `memcore.evaluation.missed` found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from memcore.domain.models import Message
from memcore.evaluation.missed import Evidence, Loss, ViewPlace, evidence_of, is_missed, loss_of, view_places
from memcore.evaluation.retrieval_result import QuestionResult
from memcore.retrieval.results import Hit
from ui.components import evidence
from ui.evaluate.evaluation import Evaluation
from ui.shell import links, templates
from ui.shell.frame import meta, note
from ui.shell.marked import block
from ui.shell.templates import joined, render, show
from ui.shell.text import clock, count, day, shorten

_RETRIEVED = 20
_FEW = 4

_COSTS = {
    "semantic": "its meaning as a whole is further from the question’s",
    "lexical": "its words match less",
    "evidence": "fewer of the question’s words are found in it and around it",
    "memory": "another memory of the same turn is nearer to the question",
    "session": "fewer of the question’s words are found in its session",
    "speaker": "it is not said by whom the question asks about",
    "symbolic": "it is less about who and what the question names",
    "graph": "fewer relations lead to it",
    "time": "it is less of the time the question speaks of",
}
"""What it means that a part of a score is lower."""


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
    _outcome("", f"{among} of {known} among the first {k} {of}.", state)
    st.header("The evidence", anchor=False)
    for piece in pieces:
        with st.container(border=True):
            _piece(found, one, piece, k)
    _retrieved(one, pieces, k)


def _piece(found: Evaluation, one: QuestionResult, piece: Evidence, k: int) -> None:
    templates.draw("evaluate.said", messages=[_said(message) for message in piece.messages[:_FEW]])
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
    lost = loss_of(piece, one, k, found.made)
    if lost is None:
        _outcome(f"Rank {piece.rank:,}", "in the whole.", "ms-ok")
    else:
        where = (
            f"Rank {piece.rank:,} in the whole."
            if piece.rank is not None
            else f"Not among what the search returned for {found.result.search_k:,} results."
        )
        _outcome(where, " ".join(why(lost)), "ms-fail")
    if lost is not None and lost.parts:
        templates.draw("evaluate.parts", k=lost.k, rows=_parts(lost))
    places = view_places(piece, one.report, found.made)
    templates.draw("evaluate.views", rows=[_view(place) for place in places])


def _outcome(strong: str, text: str, css: str) -> None:
    templates.draw("evaluate.outcome", strong=strong, text=text, css=css)


def _said(message: Message) -> tuple[str, str, Markup]:
    """Who said it, when and where, and what."""
    place = f"{message.raw_ref.file}, {message.raw_ref.where}"
    return message.speaker, f"{clock(message.said_at)} · {place}", block(message.text, 600)


def why(lost: Loss) -> list[str]:
    """Why it is not among the first k, in sentences."""
    if lost.ahead is None:
        return [f"The search returned fewer than {lost.k} turns, and this was not among them."]
    ahead = f"what came at place {lost.k} (“{shorten(lost.ahead.text, 90)}”)"
    if lost.parts and lost.outscored:
        worst = lost.parts[0]
        cost = _COSTS.get(worst.name, f"its part “{worst.name}” is lower")
        figures = f"{worst.name} {_figure(worst.evidence)} against {_figure(worst.ahead)}"
        return [f"Compared with {ahead}, {cost}: {figures}."]
    if lost.parts:
        return [f"Its score is no lower than that of {ahead}: results before it quote several turns each."]
    if lost.was_candidate is False and lost.views:
        return [f"It was not ranked: {_listed(lost.views)} returned it, but not high enough."]
    if not lost.views:
        return ["No view returned it at all."]
    return [
        f"{_listed(lost.views)} returned it, but not high enough; this system does not say what it ranked."
    ]


def _listed(views: Sequence[str]) -> str:
    return f"{', '.join(views[:-1])} and {views[-1]}" if len(views) > 1 else views[0]


def _figure(value: float) -> str:
    """
    >>> _figure(1.25), _figure(-0.8)
    ('1.25', '−0.80')
    """
    return f"{value:.2f}".replace("-", "−")


def _view(place: ViewPlace) -> dict[str, object]:
    """A row of the table of views."""
    if place.rank is None or place.score is None:
        said = f"not among the first {place.listed:,}" if place.listed else "it returned nothing"
        return {"view": place.view, "rank": "–", "found": False, "through": said}
    if place.through is None:
        through = "the turn itself"
    elif place.through.kind == "session":
        through = "its session"
    else:
        kind = "memory" if place.through.kind == "memory" else "relation"
        through = f"{kind}: {shorten(place.through.text, 110)}"
    return {
        "view": place.view,
        "rank": f"{place.rank:,}",
        "found": True,
        "score": _figure(place.score),
        "through": through,
    }


def _parts(lost: Loss) -> list[tuple[str, str, str, str, bool]]:
    """Each part of the score: of the evidence, of what came ahead, the difference, and whether it decided."""
    mine, ahead = sum(p.evidence for p in lost.parts), sum(p.ahead for p in lost.parts)
    rows = [
        (
            part.name,
            _figure(part.evidence),
            _figure(part.ahead),
            _figure(part.difference),
            place == 0 and lost.outscored,
        )
        for place, part in enumerate(lost.parts)
    ]
    return [*rows, ("in all", _figure(mine), _figure(ahead), _figure(mine - ahead), False)]


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
    small = [f"score {_figure(hit.score)}", f"said {day(hit.mentioned_at)}"]
    small += [f"{name} {_figure(value)}" for name, value in hit.components.items()]
    return render(
        "evaluate.hit",
        ranks=ranks,
        gold=any(quote.message.id in gold for quote in hit.quotes),
        kind=hit.kind if hit.kind != "memory" else "",
        text=block(hit.text, 500),
        small=" · ".join(small),
        quotes=evidence.quote_block(hit.quotes, 300) if hit.kind == "memory" else "",
    )
