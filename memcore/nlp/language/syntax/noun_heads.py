"""Which nouns of a phrase name something: "loads of support" is about support, "on track" about nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import inherited_subject
from memcore.nlp.language.words import graph_words, lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

_EMPTY = lexicon.VAGUE | lexicon.TEMPORAL | lexicon.EVALUATIVE
_UNTELLING = graph_words.PASSING | lexicon.EVALUATIVE
WHEN = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT"})
_IDIOMATIC = frozenset({"in", "on", "at", "by", "to", "under", "for", "of"})


def joined(noun: Token) -> list[Token]:
    """The noun and those coordinated with it ("Ann, Ben and I"), each by what it measures, if it does."""
    found = [*(child for child in first_of_two(noun) if child.pos_ == "PROPN"), *counted(noun)]
    for child in noun.children:
        if child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN", "PRON"} and child != second_half(noun):
            found += joined(child)
    return found


def first_of_two(noun: Token) -> list[Token]:
    """Nouns before an "and" that the parser takes for a part of the name behind it: "Hvar" of "Hvar and Krka
    National Park"."""
    return [c for c in noun.lefts if c.dep_ in {"nmod", "compound"} and any(t.dep_ == "cc" for t in c.rights)]


def second_half(noun: Token) -> Token | None:
    """What a "&" joins to a name, to make one of the two: "Barnes & Noble"."""
    if not any(child.text == "&" for child in noun.rights):
        return None
    return next((c for c in noun.rights if c.dep_ == "conj" and c.text[0].isupper()), None)


def counted(noun: Token) -> list[Token]:
    """What a noun measures or holds ("a bunch of friends", "a cup of tea"), or itself."""
    if noun.lemma_.lower() not in graph_words.COUNTING:
        return [noun]
    held = [t for prep, t in complements(noun) if prep.lower_ == "of" and t.pos_ in {"NOUN", "PROPN"}]
    return [one for t in held for one in joined(t)] or [noun]


def complements(noun: Token) -> list[tuple[Token, Token]]:
    """The prepositions after a noun, each with the noun that it governs."""
    return [
        (prep, child)
        for prep in noun.rights
        if prep.dep_ == "prep"
        for child in prep.children
        if child.dep_ == "pobj"
    ]


def is_carried(noun: Token) -> bool:
    """Whether a noun belongs to what is said with it: "had fun at the fair", "is a fan of jazz"."""
    lemma = noun.lemma_.lower()
    if noun.pos_ != "NOUN" or any(c.dep_ == "compound" and c.tag_ != "VBG" for c in noun.lefts):
        return False
    own = any(c.tag_ == "PRP$" for c in noun.lefts)
    return lemma in graph_words.CARRIED or (own and lemma in lexicon.BODY)


def sorted_noun(noun: Token) -> str:
    """A common noun with the one that sorts it, as a part of a relation: "power_bank" of "a power bank"."""
    word = str(graph_words.FULL_FORMS.get(noun.lower_, noun.lower_))
    before = noun.nbor(-1) if noun.i else noun
    if (before.dep_, before.tag_, before.head) != ("compound", "NN", noun):
        return word
    glued = before.i > 0 and before.nbor(-1).text == "-"  # "a round-trip ticket"
    plain = before.text.islower() and before.text.isalpha() and before.lower_ not in lexicon.TEMPORAL
    return f"{before.lower_}_{word}" if plain and not glued else word


def names_nothing(noun: Token) -> bool:
    """Whether a noun can be no node by itself: vague, a time, a measure, part of an idiom."""
    lemma = noun.lemma_.lower()
    if {lemma, noun.lower_} & graph_words.NEVER or lemma in {"time", "thing"}:
        return True
    if any(child.tag_ == "$" for child in noun.subtree):
        return True
    if lemma in graph_words.LIFE_STAGE and _tells_age(noun):
        return True
    return _is_time(noun, lemma) or _is_bare(noun, lemma) or _is_doing(noun)


def _is_time(noun: Token, lemma: str) -> bool:
    if noun.ent_type_ in WHEN and (noun.ent_type_ != "DATE" or lemma not in graph_words.EVENTS):
        return True
    told = [c for c in noun.lefts if c.dep_ == "compound" and c.ent_type_ not in WHEN]
    if any(c.dep_ == "poss" and c.pos_ == "PROPN" for c in noun.lefts):
        return False
    timed = lemma.removesuffix("s") in lexicon.TEMPORAL  # "on Thursdays": a name to the lemmatizer
    return timed and all(c.lemma_.lower() in lexicon.TEMPORAL for c in told)


def _is_bare(noun: Token, lemma: str) -> bool:
    """Whether a noun needs other words to name something, and has none."""
    lefts = list(noun.lefts)
    deps = {c.dep_ for c in lefts if c.tag_ != "VBG" and c.lower_ not in _UNTELLING}
    if noun.pos_ == "NOUN" and lemma in graph_words.ABSTRACT and "compound" not in deps:
        return True
    if lemma in graph_words.MEASURE and not deps & {"compound", "amod"}:
        return True
    told_which = any(other.ent_type_ not in WHEN for _, other in complements(noun))
    bare = noun.pos_ == "NOUN" and lemma in graph_words.BARE and not told_which
    if bare and not deps & {"compound", "amod", "poss"}:
        return True
    if noun.pos_ == "NOUN" and lemma in graph_words.IN_IDIOMS and not deps & {"compound", "amod", "poss"}:
        return True
    if noun.dep_ == "pobj" and lemma in graph_words.IDLE and not lefts and noun.tag_ == "NN":
        return noun.head.lower_ in _IDIOMATIC
    if noun.pos_ == "NOUN" and lemma in _EMPTY and not deps & {"compound", "poss"}:
        return True
    told = {c.lemma_.lower() for c in lefts if c.dep_ == "compound"}
    doing = noun.lower_.endswith("ing") or any(word.endswith("ing") for word in told)
    if doing and told & (lexicon.VAGUE | lexicon.TEMPORAL):
        return True  # "had fun bonding", "spends time cooking dinner": words that the parser takes for one
    if lemma in lexicon.BODY and any(c.tag_ == "PRP$" for c in lefts):
        return True  # "tries her hand at": an idiom, as a rule
    # "is game for it", "is so much fun": no article, no thing
    bare = all(c.lower_ in {"so", "much", "such", "more", "pretty"} for c in lefts)
    return noun.dep_ == "attr" and noun.tag_ == "NN" and bare and lemma not in lexicon.ROLES


def _is_doing(noun: Token) -> bool:
    """ "Cleaning up the attic": what is done to something is no thing."""
    return noun.tag_ == "VBG" and any(c.dep_ in {"prt", "dobj", "xcomp", "ccomp"} for c in noun.rights)


def _tells_age(noun: Token) -> bool:
    """ "When I was a kid", "as a child": a time."""
    if noun.dep_ == "attr":
        return inherited_subject(noun.head) is not None and noun.head.dep_ == "advcl"
    return noun.dep_ == "pobj" and noun.head.lower_ == "as"


def is_misread_event(noun: Token) -> bool:
    """ "A charity run", "a career fair": the parser takes the last word for a participle or an adjective."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    return (
        after is not None
        and after.lower_ in graph_words.MISREAD_EVENTS
        and after.head == noun
        and after.dep_ in {"acl", "amod"}
    )


def what_is_done(noun: Token) -> list[str]:
    """ "Poetry reading": a gerund that the parser takes for a clause."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    if after is not None and is_misread_event(noun):
        return [after.text]
    if after is None or (after.tag_, after.dep_, after.head) != ("VBG", "acl", noun):
        return []
    if any(child.dep_ != "npadvmod" for child in after.rights):
        return []
    return [after.text]
