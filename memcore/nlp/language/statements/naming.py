"""The full name of a thing in place of "the trip": "the trip to Oahu", "Ann's pottery class".

Where a sentence speaks of something as known, the words before it often name it with the same noun: the
sentences of its message, the question it answers, the messages before. The nearest of them decides, and only
if it has one name for the noun: two different ones, or a new thing without a name, resolve nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn
from memcore.nlp.language.statements.rewrite import rewrite
from memcore.nlp.language.statements.speakers import Edit
from memcore.nlp.language.syntax.asides import is_aside
from memcore.nlp.language.syntax.coreference import needs
from memcore.nlp.language.syntax.definites import (
    OF_SEVERAL,
    is_without_occasion,
    placed,
    taken_as_known,
)
from memcore.nlp.language.syntax.outcomes import own_occasions
from memcore.nlp.language.syntax.pronouns import PERSONAL
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_WORDS = 9
_SHORT = frozenset({"bag", "phone", "bike", "boat"})
_BEFORE_NOUN = frozenset({"compound", "amod", "nmod", "nummod", "poss"})
_BESIDE_NOUN = frozenset({"of", "for", "to", "in", "at", "from", "about", "on", "near"})
_NO_NAME = frozenset(
    (
        "last next first second other previous same few many several more most new such another specific"
        " particular certain recent latest any entire whole right best perfect proper"
    ).split()
)
"""What tells one thing from another only for those who were told of both."""
_PROPERTIES = frozenset(
    "flavor flavour taste texture color colour price cost size smell quality sound".split()
)
"""Of things: only "of" says of which."""
_GONE_TO = frozenset("attend visit join host hold organize organise enjoy have miss plan throw".split())
"""What one does with an occasion where it is."""
_OTHER = frozenset({"another", "any"})
_NEW = frozenset({"a", "an", "some"}) | _OTHER


@dataclass(frozen=True)
class Told:
    """A parsed sentence and who says it to whom; `timed` are its tokens that stand for a time."""

    doc: Doc
    turn: Turn
    timed: frozenset[int] = frozenset()
    asked: bool = False
    """By a program, which may ask of anything."""

    @cached_property
    def nouns(self) -> dict[tuple[str, str], list[Token]]:
        """Its nouns by lemma and tag: a long message is asked for each thing that its later sentences take
        as known."""
        found: dict[tuple[str, str], list[Token]] = {}
        for token in self.doc:
            if token.pos_ == "NOUN":
                found.setdefault((token.lemma_.lower(), token.tag_), []).append(token)
        return found

    def meant_by(self, noun: Token) -> list[Token]:
        """Its nouns that another one may mean: those of the same lemma and tag and, of a few, those that end
        in it ("the bag" for a handbag)."""
        lemma, tag = noun.lemma_.lower(), noun.tag_
        if lemma not in _SHORT:
            return self.nouns.get((lemma, tag), [])
        alike = (ones for (said, of), ones in self.nouns.items() if of == tag and said.endswith(lemma))
        return [one for ones in alike for one in ones]


def names(
    doc: Doc, timed: frozenset[int], turn: Turn, before: Iterable[Sequence[Told]]
) -> tuple[tuple[Edit, ...], bool]:
    """The full names to put into a sentence, from what was said before (a sequence a message, nearest first),
    and whether the sentence still speaks of something that no words name."""
    messages = [list(message) for message in before]
    edits: list[Edit] = []
    left = is_without_occasion(doc, timed)
    for noun in taken_as_known(doc, timed):
        name = _name_of(noun, messages)
        if name is None:
            left = left or not is_aside(noun, timed)
        else:
            start = doc[noun.left_edge.i].idx
            edits.append(Edit(start, noun.idx + len(noun.text), name))
    known = {edit.end for edit in edits}
    own = own_occasions(doc)
    for noun in [*own, *placed(doc, timed)]:
        name = _name_of(noun, messages)
        fits = name is not None and (name.startswith(f"{turn.speaker}'s ") or noun.left_edge.lower_ == "the")
        if name is not None and fits and noun.idx + len(noun.text) not in known:
            edits.append(Edit(noun.left_edge.idx, noun.idx + len(noun.text), name))
        elif noun in own and not timed:
            left = True
    return tuple(edits), left


def _name_of(noun: Token, messages: Iterable[Sequence[Told]]) -> str | None:
    if not any(child.dep_ in {"det", "poss"} for child in noun.lefts):
        return None  # "its view and style"
    if any(child.lower_ in OF_SEVERAL for child in noun.lefts):
        return None  # "both tools" are named one by one
    before = [child for child in noun.lefts if child.dep_ not in {"det", "poss"}]
    if any(child.lemma_.lower() not in lexicon.EVALUATIVE for child in before):
        return None  # "the next trip"
    own = any(child.lower_ in {"my", "our"} for child in noun.lefts)
    for message in messages:
        found = {name for told in message for name in _names_in(told, noun, own=own)}
        if found:
            return found.pop() if len(found) == 1 and None not in found else None
    return None


def _names_in(told: Told, noun: Token, *, own: bool) -> Iterable[str | None]:
    """How a sentence names things that a noun may mean; None for a new one without a name. `own`: the noun
    means the speaker's, so nobody else's."""
    for one in told.meant_by(noun):
        if one.dep_ in {"compound", "nmod", "attr"} or one.i in told.timed:
            continue  # "we are a sociable group" names no group
        if own and any(child.dep_ == "poss" and child.pos_ in {"NOUN", "PROPN"} for child in one.lefts):
            continue  # "my wedding" is not "my roommate's wedding"
        other = any(child.lower_ in _OTHER for child in one.lefts)
        name = None if other else _named(told, one)
        if name is not None or any(child.lower_ in _NEW for child in one.lefts):
            yield name


def _named(told: Told, noun: Token) -> str | None:
    """A noun with what tells which one, in the third person; None where it has nothing of the kind."""
    lefts = [child for child in noun.lefts if child.dep_ in _BEFORE_NOUN]
    rights = [c for c in noun.rights if c.dep_ == "prep" and c.lower_ in _BESIDE_NOUN and _is_plain(c, told)]
    if noun.dep_ == "pobj":
        rights = [c for c in rights if c.lower_ in {"of", "to"}]  # the others may belong to the verb
    rights = rights or _where_it_was(told, noun)
    high = noun.i + 1
    for child in rights[:1]:
        high = max(t.i for t in child.subtree) + 1 if child.i == noun.i + 1 else high
    if high == noun.i + 1 and (noun.lemma_.lower() in _PROPERTIES or not any(map(_tells_which, lefts))):
        return None
    low = min((t.i for child in lefts for t in child.subtree), default=noun.i)
    tokens = told.doc[low:high]
    if len(tokens) > MOST_WORDS or any(t.i in told.timed for t in tokens) or tokens.text.count('"') % 2:
        return None
    if any(t.lower_ in PERSONAL or t.lower_ in _NO_NAME or t.tag_ in {"JJR", "RBR", "JJS"} for t in tokens):
        return None
    if any(low <= need.index < high for need in needs(told.doc, told.timed)):
        return None
    if told.asked and not any(child.dep_ != "poss" for child in lefts) and high == noun.i + 1:
        return None  # "your brand" in a question of a program may be any
    made = rewrite(told.doc, low, high, told.turn, ())
    if made.problem or not made.text:
        return None
    owned = tokens[0].dep_ == "poss" or any(t.dep_ == "poss" and t.head == noun for t in tokens)
    return made.text if owned else f"the {made.text}"


def _where_it_was(told: Told, noun: Token) -> list[Token]:
    """The place right behind an occasion, by name, where it is and one goes to it: "attended a festival at
    the Albert Dock"."""
    gone_to = noun.head.lower_ in {"to", "for", "at"} or noun.head.lemma_.lower() in _GONE_TO
    if not gone_to or noun.lemma_.lower() not in lexicon.OCCASIONS or noun.i + 1 >= len(told.doc):
        return []
    behind = told.doc[noun.i + 1]
    named = behind.dep_ == "prep" and any(t.pos_ == "PROPN" for t in behind.subtree)
    return [behind] if named and behind.lower_ in {"at", "in"} and _is_plain(behind, told) else []


def _tells_which(word: Token) -> bool:
    if word.tag_ == "VBG":
        return False  # "the schooling fish"
    return word.dep_ != "amod" or word.lemma_.lower() not in lexicon.EVALUATIVE | lexicon.WEAK_ADJECTIVES


def _is_plain(preposition: Token, told: Told) -> bool:
    """A preposition with a thing or place, no time and no clause."""
    inner = list(preposition.subtree)
    return (
        1 < len(inner) <= MOST_WORDS - 3
        and not any(t.i in told.timed or t.ent_type_ in {"DATE", "TIME"} for t in inner)
        and not any(t.pos_ in {"VERB", "AUX"} or t.lemma_.lower() in lexicon.TEMPORAL for t in inner)
    )
