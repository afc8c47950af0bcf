"""Leaving out of a statement a part that has no support: a phrase, a clause, a name, a member of a list.

Only what a sentence can do without is left out: never its subject, verb or object, and nothing that turns,
limits or weakens what is said ("not", "without", "if", "maybe", "or"). What is left is parsed again, and only
offered if it is a statement by the same verb about the same subject. Whether it is true is for others to
judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.pipeline import parse
from memcore.nlp.language.statements.speakers import article_for
from memcore.nlp.language.syntax.declarative import is_declarative
from memcore.nlp.language.syntax.grammar import finite_word, first_of_several, root_of, subject_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.english import is_english
from memcore.nlp.language.words.wording import listed

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST = 8
"""Shorter texts offered for one statement."""

_CLAUSES = frozenset({"relcl", "acl", "advcl", "appos", "parataxis", "agent"})
_OF_NOUNS = frozenset({"amod", "compound", "nmod"})
_COMPLEMENTS = frozenset(
    {"dobj", "attr", "acomp", "prep", "xcomp", "ccomp", "oprd", "dative", "agent", "nsubjpass"}
)
_TURNING = frozenset(
    "not n't never no hardly barely rarely seldom scarcely almost nearly only maybe perhaps possibly "
    "probably potentially supposedly reportedly allegedly if unless until till whether without except "
    "instead unlike lest rather longer former "
    "fake false imaginary potential possible would-be supposed alleged planned "
    "unfinished when how why where".split()
)
"""What turns or limits a statement: without it, something else is said."""
_MEASURES = frozenset(
    "lot couple number kind sort type pair bit piece part half rest most week month end beginning one some "
    "many few all none each any member".split()
)
"""Heads that mean nothing without their "of"."""
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})
_CURRENT_PLURAL = frozenset({"are", "were", "have", "do"})
_MENDING = (
    (re.compile(r"\(\s*\)|\[\s*\]"), ""),
    (re.compile(r"\s{2,}"), " "),
    (re.compile(r"\s+(?=[,.;:!?)])"), ""),
    (re.compile(r"(?<=\()\s+"), ""),
    (re.compile(r",(?:\s*,)+"), ","),
    (re.compile(r",(?=[.!?]|$)"), ""),
    (re.compile(r"^[\s,;:]+"), ""),
)
_ARTICLE = re.compile(r"\b(an?)$", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_QUOTED = re.compile(r"""["“][^"“”]+["”]|(?<!\w)['‘][^'‘’]+['’](?!\w)""")


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters `start:end` give way to `instead`; `gone` are those that are left out of them."""

    start: int
    end: int
    gone: tuple[int, int]
    instead: str = ""


class LeavingOut:
    """Implements Shortener with the language pipeline."""

    def shorter(self, wanted: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, ...]]:
        """As `Shortener.shorter`: at most 8 each, and none of a text that is not English."""
        english = [text for text, words in wanted if words and is_english(text)]
        docs = dict(zip(english, parse(english), strict=True)) if english else {}
        drafts = [_drafts(docs[text], words) if text in docs else () for text, words in wanted]
        read = dict(zip(chain(*drafts), parse(list(chain(*drafts))), strict=True)) if any(drafts) else {}
        return [
            tuple(draft for draft in found if _still_says(docs[text], read[draft]))
            for (text, _), found in zip(wanted, drafts, strict=True)
        ]


def _drafts(doc: Doc, words: Sequence[str]) -> tuple[str, ...]:
    found = isolated(lambda: _without(doc, words))
    return () if isinstance(found, Failed) else found


def _without(doc: Doc, words: Sequence[str]) -> tuple[str, ...]:
    """The text without each part that holds such words, and without several of them, the longest first."""
    ways = [edits for span in _spans(doc.text, words) if (edits := list(_around(doc, *span)))]
    deepest = max(map(len, ways), default=0)
    together = [[edits[min(depth, len(edits) - 1)] for edits in ways] for depth in range(deepest)]
    alone = [[edit] for edits in ways for edit in edits]
    texts = {_edited(doc.text, edits) for edits in (*alone, *together)} - {doc.text, ""}
    return tuple(sorted(texts, key=lambda text: (-len(text), text))[:MOST])


def _spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where these words stand: together, or one by one."""
    found: dict[tuple[int, int], None] = {}
    for one in words:
        together = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(one)}(?!\w)", text)]
        if not together:
            parts = set(_WORD.findall(one))
            together = [match.span() for match in _WORD.finditer(text) if match[0] in parts]
        found |= dict.fromkeys(together)
    return list(found)


def _around(doc: Doc, start: int, end: int) -> Iterator[_Edit]:
    """The parts around these characters that can be left out, from the smallest on."""
    span = doc.char_span(start, end, alignment_mode="expand")
    token = span.root if span is not None and len(span) else None
    while token is not None:
        edit = _leaving_out(token)
        if edit is not None and edit.gone[0] <= start and end <= edit.gone[1] and not _in_quotes(doc, edit):
            yield edit
        token = token.head if token.head != token else None


def _in_quotes(doc: Doc, edit: _Edit) -> bool:
    """Whether it would change what is quoted."""
    quoted = (match.span() for match in _QUOTED.finditer(doc.text))
    start, end = edit.gone
    return any(
        start < close and begin < end and not (start <= begin and close <= end) for begin, close in quoted
    )


def _leaving_out(token: Token) -> _Edit | None:
    """What leaving out this word with all that hangs on it takes, if the sentence can do without."""
    dep, head = token.dep_, token.head
    if dep == "ROOT":
        sentences = list(token.doc.sents)
        return _out(token.sent.start_char, token.sent.end_char) if len(sentences) > 1 else None
    if {word.lower_ for word in (token, *token.children)} & _TURNING or head.lower_ in _TURNING:
        return None
    if dep == "conj" or (any(c.dep_ == "conj" for c in token.children) and token.pos_ in {"NOUN", "PROPN"}):
        return _out_of_list(token)
    possible = (
        dep in _CLAUSES
        or (dep == "prep" and head.pos_ not in {"ADV", "ADP", "SCONJ"} and not _is_needed(token))
        or (dep == "advmod" and token.tag_ not in {"WRB", "RBR", "RBS"})
        or (dep == "npadvmod" and head.pos_ in {"VERB", "AUX"})
        or (dep in _OF_NOUNS and not (token.pos_ == head.pos_ == "PROPN"))
        or (dep == "nummod" and head.tag_ == "NNS" and head.lemma_.lower() not in lexicon.TEMPORAL)
    )
    if not possible or not (_says_something(head, token) and _is_whole(token)):
        return None
    return _out(token.left_edge.idx, _end(token.right_edge))


def _out(start: int, end: int) -> _Edit:
    return _Edit(start, end, (start, end))


def _is_needed(of: Token) -> bool:
    """Whether a noun means nothing without its "of": "a couple of", "the age of"."""
    definite = any(c.lower_ in _DEFINITE or c.dep_ == "poss" for c in of.head.lefts)
    return of.lower_ == "of" and (definite or of.head.lower_ in _MEASURES)


def _says_something(head: Token, without: Token) -> bool:
    """Whether a verb keeps something beside its subject."""
    if head.pos_ not in {"VERB", "AUX"}:
        return True
    return any(c.dep_ in _COMPLEMENTS and c != without for c in head.children)


def _is_whole(token: Token) -> bool:
    return token.right_edge.i - token.left_edge.i + 1 == len(list(token.subtree))


def _out_of_list(token: Token) -> _Edit | None:
    """A member of "tea, coffee and milk", or the last of several things that somebody does."""
    first = first_of_several(token)
    members = [first]
    while (following := next((c for c in members[-1].children if c.dep_ == "conj"), None)) is not None:
        members.append(following)
    joints = [c.lower_ for member in members for c in member.children if c.dep_ == "cc"]
    if token not in members or set(joints) != {"and"}:
        return None
    if first.pos_ in {"VERB", "AUX"}:
        last = token == members[-1] and subject_of(token) is None
        before = members[-2].doc[_end_of_member(members[-2])]
        return _out(_end(before), _end(token.right_edge)) if last else None
    kept = [member for member in members if member != token]
    if first.dep_ in {"nsubj", "nsubjpass"} and len(kept) == 1 and not _agrees_with_one(first.head):
        return None
    texts = [_own_text(member) for member in kept]
    return _Edit(_own(members[0])[0], _own(members[-1])[1], _own(token), listed(texts))


def _agrees_with_one(verb: Token) -> bool:
    word = finite_word(verb)
    return word is not None and word.tag_ in {"VBD", "MD"} and word.lower_ not in _CURRENT_PLURAL


def _end_of_member(token: Token) -> int:
    """The place of the last word before what joins the next member."""
    joint = min((c.i for c in token.children if c.dep_ == "cc"), default=token.right_edge.i + 1)
    while joint > 0 and token.doc[joint - 1].is_punct:
        joint -= 1
    return joint - 1


def _own(member: Token) -> tuple[int, int]:
    """The characters of a member of a list, without the members after it."""
    joints = [c.i for c in member.children if c.i > member.i and c.dep_ in {"cc", "conj"}]
    until = min(joints, default=member.right_edge.i + 1)
    while until > member.i + 1 and member.doc[until - 1].is_punct:
        until -= 1
    return member.left_edge.idx, _end(member.doc[until - 1])


def _own_text(member: Token) -> str:
    start, end = _own(member)
    return member.doc.text[start:end]


def _end(token: Token) -> int:
    return int(token.idx + len(token.text))


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    """The text after these edits; of two that overlap, the larger one is made."""
    made: list[_Edit] = []
    for edit in sorted(edits, key=lambda one: one.start - one.end):
        if all(edit.end <= other.start or other.end <= edit.start for other in made):
            made.append(edit)
    left = text
    for edit in sorted(made, key=lambda one: -one.start):
        left = _joined(left[: edit.start], edit.instead, left[edit.end :])
    for pattern, instead in _MENDING:
        left = pattern.sub(instead, left)
    left = left.strip()
    if text.rstrip()[-1:] in (".", "!") and left and left[-1] not in ".!?":
        left += text.rstrip()[-1]
    return left[:1].upper() + left[1:] if text[:1].isupper() else left


def _joined(before: str, instead: str, after: str) -> str:
    """What stands around a part that was left out, its commas gone with it and the article as it must be."""
    if not instead and before.rstrip().endswith(",") and after.lstrip().startswith(","):
        before, after = before.rstrip().removesuffix(","), after.lstrip().removeprefix(",")
    following = _WORD.search(instead or after)
    if (article := _ARTICLE.search(before.rstrip())) and following:
        right = article_for(following[0].lower()) or article[1]
        right = right.capitalize() if article[1][0].isupper() else right
        before = f"{before.rstrip()[: article.start()]}{right} "
    return before + instead + after


def _still_says(before: Doc, after: Doc) -> bool:
    """Whether what is left is a statement by the same verb about the same subject."""
    found = isolated(lambda: _same_statement(before, after))
    return found is True


def _same_statement(before: Doc, after: Doc) -> bool:
    if not is_declarative(after) or before.text.count('"') % 2 != after.text.count('"') % 2:
        return False
    one, other = root_of(before), root_of(after)
    if one is None or other is None:
        return False
    if len(list(before.sents)) > 1 and after[0].pos_ == "PRON":
        return False
    was, becomes = subject_of(one), subject_of(other)
    if was is None or becomes is None:
        return False
    same_first = (one.lemma_, was.text) == (other.lemma_, becomes.text)
    is_part = any(root.dep_ == "ROOT" and root.lemma_ == other.lemma_ for root in before)
    return same_first or (len(list(before.sents)) > 1 and is_part)
