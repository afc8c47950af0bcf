"""What the words of a standalone English statement say, as far as rules need it.

No parser and no model: the lexicon and the inflection that extraction uses too. It reads what a person or a
model wrote as well as what extraction did, so there is no parse to ask. A statement names its subject first
("Melanie adopted a dog"), as extraction writes it. What these functions cannot tell they leave out, so that a
rule that needs it stays silent.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import BASES, FIGURES, is_irregular_past, stem
from memcore.nlp.language.words.told_in import without_note

_WORD = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*|[$€£%]")
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w-]*")
_NAME = r"[^\W\d_a-z][\w-]*"
_SUBJECT = re.compile(
    rf"(?P<who>{_NAME}(?:\s{_NAME})*(?:,?\sand\s(?:{_NAME}|others))*)(?P<whose>['’]s?\s+[\w-]+)?\s+(?=\S)"
)

_VERB = r"(?:has|have|had|is|was|are|were|does|did|will|would|can)"
# "Now, ", "On 7 May 2023 ", "In the week of 1 May 2023, ": what may stand before the subject
# ("Ann sees Ann's doctor, Kim": this does not)
_LEAD = re.compile(
    rf"(?P<lead>(?!{_NAME}(?:\s{_NAME})* (?:{_VERB}|[a-z]+ed|found|got|bought|met|saw|made|took)\b|"
    rf"(?P<first>{_NAME})\b.*\b(?P=first)['’]s\b)[^,.;:]{{1,40}},"
    rf"|(?:On|In|Around|By|Since) [^,.;:]{{1,30}}\d{{4}}"
    rf"|\d{{1,2}} [A-Z][a-z]+ \d{{4}} (?:was|is|will be)(?= {_NAME}['’]s ))\s+(?={_NAME})"
)
SPOKEN = re.compile(r"(?:As of|Shortly before) [^,.;]*\d{4}, ")
"""The day on which it was said: two days on which the same is said make no two statements."""

ENOUGH_WORDS = 3
"""Content words beside the subject that make a statement specific; two do in a plain one that
begins alike ("adopted a dog")."""

_TITLE = re.compile(r"[\"“][^\W\d_a-z][^\"“”.?!]{0,60}[\"”]")
"""A title in quotation marks says nothing: "Ethereal Dreams" is no dream of anybody's."""
CONDITION = r"if|unless|whether|would|could|might|may|should|maybe|perhaps|probably"
"""Words, as a pattern, by which something is not so yet."""
_MOODS = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in {
        "plan": r"plan(?:s|ned|ning)?|want(?:s|ed)?|hop(?:es?|ed|ing)|intend(?:s|ed)?|aim(?:s|ing)?|"
        r"wish(?:es)?|decided|going to|about to|set to|eager|keen|ready|like to|love to|excited|wait|"
        r"looking (?:forward|to)|"
        r"will|consider\w*|dream(?:s|ing)?|thinking|prepar(?:es|ing)|interested|goal|"
        r"need(?:s|ed)? to|ha(?:s|ve) to",
        "condition": CONDITION,
        "report": r"thinks?|believes?|says?|said|told|tells|asks?|asked|suggest\w*|recommend\w*|encourag\w*|"
        r"offer\w*|advis\w+|agrees?|agreed|feels?|felt|wonders?|heard|hears|knows|remembers?|mention\w*",
        "formerly": r"used to|formerly|previously|in the past|once was",
        "able": r"can|able to",
        "attempt": r"tr(?:y|ies|ied|ying)|start\w*|beg[aiu]n\w*|stop\w*|quits?|finish\w*|continu\w*",
    }.items()
}


# "has a dog", "is not the owner": here the verb is not an auxiliary but says something itself
_HAS_OR_IS = re.compile(
    rf"(?:(?:\w+ly|also|still|now|just|already) )*(has|had|is|was|are|were)(?:n't| not)?(?: got)? "
    rf"(?:(?:\w+ly|also|still|now|just|already) )*"
    rf"(?:an?|the|\d+|{'|'.join(FIGURES)})\b"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A statement taken apart. `subject` is who it is about ("melanie", "melanie's dog"; empty: not
    clear), `rest` what is said of them, as written; `words` are the stems of what carries content,
    in order, without the subject's; `figures` the numbers and `names` the capitalised among them;
    `negations` how often it negates;
    `moods` what keeps it from being plain fact (plan, condition, report, ...)."""

    subject: str
    rest: str
    words: tuple[str, ...]
    figures: frozenset[str]
    names: frozenset[str]
    negations: int
    moods: frozenset[str]
    past: bool


@lru_cache(maxsize=20_000)
def wording(text: str) -> Wording:
    """Take a statement apart.

    >>> w = wording("Melanie adopted two dogs in May 2023")
    >>> w.subject, w.words, sorted(w.figures), w.past
    ('melanie', ('adopt', '2', 'dog', 'may', '2023'), ['2', '2023'], True)
    """
    subject, rest = _split_subject(text)
    tokens = _tokens(rest)
    empty = lexicon.EMPTY | lexicon.NEGATIONS | set(_tokens(subject))
    words = tuple(stem(token) for token in tokens if token not in empty)
    verb = _HAS_OR_IS.match(rest)
    if verb is not None:
        words = (stem(BASES.get(verb[1], "be")), *words)
    return Wording(
        subject=subject,
        rest=rest,
        words=words,
        figures=frozenset(word for word in words if any(char.isdigit() for char in word)),
        names=frozenset(stem(name.casefold()) for name in _CAPITALISED.findall(rest)),
        negations=sum(token in lexicon.NEGATIONS for token in tokens),
        moods=frozenset(name for name, pattern in _MOODS.items() if pattern.search(_TITLE.sub("", rest))),
        past=_is_past(tokens),
    )


def contains_content(text: str, part: str) -> bool:
    """Whether `text` says all that `part` says: about the same subject, with the same content words
    in the same order, the same figures, negations and moods, possibly with more between them.

    >>> contains_content("Melanie adopted a brown dog from the shelter", "Melanie adopted a dog")
    True
    >>> contains_content("Melanie did not adopt a dog", "Melanie adopted a dog")
    False
    """
    whole, piece = wording(text), wording(part)
    begins_alike = not piece.moods and piece.words[:1] == whole.words[:1]
    return (
        len(piece.words) >= ENOUGH_WORDS - begins_alike
        and whole.subject == piece.subject
        and whole.negations == piece.negations
        and whole.moods == piece.moods
        and is_subsequence(piece.words, whole.words)
        and (len(piece.words) >= ENOUGH_WORDS or not _is_compounded(piece.words[-1], whole.rest))
    )


def _is_compounded(word: str, rest: str) -> bool:
    """Whether the word (a stem) is only the first part of another: "dog" in "a dog bed"."""
    found = list(_WORD.finditer(rest.casefold()))
    for this, following in itertools.pairwise(found):
        if stem(this[0]) == word:
            beside = rest[this.end() : following.start()].isspace()
            token = following[0]
            inflected = len(token) > 4 and token.endswith(("ed", "ing", "ly"))
            return (
                beside
                and token not in lexicon.EMPTY | lexicon.LINKING
                and not token[0].isdigit()
                and not inflected
            )
    return False


def is_subsequence(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether the words of `part` occur in `whole` in the same order."""
    remaining = iter(whole)
    return all(word in remaining for word in part)


def _split_subject(text: str) -> tuple[str, str]:
    text = SPOKEN.sub("", without_note(text))
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    match = _SUBJECT.match(text, start)
    if match is None:
        return "", text
    whose = re.sub(r"^['’]s?\s+", "'s ", match["whose"] or "")
    rest = f"{text[match.end() :]}{' ' + lead['lead'] if lead else ''}"
    return (match["who"] + whose).casefold(), rest


def _tokens(text: str) -> list[str]:
    tokens = []
    for token in _WORD.findall(text.replace("’", "'").casefold()):
        if token.endswith("n't"):
            tokens += [{"ca": "can", "wo": "will"}.get(token[:-3], token[:-3]), "not"]
        elif token == "cannot":
            tokens += ["can", "not"]
        else:
            tokens += [part for part in token.split("'") if part]
    return tokens


def _is_past(tokens: list[str]) -> bool:
    """Whether the first verb form among the first words is a past tense."""
    for token in tokens[:3]:
        if token in ("was", "were", "had", "did"):
            return True
        if token in ("is", "are", "has", "have", "does", "do", "will", "can"):
            return False
        if is_irregular_past(token) or token in lexicon.SAME_IN_PAST:
            return True
        if token.endswith("ed") and len(token) > 3 and token not in ("need", "feed"):
            return True
        if token.endswith("s") and token not in lexicon.EMPTY and not token.endswith("ss"):
            return False
    return False


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them.

    >>> listed(["tea", "rice", "salt"])
    'tea, rice and salt'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
