"""The canonical name and type of a noun phrase: what the ends of a triple are called.

"My brother's new bike" is "Melanie's brother's bike"; a quoted title is one name. Pronouns other than
speaker and listener, markup and words that name nothing by themselves have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcore.domain.extraction import TripleDraft
from memcore.nlp.language.people import Turn
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.keywords import ENTITY_TYPES

if TYPE_CHECKING:
    from spacy.tokens import Token

_EMPTY = lexicon.VAGUE | lexicon.TEMPORAL | lexicon.EVALUATIVE
_GLUE = frozenset("-/")
_SPEAKER = {"i", "me", "myself", "we", "us"}
_LISTENER = {"you", "yourself"}
_TITLE = re.compile(r'"([^"]{2,60})"')


def joined(noun: Token) -> list[Token]:
    """The noun and those coordinated with it: "Ann, Ben and I"."""
    found = [noun]
    for child in noun.children:
        if child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN", "PRON"}:
            found += joined(child)
    return found


def entity(noun: Token, turn: Turn) -> tuple[str, str] | None:
    """Canonical name and type of a noun phrase; None for what names nothing by itself."""
    low = noun.lower_
    if low in _SPEAKER | _LISTENER:
        return _participant(low, turn)
    title = quoted_title(noun)
    if title:
        return title, "WORK"
    if noun.pos_ not in {"NOUN", "PROPN"} and not (noun.tag_ == "VBG" and noun.dep_ in {"dobj", "pobj"}):
        return None
    name = turn.called(noun.text)
    if name:
        return name, "PERSON"
    if (
        noun.dep_ == "attr"
        and noun.tag_ == "NN"
        and noun.i == noun.left_edge.i
        and noun.lemma_ not in lexicon.ROLES
    ):
        return None  # "is game for it": no article, no thing
    if noun.lemma_.lower() in _EMPTY and not any(c.dep_ in {"compound", "poss"} for c in noun.lefts):
        return None
    if noun.lemma_.lower() in lexicon.BODY and any(c.tag_ == "PRP$" for c in noun.lefts):
        return None  # "tries her hand at": an idiom, as a rule
    proper = name_of(noun)
    if proper is not None and any(c.dep_ == "poss" for c in noun.lefts):
        kind = "PERSON" if noun.lemma_.lower() in lexicon.KIN else "THING"
        return proper.text, type_of(proper, default=kind)
    words = _phrase(noun, turn)
    if words is None:
        return None
    # A word in several tokens ("5K", "get-together") comes once for each of them.
    text = " ".join(
        word for n, word in enumerate(words) if word not in words[:n] and not _is_within(word, words[n + 1 :])
    )
    return (text, type_of(noun)) if is_name(text) else None


def _participant(low: str, turn: Turn) -> tuple[str, str] | None:
    if low in _SPEAKER:
        return turn.speaker, "PERSON"
    return (turn.addressee, "PERSON") if turn.addressee else None


def _phrase(noun: Token, turn: Turn) -> list[str] | None:
    """The noun with the words before it that tell which one it is; None when its owner is unknown."""
    words: list[str] = []
    for child in sorted([*noun.lefts, noun], key=lambda t: t.i):
        if child == noun:
            words.append(_whole_word(noun))
        elif child.dep_ == "compound" or (
            child.dep_ in {"amod", "nummod", "nmod"}
            and child.lemma_.lower() not in lexicon.EVALUATIVE
            and child.lower_ not in {"new", "such", "own", "other", "last", "next", "more", "many", "few"}
        ):
            words += [
                _whole_word(t)
                for t in child.subtree
                if t.dep_ not in {"det", "advmod", "poss", "punct"} and t.i <= noun.i
            ]
        elif child.dep_ == "poss":
            owner = owner_of(child, turn)
            if owner is None:
                return None
            words.append(f"{owner}'" if child.tag_ == "NNS" and owner.endswith("s") else f"{owner}'s")
    return words


def _is_within(word: str, later: Sequence[str]) -> bool:
    return any(word != other and (other.startswith(word) and word.isdigit()) for other in later)


def is_name(text: str) -> bool:
    """Whether a text can stand for something: two characters, a letter among them, no markup."""
    return 1 < len(text) <= 60 and any(c.isalpha() for c in text) and not any(c in text for c in "<>{}`\\")


def _whole_word(token: Token) -> str:
    """The token with what is glued to it by hyphens or slashes: "de-stress", "5K"."""
    doc, low, high = token.doc, token.i, token.i
    while low > 0 and not doc[low - 1].whitespace_ and (doc[low - 1].text in _GLUE or doc[low].text in _GLUE):
        low -= 1
    while low > 0 and doc[low - 1].like_num and not doc[low - 1].whitespace_ and doc[low].pos_ != "PUNCT":
        low -= 1
    while (
        high + 1 < len(doc)
        and not doc[high].whitespace_
        and (doc[high + 1].text in _GLUE or doc[high].text in _GLUE)
    ):
        high += 1
    return doc[low : high + 1].text.strip(" -/,;:!?\"'")


def quoted_title(token: Token) -> str:
    """The title that a token is a word of ("loved "Becoming Nicole""); empty where it is not quoted."""
    for match in _TITLE.finditer(token.doc.text):
        if match.start() < token.idx < match.end() and len(match[1].split()) <= 8 and is_name(match[1]):
            return match[1].strip(" ,.")
    return ""


def name_of(noun: Token) -> Token | None:
    """The name that follows a common noun: "my cousin Maja", "Oscar, my guinea pig" the other way."""
    if noun.pos_ != "NOUN":
        return None
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    if after is not None and after.pos_ == "PROPN" and after.text[0].isupper():
        last = after
        while last.dep_ == "compound" and last.head.pos_ == "PROPN" and last.head.i > last.i:
            last = last.head
        beside = last.head == noun or (
            last.head == noun.head and last.dep_ in NOMINAL_SUBJECTS and noun.dep_ != "pobj"
        )
        if beside and last.dep_ in {"appos", "nsubj", "nsubjpass"}:
            return last
    return next((c for c in noun.children if c.dep_ == "appos" and c.pos_ == "PROPN"), None)


def name_beside(noun: Token, turn: Turn) -> list[TripleDraft]:
    """ "My sister Anna" → (speaker, sister, Anna); "Oscar, my guinea pig" → (speaker, guinea_pig, Oscar)."""
    pairs = []
    if noun.pos_ == "NOUN":
        named = name_of(noun)
        pairs = [(noun, named)] if named is not None else []
    elif noun.pos_ == "PROPN":
        pairs = [(child, noun) for child in noun.children if child.dep_ == "appos" and child.pos_ == "NOUN"]
    found = []
    for common, proper in pairs:
        owner = next((owner_of(c, turn) for c in common.lefts if c.dep_ == "poss"), None)
        if owner is None or turn.called(proper.text) or not proper.text[0].isupper():
            continue
        name = " ".join([*(c.text for c in proper.lefts if c.dep_ == "compound"), proper.text])
        relation = "_".join(
            [*(c.text.lower() for c in common.lefts if c.dep_ == "compound"), common.lemma_.lower()]
        )
        kind = "PERSON" if common.lemma_.lower() in lexicon.PERSON else type_of(proper)
        found.append(TripleDraft(owner, relation, name, "PERSON", kind))
    return found


def owner_of(token: Token, turn: Turn) -> str | None:
    """Whose a possessive is: the speaker, the listener, or the one who is named."""
    if token.lower_ in {"my", "our"}:
        return turn.speaker
    if token.lower_ == "your":
        return turn.addressee
    if token.pos_ == "PROPN":
        return turn.called(token.text) or " ".join(
            [*(c.text for c in token.lefts if c.dep_ == "compound"), token.text]
        )
    if token.pos_ == "NOUN":
        pair = entity(token, turn)
        return pair[0] if pair else None
    return None


def type_of(noun: Token, default: str = "THING") -> str:
    """What kind of thing a noun names, by the recogniser, else by the lexicon."""
    if noun.ent_type_:
        return ENTITY_TYPES.get(noun.ent_type_, default)
    lemma = noun.lemma_.lower()
    if lemma in lexicon.PERSON:
        return "PERSON"
    return "PLACE" if lemma in lexicon.PLACE and noun.dep_ == "pobj" else default
