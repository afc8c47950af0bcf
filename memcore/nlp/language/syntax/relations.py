"""Triples (subject, relation, object) from a parsed clause.

A relation is what the verb says (see `predicates`) with its preposition, before that its object where it
has one ("take_kids_to"). Clauses under a condition yield none. Pronouns other than speaker and listener are
not resolved here: they yield none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.domain.extraction import TripleDraft
from memcore.nlp.language.people import Turn
from memcore.nlp.language.syntax.entities import entity, is_name, name_beside, quoted_title
from memcore.nlp.language.syntax.grammar import inherited_subject, is_negated, subject_of
from memcore.nlp.language.syntax.individuals import is_individual
from memcore.nlp.language.syntax.noun_heads import complements, counted, is_carried, joined, sorted_noun
from memcore.nlp.language.syntax.predicates import (
    amount,
    denied,
    intent,
    is_aspectual,
    is_left_so,
    is_recipient,
    lemma,
    prefix,
    relation,
)
from memcore.nlp.language.syntax.prepositions import (
    destination,
    goes_on,
    idiom_before,
    loses_object,
    relates,
    stands_apart,
    state_before,
)
from memcore.nlp.language.words import graph_words, lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Said = tuple[str, str, str, bool]
"""A relation, its object, the object's type, and whether the object tells which thing is meant."""
_INSIDE = {"relcl", "acl", "csubj", "pcomp"}
"""Clauses inside of phrases, with all that is joined to them."""
_PERSONAL = {"me", "us", "you", "him", "her", "them", "myself", "yourself", "himself", "herself"}
_EMPTY_WITHOUT_OBJECT = {"do", "have", "make"}
_POSSIBLE = {"can_", "could_", "may_", "should_"}
"""What one says of a thing that comes to mind: "we could serve snacks"; but "can play the harp" tells."""
_OPINION = {"think", "guess", "suppose", "reckon"}
_IN_PASSING = re.compile(
    r"(?:\w+_)?(?:think|hear|talk|wonder|dream)(?:_lot)?_(?:about|of|in)|(?:\w+_)?(?:ask|tell|look)(?:_for|_about|_into)?"
    r"|(?:\w+_)?(?:look_for|look_to|get|have)_\w*?(?:ideas?|inspiration|tips|advice|suggestions?|thoughts|issues"
    r"|problems?)_\w+|(?:love|like)_(?:idea|sound|suggestion|recommendation)_\w+|remember|mention|hear_lot_about"
)
"""That something came up in talk or in mind says nothing of it."""
_EMPTY = ("be_for", "been_for", "like_to_take_look_at")
"""Where lost words would have to tell: "is up for a thriller", "has been to Rome for a wedding"."""
MOST = 8
"""Triples of one sentence at most."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Who says a sentence to whom, its tokens that only tell when, and the words of the conversation that
    several messages hold."""

    turn: Turn
    timed: frozenset[int] = frozenset()
    spoken: Collection[str] = frozenset()


def triples(doc: Doc, low: int, high: int, setting: Setting) -> list[TripleDraft]:
    """The triples of tokens low:high, in order, without repeats."""
    found: list[TripleDraft] = []
    if any(t.dep_ == "mark" and t.lower_ in {"if", "unless", "whether"} for t in doc[low:high]):
        return []
    for token in doc[low:high]:
        if token.pos_ in {"VERB", "AUX"}:
            found += _of_verb(token, setting)
        elif token.pos_ in {"NOUN", "PROPN"}:
            found += name_beside(token, setting.turn)
    kept = (t for t in found if t.subject != t.object and is_name(t.subject) and is_name(t.object))
    return list(dict.fromkeys(kept))[:MOST]


def _of_verb(verb: Token, setting: Setting) -> list[TripleDraft]:
    first = verb
    while first.dep_ == "conj" and subject_of(first) is None and first.head.pos_ in {"VERB", "AUX"}:
        first = first.head
    if verb.dep_ in {"aux", "auxpass", "amod", "compound"} or first.dep_ in _INSIDE:
        return []
    if verb.dep_ == "xcomp" or any(
        child.dep_ == "mark" and child.lower_ in {"if", "unless", "whether"} for child in verb.children
    ):
        return []
    if quoted_title(verb) or _is_thought_of(verb, first):
        return []
    if (
        verb.dep_ == "ccomp"
        and not _is_beside(verb)
        and (verb.head.lemma_ not in lexicon.REPORTING or is_negated(verb.head))
    ):
        return []
    if verb.dep_ == "advcl" and any(c.lower_ in {"as", "than"} and c.dep_ == "mark" for c in verb.children):
        return []
    subject = inherited_subject(verb)
    if subject is None:
        return []
    subjects = [
        (*pair, is_individual(noun, "", setting.spoken))
        for noun in joined(subject)
        if (pair := entity(noun, setting.turn))
    ]
    if not subjects:
        return []
    before = prefix(verb)
    objects = _objects(verb, before, setting)
    passing = (before in _POSSIBLE and lemma(verb) not in graph_words.PURSUING) or is_left_so(verb)
    return [
        TripleDraft(
            name,
            said,
            other,
            kind,
            other_kind,
            telling and other_tells and not passing and not _is_empty(said),
        )
        for name, kind, telling in subjects
        for said, other, other_kind, other_tells in objects
    ]


def _is_thought_of(verb: Token, first: Token) -> bool:
    """ "Thinking of going to Bath, then heading to Wells": what is joined to the thinking is thought."""
    gerund = (
        verb != first and verb.tag_ == "VBG" and first.lemma_.lower() in lexicon.THINKING | {"talk", "dream"}
    )
    return gerund and any(
        c.dep_ == "pcomp" for prep in first.rights if prep.dep_ == "prep" for c in prep.children
    )


def _is_empty(said: str) -> bool:
    return said.endswith(_EMPTY) or bool(_IN_PASSING.fullmatch(said))


def _is_beside(verb: Token) -> bool:
    """A clause that only a comma joins to the next: "Erik lives in Oslo, so he is flying"."""
    head = verb.head
    opinion = lexicon.THINKING | {"say", "hope", "wish", "hear", "seem", "tell"}
    return (
        verb.i < head.i
        and head.lemma_.lower() not in opinion
        and not any(child.dep_ == "mark" for child in verb.children)
        and not any(child.lower_ in {"if", "whether", "what", "how", "that"} for child in verb.lefts)
    )


def _objects(
    verb: Token, before: str, setting: Setting, nested: bool = False, gerund: bool = False
) -> list[Said]:
    """(relation, object, type) of a verb, and of one verb that it governs ("want to adopt")."""
    said = relation(verb, before, gerund=gerund)
    found: list[Said] = []
    direct: list[Token] = []
    where = destination(verb)
    said_of_title = quoted_title(verb) or verb.lemma_ in _OPINION
    for child in verb.children:
        title = quoted_title(child)
        if title and not said_of_title and child.dep_ in {"dobj", "attr", "oprd", "xcomp", "ccomp"}:
            found.append((said, title, "WORK", True))
            direct.append(child)
        elif is_recipient(child):
            continue
        elif child.dep_ in {"dobj", "attr", "oprd"} and verb.lemma_ not in _OPINION:
            found += _of_object(child, said + where, setting)
            direct.append(child)
        elif child.dep_ == "acomp":
            found += _of_adjective(child, said, setting)
        elif child.dep_ in {"prep", "agent"} or (child.dep_ == "dative" and child.pos_ == "ADP"):
            if not (quoted_title(child) or (direct and child.lower_ == "of") or loses_object(child)):
                so_far = (
                    f"{said}_{idiom}" if (idiom := idiom_before(child)) else _with(said, direct, setting.turn)
                )
                found += _prepositional(child, so_far + state_before(child), setting)
        elif child.dep_ == "advmod" and child.lower_ in graph_words.PARTICLES:  # "got back from Oslo"
            after = (prep for prep in child.rights if prep.dep_ == "prep")
            found += [one for prep in after for one in _prepositional(prep, said, setting)]
        elif child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"} and not nested:
            found += _governed(verb, child, before, setting)
    return found


def _governed(verb: Token, child: Token, before: str, setting: Setting) -> list[Said]:
    """What the verbs say that another one governs: "wants to buy a house and rent a flat"."""
    word = lemma(verb)
    if any(c.dep_ == "nsubj" for c in child.children) or word == "be":
        return []
    gerund = child.tag_ == "VBG" and not any(c.lower_ == "to" and c.dep_ == "aux" for c in child.children)
    if gerund != (word in {"consider", "imagine"}) and word in lexicon.THINKING:
        return []  # "I think swimming helps", "considering a shelf to store jars"
    also = [c for c in child.children if c.dep_ == "conj" and c.tag_ == child.tag_ and subject_of(c) is None]
    found: list[Said] = []
    means = [c for c in verb.rights if c.dep_ == "dobj" and c.i < child.i]
    for one in (verb for verb in (child, *also) if not is_left_so(verb)):
        negation = "not_" if is_negated(one) else ""
        said = intent(verb, child, before)
        if means:  # "uses an app to track sleep"
            bare = said.removesuffix("_").removesuffix("_to")
            if (carried := _with(bare, means, setting.turn)) in {"", bare}:
                continue
            said = f"{carried}_to_"
        said += negation
        found += _objects(one, said, setting, nested=True, gerund=gerund and not is_aspectual(verb))
    return found


def _of_object(child: Token, said: str, setting: Setting) -> list[Said]:
    """What is said of an object and of what stands after it: "joined a program for teenagers"."""
    found: list[Said] = []
    for noun in joined(child):
        if noun.i in setting.timed or (child.dep_ == "attr" and _is_no_thing(noun)):
            continue
        if noun.ent_type_ == "MONEY":
            sums = (c for c in noun.rights if c.dep_ == "prep" and c.lower_ in {"for", "to"})
            found += [one for prep in sums for one in _prepositional(prep, f"{said}_money", setting)]
            continue
        carried = is_carried(noun) and not goes_on(noun)
        more = amount(noun) or amount(child)
        pair = None if carried and complements(noun) else entity(noun, setting.turn)
        if pair is not None:
            whole = denied(said + more, noun)
            found.append((whole, *pair, is_individual(noun, whole, setting.spoken)))
        if carried or (pair is not None and child.dep_ == "dobj" and noun.pos_ == "NOUN"):
            for prep in (c for c in noun.rights if c.dep_ == "prep" and relates(c, noun, carried=carried)):
                found += _prepositional(prep, denied(f"{said}_{sorted_noun(noun)}", noun), setting)
    return found


def _with(said: str, direct: Sequence[Token], turn: Turn) -> str:
    """The relation of what stands after a verb's objects: with the object in it, where that is a common noun
    ("take_kids_to"); empty where the relation would leave out what it is about."""
    for child in direct:
        if child.pos_ == "PRON":
            if child.lower_ not in _PERSONAL and (child.dep_ == "attr" or entity(child, turn) is None):
                return ""
            continue
        if child.pos_ in {"ADJ", "ADV"}:
            continue  # "cares more about health"
        noun = counted(child)[0]
        if noun.ent_type_ == "MONEY":
            return f"{said}_money"
        word = noun.lower_.replace("-", "")
        if noun.lemma_.lower() in graph_words.NO_CARRIER:
            return ""
        if noun.pos_ == "NOUN" and noun.text.islower() and word.isalpha() and not quoted_title(noun):
            return f"{said}_{sorted_noun(noun)}"
        if noun.head.lemma_ in lexicon.REPORTING | graph_words.ADDRESSING:
            continue
        whole = noun.pos_ == "PROPN" and not quoted_title(noun) and not complements(noun)
        whole = whole and not any(c.dep_ in {"compound", "poss"} for c in noun.lefts)
        return f"{said}_{noun.text}" if whole and noun.text.isalpha() else ""
    return said


def _is_no_thing(noun: Token) -> bool:
    """What something is said to be without its being one: a judgement, a likeness, a word
    that is shouted, what somebody is doing ("has been house hunting")."""
    shouted = noun.text.isupper() and len(noun.text) > 4 and noun.ent_type_ == ""
    doing = noun.lower_.endswith("ing") and not any(c.dep_ in {"det", "poss"} for c in noun.lefts)
    return shouted or doing or _is_judgement(noun) or _is_likened(noun)


def _is_judgement(noun: Token) -> bool:
    base = noun.lemma_.lower()
    return base in lexicon.EVALUATIVE or (
        base in lexicon.PRAISE and not any(c.dep_ in {"compound", "prep"} for c in noun.children)
    )


def _is_likened(noun: Token) -> bool:
    """ "The shop has been a roller coaster": what a thing is said to be tells no more than an adjective."""
    subject = inherited_subject(noun.head)
    if (
        subject is None
        or subject.pos_ != "NOUN"
        or subject.lemma_.lower() in lexicon.PERSON | graph_words.MATES
    ):
        return False
    return noun.pos_ == "NOUN" and not any(c.dep_ == "poss" for c in noun.lefts) and not complements(noun)


def _of_adjective(word: Token, said: str, setting: Setting) -> list[Said]:
    base = word.lower_ if word.tag_ == "VBN" else word.lemma_.lower()
    if base in lexicon.EVALUATIVE | lexicon.FEELING or word.head.lemma_ not in {"be", "get", "become"}:
        return []
    found = [
        triple
        for prep in word.children
        if prep.dep_ == "prep"
        for triple in _prepositional(prep, f"{said}_{base}", setting)
    ]
    if not found and (base in lexicon.TRAITS or word.ent_type_ == "NORP"):
        found.append((said, word.text, "THING", True))
    return found


def _prepositional(prep: Token, said: str, setting: Setting) -> list[Said]:
    relating = prep.lower_ in lexicon.RELATING or (prep.head.lemma_, prep.lower_) == ("look", "after")
    if not said or said.rsplit("_", 1)[-1] in _EMPTY_WITHOUT_OBJECT or not relating or stands_apart(prep):
        return []
    found: list[Said] = []
    for noun in (n for child in prep.children if child.dep_ == "pobj" for n in joined(child)):
        if noun.i in setting.timed or any(child.i in setting.timed for child in prep.children):
            continue
        carried = [c for c in noun.rights if c.dep_ == "prep" and relates(c, noun, carried=True)]
        taken = is_carried(noun) and bool(carried)
        if carried and noun.pos_ == "NOUN" and noun.lemma_.lower() in graph_words.IN_IDIOMS:
            longer = f"{said}_{prep.lower_}_{noun.lower_}"
            found += [one for after in carried for one in _prepositional(after, longer, setting)]
        if not taken and (pair := entity(noun, setting.turn)):
            empty = prep.head.lemma_ in lexicon.LIKING and said.endswith(prep.head.lemma_)
            whole = denied(f"{said}_{prep.lower_}", noun)
            found.append((whole, *pair, is_individual(noun, whole, setting.spoken) and not empty))
    return found
