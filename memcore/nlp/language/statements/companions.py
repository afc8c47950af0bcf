"""Who "we" are, where the words say it: "My husband and I went ... We saw ...".

Where they do not, "we" stays "the speaker and others"; nothing is guessed from the world. Nobody is
taken from more than three sentences before, or from an earlier message than the last one of the speaker's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.people import Turn
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.statements.rewrite import rewrite
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, is_negated, root_of, subject_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_SENTENCES = 3
MOST_WORDS = 8
_GROUPS = frozenset({"family", "fam", "team", "group", "gang", "crew", "band", "club"})
_YOU_AND = re.compile(r"\byou (?:and|(?:\w+ )?with) your (?P<whom>[a-z]+)\b", re.IGNORECASE)
_REMINDS = re.compile(r"\b(?:remember|recall)(?: when| the time(?: when)?)$", re.IGNORECASE)
"""Who is asked whether they remember when "we" did something was there."""
_TAKES_ALONG = frozenset({"take", "bring", "join", "mentor", "coach"})
_SPEAKS_WITH = frozenset("talk speak chat meet visit convince persuade invite".split())
"""Whoever does so is with somebody within the sentence; what they tell next may be of others."""
_STAYS = frozenset({"live", "stay"})
_CLOSE = lexicon.KIN | {"friend", "partner", "colleague", "roommate", "neighbor", "neighbour"}


def companions(item: MessageReading, reading: Reading) -> str:
    """Who "we" are, where the words before "we" say so: in its sentence, or the one that it is a part of,
    else in the three before it, by whom it reminds, or in the question. Nothing is taken from before one that
    leads to another matter ("By the way, ...")."""
    if here := _named_before_we(reading.doc, item.turn):
        return here
    if reading.doc is not None and (own := _own_group(reading.doc, item.turn)):
        return own
    begins = reading.sentence.start  # of a sentence, or of a part of one
    position = bisect_right(item.readings, begins, key=lambda other: other.sentence.end)
    said = item.readings[: position + 1]
    turned = max((n for n, one in enumerate(said) if one.turns_away), default=-1)
    earlier = item.readings[max(turned, 0, position - MOST_SENTENCES) : position]
    around = item.readings[position].doc if position < len(item.readings) else None
    if there := _named_before_we(around, item.turn):  # of a part: the sentence that it was taken from
        return there
    if found := _of(earlier, item.turn) or _reminded(item, reading):
        return found
    return "" if turned >= 0 else _asked_of(item) or item.companions


def _named_before_we(doc: Doc | None, turn: Turn) -> str:
    we = next((token for token in doc or () if token.lower_ in lexicon.WE), None)
    return _named(we.doc, turn, we.i) if we is not None else ""


def _reminded(item: MessageReading, reading: Reading) -> str:
    reminds = _REMINDS.search(reading.sentence.opener) and not item.turn.to_assistant
    return f"{item.turn.speaker} and {item.turn.addressee}" if reminds and item.turn.addressee else ""


def _asked_of(item: MessageReading) -> str:
    """The kin that a question names beside who is asked: "What do you and your family do there?"."""
    found = _YOU_AND.search(item.asked.text)
    known = found is not None and found["whom"].lower() in lexicon.KIN | _GROUPS
    return f"{item.turn.speaker} and their {found['whom'].lower()}" if found and known else ""


def companions_before(
    opened: Sequence[MessageReading], buffer_of: Sequence[int], readings: Sequence[Sequence[Reading]]
) -> list[str]:
    """For each message, with whom its speaker was in the one they wrote before, in its buffer and session."""
    found: list[str] = []
    last: dict[tuple[int, str, str], str] = {}
    for item, buffer, own in zip(opened, buffer_of, readings, strict=True):
        key = (buffer, item.message.session_id, item.message.speaker)
        found.append(last.get(key, ""))
        made = isolated(partial(_of, own, item.turn))
        last[key] = "" if isinstance(made, Failed) else made
    return found


def _of(readings: Sequence[Reading], turn: Turn) -> str:
    for doc in (reading.doc for reading in reversed(readings) if reading.doc is not None):
        if found := _named(doc, turn, len(doc)) or _own_group(doc, turn):
            return found
    return ""


def is_vague_event(item: MessageReading, reading: Reading) -> bool:
    """ "We played games and ate cake": with nobody knows whom, nowhere, at no time, with no name."""
    doc = reading.doc
    root = root_of(doc) if doc is not None else None
    subject = subject_of(root) if root is not None else None
    if doc is None or subject is None or subject.lower_ != "we" or reading.timed or reading.names:
        return False
    if root is None or root.lemma_.lower() in lexicon.STATIVE | {"get", "have"}:
        return False  # "we've got two dogs"
    told = any(word.tag_ in {"VBD", "VBN"} for word in (root, *root.children))
    placed = any(t.pos_ in {"PROPN", "NUM"} or t.lemma_.lower() in lexicon.KIN or _is_place(t) for t in doc)
    return told and not placed and not companions(item, reading)


def _is_place(noun: Token) -> bool:
    if noun.dep_ != "pobj":
        return False
    return noun.lemma_.lower() in lexicon.PLACE | lexicon.OCCASIONS and noun.head.lower_ in {
        "in",
        "at",
        "to",
        "on",
    }


def _own_group(doc: Doc, turn: Turn) -> str:
    """The family or group that a sentence calls "ours", or tells of as "mine"."""
    for noun in doc:
        lemma = noun.lemma_.lower()
        if lemma not in _GROUPS or noun.tag_ != "NN":
            continue
        whose = {child.lower_ for child in noun.lefts if child.dep_ == "poss"}
        ours = "our" in whose or ("my" in whose and noun.dep_ in NOMINAL_SUBJECTS)
        whole = noun.dep_ in {"compound", "nmod"}  # "our family camping trip"
        ours = ours or (whole and "our" in {child.lower_ for child in noun.head.lefts})
        if ours:
            return f"{turn.speaker} and their {lemma}"
    return ""


def _named(doc: Doc, turn: Turn, high: int) -> str:
    """The people of the first clause before token `high` that names any beside the speaker."""
    for verb in doc[:high]:
        subject = subject_of(verb) if verb.pos_ in {"VERB", "AUX"} else None
        if _is_doing(verb) and (found := _with_speaker(_beside(doc, verb, turn, high), turn)):
            return found
        if subject is None or subject.i >= high:
            continue
        people = [t for t in subject.subtree if t.lower_ in {"i", "me"} and t.dep_ == "conj"]
        if people and subject.lower_ not in {"i", "me"}:
            return _worded(doc, subject, turn, MOST_WORDS)
        if subject.lower_ == "i" and (found := _with_speaker(_beside(doc, verb, turn, high), turn)):
            return found
        if _is_with_speaker(verb, subject, high):
            return _with_speaker(_worded(doc, subject, turn, MOST_WORDS - 2), turn)
    return ""


def _is_with_speaker(verb: Token, subject: Token, high: int) -> bool:
    """ "My parents have been a help while living with me": they are there."""
    own = any(child.lower_ == "my" for child in subject.lefts) and subject.lemma_.lower() in _CLOSE
    if not own or is_negated(verb):
        return False
    with_me = (t.head for t in verb.doc[:high] if t.lower_ == "me" and t.head.lower_ == "with")
    staying = (one.head for one in with_me if verb.is_ancestor(one) or one.head == verb)
    return any(one.lemma_ in _STAYS and one.tag_ == "VBG" and not is_negated(one) for one in staying)


def _is_doing(verb: Token) -> bool:
    """ "Watching it with my family was lovely, we laughed"."""
    return verb.dep_ == "csubj" and verb.tag_ == "VBG" and subject_of(verb) is None


def _with_speaker(others: str, turn: Turn) -> str:
    own = f"{turn.speaker}'s "
    named = f"their {others.removeprefix(own)}" if others.startswith(own) else others
    return f"{turn.speaker} and {named}" if others else ""


def _beside(doc: Doc, verb: Token, turn: Turn, high: int) -> str:
    """Whom the speaker did something with, or took along, or spoke with in words that go on with "we"; "" for
    nobody."""
    if is_negated(verb):
        return ""
    speaks = verb.lemma_ in _SPEAKS_WITH and high < len(doc)
    heads = [t for t in verb.subtree if t.lower_ in {"with", "to"} and t.dep_ == "prep" and t.i < high]
    nouns = [
        c for head in heads for c in head.children if c.dep_ == "pobj" and (speaks or head.lower_ == "with")
    ]
    if speaks or verb.lemma_ in _TAKES_ALONG:
        inner = [c for c in verb.children if c.dep_ in {"ccomp", "xcomp"}]  # "took my sister camping"
        nouns += [c for head in (verb, *inner) for c in head.children if c.dep_ in {"dobj", "nsubj"}]
    for noun in nouns:
        of_them = (t for c in noun.rights if c.lower_ == "of" for t in c.children if noun.lower_ == "one")
        lemma = next(of_them, noun).lemma_.lower()  # "one of my friends"
        joined = verb.lemma_ == "join" and lemma in _GROUPS  # "joined a rowing club": nobody yet
        known = _CLOSE if speaks else lexicon.PERSON | _GROUPS
        person = not joined and (lemma in known or noun.ent_type_ == "PERSON")
        found = _worded(doc, noun, turn, MOST_WORDS - 2) if person and noun.i < high else ""
        if found and found != turn.speaker:
            return found
    return ""


def _worded(doc: Doc, noun: Token, turn: Turn, most: int) -> str:
    tokens = sorted(noun.subtree, key=lambda t: t.i)
    if described := next((t for t in tokens if t.dep_ in {"relcl", "acl"}), None):
        if (
            noun.tag_ not in {"NN", "NNP"}
            or described.left_edge.lower_ != "who"
            or tokens[0].lower_ not in {"my", "a", "an"}
        ):
            return ""  # "the friends I have"
        tokens = [t for t in tokens if t.i < described.left_edge.i and t.text != ","]  # "my friend who sings"
    made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
    return "" if made.problem or len(tokens) > most else made.text
