"""What a sentence leaves open: pronouns and the like whose antecedent stands outside of it.

A sentence with an open need may only be kept together with one that offers what it needs. The
rules know number, person against thing, and gender of kinship words; they never guess among
rivals, and they resolve nothing by world knowledge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.asides import is_aside
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, verb_over
from memcore.nlp.language.syntax.pronouns import PERSONAL, Need, need_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OF_PERSONS = lexicon.REPORTING | lexicon.THINKING | lexicon.LIKING | lexicon.PLANNING | {"ask", "promise"}
_OCCASIONS = frozenset({"opportunity", "chance"})
_MAKING = frozenset({"create", "make", "build"})
_ALIKE = frozenset({"like", "unlike", "than", "similar", "identical"})
_ANYTHING = frozenset({"something", "anything", "nothing"})
_SEVERAL = frozenset({"these", "those"})
_SMALL = 3
"""Letters of the words that a title may begin small."""
_SOMEBODY = frozenset({"someone", "somebody"})
_TITLES = frozenset("mr mr. mrs mrs. ms ms. miss dr dr. sir madam".split())


def offers(doc: Doc, before: Token | None = None) -> set[str]:
    """What the words of a sentence (those before `before`) can be referred back to as. What the
    clause of `before` itself describes ("the freedom it brings") is no antecedent of it."""
    found: set[str] = set()
    above = set() if before is None else _above(before)
    own = None if before is None else verb_over(before)
    for token in doc[: before.i if before is not None else len(doc)]:
        if before is not None and _is_barred(token, before, above):
            continue
        if token.pos_ == "VERB" and token != own and _tells_event(token):
            found.add("event")
        if token.pos_ in {"NOUN", "PROPN"} and token.dep_ not in {"compound", "amod", "npadvmod"}:
            found |= _offered_by(token)
        elif token.lower_ in _SOMEBODY and token.dep_ != "conj":
            found |= {"male", "female"}
    return found


def _above(before: Token) -> set[int]:
    """Tokens that the clause around `before` describes, or that hold it."""
    above: set[int] = set()
    if before.dep_ != "poss":
        above |= _holding(before)
    for token in before.ancestors:
        if token.dep_ == "relcl" and not any(
            c.dep_ in NOMINAL_SUBJECTS and c.tag_ in {"WDT", "WP"} for c in token.children
        ):
            above |= {token.head.i}
        elif token.dep_ == "acl":
            above |= {token.i, token.head.i}
        elif before.dep_ == "poss" and token == before.head:
            above |= {token.i}
    return above


def _holding(token: Token) -> set[int]:
    """The nouns that a word is part of: "the list of them", "the idea of it being blue"."""
    found: set[int] = set()
    for head in (token, *token.ancestors):
        if head.dep_ in {"relcl", "advcl", "conj", "ccomp"}:
            break
        found.add(head.head.i)
    return found


def _is_barred(token: Token, before: Token, above: set[int]) -> bool:
    """Whether `before` cannot mean this token, by where both stand."""
    if token.i in above and token.pos_ in {"NOUN", "PROPN"}:
        return True
    if _same_clause(token, before) or _is_to_remind(token, before) or _is_means(token, before):
        return True
    return token.dep_ == "conj" and any(head.i in above for head in token.conjuncts)


def _is_to_remind(noun: Token, pronoun: Token) -> bool:
    """ "I made a poster to remind me of it": of something else."""
    if noun.dep_ != "dobj" or pronoun.dep_ != "pobj":
        return False
    verb = verb_over(pronoun)
    return verb is not None and verb.lemma_ == "remind" and noun.head == verb_over(verb)


def _is_means(noun: Token, pronoun: Token) -> bool:
    """ "I used wire and paste to create it": with them, of something else. Nor are the "great things" heard
    "about their work" those whose work it is."""
    if noun.lemma_ == "thing" and noun.head.lemma_ == "hear":
        return not any(token.pos_ == "PROPN" for token in noun.doc[: pronoun.i])
    verb = verb_over(pronoun)
    used = next((word for word in (noun, *noun.conjuncts) if word.dep_ == "dobj"), None)
    return (
        pronoun.dep_ == "dobj"
        and used is not None
        and used.head.lemma_ == "use"
        and verb is not None
        and verb.dep_ in {"xcomp", "advcl", "acl", "relcl"}
        and verb.tag_ == "VB"
        and used.head.is_ancestor(verb)
    )


def _offered_by(noun: Token) -> set[str]:
    """What a noun can be referred back to as; nothing for a time."""
    lemma = noun.lemma_.lower()
    if lemma in lexicon.TEMPORAL or noun.ent_type_ == "TIME":
        return set()
    named = noun.ent_type_ == "PERSON" or (noun.pos_ == "PROPN" and not noun.ent_type_)
    called = noun.pos_ == "PROPN" and any(c.lemma_.lower() in lexicon.PERSON for c in noun.lefts)
    person = named or called or lemma in lexicon.PERSON or _acts_as_person(noun)
    found = set() if named else {"noun"}  # "Priya found one": no Priya
    single = called or any(
        child.lower_ in _TITLES for child in noun.lefts
    )  # "my roommate Ines", "Mr. Whiskers"
    plural = noun.tag_ in {"NNS", "NNPS"} and not single
    conjoined = any(child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN"} for child in noun.children)
    if (
        (plural and person)
        or lemma in {"people", "everyone", "everybody"}
        or lemma in lexicon.GROUP - lexicon.PLACE
    ):
        found.add("people")
    if plural or conjoined or lemma in lexicon.GROUP or noun.ent_type_ in {"ORG", "NORP"}:
        found.add("plural")
    if plural and not conjoined:
        return found
    if person or lemma in lexicon.ANIMAL or _opens_bare(noun):
        if lemma not in lexicon.FEMALE:
            found.add("male")
        if lemma not in lexicon.MALE:
            found.add("female")
    if not person or lemma in lexicon.ANIMAL or lemma in {"baby", "child"}:
        found.add("thing")
    if lemma in lexicon.PLACE or noun.ent_type_ in {"GPE", "LOC", "FAC", "ORG"} or _in_place(noun):
        found.add("place")
    return found


def _acts_as_person(name: Token) -> bool:
    """ "Alfie says that he hates football", "Ines hurt her knee": who says or wants something, or does
    something with "her", is a person, whatever else a name was taken for."""
    if name.pos_ != "PROPN" or name.dep_ != "nsubj" or any(child.i < name.i for child in name.children):
        return False
    own = (child for thing in name.head.rights if thing.dep_ == "dobj" for child in thing.lefts)
    return name.head.lemma_.lower() in _OF_PERSONS or any(word.lower_ in {"his", "her"} for word in own)


def _opens_bare(noun: Token) -> bool:
    """ "Pepper would howl": a single count noun without an article is a name."""
    return (
        noun.i == 0
        and noun.tag_ == "NN"
        and noun.dep_ in NOMINAL_SUBJECTS
        and noun.text[0].isupper()
        and not any(child.i < noun.i or child.dep_ in {"prep", "amod"} for child in noun.children)
    )


def _same_clause(noun: Token, pronoun: Token) -> bool:
    """A pronoun never means another argument of its own verb ("picture life without it"); a
    possessive may ("the dog wagged its tail")."""
    if noun.pos_ not in {"NOUN", "PROPN"} or pronoun.dep_ == "poss" or pronoun.lower_ not in PERSONAL:
        return False
    verb = verb_over(pronoun)
    over = verb_over(noun)
    if _is_matter(noun) and pronoun.dep_ == "dobj" and pronoun.head.lemma_ in {"take", "have"}:
        return False
    while verb is not None and verb != over and verb.dep_ == "xcomp":
        verb = verb_over(verb)  # "people choose to join them"
    return verb == over


def _is_matter(noun: Token) -> bool:
    """ "For my coffee break, I take it at nine"."""
    opening = noun.dep_ == "pobj" and noun.head.lower_ == "for" and noun.head.i == 0
    behind = noun.right_edge.i + 1
    return opening and behind < len(noun.doc) and noun.doc[behind].text == ","


def _tells_event(verb: Token) -> bool:
    """Neither a state ("know") nor a participle used as an adjective ("felt empowered")."""
    if verb.lemma_.lower() in lexicon.STATIVE:
        return False
    return verb.tag_ != "VBN" or any(child.dep_ in {"aux", "auxpass"} for child in verb.children)


def _in_place(token: Token) -> bool:
    return token.dep_ == "pobj" and token.head.lower_ in {
        "in",
        "at",
        "to",
        "from",
        "near",
        "around",
        "inside",
    }


def fits(wants: str, offered: set[str]) -> bool:
    """Whether an antecedent among `offered` agrees with the need.

    >>> fits("male", {"female", "noun"}), fits("thing", {"event"})
    (False, True)
    """
    if wants == "thing":
        return bool(offered & {"thing", "event"})
    return wants in offered


def needs(doc: Doc, timed: frozenset[int] = frozenset()) -> list[Need]:
    """Open references of a sentence, those with an agreeing antecedent earlier in it left out.
    `timed` are tokens inside time expressions, which refer to the date and are resolved there."""
    found = []
    for token in doc:
        if token.i in timed or _is_in_title(token):
            continue
        need = need_of(token)
        if need is None or _is_told_beside(token, timed):
            continue
        if need.wants == "nothing" or not _closed_within(token, need, doc):
            found.append(need)
    return found


def _is_told_beside(pointing: Token, timed: frozenset[int]) -> bool:
    """ "I got a great deal on those eggs at Walmart last Saturday"."""
    noun = pointing.head
    several = pointing.lower_ in _SEVERAL and noun.dep_ == "pobj"
    named = any(t.pos_ == "PROPN" and t.i not in timed for t in noun.doc)
    return several and named and bool(timed) and is_aside(noun, timed)


def _is_in_title(word: Token) -> bool:
    """ "How I Built This", in quotation marks: all its words of weight begin with a capital."""
    if not word.text[0].isupper():
        return False
    text = word.doc.text
    if text.count('"', 0, word.idx) % 2 == 0:
        return False
    quoted = text[text.rfind('"', 0, word.idx) + 1 :].split('"')[0].split()
    return len(quoted) > 1 and all(one[0].isupper() for one in quoted if len(one) > _SMALL)


def _closed_within(token: Token, need: Need, doc: Doc) -> bool:
    offered = offers(doc, token)
    if token.dep_ == "dobj" and token.head.lemma_ == "do":
        return False  # "doing it": no noun in the sentence is what is done
    if token.dep_ == "nsubj" and _is_an_occasion(token.head):
        return False
    if need.wants == "thing" and token.lower_ in {"it", "its", "itself"}:
        made = token.dep_ == "dobj" and token.head.lemma_ in _MAKING and not _is_arrival(token.head)
        return "thing" in offered or (_after_clause(token) and "event" in offered and not made)
    if need.wants == "noun" and _is_compared_with(token):
        return True
    if need.wants == "thing":
        return _after_clause(token) and bool(offered & {"event", "thing"})
    return fits(need.wants, offered)


def _is_arrival(verb: Token) -> bool:
    """ "I made it to the top"."""
    return any(child.dep_ == "prep" or child.lower_ in {"home", "here", "there"} for child in verb.rights)


def _is_compared_with(one: Token) -> bool:
    """ "A lamp like the one I saw", "a race similar to the one in Leeds": one of the same kind."""
    if one.lower_ not in {"one", "ones"} or one.dep_ != "pobj":
        return False
    alike = one.head.lower_ in _ALIKE or one.head.head.lower_ in _ALIKE
    nouns = (head for head in one.ancestors if head.pos_ in {"NOUN", "PRON"})
    named = next(nouns, None)
    return alike and named is not None and named.lemma_.lower() not in lexicon.VAGUE | _ANYTHING


def _is_an_occasion(verb: Token) -> bool:
    """ "I need a desk, and this may be the best opportunity", "and it might be a good way to rest":
    said of something else than what is told before it."""
    attributes = {child.lemma_.lower() for child in verb.children if child.dep_ == "attr"}
    modal = any(child.tag_ == "MD" for child in verb.children)
    return bool(attributes & _OCCASIONS) or (modal and bool(attributes & {"way"}))


def _after_clause(token: Token) -> bool:
    """A finite clause ended before this token's own began."""
    left = token.doc[: token.i]
    verbs = [t for t in left if t.tag_ in {"VBD", "VBP", "VBZ", "MD"} and t.i < token.i]
    return any(verb.i < token.i - 1 for verb in verbs) and any(
        t.lower_ in {"and", "but", "so", ",", "because", "when", "since", "-"} for t in left
    )
