"""Something done, used or worked on gives way to something else that the newer statement switches to.

"Likes oat milk in Ann's coffee", and later "switched to almond milk in Ann's coffee": what was is not named
again, but what it is for or of. And "finished the model and switched to a longship", where the older
statement tells of a model at hand. What is only tried or wished for ends nothing.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.review.pairs import Finding, Statement, is_later, on, part, person, tells_plainly
from memcore.review.superseding import superseding_text

_ADVERBS = r"(?:(?:has|have|also|now|just|recently|finally|actually|completely|been) )*"
_SWITCHED = re.compile(
    rf"^{_ADVERBS}(?:switched|switching|changed|converted|gone over|went over|moved (?P<what>[^.;,]+? )over)"
    r"(?: over)? to (?:using |drinking |eating |doing )?(?P<now>[^.;!]+)"
)
_NEXT = re.compile(
    rf"^{_ADVERBS}(?:wrapped up|finished|completed|sold|gave up|given up|dropped|stopped|quit|is done with) "
    rf"(?P<was>[^.;,]+?),? and {_ADVERBS}(?:switched|moved on|changed|turned|gone over) (?:on )?to "
    r"(?P<now>[^.;!]+)"
)
_AT_HAND = re.compile(
    r"^is (?:currently |now |still |also )*(?:working on|making|building|painting|writing|reading|knitting"
    r"|sewing|restoring|assembling|studying|learning|practi[sc]ing)\b"
)
_CURRENT = re.compile(
    r"^(?:project|hobby|book|read|job|task|assignment|work|favou?rite|obsession|focus)[\w ]*? is\b"
)
_LITTLE = frozenset(map(stem, "use have like love drink eat do take keep go be make usual day new".split()))
SHARED_WORDS = 2
OTHER_WORDS = 3
"""Content words that the older statement may have beyond those that both have: what was given up."""


def switched_to(older: Statement, newer: Statement) -> Finding | None:
    """What the older statement tells as so gives way to what the newer one switches to."""
    who = person(older)
    if not (who and who == person(newer) == newer.said.subject and is_later(newer, older)):
        return None
    if not (_holds(older) and tells_plainly(newer)):
        return None
    if not (_is_next(older, newer) or _is_switched(older, newer)):
        return None
    reason = f"“{older.memory.text}”{on(older)}; switched{on(newer)}: “{newer.memory.text}”."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("switched", "update", text, reason, "high", ends=True)


def tells_of_what_is_at_hand(statement: Statement) -> bool:
    """Whether it tells what one is at work on, or what comes after that: such statements are compared."""
    return _is_at_hand(statement) or _NEXT.match(statement.said.rest) is not None


def _holds(older: Statement) -> bool:
    """Whether the older statement tells what holds, of the person and not of somebody of theirs."""
    thing = older.said.subject.partition("'s ")[2]
    kind = older.memory.kind not in ("plan", "statement", "event")
    return kind and older.is_ongoing and older.is_plain and thing not in lexicon.PERSON


def _is_switched(older: Statement, newer: Statement) -> bool:
    found = _SWITCHED.match(newer.said.rest)
    if found is None:
        return False
    told = set(older.said.words) - _LITTLE
    of = set(part(newer, f"of {found['what'] or ''}{found['now']}").words) - _LITTLE
    shared, other = told & of, told - of
    return len(shared) >= SHARED_WORDS and 0 < len(other) <= OTHER_WORDS


def _is_next(older: Statement, newer: Statement) -> bool:
    """ "Wrapped up a model and switched to a longship", where a model is at hand."""
    found = _NEXT.match(newer.said.rest)
    if found is None or not _is_at_hand(older):
        return False
    was = set(part(newer, f"of {found['was']}").words) - _LITTLE
    return bool(was) and was <= set(older.said.words)


def _is_at_hand(older: Statement) -> bool:
    rest = older.said.rest
    if older.said.subject.endswith("'s current"):
        return bool(_CURRENT.match(rest))
    return bool(_AT_HAND.match(rest))
