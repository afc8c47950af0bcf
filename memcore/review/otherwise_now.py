"""The same is told again with "now", and one part of it is another: "gets haircuts at Cut & Co", "now gets
haircuts at a salon downtown"; "uses an old Nikon for portraits", "is now using a Sony for portraits".

Both tell what the same one does again and again, with the same verb and the same thing done. The part that
differs stands at one place of the frame, behind the same word ("at", "from", "in the") or, of what serves a
purpose, between the verb and that purpose. Who begins something beside what one does already ("has started
volunteering at the library") has not given that up: nothing but "now", "switched" or "lately" tells that, or
that the thing itself is one's own ("getting Ann's groceries at").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.review.pairs import Finding, Statement, is_later, on, same_subject, tells_plainly
from memcore.review.relation_phrases import NOW
from memcore.review.superseding import superseding_text

_NOW = f"(?:{NOW}|instead)"
_TOLD_NOW = re.compile(rf"\b{_NOW}\b")
_ADVERBS = (
    r"(?:(?:also|just|recently|finally|actually|really|always|usually|mostly|typically|normally|generally|still"
    r"|already|now|currently|only|regularly|often) )*"
)
_BEGINS = re.compile(
    rf"^{_ADVERBS}(?:has |is )?{_ADVERBS}(?:started|begun|began|switched to|switching to|changed to"
    rf"|gone back to|went back to) (?P<deed>[a-z]+ing\b.*)$"
)
_DOES = re.compile(rf"^{_ADVERBS}(?:has been |is )?{_ADVERBS}(?P<deed>[a-z]+\b.*)$")
_TAIL = re.compile(
    rf"[.;!].*|, .*| (?:because|since|so|but|and|which|while|when|where|as|after|before|until|if|to be|{_NOW}"
    r"|again|anymore|for now|every|each|on (?:weekends?|weekdays))\b.*",
    re.DOTALL,
)
_TOKEN = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*")
_WHERE = frozenset("at from in on with by through via under near".split())
_PURPOSE = frozenset("for to".split())
_SERVE = frozenset(map(stem, "use take ride drink order wear read play".split()))
"""Verbs whose object, beside a purpose or a place, is one at a time."""
_NO_VERB = frozenset(
    map(stem, "be have love like enjoy want need hope think plan feel know try look come".split())
)
_LITTLE = lexicon.EMPTY - _WHERE - _PURPOSE
_SAYING_NOTHING = frozenset(map(stem, "new old current own usual favorite favourite local nearby".split()))

ENOUGH_WORDS = 3
"""Of a deed: its verb, what stands in the part that differs, and the word before that part."""


@dataclass(frozen=True, slots=True)
class _Deed:
    words: tuple[str, ...]
    told_now: bool
    begins: bool
    own: bool


def otherwise_now(older: Statement, newer: Statement) -> Finding | None:
    """The same is done now with, at or by something else."""
    if not (is_later(newer, older) and same_subject(older, newer)):
        return None
    if not all(_tells_what_is_done(s) for s in (older, newer)):
        return None
    was, now = _deed(older), _deed(newer)
    if was is None or now is None or was.begins or not (now.told_now or (now.begins and now.own)):
        return None
    parts = _other_part(was.words, now.words)
    if parts is None:
        return None
    before, after = parts
    reason = f"The same was told with “{before}”{on(older)} and is now told with “{after}”{on(newer)}."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("otherwise now", "update", text, reason, "high", ends=True)


def _tells_what_is_done(statement: Statement) -> bool:
    is_lasting = statement.memory.kind not in ("event", "opinion") and not statement.said.past
    return is_lasting and tells_plainly(statement)


def _deed(statement: Statement) -> _Deed | None:
    rest = statement.said.rest
    begins = _BEGINS.match(rest)
    told = begins or _DOES.match(rest)
    if told is None:
        return None
    deed = _TAIL.sub("", told["deed"])
    own = bool(re.search(r"\b[A-Z][\w-]*['’]s? ", deed))
    words = tuple(
        word if word in _WHERE | _PURPOSE else stem(word)
        for word in _written(deed, statement.said.subject)
        if word not in _LITTLE
    )
    if len(words) < ENOUGH_WORDS or words[0] in _NO_VERB:
        return None
    return _Deed(words, _TOLD_NOW.search(rest) is not None, begins is not None, own)


def _written(deed: str, subject: str) -> list[str]:
    tokens = (re.sub(r"['’]s?$", "", token).casefold() for token in _TOKEN.findall(deed))
    return [token for token in tokens if token != subject]


def _other_part(was: Sequence[str], now: Sequence[str]) -> tuple[str, str] | None:
    """What stands in the two at the one place in which they differ; None: they differ elsewhere, too."""
    if was[0] != now[0]:
        return None
    begin = 0
    while begin < min(len(was), len(now)) and was[begin] == now[begin]:
        begin += 1
    end = 0
    while end < min(len(was), len(now)) - begin and was[-1 - end] == now[-1 - end]:
        end += 1
    before, after = (words[begin : len(words) - end] for words in (was, now))
    head, tail = was[:begin], was[len(was) - end :]
    if not before or not after or (set(before) | set(after)) & (_WHERE | _PURPOSE):
        return None
    if not (set(before) - _SAYING_NOTHING and set(after) - _SAYING_NOTHING):
        return None
    if any(word.isdigit() for word in (*before, *after)) and not any(w.isalpha() for w in (*before, *after)):
        return None
    shared = [word for word in (*head, *tail) if word not in _WHERE | _PURPOSE]
    is_a_place = head[-1] in _WHERE and not tail
    serves = len(head) == 1 and head[0] in _SERVE and bool(tail) and tail[0] in _PURPOSE | _WHERE
    return (" ".join(before), " ".join(after)) if (is_a_place or serves) and len(shared) > 1 else None
