"""What the words of a standalone English statement say, as far as rules need it.

No parser and no model: word lists, PyStemmer's Snowball stems and a table of irregular verbs. A
statement names its subject first ("Melanie adopted a dog"), as extraction writes it. What these
functions cannot tell they leave out, so that a rule that needs it stays silent.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cache, lru_cache

import Stemmer

_WORD = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*|[$€£%]")
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w-]*")
_NAME = r"[^\W\d_a-z][\w-]*"
_SUBJECT = re.compile(
    rf"(?P<who>{_NAME}(?:\s{_NAME})*(?:,?\sand\s(?:{_NAME}|others))*)(?P<whose>['’]s?\s+[\w-]+)?\s+(?=\S)"
)

# "Now, ", "On 7 May 2023 ", "In the week of 1 May 2023, ": what may stand before the subject
_LEAD = re.compile(
    rf"(?P<lead>[^,.;:]{{1,40}},|(?:On|In|Around|By|Since) [^,.;:]{{1,30}}\d{{4}})\s+(?={_NAME})"
)

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
    if word != "one"  # mostly a pronoun
} | {"once": "1", "twice": "2", "second": "2nd", "third": "3rd", "thirty": "30", "forty": "40", "fifty": "50"}

_NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely longer anymore".split()
)
# Words that carry no content of their own. Prepositions that turn a meaning round are not among them.
_STOP = frozenset(
    "a an the this that these those some any such it its he she they them his her their him hers theirs "
    "himself herself themselves itself i me my we us our you your who which what there here and or but so as "
    "of in on at to for with by onto about over up out through during is are was were be been being am "
    "has have had having do does did doing get gets got getting s also too very really quite just even still "
    "now then currently recently lately already well much many more most lot lots bit both all own always "
    "often usually definitely truly deeply absolutely actually especially particularly mainly one way time "
    "times will would think thinks thinking".split()
)
# Content in themselves, but never the second half of a compound noun.
_LINKS = frozenset(
    "from into because when while since until before after than without around near if like not no".split()
)
_IRREGULAR = {
    past: base
    for base, pasts in {
        "become": "became", "begin": "began begun", "bite": "bit bitten", "blow": "blew blown",
        "break": "broke broken", "bring": "brought", "build": "built", "buy": "bought", "catch": "caught",
        "choose": "chose chosen", "come": "came", "deal": "dealt", "die": "dying", "do": "did done does",
        "draw": "drew drawn", "drink": "drank drunk", "drive": "drove driven", "eat": "ate eaten",
        "fall": "fell fallen", "feel": "felt", "fight": "fought", "find": "found", "fly": "flew flown flies",
        "forget": "forgot forgotten", "get": "got gotten", "give": "gave given", "go": "went gone goes",
        "grow": "grew grown", "have": "had has", "hear": "heard", "hold": "held", "keep": "kept",
        "know": "knew known", "lead": "led", "leave": "left", "lend": "lent", "lose": "lost", "make": "made",
        "mean": "meant", "meet": "met", "pay": "paid", "ride": "rode ridden", "ring": "rang rung",
        "run": "ran", "say": "said", "see": "saw seen", "sell": "sold", "send": "sent", "shoot": "shot",
        "show": "shown", "sing": "sang sung", "sit": "sat", "sleep": "slept", "speak": "spoke spoken",
        "spend": "spent", "stand": "stood", "steal": "stole stolen", "swim": "swam swum",
        "take": "took taken",
        "teach": "taught", "tell": "told", "think": "thought", "throw": "threw thrown",
        "understand": "understood", "wake": "woke woken", "wear": "wore worn", "win": "won",
        "write": "wrote written",
    }.items()
    for past in pasts.split()
}  # fmt: skip
_PRESENT_FORMS = frozenset("has does goes flies dying".split())
_SAME_IN_PAST = frozenset("put cut hit let set quit read hurt cost shut spread broke got".split())

ENOUGH_WORDS = 3
"""Content words beside the subject that make a statement specific; two do in a plain one that
begins alike ("adopted a dog")."""

_MOODS = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in {
        "plan": r"plan(?:s|ned|ning)?|want(?:s|ed)?|hop(?:es?|ed|ing)|intend(?:s|ed)?|aim(?:s|ing)?|"
        r"wish(?:es)?|decided|going to|about to|set to|eager|keen|ready|like to|love to|excited|wait|"
        r"looking (?:forward|to)|"
        r"will|consider\w*|dream(?:s|ing)?|thinking|prepar(?:es|ing)|interested|goal|"
        r"need(?:s|ed)? to|ha(?:s|ve) to",
        "condition": r"if|unless|whether|would|could|might|may|should|maybe|perhaps|probably",
        "report": r"thinks?|believes?|says?|said|told|tells|asks?|asked|suggest\w*|recommend\w*|encourag\w*|"
        r"offer\w*|advis\w+|agrees?|agreed|feels?|felt|wonders?|heard|hears|knows|remembers?|mention\w*",
        "formerly": r"used to|formerly|previously|in the past|once was",
        "able": r"can|able to",
        "attempt": r"tr(?:y|ies|ied|ying)|start\w*|beg[aiu]n\w*|stop\w*|quits?|finish\w*|continu\w*",
    }.items()
}


# "has a dog", "is not the owner": here the verb is not an auxiliary but says something itself
_HAS_OR_IS = re.compile(
    rf"(?:(?:\w+ly|also|still|now|just|already) )*(has|had|is|was|are|were)(?:n't| not)? "
    rf"(?:(?:\w+ly|also|still|now|just|already) )*"
    rf"(?:an?|the|\d+|{'|'.join(_NUMBERS)})\b"
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
    empty = _STOP | _NEGATIONS | set(_tokens(subject))
    words = tuple(stem(token) for token in tokens if token not in empty)
    verb = _HAS_OR_IS.match(rest)
    if verb is not None:
        words = (stem(_IRREGULAR.get(verb[1], "be")), *words)
    return Wording(
        subject=subject,
        rest=rest,
        words=words,
        figures=frozenset(word for word in words if any(char.isdigit() for char in word)),
        names=frozenset(stem(name.casefold()) for name in _CAPITALISED.findall(rest)),
        negations=sum(token in _NEGATIONS for token in tokens),
        moods=frozenset(name for name, pattern in _MOODS.items() if pattern.search(rest)),
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
            return beside and token not in _STOP | _LINKS and not token[0].isdigit() and not inflected
    return False


def is_subsequence(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether the words of `part` occur in `whole` in the same order."""
    remaining = iter(whole)
    return all(word in remaining for word in part)


def stem(word: str) -> str:
    """One form for all inflections of a word, numbers in figures.

    >>> [stem(w) for w in ("hiking", "hikes", "went", "dogs", "two")]
    ['hike', 'hike', 'go', 'dog', '2']
    """
    base = _NUMBERS.get(word) or _IRREGULAR.get(word, word)
    return str(_stemmer().stemWord(base))


def _split_subject(text: str) -> tuple[str, str]:
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
        if token in _IRREGULAR and token not in _PRESENT_FORMS:
            return True
        if token in _SAME_IN_PAST or (
            token.endswith("ed") and len(token) > 3 and token not in ("need", "feed")
        ):
            return True
        if token.endswith("s") and token not in _STOP and not token.endswith("ss"):
            return False
    return False


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")
