"""What a sentence that asks for something is about: "any tips on packing for Oslo?" is about packing.

From the parse of one sentence, as words that may stand behind "about". Nothing is looked for elsewhere: a
sentence that points beyond itself ("help me with it") is about nothing that can be said.
"""

from __future__ import annotations

import calendar
import re
from typing import TYPE_CHECKING, NamedTuple

from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, is_negated, root_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import gerund

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacy.tokens import Doc, Token

MOST_WORDS = 14
_CALENDAR = frozenset(name.lower() for name in (*calendar.month_name, *calendar.day_name))
_DECIDED = frozenset("plan intend prepare consider think hope hop decide aim".split())
"""What leads to a deed that somebody has in mind: "I'm planning to move". The parser takes "hoping" for a
form of "hop"."""
_WISHED = frozenset({"look", "love", "like"})
"""What leads to a deed that somebody would like: "I'd love to see it"."""
_WANTS = frozenset("look try want need wonder like love help start work go figure be know learn get".split())
"""What leads to a deed or thing that somebody asks about: "help me find a gym"."""
_GIVES = frozenset(
    "suggest recommend give provide tell show list find share explain have experience describe ask offer make"
    " create write summarize do see remind discuss generate compare hear come read".split()
)
"""Of what is asked to be given the matter is the thing, not the deed."""
_GIVEN = frozenset(
    "tip advice idea suggestion recommendation information info help guidance inspiration detail example"
    " insight resource option assistance thing way list kind type sort bit lot place article question"
    " strategy feedback opinion thought set variety range number brand measure term place spot fit".split()
)
"""What is asked for, whatever it is about."""
_ANY = frozenset(
    "tool product app website specific particular certain different popular additional fun similar".split()
)
"""Of these, "apps or tools", nothing is told."""
_GOES = frozenset("get go start work".split())
"""What is a deed itself where it leads to none: "get back into my routine"."""
_UNDERSTANDING = frozenset({"handle", "grip", "grasp", "hold", "sense"})
"""What one gets of something: "get a better handle on my routine"."""
_SAID_OF = frozenset("more anything something everything lot bit little".split())
"""What is asked to be said, whatever it is about: "tell me more about Kyoto"."""
_OF_SOMETHING = frozenset(
    "factor cause reason aspect benefit advantage disadvantage difference population group step process"
    " effect impact role feature".split()
)
"""What says nothing without of what it is."""
_TAKEN = frozenset({"step", "measure", "action"})
"""To do something: "What steps are taken to prevent fires?"."""
_ABOUT = frozenset("on for about with of to in regarding into around".split())
_POINTING = frozenset(
    "it its this that these those they them their he she him his her hers here there you your yours we us one"
    " ones above below following yourself".split()
)
_OF_A_CLAUSE = frozenset("ensure make see know help keep let".split())
"""What leads to a clause, which is told no more."""
_OPEN = frozenset({"WDT", "WP", "WP$"})
_TOLD_OF = {
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "our": "their",
}
_ASKS_WHETHER = re.compile(
    r"(?<!how )(?<!what )\b(?:should I|(?:if|whether|do) I (?:need|have|should)) ", re.IGNORECASE
)
_CURIOUS = frozenset("interested curious excited new unfamiliar".split())
"""How one is about what one asks for: "I'm interested in stained glass"."""
_UNTOLD = frozenset({"some", "any", "more", "good", "also", "just", "maybe", "great", "best", "other"})
_ALIKE = frozenset({"similar", "related", "alike", "close"})
_CLOSES = frozenset({",", ";", ":", "(", ")", "—", "?", ".", "!"})
_BEGIN_PHRASES = frozenset({"prep", "aux", "mark", "advcl", "acl"})
_NEXT_CLAUSE = frozenset({"that", "but", "so", "since", "because", "if"})
_LEFT_HANGING = frozenset({"ADP", "CCONJ", "PUNCT", "DET", "ADV", "PART", "AUX", "SCONJ"})


class _Matter(NamedTuple):
    """Words of a sentence, and what stands before them: "how to", "moving"."""

    lead: str
    words: list[Token]


def requested(doc: Doc) -> tuple[str, ...]:
    """What a sentence asks about or has in mind, told of somebody else ("my trip" is "their trip"): one
    matter, two where it asks twice ("I'm planning a trip and was wondering about hotels"), none where its
    words do not say it by themselves."""
    root = root_of(doc)
    if root is None:
        return ()
    first = next((child for child in root.lefts if child.dep_ == "ccomp"), root)
    second = next((child for child in first.rights if child.dep_ == "conj" and _asks_too(child)), None)
    asked = [one for one in (first, second) if one is not None and not _narrates(one)]
    return tuple(text for one in asked if (text := _told(_of_request(one))))


def _narrates(verb: Token) -> bool:
    """ "I got a new TV", "I was thinking of my aunt": no request."""
    if verb.tag_ == "VBD" and not verb.doc.text.rstrip().endswith("?"):
        return verb.lemma_ not in _DECIDED | {"want", "wonder", "need", "look", "try"}
    been = any(child.lower_ == "been" for child in verb.lefts)
    if been and verb.lemma_ == "work" and any(child.lower_ in {"at", "for", "as"} for child in verb.rights):
        return True  # "I've been working at the mill for four years"
    was = any(child.lower_ == "was" for child in verb.lefts)
    return was and verb.lemma_ == "think" and not any(t.dep_ == "pcomp" for t in verb.subtree)


def _asks_too(verb: Token) -> bool:
    return verb.pos_ in {"VERB", "AUX"} and any(word.lower_ in {"i", "was", "am"} for word in verb.lefts)


def _told(matter: _Matter | None) -> str:
    if matter is None or not matter.words:
        return ""
    led = bool(matter.lead)
    words = _trimmed(_whole(matter.words, doing=led or matter.words[0].tag_ == "VBG"), behind_verb=led)
    if len(words) > MOST_WORDS or not _says_what(words, led=led) or _is_halved(words):
        return ""
    words += _rest_of_word(words[-1])
    told = "".join(_TOLD_OF.get(token.lower_, token.text) + token.whitespace_ for token in words)
    told = f"{matter.lead} {told}"
    return "" if set("()") & set(told) else " ".join(told.split()).strip(" -:;.")


def _is_halved(words: Sequence[Token]) -> bool:
    """ "A link between tea": and what?"""
    said = [token.lower_ for token in words]
    return "between" in said and "and" not in said[said.index("between") :]


def _rest_of_word(token: Token) -> list[Token]:
    """The "-V" of "Honda CR-V", where the parser ends at "CR"."""
    behind = token.doc[token.i + 1 : token.i + 3]
    return list(behind) if not token.whitespace_ and len(behind) > 1 and behind[0].text == "-" else []


def _whole(words: Sequence[Token], *, doing: bool) -> list[Token]:
    """The words of a deed, or of something with a name or of a kind, up to the phrase that points elsewhere
    ("adding flowers [to make it festive]"), none of another that does; up to a quotation that ends later."""
    whole = list(words)
    for place, token in enumerate(words):
        if (token.lower_ in _POINTING and token.tag_ not in {"IN", "EX"}) or token.tag_ in _OPEN:
            begins = next((at for at in range(place, 0, -1) if words[at].dep_ in _BEGIN_PHRASES), 0)
            whole = whole[:begins]
            said = doing or any(one.dep_ == "compound" or one.pos_ == "PROPN" for one in whole)
            whole = whole if said else []
            break
    quotes = [place for place, token in enumerate(whole) if token.text == '"']
    return whole[: quotes[-1]] if len(quotes) % 2 else whole


def _of_request(root: Token) -> _Matter | None:
    if is_negated(root) and _subject(root) is None:
        return None  # "Do not write explanations"
    if root.lemma_ == "be" and not is_negated(root) and (found := _of_interest(root)) is not None:
        return found
    if root.lemma_ in _DECIDED | _WANTS | _GIVES:
        return _led_to(root)
    asks = root.doc.text.rstrip().endswith("?")
    if asks and root.pos_ == "NOUN" and root.lemma_.lower() in _GIVEN:
        return _of_noun(root)  # "Any tips on packing?"
    subject = _subject(root)
    if asks and subject is not None and subject.pos_ in {"NOUN", "PROPN"}:
        return _of_noun(subject)
    if subject is not None and subject.lower_ in _POINTING and root.doc[0].lower_ != "how":
        return None  # "Would you take the train?", but "How do you paint models?"
    own = any(child.lower_ in {"'m", "am", "'ve", "have"} for child in root.lefts)
    deed = _of_deed(root) if asks or own else None
    if deed is None or not deed.lead or root.doc[0].lower_ == "how":
        return deed
    return _Matter(gerund(root.lower_), deed.words[1:])  # "Can I drink something else?"


def _of_interest(root: Token) -> _Matter | None:
    """ "I'm in the market for a new car", "I'm curious about stained glass"."""
    behind = root.doc[root.i + 1 : root.i + 5]
    if behind.text.lower() == "in the market for":
        return _behind(behind[-1])
    known = next((child for child in root.rights if child.lemma_ in _CURIOUS), None)
    return _about(known) if known is not None else None


def _led_to(verb: Token) -> _Matter | None:
    """What a verb that leads to the matter leads to: an object, what it is about, or a deed."""
    for child in verb.rights:
        if child.dep_ in {"dobj", "attr"} and child.pos_ in {"NOUN", "PROPN"}:
            return _of_noun(child)
        if child.dep_ == "prep" and child.lower_ in _ABOUT and (found := _behind(child)) is not None:
            return found
        if child.lower_ in _SAID_OF and (found := _about(child)) is not None:
            return found
        if child.dep_ in {"xcomp", "ccomp"} and verb.lemma_ not in _GIVES:
            return _of_led_deed(verb, child)
        if child.dep_ == "advcl" and any(word.lower_ == "if" for word in child.lefts):
            return _of_led_deed(verb, child)  # "I was wondering if you could help me plan a trip"
    subject = _subject(verb)
    return _of_noun(subject) if subject is not None and subject.pos_ in {"NOUN", "PROPN"} else None


def _about(word: Token) -> _Matter | None:
    """What a word is said to be about: "curious about", "more about"."""
    behind = (child for child in word.rights if child.dep_ == "prep" and child.lower_ in _ABOUT)
    return next(filter(None, map(_behind, behind)), None)


def _of_led_deed(verb: Token, deed: Token) -> _Matter | None:
    lets_do = deed.lemma_ == "get" and any(
        word.tag_ == "VBN" or _is_understood(word) for word in deed.subtree
    )
    if deed.lemma_ in _DECIDED | _WANTS | _GIVES and not lets_do:
        found = _led_to(deed)  # not "get a vase appraised"
        return _of_deed(deed) if found is None and deed.lemma_ in _GOES else found
    doer = _subject(deed)
    if doer is not None and doer.lower_ not in lexicon.SPEAKERS:
        return None  # "I want you to act as a doctor", "I need my boss to agree"
    matter = _of_deed(deed)
    if matter is not None and matter.lead and verb.lemma_ in _DECIDED | _WISHED:
        return _Matter(gerund(deed.lower_), matter.words[1:])  # "planning to move to Oslo"
    if matter is not None and matter.lead and _ASKS_WHETHER.search(deed.doc.text):
        return _Matter("whether to", matter.words)
    return matter


def _is_understood(noun: Token) -> bool:
    return noun.lemma_ in _UNDERSTANDING and any(child.lower_ in {"on", "of"} for child in noun.rights)


def _of_deed(verb: Token) -> _Matter | None:
    """ "Buying a bike", "how to improve their drawings"."""
    if verb.tag_ not in {"VB", "VBG"} or verb.lemma_ == "be" or is_negated(verb):
        return None
    if any(child.dep_ == "dobj" for child in verb.lefts):
        return None  # "What should I carry in my backpack?"
    words = [token for token in _from(verb) if token.i >= verb.i]
    return _Matter("" if verb.tag_ == "VBG" else "how to", words)


def _behind(prep: Token) -> _Matter | None:
    for child in prep.children:
        if child.dep_ == "pcomp" or (child.dep_ == "pobj" and child.tag_ == "VBG"):
            return _of_led_deed(prep, child)
        if child.dep_ == "pobj" and child.pos_ != "PRON":
            return _of_noun(child)
    return None


def _of_noun(noun: Token) -> _Matter | None:
    """ "A trip to Oslo", "gift ideas for a child"; of "some tips on packing", "packing"."""
    known = {"prep", "compound", "poss", "nmod"}
    bare = not any(child.dep_ in known for child in noun.children)
    if noun.lemma_.lower() in _OF_SOMETHING | _TAKEN and bare:
        aim = next((child for child in noun.head.rights if child.dep_ in {"xcomp", "advcl"}), None)
        return _of_deed(aim) if aim is not None and noun.lemma_ in _TAKEN else None
    if noun.lemma_.lower() not in _GIVEN or any(child.dep_ == "compound" for child in noun.lefts):
        return _Matter("", _with_next(noun))
    for child in (*noun.rights, *_preposition_behind(noun)):
        if child.dep_ == "prep" and child.lower_ in _ABOUT:
            return _behind(child)
        if child.dep_ in {"acl", "relcl", "xcomp"} and child.tag_ in {"VB", "VBG"}:
            offered = any(word.lower_ in {"that", "which"} for word in child.lefts)
            return None if offered else _of_deed(child)  # "some options that would work with it"
    told = any(child.dep_ == "amod" and child.lower_ not in _UNTOLD for child in noun.lefts)
    return _Matter("", _with_next(noun)) if told else None


def _with_next(noun: Token) -> list[Token]:
    """A noun with what hangs from it, and with a preposition right behind that the parser hangs on its verb:
    "having issues with my laptop"."""
    words = list(_from(noun))
    if words and words[-1].i == noun.right_edge.i:
        words += [token for prep in _preposition_behind(noun) for token in _from(prep)]
    if words and words[-1].i == noun.right_edge.i and (aim := _aim_behind(noun)) is not None:
        words += [token for token in _from(aim) if token.i > noun.i]
    return words


def _aim_behind(noun: Token) -> Token | None:
    """What it is for, right behind it: "learn new techniques to improve my playing"."""
    return next(
        (
            child
            for child in noun.head.rights
            if child.dep_ in {"xcomp", "advcl"}
            and child.tag_ == "VB"
            and child.left_edge.i == noun.right_edge.i + 1
        ),
        None,
    )


def _preposition_behind(noun: Token) -> list[Token]:
    return [
        child
        for child in noun.head.rights
        if child.dep_ == "prep" and child.lower_ in _ABOUT and child.i == noun.right_edge.i + 1
    ]


def _subject(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ in NOMINAL_SUBJECTS), None)


def _from(head: Token) -> Iterator[Token]:
    """The words that hang from one, in order, up to where another clause begins. What is joined before
    anything is named belongs to it: "painting and detailing models"."""
    named = False
    for token in head.doc[head.left_edge.i : head.right_edge.i + 1]:
        if token.i > head.i:
            joins = token.dep_ == "cc" and any(
                other.dep_ == "conj" and other.pos_ in {"VERB", "AUX"} for other in token.head.rights
            )
            dash = token.text == "-" and bool(token.whitespace_)
            relative = token.tag_ in _OPEN | {"WRB"} or token.lower_ in _NEXT_CLAUSE | {"i", "we"}
            between = any(other.lower_ == "between" for other in token.ancestors)
            ends = (token.dep_ == "mark" and token.head.tag_ != "VBG") or token.text in _CLOSES
            if (joins and named and not between) or dash or relative or ends:
                return
        named = named or token.pos_ in {"NOUN", "PROPN"}
        yield token


def _trimmed(words: Sequence[Token], *, behind_verb: bool) -> list[Token]:
    left = list(words)
    while left and left[0].lower_ in _UNTOLD and not behind_verb:
        left.pop(0)
    while (
        left and (left[-1].pos_ in _LEFT_HANGING or left[-1].lower_ in _OF_A_CLAUSE) and left[-1].text != '"'
    ):
        left.pop()
    following = left[-1].doc[left[-1].i + 1 : left[-1].i + 2] if left else ()
    if left and left[-1].dep_ == "npadvmod" and any(token.lower_ == "ago" for token in following):
        ago = {token.i for token in left[-1].subtree}
        left = [token for token in left if token.i not in ago]  # "my talk with my aunt two weeks ago"
    hangs = any(token.pos_ == "ADP" for token in following) and not behind_verb
    if hangs and [token.tag_ for token in left[-2:]] == ["TO", "VB"]:
        del left[-2:]  # "new music to listen to"
    return left[:-1] if left and left[-1].lower_ in _ALIKE else left  # "series similar to it"


def _says_what(words: Sequence[Token], *, led: bool) -> bool:
    """Whether a name, or more than one word, tells something; `led`: a verb stands before them."""
    told = [t for t in words if t.pos_ in {"NOUN", "PROPN", "VERB", "ADJ", "NUM"} and not t.is_stop]
    if not any(t.pos_ in {"NOUN", "PROPN"} for t in told):
        return False
    named = any(t.pos_ == "PROPN" and len(t) > 2 and t.lower_ not in _CALENDAR for t in told)
    of_a_kind = {t.lemma_.lower() for t in told if any(child.dep_ == "compound" for child in t.lefts)}
    telling = of_a_kind | {t.lemma_.lower() for t in told} - lexicon.VAGUE - lexicon.TEMPORAL - _ANY
    things = {t.lemma_.lower() for t in told if t.pos_ != "ADJ"} & telling - _GIVEN - _DECIDED - _WANTS
    own = any(t.lower_ in {"my", "our"} for t in words)
    return named or (len(telling) + bool(of_a_kind) + led + own > 1 and bool(things))
