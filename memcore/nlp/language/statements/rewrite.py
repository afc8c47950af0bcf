"""First and second person to names, relative times to dates, in place: everything else is kept.

A sentence is changed by as few edits as possible, each of them local: a pronoun becomes a name, the
verb that agrees with it gets its ending, a time expression its date. What cannot be changed with
certainty makes the result unsafe, and the caller quotes instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.text import LITERAL, literals
from memcore.nlp.language.statements.speakers import NUMBERED, Edit, Speakers
from memcore.nlp.language.syntax.grammar import elided, splices, subject_of
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PREPOSITIONS = {"of", "about", "than", "between", "for", "around", "during", "over"}
_LOOKING = {"looking", "looked", "look"}
_LEFTOVER = re.compile(
    r"\b(?!US\b)(?i:I|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself)\b(?!-)"
)
"""The US is no "us"."""
_TITLED = re.compile(
    rf"(?<=\w )(?:My|Our|Your|We|You)\b|(?<=\bof )Us\b|\b(?:{'|'.join(sorted(NUMBERED))}) I\b"
)
_JUST = re.compile(r"\bjust $", re.IGNORECASE)
_HAS_BEEN = re.compile(
    r"\bit(?:['’]s| has) been (?:(?:about|around|over|almost|only|just) )?$", re.IGNORECASE
)
"""Before how long: "it's been a month now" has been so since the month before."""
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A clause in the third person. `problem` says why it should not be trusted (empty: it can)."""

    text: str
    problem: str = ""


def rewrite(
    doc: Doc,
    low: int,
    high: int,
    turn: Turn,
    times: Sequence[TimeExpression],
    group: str = "",
    more: Sequence[Edit] = (),
    *,
    named: bool = False,
) -> Rewritten:
    """Tokens low:high of a sentence, said by `turn.speaker`, as a clause about named people.

    `group` names who "we" are; by default the speaker and others. `more` is to be changed besides. `named`:
    the speaker's name will stand right before the clause. It has no final mark.
    """
    begin = doc[low].idx
    end = doc[high - 1].idx + len(doc[high - 1].text)
    text = doc.text
    quoted = [*(match.span() for match in _QUOTED.finditer(text)), *literals(text)]
    timed = [time for time in times if not time.recurring and begin <= time.start and time.end <= end]
    if any(re.match(r",? (?:and|now)\b", text[time.end :]) and time.start == 0 for time in timed):
        return Rewritten("", "a time stands for a clause")  # "Seven years now, and ..."
    edits = [*more, *(edit for time in timed if time.rendered != time.text for edit in _dated(doc, time))]
    edits += [Edit(at, at + 1, ";") for at in splices(doc)]
    edits += [Edit(at, at + 1, " and") for at in elided(doc)]
    fixed = [*quoted, *((edit.start, edit.end) for edit in more), *((t.start, t.end) for t in timed)]
    told = [token for token in doc[low:high] if not any(a <= token.idx < b for a, b in fixed)]
    state = Speakers(doc, turn, group or f"{turn.speaker} and others", told, named=named)
    for token in told:
        edits += state.edits(token)
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda e: (e.start, e.end)):
        if edit.start >= begin and edit.end <= end and (not kept or edit.start >= kept[-1].end):
            kept.append(edit)
    out: list[str] = []
    at = begin
    for edit in kept:
        out += (text[at : edit.start], edit.new)
        at = edit.end
    out.append(text[at:end])
    result = _tidy("".join(out))
    bare = _TITLED.sub("", _QUOTED.sub("", LITERAL.sub("", result)))
    problem = state.problem
    if not problem and _LEFTOVER.search(bare):
        problem = "a pronoun is left"
    if not problem and _disagrees(bare, turn):
        problem = "a verb does not agree"
    return Rewritten(result, problem)


def _dated(doc: Doc, time: TimeExpression) -> list[Edit]:
    """The date in place of the time expression; a preposition before it replaces the date's own."""
    if (owned := _of_a_time(doc, time)) is not None:
        return owned
    rendered, start = time.rendered, time.start
    if rendered.startswith("since") and _HAS_BEEN.search(doc.text[:start]):
        rendered = f"so {rendered}"
    just = _JUST.search(doc.text[:start])
    start = just.start() if just else start
    before = doc.text[:start].rstrip().rsplit(" ", 1)[-1].lower()
    looked = before in _LOOKING and time.text.startswith("at ")
    if looked or before in _PREPOSITIONS:
        rendered = re.sub(r"^(?:on|in|at)\s+", "at " if looked else "", rendered)
    return [Edit(start, time.end, rendered)]


def _of_a_time(doc: Doc, time: TimeExpression) -> list[Edit] | None:
    """ "Last week's trip" as "the trip of the week of 1 May 2023"."""
    date = re.sub(r"['’]s$", "", time.rendered)
    last = next((t for t in doc if t.idx < time.end <= t.idx + len(t.text)), None)
    if date == time.rendered or last is None:
        return None
    named = next((t.head for t in (last.head, *last.head.lefts, last) if t.dep_ == "poss"), None)
    if named is None or named.i <= last.i or any(t.lower_ == "of" for t in named.rights):
        return None
    end = named.idx + len(named.text)
    article = "The" if time.start == 0 else "the"
    return [Edit(time.start, time.end, article), Edit(end, end, f" of {date[0].lower() + date[1:]}")]


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s+([,.;:!?])", r"\1", text)
    text = re.sub(r",(?:\s*,)+", ",", text)
    text = re.sub(r"\bthe the\b", "the", text)
    text = re.sub(r"(?<!\w)'(?:cause|cuz)\b", "because", text)
    text = re.sub(r"(?<!\w)'em\b", "them", text)
    return re.sub(r"^[\s,;:.\-\u2013\u2014]+|[\s,;:.!\-\u2013\u2014]+$", "", text)


_PLURAL = r"(?:'m| am| are| have been| don't| do not|'re|'ve| haven't| aren't)\b"
_BEFORE_BASE_FORM = {"and", "do", "does", "make", "makes", "made", "help", "helped", "let"}


def _disagrees(text: str, turn: Turn) -> bool:
    """A name that is followed by a verb of the first or second person."""
    for name in (turn.speaker, turn.addressee):
        for match in re.finditer(rf"(\w+ )?{re.escape(name)}{_PLURAL}", text) if name else ():
            if (match.group(1) or "").strip().lower() not in _BEFORE_BASE_FORM:
                return True
    return False


def finished(text: str) -> str:
    """A sentence of it: a capital first, a full stop last."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if re.search(r"[.?][\"')]?$", text) else ".")


def subject_text(doc: Doc, verb: Token, turn: Turn, group: str = "") -> str | None:
    """The rewritten subject of `verb`, to repeat it before a clause split off; None if it cannot be."""
    subject = subject_of(verb)
    if subject is None:
        return None
    if subject.lower_ == "i":
        return turn.speaker
    if subject.lower_ == "we":
        return group or f"{turn.speaker} and others"
    if subject.pos_ == "PRON":
        return None
    tokens = sorted(subject.subtree, key=lambda token: token.i)
    if len(tokens) > 5 or tokens[-1].i - tokens[0].i + 1 != len(tokens):
        return None
    made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
    return None if made.problem else made.text
