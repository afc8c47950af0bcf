"""Which words of a sentence mean its speaker, the speaker's group or the listener, and what replaces them.

"I" becomes a name and the verb agrees with it; named once, the speaker is "they" where nobody else can be
meant, as "we" are from the second time on. Where it is not known who "you" are, there is a `problem` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn
from memcore.nlp.language.syntax.grammar import (
    NOMINAL_SUBJECTS,
    agreeing_words,
    auxiliaries,
    is_had,
    marks_clause,
    subject_of,
    tells_past,
)
from memcore.nlp.language.syntax.kin import is_own_kin
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import third_person

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_MEETING = frozenset({"have", "get", "see", "wear", "find", "buy", "make", "notice"})
_STANDING = frozenset(
    (word, noun)
    for word, nouns in {"that": "kind sort type aspect amount level sense", "this": "time sense"}.items()
    for noun in nouns.split()
)
"""What points within its sentence: "I row far, so I need a boat for that kind of use", "another race, this
time in Leeds"."""
_OTHERS = frozenset("they them their theirs themselves we us our ours everyone everybody people".split())
_PRONOUN = {"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves"}
_WITH_THEY = {"am": "are", "'m": " are", "m": " are", "was": "were", "wasn't": "weren't", "is": "are",
              "'ve": " have", "'ll": " will"}  # fmt: skip
_LOCAL = frozenset("city town area neighborhood neighbourhood community school".split())
"""Of those that "our" shares with everybody, the ones of which there are many: "Ada's town"."""
_SHARED = lexicon.PUBLIC - _LOCAL
NUMBERED = frozenset("War Part Phase Type Mark Chapter Act Volume Episode Level Division Tiger".split())
"""What is counted in Roman figures."""
_UNCHANGED = frozenset("'ll will would can could ca wo should might may must ought used".split())


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters start:end of the sentence, and what stands there instead."""

    start: int
    end: int
    new: str


class Speakers:
    """Replaces the words for speaker, group and listener, token by token, left to right."""

    def __init__(
        self, doc: Doc, turn: Turn, group: str, told: Sequence[Token], *, named: bool = False
    ) -> None:
        """`told`: the words of the clause that is rewritten, without what stays as it is written; `named`:
        the speaker's name stands right before it."""
        self.turn = turn
        self.pronouns = _told_by_pronoun(told, named=named)
        self.group = group
        self.group_named = False
        self.begins = min((token.i for token in told), default=0)
        self.problem = ""
        self.agreement: dict[int, Edit] = {}
        for token in doc:
            if token.lower_ == "i" or (token.lower_ in {"you", "u"} and turn.addressee):
                self._agree(token)
            if token.lower_ == "we" and token.i + 1 < len(doc):
                self._spelled_out(token.nbor())

    def _spelled_out(self, word: Token) -> None:
        """ "Ann and others had gone", not "Ann and others'd gone"."""
        new = {"'ve": "have", "'re": "are", "'ll": "will"}.get(word.lower_)
        if word.lower_ == "'d":
            new = _had_or_would(word)
        if new:
            self.agreement[word.i] = _over(word, f" {new}")

    def edits(self, token: Token) -> list[Edit]:
        """What stands instead of a token; nothing when it stays."""
        low = token.lower_
        if token.i in self.agreement:
            return [self.agreement[token.i]]
        if _is_part_of_a_name(token):
            return []
        if low == "me" and token.dep_ in {"attr", "ROOT"}:
            self.problem = '"me" as what something is'
        if (
            low in lexicon.FIRST and (token.tag_ not in {"NN", "NNP"} or _after(token, "of"))
        ) or token.text == "I":
            return [self._named(token, low, self.turn.speaker)]
        if low in lexicon.WE and token.text != "US" and not (token.text == "Us" and token.pos_ == "PROPN"):
            return [self._grouped(token, low)]
        if low in lexicon.SECOND:
            return self._addressed(token, low)
        if self._is_own_kin(token):
            whose = "their" if token.i in self.pronouns else f"{self.turn.speaker}'s"
            shared = token.dep_ == "conj" and token.head.lemma_.lower() in lexicon.KIN  # "Mum and Dad"
            return [_over(token, low if shared else f"{whose} {low}")]
        if token.dep_ == "det" and (new := _pointing(token, low)) is not None:
            return [_over(token, new)]
        name = self.turn.called(token.text) if token.pos_ == "PROPN" else None
        if (
            name
            and name not in {token.text, self.turn.speaker}
            and token.text not in name.split()
            and token.ent_type_ in {"", "PERSON"}
        ):
            return [_over(token, name)]
        return []

    def _is_own_kin(self, token: Token) -> bool:
        """Between people "Mum" may be the listener's: a father says so to his daughter."""
        return self.turn.to_assistant and is_own_kin(token) and self.turn.called(token.text) is None

    def _named(self, token: Token, low: str, name: str) -> Edit:
        that = "that " if low == "i" and _begins_what_was_told(token) else ""
        if token.i in self.pronouns:
            return _over(token, that + _PRONOUN[low])
        if that:
            return _over(token, that + name)
        if _stresses_what_one_is(token):
            before = token.nbor(-1)
            return Edit(before.idx + len(before.text), token.idx + len(token.text), "")
        if low in {"myself", "yourself"}:
            # Only a name before it tells who "themselves" is.
            told = any(t.lower_ in {"i", "me", "my", "you"} for t in token.doc[: token.i])
            return _over(token, "themselves" if told else name)
        return _over(token, f"{name}'s" if low in {"my", "mine", "your", "yours"} else name)

    def _grouped(self, token: Token, low: str) -> Edit:
        after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
        if low == "us" and after is not None and after.lower_ == "all":
            self.group_named = True
            return Edit(token.idx, after.idx + len(after.text), "everybody")
        if token.i >= 2 and token.doc[token.i - 2 : token.i].text.lower() in {"both of", "two of"}:
            if not self.turn.addressee:
                self.problem = "it is not known who is addressed"
            return _over(token, f"{self.turn.speaker} and {self.turn.addressee}")
        later = {"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves"}
        rivals = any(t.tag_ in {"NNS", "NNPS"} or t.lower_ in {"they", "them", "their"} for t in token.doc)
        if low in {"we", "us"} and self.group_named and rivals:
            return _over(token, self.group)
        if self.group_named or low == "ourselves" or self._is_just_named(token, low):
            return _over(token, later[low])
        mutual = token.head.lemma_.lower() in lexicon.MUTUAL and not self.turn.to_assistant
        if low == "our" and mutual and self.turn.addressee:
            return _over(token, f"{self.turn.speaker} and {self.turn.addressee}'s")
        if low == "our" and self.turn.to_assistant and _is_of_everybody(token):
            return _over(token, "people's" if token.head.dep_ in NOMINAL_SUBJECTS else "their")
        if low == "our" and token.head.lemma_.lower() in _SHARED:
            return _over(token, "people's" if token.head.lower_ == "lives" else "the")
        if low in {"our", "ours"}:
            return _over(token, later[low] if _is_of_joint_subject(token) else f"{self.turn.speaker}'s")
        self.group_named = True
        return _over(token, self.group)

    def _is_just_named(self, token: Token, low: str) -> bool:
        """ "I went with my friend Kim, and we …": the words right before say who is meant."""
        last = self.group.rsplit(" ", 1)[-1]
        before = token.doc[self.begins : token.i]
        own = any(t.lower_ == "i" and t.dep_ in NOMINAL_SUBJECTS for t in before)
        return low == "we" and own and last != "others" and any(t.text == last for t in before)

    def _addressed(self, token: Token, low: str) -> list[Edit]:
        if self.turn.addressee is None:
            self.problem = "it is not known who is addressed"
            return []
        subject = low in {"you", "u", "ya"} and token.dep_ in NOMINAL_SUBJECTS
        if (subject and (self.turn.to_assistant or _is_generic(token))) or (
            low == "your" and self.turn.to_assistant
        ):
            self.problem = '"you" may mean anyone'
            return []
        return [self._named(token, low, self.turn.addressee)]

    def _agree(self, subject: Token) -> None:
        conjoined = any(child.dep_ == "conj" for child in subject.children)
        if subject.dep_ == "conj" or conjoined:
            return
        words = [word for word, _ in agreeing_words(subject)] or _next_verb(subject)
        agreeing = _with_they if subject.i in self.pronouns else partial(_with_name, subject)
        for word in words:
            if word.lower_ == "am" and word.i and word.nbor(-1).text[-1].isdigit():
                continue  # "7:15 am" is no verb, whatever the parser says
            if word.lower_ == "are" and word.i and word.nbor(-1).tag_ == "NNS":
                continue  # "I'm still working and things are looking up"
            new = f" {_had_or_would(word)}" if word.lower_ == "'d" else agreeing(word)
            if new is not None:
                self.agreement[word.i] = _over(word, new)


def _begins_what_was_told(subject: Token) -> bool:
    """ "I told Sam I would stay": two names beside each other would be one person's."""
    told = subject.head.head if subject.head.dep_ == "ccomp" else None
    before = subject.doc[subject.i - 1] if subject.i else None
    return before is not None and before.head == told and before.dep_ in {"dobj", "dative"}


def _is_of_everybody(our: Token) -> bool:
    """ "How our experiences shape our beliefs": said of nobody in particular."""
    clause = our.head.head
    if clause.pos_ != "VERB" or clause.tag_ not in {"VBP", "VBZ"}:
        return False
    others = {c.dep_ for c in clause.children if any(w.lower_ == "our" for w in c.lefts)}
    return {"nsubj", "dobj"} <= others and any(c.tag_ == "NNS" for c in clause.children if c.dep_ == "nsubj")


def _is_of_joint_subject(our: Token) -> bool:
    """ "My sister and I sold our house": nobody else stands between."""
    verb = next((over for over in our.ancestors if over.pos_ in {"VERB", "AUX"}), None)
    subject = subject_of(verb) if verb is not None else None
    if subject is None or not any(t.lower_ == "i" and t.dep_ == "conj" for t in subject.subtree):
        return False
    between = our.doc[subject.right_edge.i + 1 : our.i]
    return not any(t.tag_ in {"NNS", "NNPS"} or t.pos_ in {"PRON", "PROPN"} for t in between)


def _had_or_would(word: Token) -> str:
    return "had" if is_had(word) else "would"


def _with_they(word: Token) -> str | None:
    """A verb as it agrees with "they"; None: it stays."""
    return _WITH_THEY.get(word.lower_)


def _with_name(subject: Token, word: Token) -> str | None:
    """A verb of "I" or "you" as it agrees with a name; None: it stays."""
    past = word.tag_ == "VBD" and (tells_past(word) or bool(auxiliaries(word)))
    if word.tag_ in {"MD", "VBZ"} or ((past or word.tag_ in {"VBN", "VBG"}) and word.lower_ != "were"):
        return None
    if word.lower_ in _UNCHANGED:
        return None
    if word.lower_ == "were" and subject.lower_ == "i":
        return None  # "if I were": stays
    if tells_past(word):
        return None  # "I put": more often told than habitual
    new = third_person(word.text)
    glued = word.idx > 0 and word.text[0] in "'m" and not word.doc.text[word.idx - 1].isspace()
    return f" {new}" if glued and len(word.text) < 4 else new


def _told_by_pronoun(told: Sequence[Token], *, named: bool) -> frozenset[int]:
    """The words for the speaker that a pronoun may stand for: the name stands before, nobody else has been
    mentioned since whom "they" could mean, and nobody else is "they" in these words."""
    if any(token.lower_ in _OTHERS and token.lower_ not in lexicon.WE for token in told):
        return frozenset()
    found: set[int] = set()
    clear = named
    for token in told:
        if _stresses_what_one_is(token):
            continue
        if token.lower_ in _PRONOUN and (token.tag_ not in {"NN", "NNP"} or token.lower_ == "i"):
            joined = token.dep_ == "conj" or any(child.dep_ == "conj" for child in token.children)
            if clear and not (joined and token.lower_ == "i"):
                found.add(token.i)
            clear = True
        elif clear and is_own_kin(token):
            found.add(token.i)
            clear = False
        elif _may_be_they(token):
            clear = False
    return frozenset(found)


def _stresses_what_one_is(token: Token) -> bool:
    """ "As a musician myself, I ..."."""
    role = token.nbor(-1) if token.lower_ == "myself" and token.i else None
    return role is not None and role.pos_ == "NOUN" and role.dep_ == "pobj" and role.head.lower_ == "as"


def _may_be_they(token: Token) -> bool:
    several = token.tag_ in {"NNS", "NNPS"} and token.ent_type_ not in {"DATE", "TIME"}
    person = token.ent_type_ == "PERSON" or token.lemma_.lower() in lexicon.PERSON | lexicon.GROUP
    return several or person or token.lower_ in _OTHERS


def _pointing(token: Token, low: str) -> str | None:
    """What stands for a "this" or "that" before a noun; None: the word itself."""
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if marks_clause(token) or (token.i and token.text.istitle()):
        return None  # "the podcast This American Life"
    if low == "these" and token.head.tag_ == "NNS" and _is_met(token.head):
        return ""
    if low == "this" and following == "one":
        return ""
    if low == "this" and following and token.head.dep_ in {"dobj", "attr", "pobj"} and _is_new(token.head):
        return article_for(following)
    if token.doc.text[token.idx :].lower().startswith("this time of "):
        return None  # "of the year"
    if (low, token.head.lemma_.lower()) in _STANDING:
        return None
    timely = token.head.lemma_.lower() in {
        "way",
        "stage",
        "point",
        "age",
        *lexicon.TEMPORAL - {"moment", "time"},
    }
    return "the" if low in lexicon.POINTING and token.tag_ == "DT" and not timely else None


def _is_met(noun: Token) -> bool:
    """Colloquial "these" for none: "I've been having these vivid dreams"."""
    verb = noun.head
    described = any(child.dep_ in {"amod", "compound"} for child in noun.lefts)
    return (
        noun.dep_ == "dobj" and described and verb.lemma_ in _MEETING and verb.tag_ in {"VBG", "VBD", "VBN"}
    )


def _is_new(noun: Token) -> bool:
    """Colloquial "this" for "a": "I got this great book", "there was this game", "wrote on this play"."""
    over = noun.head.head.head if noun.dep_ == "pobj" and noun.head.head.dep_ == "dobj" else noun.head
    return over.tag_ == "VBD" and noun.tag_ == "NN"


def _over(token: Token, new: str) -> Edit:
    return Edit(token.idx, token.idx + len(token.text), new)


def _next_verb(subject: Token) -> list[Token]:
    """Where the parser lost the subject: the next word that is a verb, adverbs skipped."""
    for token in subject.doc[subject.i + 1 : subject.i + 4]:
        if token.pos_ == "ADV":
            continue
        return [token] if token.tag_ in {"VBP", "VB"} else []
    return []


def _is_generic(token: Token) -> bool:
    """ "You" as subject of a present-tense subordinate clause or modal: "when you finish a book"."""
    verb = token.head
    if token.dep_ not in NOMINAL_SUBJECTS:
        return False
    words = [child for child in verb.lefts if child.dep_ in {"aux", "auxpass"}]
    finite = words[0] if words else verb
    if finite.tag_ in {"VBD"}:
        return False
    return verb.dep_ not in {"ccomp"} or verb.head.lemma_ not in {"hope", "think", "know", "glad", "hear"}


def _after(token: Token, word: str) -> bool:
    """Whether it stands right after a word; the first token of a sentence after none."""
    return token.i > 0 and token.nbor(-1).lower_ == word


def _is_part_of_a_name(token: Token) -> bool:
    """ "Me-time", "the Western Digital My Book", "the Mustang I V2", "the World War I museum"."""
    if token.text == "I" and 0 < token.i < len(token.doc) - 1 and token.nbor(-1).pos_ == "PROPN":
        return token.nbor(-1).text in NUMBERED or token.nbor().is_punct or token.nbor().text[0].isupper()
    if token.i + 1 < len(token.doc) and token.nbor().text == "-" and not token.whitespace_:
        return True
    return token.text in {"My", "Our", "Your", "We", "You"} and token.i > 0 and not token.nbor(-1).is_punct


def article_for(following: str) -> str:
    """The indefinite article before a word in small letters; empty where there can be none ("one")."""
    if following == "one":
        return ""
    vowel = following[0] in "aeiou" and not following.startswith(("uni", "use", "eu"))
    return "an" if vowel else "a"
