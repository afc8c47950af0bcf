"""Small questions to a dependency parse.

Answers come from spaCy's tree alone; where the tree is wrong, so is the answer, which is why
`rewrite` checks its results again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import is_simple_past

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_ITS_OWN_PARTICIPLE = frozenset(
    "become bet burst come cost cut hit hurt let overcome put quit read run set shut split spread".split()
)
_HABIT = re.compile(
    r"\b(?:every|each|always|often|usually|sometimes|never|normally|regularly|daily|weekly|still|generally"
    r"|whenever)\b",
    re.IGNORECASE,
)
_OFTEN = frozenset({"often", "usually", "always", "sometimes", "never"})
NOMINAL_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
SUBJECTS = NOMINAL_SUBJECTS | {"csubj", "csubjpass", "expl"}
_GOING = frozenset({"go", "goes", "went"})
_STATES = frozenset({"want", "need", "love", "like", "prefer", "hope"})
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})


def root_of(doc: Doc) -> Token | None:
    """The sentence's main verb, or what stands for it."""
    return next((token for token in doc if token.dep_ == "ROOT"), None)


def subject_of(verb: Token) -> Token | None:
    """The verb's own subject; that of its helping verb, where the parser hangs it there ("I got hired",
    "I have been meaning to", "I went swimming")."""
    own = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    if own is not None:
        return own
    helpers = [
        child
        for child in verb.lefts
        if (child.dep_ == "auxpass" and child.lemma_ == "get")
        or (child.dep_ == "aux" and (child.tag_ == "VBN" or child.lower_ in _GOING))
    ]
    return next((child for helper in helpers for child in helper.children if child.dep_ in SUBJECTS), None)


def inherited_subject(verb: Token) -> Token | None:
    """The verb's own subject or, for a coordinated verb, that of the verb it is joined to."""
    while True:
        subject = subject_of(verb)
        if subject is not None or verb.dep_ != "conj" or verb.head.pos_ not in {"VERB", "AUX"}:
            return subject
        verb = verb.head


def first_of_several(word: Token) -> Token:
    """The first member of the list that a word is in ("tea" for "milk" in "tea and milk"); else itself."""
    while word.dep_ == "conj":
        word = word.head
    return word


def is_had(word: Token) -> bool:
    """Whether a contracted "'d" stands for "had": "I'd been", "I'd never seen", "I'd better"."""
    if word.lower_ != "'d":
        return False
    if any(child.lower_ == "be" and child.dep_ in {"aux", "auxpass"} for child in word.head.children):
        return False
    after = word.doc[word.i + 1 : word.i + 3]
    participle = word.head.tag_ == "VBN" and (
        word.head.lower_ != word.head.lemma_.lower() or word.head.lower_ in _ITS_OWN_PARTICIPLE
    )  # "we'd all get comfy": the parser takes any for one
    return participle or any(t.lower_ in {"been", "better", "had"} for t in after)


def auxiliaries(verb: Token) -> list[Token]:
    """The helping verbs of a verb, one that follows it among them."""
    before = [child for child in verb.lefts if child.dep_ in {"aux", "auxpass"}]
    of_helper = [child for child in before[0].lefts if child.dep_ == "aux"] if before else []
    after = [c for c in verb.rights if c.dep_ in {"aux", "auxpass"} and c.i == verb.i + 1]
    return [*of_helper, *before, *after]


def finite_word(verb: Token) -> Token | None:
    """The word of the verb group that agrees with the subject: its first auxiliary, or itself."""
    helpers = auxiliaries(verb)
    if helpers:
        return helpers[0] if helpers[0].lower_ != "to" else None
    return verb


def is_verb(word: Token) -> bool:
    """Whether a word is a verb; so is a participle that is read as an adjective ("I was married to Jo")."""
    passive = word.pos_ == "ADJ" and any(child.dep_ == "auxpass" for child in word.lefts)
    return word.pos_ in {"VERB", "AUX"} or passive


def is_finite(verb: Token) -> bool:
    """Whether the verb, or its first auxiliary, has a tense."""
    word = finite_word(verb)
    return word is not None and word.tag_ in FINITE


def agreeing_words(subject: Token) -> list[tuple[Token, bool]]:
    """The words that must agree with `subject`: its verb's and those of the verbs joined to it.
    The flag says the word is certainly finite (not merely tagged as a base form)."""
    verb = subject.head
    if subject.dep_ not in SUBJECTS or verb.pos_ not in {"VERB", "AUX"}:
        return []
    first = finite_word(verb)
    if first is None:
        return []
    found = [(first, True)]
    plain = first == verb
    bare = first.tag_ == "MD" or any(child.dep_ == "xcomp" for child in verb.children)
    queue = [child for child in verb.children if child.dep_ == "conj"]
    aims = [child for child in verb.children if child.dep_ == "xcomp"]
    aims += [
        c for child in verb.children if child.dep_ == "prep" for c in child.children if c.dep_ == "pcomp"
    ]
    queue += [c for aim in aims for c in aim.children if c.dep_ == "conj" and _is_own_clause(c)]
    while queue:
        joined = queue.pop(0)
        if joined.pos_ not in {"VERB", "AUX"} or subject_of(joined) is not None:
            continue
        if any(t.dep_ == "relcl" and t.tag_ == "VBP" for t in joined.doc[verb.i : joined.i]):
            continue  # "lights that are bright and have a sensor"
        word = finite_word(joined)
        if joined.tag_ == "VB" and any(
            t.lower_ == "to" and t.dep_ == "aux" for t in joined.doc[verb.i : joined.i]
        ):
            continue  # "a pedal to even out the sound and add sustain"
        between = joined.doc[verb.i : joined.i]
        if {"maybe", "perhaps"} & {t.lower_ for t in joined.lefts} and any(t.tag_ == "MD" for t in between):
            continue  # "I think I'll run and maybe swim"
        if joined.tag_ == "VB" and first.tag_ == "VBD":
            continue  # "got rid of my old area rug and replaced it"
        if word is not None and (
            word != joined
            or (word.tag_ in FINITE and (plain or not bare or word.lower_ in _STATES))
            or (word.tag_ == "VB" and verb.tag_ in {"VBG", "VBN"} and not (plain or bare))
            or (plain and verb.dep_ == "ROOT" and word.tag_ == "VB" and first.tag_ in {"VBP", "VB"})
        ):
            found.append((word, True))
        queue += [child for child in joined.children if child.dep_ == "conj"]
    return found


def _is_own_clause(verb: Token) -> bool:
    """ "I like to have a choice and often find a bargain": no second thing that one likes to do."""
    often = verb.lower_ in _STATES or any(child.lower_ in _OFTEN for child in verb.lefts)
    behind = verb.head.tag_ == "VBG" and verb.tag_ == "VB"  # "thinking of moving and need advice"
    return ((verb.tag_ == "VBP" or behind) and often) or bool(auxiliaries(verb))


def tells_past(verb: Token) -> bool:
    """Whether a verb without a helper tells of the past: by its form or, where the past looks like the
    present ("I quit"), because nothing marks a present habit."""
    bare = not auxiliaries(verb)
    if verb.lower_ in lexicon.SAME_IN_PAST and bare and verb.tag_ in {"VBD", "VBP", "VB"}:
        return (
            not _tells_habit(verb)
            or _is_dated_back(verb)
            or (
                verb.tag_ == "VBD"
                and (any(t.tag_ == "VBD" and t != verb for t in verb.doc) or " as a " in verb.doc.text)
            )
        )
    if verb.tag_ in {"VBP", "VB"} and bare:
        return is_simple_past(verb.lower_)
    return verb.tag_ == "VBD"


def _tells_habit(verb: Token) -> bool:
    """ "I quit every week"; not "I quit, and I still cough"."""
    marks = {match.start() for match in _HABIT.finditer(verb.doc.text)}
    return any(token.idx in marks and verb_over(token) == verb for token in verb.doc)


def _is_dated_back(verb: Token) -> bool:
    """ "I set a daily limit a month ago": the past of the verb itself, which says nothing of how often."""
    if any(child.lower_ in _OFTEN for child in verb.children):
        return False
    back = (token for token in verb.doc if token.lower_ in {"ago", "yesterday"})
    return any(verb_over(token) == verb for token in back)


def verb_over(token: Token) -> Token | None:
    """The nearest verb that a word hangs from."""
    return next((head for head in token.ancestors if head.pos_ in {"VERB", "AUX"}), None)


def marks_clause(word: Token) -> bool:
    """ "I heard that hill repeats help": the parser takes the "that" before a plural for a determiner."""
    return word.lower_ == "that" and word.dep_ == "det" and word.head.tag_ in {"NNS", "NNPS"}


def is_negated(verb: Token) -> bool:
    """Whether the verb is said not to hold: "not", "never", "no longer"."""
    return any(
        child.dep_ == "neg"
        or child.lower_ in {"never", "hardly", "rarely"}
        or (child.lower_ == "longer" and any(word.lower_ == "no" for word in child.children))
        for child in verb.children
    )


def within(token: Token, low: int, high: int) -> bool:
    """Whether the token lies in low:high."""
    return low <= token.i < high


def splices(doc: Doc) -> list[int]:
    """Where a comma alone stands between two sentences: "The boat leaked, it cost me a year"."""
    return [token.idx for token in doc[1:-1] if token.text == "," and _is_spliced(token)]


def elided(doc: Doc) -> list[int]:
    """Where a comma alone stands between two deeds of one subject: "We went to the lake, had a swim"."""
    return [token.idx for token in doc[1:-1] if token.text == "," and _is_elided(token)]


def _is_elided(comma: Token) -> bool:
    verb = comma.nbor()
    if (
        verb.tag_ != "VBD"
        or verb.dep_ not in {"conj", "advcl", "ccomp", "dep", "parataxis"}
        or subject_of(verb)
    ):
        return False
    if verb.head.i > comma.i or verb.head.tag_ not in {"VBD", "VBZ", "VBP"} or auxiliaries(verb):
        return False
    return not any(
        t.dep_ == "cc" and t.lower_ in {"and", "or"}
        for t in comma.doc[verb.i :]
        if t.head in (verb, verb.head)
    )


_BEGINS = frozenset({"-", "--", "\u2013", "\u2014", ";", ":", "and", "but", "or", "so"})
_DEPENDENT = frozenset(
    "when whenever if while since with without as because after before although though until once".split()
)
_TELLING = lexicon.THINKING | lexicon.REPORTING | {"mean", "hope", "know"}


def _is_spliced(comma: Token) -> bool:
    subject = next((t for t in (comma.nbor(), *comma.nbor().ancestors) if t.dep_ in NOMINAL_SUBJECTS), None)
    if subject is None or subject.left_edge.i != comma.i + 1 or not is_finite(subject.head):
        return False
    if subject.tag_ != "PRP" and comma.nbor().lower_ not in {"my", "our", "the", "his", "her", "their"}:
        return False
    second = subject.head
    if subject.tag_ in {"WP", "WDT"} or second.dep_ in {"relcl", "acl"}:
        return False
    if second.lemma_.lower() in _TELLING or any(
        child.dep_ in {"mark", "cc", "advmod"} and child.i < comma.i for child in second.children
    ):
        return False
    first = _joined_by_nothing(second, comma)
    return first is not None and _is_sentence(first, comma)


def _joined_by_nothing(second: Token, comma: Token) -> Token | None:
    """The verb before a comma that the verb behind it is joined to, or takes for what is said."""
    if second.dep_ == "ROOT":
        return next((c for c in second.children if c.dep_ == "ccomp" and c.i < comma.i), None)
    return second.head if second.dep_ in {"ccomp", "parataxis", "conj"} and second.head.i < comma.i else None


def _may_begin(joint: Token) -> bool:
    """Whether a sentence may begin after it; the hyphen of "ring-toss" begins none."""
    inside = joint.text == "-" and joint.i > 0 and not joint.nbor(-1).whitespace_
    return joint.lower_ in _BEGINS and joint.dep_ != "advmod" and not inside


def _is_sentence(first: Token, comma: Token) -> bool:
    """Whether the words right before a comma are a sentence: no "when I rest", no "it was so hot"."""
    doc = comma.doc
    begin = max((t.i + 1 for t in doc[: comma.i] if _may_begin(t)), default=0)
    subject = subject_of(first)
    if first.pos_ not in {"VERB", "AUX"} or subject is None or not is_finite(first):
        return False
    words = {token.lower_ for token in doc[begin : comma.i]}
    if any(child.dep_ == "acomp" and child.lower_ in {"sure", "certain", "glad"} for child in first.children):
        return False  # "I'm sure with my hard work, I can"
    return min(first.i, subject.i) >= begin and doc[begin].lower_ not in _DEPENDENT and "so" not in words
