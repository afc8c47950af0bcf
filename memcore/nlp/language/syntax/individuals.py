"""Which noun phrases stand for something that one would look up again: the nodes of the graph.

A node is an individual, not a kind of thing. A text makes one in three ways: it gives its name; it says whose
it is, of what people have one of (a sister, a pet, a firm, a wedding); or it tells, as a fact and in the
singular, of an event, a group or a course with a word that says which ("a poetry class", "a trip to Oslo").
Of kinds only a pursuit is a node, of who pursues it ("plays the cello", "works as a nurse", "has asthma").

So a plural or a mass is none (bare ones name kinds; Carlson, Reference to Kinds in English, 1977), nor what
is only wanted, sought, considered or denied (it need not exist; Karttunen, Discourse Referents, 1976). Made
things that are somebody's are nodes where several messages speak of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from memcore.domain.models import Message
from memcore.nlp.encoder.words import is_ordinary
from memcore.nlp.language.people import ASSISTANT_ROLES
from memcore.nlp.language.syntax.entities import is_owned, name_beside_noun, quoted_title
from memcore.nlp.language.syntax.identified import identifying, is_pursuit
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.named_kinds import is_named
from memcore.nlp.language.syntax.noun_heads import complements, is_misread_event, what_is_done
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import is_made, is_profession

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNREAL = re.compile(
    r"(?:^|_)(?:not|would|can|cannot|could|may|might|must|should|want|need|hope|wish|aim|intend|mean|try|look|seek"
    r"|search|hunt|consider|think|dream|hear|like_to|love_to|plan_to|have_to)(?:_|$)"
)
"""Relations under which what is spoken of need not exist, or is known by hearsay only."""
_PURSUING = re.compile(
    r"(?:used_to_|love_|enjoy_|can_|be_)?(?:do(?:ing)?|play(?:ing)?|practi[cs](?:e|ing)|study(?:ing)?|learn(?:ing)?"
    r"|teach(?:ing)?|creat(?:e|ing)|go|going|take_up|love|enjoy|like|adore|prefer|hate"
    r"|(?:get_|be_)?into|(?:be_)?passionate_about|(?:be_)?good_at|(?:be_)?interested_in|major_in|specialize_in"
    r"|have_(?:degree|experience|passion|love|interest)_(?:in|for|of)|be_fan_of)"
)
"""Relations of somebody to a pursuit."""
_AILING = re.compile(r"(?:have|suffer_from|be_diagnosed_with|develop|struggle_with|manage|live_with)")
_EATING = re.compile(
    r"(?:love|like|enjoy|adore|prefer|hate|dislike|not_eat|not_drink|stop_eating|be_allergic_to)"
)
_WORKING = re.compile(r"(?:\w+_)?as")
_BELONGING = re.compile(
    r"(?:volunteer|work|study|teach|live|train|intern|enroll|be_enrolled|(?:lose|get|have|start)_job)_(?:at|in|for|with)"
    r"|(?:start|open|found|launch|run|own|build|renovate|attend|join|manage)"
)
"""Relations of somebody to a place or a firm that is theirs for a while."""
_UNTELLING = graph_words.PASSING | graph_words.GRADABLE | lexicon.EVALUATIVE | lexicon.TEMPORAL
_CLOSE = (lexicon.KIN - {"folk"}) | graph_words.CLOSE
_KNOWN = lexicon.KNOWN - graph_words.LASTING_GOODS
"""What everybody has or means: "my phone", "our country"."""


def spoken_of(messages: Sequence[Message]) -> frozenset[str]:
    """The words, in small letters and without a plural's s, that several messages of people hold."""
    counts = Counter(
        word
        for message in messages
        if message.role not in ASSISTANT_ROLES
        for word in {word.removesuffix("s") for word in re.findall(r"[a-z-]+", message.text.lower())}
    )
    return frozenset(word for word, count in counts.items() if count > 1)


def is_individual(noun: Token, said: str, spoken: Collection[str]) -> bool:
    """Whether a noun phrase stands for an individual or a pursuit. `said` is the relation that it is the
    object of (empty for a subject), `spoken` what `spoken_of` tells."""
    if noun.pos_ == "PRON" or quoted_title(noun) or name_beside_noun(noun) is not None:
        return True
    if is_named(noun) or noun.text != noun.lower_:
        return _is_name(noun)
    if _is_cut(noun):
        return False
    if _is_pursued(noun, said):
        return True
    if is_owned(noun):
        return _is_ones_own(noun, spoken)
    told = noun.tag_ not in {"NNS", "NNPS"} and not _UNREAL.search(said)
    return told and _is_told_apart(noun, said)


def _is_name(noun: Token) -> bool:
    """Whether a capital letter makes a whole name: not where it opens the sentence, where words are shouted,
    or where the parser has but a part of it."""
    if _is_part_of_name(noun) or (noun.i and noun.nbor(-1).text == "#"):
        return False
    if any(child.lower_ in {"a", "an"} for child in noun.lefts) and type_of(noun) == "PLACE":
        return False  # "a tiny Airbnb"
    opens = noun.i == 0 or noun.nbor(-1).text in {'"', "“", ".", "!", "?", ":"}
    if opens and is_ordinary(noun.lower_) and noun.ent_type_ in {"", "ORG"}:
        return False
    if (
        noun.tag_ in {"NNS", "NNPS"}
        and is_ordinary(noun.lower_)
        and not any(child.dep_ in {"compound", "poss"} or child.lower_ == "the" for child in noun.lefts)
    ):
        return False  # "an exhibition on Women in Art"
    return bool(noun.ent_type_) or not (noun.text.isupper() and len(noun.text) > 4)


def _is_part_of_name(noun: Token) -> bool:
    after = noun.doc[noun.i + 1 : noun.i + 3]
    if len(after) > 1 and after[0].text == ":" and after[1].text[:1].isupper():
        return True  # "Star Wars: Galaxy's Edge"
    number = len(after) > 1 and any(c.isdigit() for c in after[0].text) and not after[0].whitespace_
    if number and after[0].head != noun and after[1].text in {"-", "/", "mm"}:
        return True  # "a Sony FE 24-70mm lens"
    return any(  # "Rachel and Mike's place"
        child.dep_ == "conj" and any(c.dep_ == "poss" and c.pos_ == "PROPN" for c in child.lefts)
        for child in noun.rights
    )


def _is_cut(noun: Token) -> bool:
    """Whether the parser ends a phrase too early: "my charity | 5K run", "gave the shelter | blankets"."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    if after is None or after.dep_ in {"npadvmod", "appos"} or after.ent_type_ in {"DATE", "TIME"}:
        return False
    joined = after.text in {"-", "/"} and not after.whitespace_
    return joined or (after.pos_ in {"NOUN", "PROPN", "NUM"} and not is_misread_event(noun))


def _is_pursued(noun: Token, said: str) -> bool:
    base, kind = noun.lemma_.lower(), type_of(noun)
    if kind == "PERSON":
        if noun.tag_ != "NN" or is_owned(noun):
            return False
        role = noun.dep_ == "attr" and said in {"be", "become"} and is_profession(base)
        return role or bool(_WORKING.fullmatch(said))
    if kind in {"FOOD", "ANIMAL"}:
        return bool(_EATING.fullmatch(said)) and not list(noun.lefts)
    if said == "collect":
        return noun.tag_ == "NNS"
    if base in graph_words.CHORES or not is_pursuit(noun):
        return False
    if _AILING.fullmatch(said):
        return not list(noun.lefts)
    return bool(_PURSUING.fullmatch(said)) and noun.tag_ in {"NN", "VBG"}


def _is_ones_own(noun: Token, spoken: Collection[str]) -> bool:
    """Whether somebody's is one that they have: "Ann's sister", "Ann's dogs", but not "Ann's idea"."""
    base, kind = noun.lemma_.lower(), type_of(noun)
    if base in _CLOSE or kind == "ANIMAL":
        return True
    sorted_by = any(child.dep_ == "compound" for child in noun.lefts)
    if noun.tag_ in {"NNS", "NNPS"} or base in graph_words.ROOMS or (base in _KNOWN and not sorted_by):
        return False
    if base in graph_words.ACQUAINTED | graph_words.LASTING or kind in {"ORG", "GROUP"}:
        return base not in lexicon.PUBLIC
    if _holds_name(noun):
        return kind in {"EVENT", "PLACE", "WORK"} or is_made(base)
    if kind == "PLACE":
        return True
    if kind == "EVENT":
        return base not in graph_words.OWN_UNTOLD | graph_words.JOURNEYS | graph_words.GENERAL_EVENTS
    return (kind == "WORK" or is_made(base)) and base in spoken


def _is_told_apart(noun: Token, said: str) -> bool:
    """Whether words beside a noun in the singular say which one it is, and it is of what one looks up."""
    base, kind = noun.lemma_.lower(), type_of(noun)
    two_words = is_misread_event(noun) or bool(what_is_done(noun))  # "a charity run", "a poetry reading"
    event = kind == "EVENT" or two_words
    taken = base in graph_words.TAKEN
    if _holds_name(noun) or _leads_to_name(noun):
        return event or taken or kind in {"PLACE", "ORG", "GROUP", "WORK"} or is_made(base)
    if not any(_says_which(child) for child in noun.lefts) and not two_words:
        return False
    if event:
        return two_words or base not in graph_words.GENERAL_EVENTS | graph_words.JOURNEYS
    if kind == "PLACE" or base in graph_words.PUBLIC_GROUPS:
        known = kind == "PLACE" or base in graph_words.ORGANISATIONS
        return known and bool(_BELONGING.fullmatch(said))
    return taken or kind in {"ORG", "GROUP"}


def _says_which(word: Token) -> bool:
    """Whether a word before a noun sorts it: "pottery class", "financial plan", but not "big class"."""
    if {word.lower_, word.lemma_.lower()} & _UNTELLING:
        return False
    if word.dep_ in {"compound", "nmod"}:
        return True
    sorting = word.dep_ == "amod" and word.tag_ not in {"JJR", "JJS", "VBG"}
    return sorting and word.lemma_.lower() not in lexicon.VAGUE


def _holds_name(noun: Token) -> bool:
    """Whether a name stands before a noun: "the Brookside neighborhood", "Rachel's wedding"."""
    return any(
        (child.dep_ == "poss" and child.pos_ == "PROPN")
        or (
            child.dep_ in {"compound", "nmod"}
            and any(is_named(t) and not t.text.isupper() for t in child.subtree)
        )
        for child in noun.lefts
    )


def _leads_to_name(noun: Token) -> bool:
    """ "A trip to Oslo", "an exhibition at the Tate"."""
    others = [other for prep, other in complements(noun) if prep.lower_ == "of"]
    others += [more[1]] if (more := identifying(noun)) else []
    return any(is_named(other) and _is_name(other) for other in others)
