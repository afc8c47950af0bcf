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
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, auxiliaries, inherited_subject, is_negated
from memcore.nlp.language.syntax.identified import identifying
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.noun_heads import (
    WHEN,
    complements,
    first_of_two,
    is_misread_event,
    names_nothing,
    second_half,
    what_is_done,
)
from memcore.nlp.language.syntax.pets import named_for_all, owner_in_clause, species
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST_WORDS = 6
"""Words of a name that goes on after a preposition at most."""
_GLUE = frozenset("-/")
_SPEAKER = {"i", "me", "myself", "we", "us"}
_LISTENER = {"you", "yourself"}
_TITLE = re.compile(r'"([^"]{2,60})"')


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
    if names_nothing(noun):
        return None
    proper = name_beside_noun(noun)
    if proper is not None:
        if title := quoted_title(proper):
            return title, "WORK"
        return _whole_name(proper), _named_kind(noun) or type_of(proper)
    words = _phrase(noun, turn)
    if words is None:
        return None
    # A word in several tokens ("5K", "get-together") comes once for each of them.
    text = " ".join(
        word for n, word in enumerate(words) if word not in words[:n] and not _is_within(word, words[n + 1 :])
    )
    text += _number_after(noun) + _whole(noun, text, turn)
    if not is_name(text) or text in lexicon.EVALUATIVE:
        return None
    reads = text.endswith(" reading") and noun.lower_ != "reading"
    return text, "EVENT" if is_misread_event(noun) or reads else type_of(noun)


def _participant(low: str, turn: Turn) -> tuple[str, str] | None:
    if low in _SPEAKER:
        return turn.speaker, "PERSON"
    return (turn.addressee, "PERSON") if turn.addressee else None


def _phrase(noun: Token, turn: Turn) -> list[str] | None:
    """The noun with the words before it that tell which one it is; None when its owner is unknown."""
    owner, named = _owner(noun, turn)
    if owner is not None and (kind := species(noun)):
        return [f"{owner}'s", named_for_all(noun, kind)]
    words: list[str] = [] if named or owner is None else [f"{owner}'s"]
    shared = _shared_owner(noun)
    for child in sorted([*shared, *noun.lefts, noun], key=lambda t: t.i):
        if child == noun:
            words.append(_full_form(noun))
        elif child.dep_ in {"compound", "amod", "nummod", "nmod"} and (
            child.dep_ == "compound" or _tells(child, noun)
        ):
            two = child in first_of_two(noun)
            last = max((t.i for t in child.rights if t.dep_ == "cc"), default=-1) if two else -1
            words += [
                _full_form(t)
                for t in child.subtree
                if t.i > last
                and t.dep_ not in {"det", "advmod", "poss", "punct"}
                and t.i <= noun.i
                and (t.dep_ == "compound" or _tells(t, noun))
                and t.lower_ not in {"am", "pm"}
            ]
        elif child.dep_ == "poss":
            owner = owner_of(child, turn)
            if owner is None:
                return None
            words.append(f"{owner}'" if child.tag_ == "NNS" and owner.endswith("s") else f"{owner}'s")
    return words + what_is_done(noun)


def _owner(noun: Token, turn: Turn) -> tuple[str | None, bool]:
    """Whose a thing is, and whether a possessive says so."""
    own = next((child for child in noun.lefts if child.dep_ == "poss"), None)
    if own is not None:
        return owner_of(own, turn), True
    subject = owner_in_clause(noun)
    return ((entity(subject, turn) or (None,))[0] if subject is not None else None), False


def _shared_owner(noun: Token) -> list[Token]:
    """ "Her friends and family": the possessive of the noun to which one without any is joined."""
    if noun.dep_ != "conj" or noun.pos_ != "NOUN" or noun.head.pos_ != "NOUN":
        return []
    if any(child.dep_ in {"det", "poss", "nummod"} for child in noun.lefts):
        return []
    return [child for child in noun.head.lefts if child.dep_ == "poss"] or _shared_owner(noun.head)


def _tells(word: Token, noun: Token) -> bool:
    """Whether a word before a noun tells which one it is; a number does only as part of a name."""
    low, lemma = word.lower_, word.lemma_.lower()
    if word.dep_ == "nummod" and word.whitespace_ and (noun.tag_ == "NNS" or low == "one"):
        return False
    if ":" in word.text:
        return False
    if low in graph_words.FAVORITE:  # "my favorite genre", but one gold bangle, favorite or not
        beside = {c.dep_ for c in noun.lefts if c != word}
        return beside & {"poss", "amod", "compound"} == {"poss"}
    return lemma not in lexicon.EVALUATIVE and not {low, lemma} & graph_words.PASSING


def _whole(noun: Token, text: str, turn: Turn) -> str:
    """ " of Hamilton" for "the film version of Hamilton", " to Oslo" for "a trip to Oslo": what a noun is not
    itself without."""
    half = second_half(noun)
    if half is not None:
        return f" & {' '.join([*(c.text for c in half.lefts if c.dep_ == 'compound'), half.text])}"
    for prep, other in complements(noun):
        if any(child.lower_ in {"all", "any", "every", "each"} for child in other.lefts):
            continue
        if noun.pos_ == "PROPN" and other.pos_ != "PROPN" and not other.text[0].isupper():
            continue
        if prep.lower_ == "of" and (pair := entity(other, turn)):
            article = "the " if other.pos_ == "NOUN" and other.left_edge.lower_ == "the" else ""
            longer = f" of {article}{pair[0]}"
            return longer if len((text + longer).split()) <= MOST_WORDS else ""
    if (more := identifying(noun)) and (pair := entity(more[1], turn)):
        longer = f" {more[0].lower_} {pair[0]}"
        return longer if len((text + longer).split()) <= MOST_WORDS else ""
    return ""


def _number_after(noun: Token) -> str:
    """ " 3" for "a Fitbit Charge 3": a number or a model after a name belongs to it."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else noun
    model = (
        any(c.isdigit() for c in after.text)
        and after.head == noun
        and after.ent_type_ not in WHEN - {"CARDINAL"}
    )
    return f" {_whole_word(after)}" if model and noun.pos_ == "PROPN" and noun.whitespace_ else ""


def _full_form(token: Token) -> str:
    word = _whole_word(token)
    return str(graph_words.FULL_FORMS.get(word, word))


def _is_within(word: str, later: Sequence[str]) -> bool:
    return any(word != other and (other.startswith(word) and word.isdigit()) for other in later)


def is_name(text: str) -> bool:
    """Whether a text can stand for something: two characters, a letter among them, no markup."""
    return 1 < len(text) <= 60 and any(c.isalpha() for c in text) and not any(c in text for c in "<>{}[]`\\")


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
    called = [c for c in noun.children if c.dep_ == "acl" and c.lower_ in {"named", "called"}]
    given = [n for c in called for n in c.rights if n.dep_ in {"oprd", "attr", "dobj"} and n.pos_ == "PROPN"]
    apposed = [c for c in noun.children if c.dep_ == "appos" and c.pos_ == "PROPN"]
    return next(iter([*apposed, *given]), None)


def name_beside_noun(noun: Token) -> Token | None:
    """The name under which what a common noun means is known: "Rex" for "my dog Rex", "a dog named Rex" and
    "this dog, Rex"."""
    proper = name_of(noun)
    if proper is None or not proper.text[0].isupper():
        return None
    apposed = proper.dep_ == "appos" and bool(_named_kind(noun))
    told = apposed or proper.head.dep_ == "acl" or any(c.dep_ == "poss" for c in noun.lefts)
    return proper if told or quoted_title(proper) else None


def _whole_name(proper: Token) -> str:
    """A name with the names before it: "Phoebe Lind" for "Lind"."""
    return " ".join([*(c.text for c in proper.lefts if c.dep_ == "compound"), proper.text])


def is_owned(noun: Token) -> bool:
    """Whether the text says whose a thing is: "my sister and brother", "the kids" whom one drives."""
    own = any(child.dep_ == "poss" for child in noun.lefts)
    shared = noun.dep_ == "conj" and any(child.dep_ == "poss" for child in noun.head.lefts)
    return own or shared or owner_in_clause(noun) is not None


def name_beside(noun: Token, turn: Turn) -> list[TripleDraft]:
    """ "My sister Anna" → (speaker, sister, Anna); "Oscar, my guinea pig" → (speaker, guinea_pig, Oscar)."""
    pairs = []
    if noun.pos_ == "NOUN":
        named = name_of(noun)
        pairs = [(noun, named)] if named is not None else []
    elif noun.pos_ == "PROPN":
        pairs = [
            (child, noun)
            for child in noun.children
            if child.dep_ == "appos"
            and child.pos_ == "NOUN"
            and noun.doc[noun.i + 1 : noun.i + 2].text != ":"
        ]
    found = []
    for common, proper in pairs:
        owner = next((owner_of(c, turn) for c in common.lefts if c.dep_ == "poss"), None)
        if owner is None and (subject := _getter(common)) is not None:
            owner = (entity(subject, turn) or (None,))[0]
        if owner is None or quoted_title(proper) or turn.called(proper.text) or not proper.text[0].isupper():
            continue
        name = _whole_name(proper)
        relation = "_".join(
            [*(c.text.lower() for c in common.lefts if c.dep_ == "compound"), common.lemma_.lower()]
        )
        kind = _named_kind(common) or type_of(proper)
        found.append(TripleDraft(owner, relation, name, "PERSON", kind))
    return found


def _getter(common: Token) -> Token | None:
    """Who has what is named: "got a cat named Bailey"."""
    verb = common.head
    so = verb.lemma_ in graph_words.GETTING and not is_negated(verb) and not auxiliaries(verb)
    if not so or common.dep_ != "dobj" or _named_kind(common) != "ANIMAL":
        return None
    return inherited_subject(verb)


def _named_kind(common: Token) -> str:
    lemma = common.lemma_.lower()
    if lemma in lexicon.PERSON:
        return "PERSON"
    return "ANIMAL" if lemma in lexicon.ANIMAL or species(common) else kind_of(lemma)


def owner_of(token: Token, turn: Turn) -> str | None:
    """Whose a possessive is: the speaker, the listener, or the one who is named."""
    if token.lower_ in {"my", "our"}:
        return turn.speaker
    if token.lower_ == "your":
        return turn.addressee
    if token.pos_ == "PROPN":
        return turn.called(token.text) or " ".join(
            [*(c.text for c in token.lefts if c.dep_ == "compound" and c.text[0].isupper()), token.text]
        )
    if token.pos_ == "NOUN":
        pair = entity(token, turn)
        return pair[0] if pair else None
    return None
