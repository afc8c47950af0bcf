"""Words of a raw text, and which of them compression must not drop.

A word is a run of letters and digits with what belongs inside it: contractions, hyphens, decimal
points, currency and percent signs. It is kept or dropped whole. The punctuation around it is a word
of its own (a mark), as in LLMLingua-2. Protection knows English negations, number words and
expressions of time, and capitalised names by their place in the sentence; it parses nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

Span = tuple[int, int]

# dashes, ellipses and East Asian punctuation join words without space; all else between spaces is one
# word and its marks
_JOINING = "—–…、。，．！？；：「」『』（）【】《》〈〉"
_CHUNK = re.compile(rf"[{_JOINING}]+|\.{{2,}}|-{{2,}}|(?:(?!\.\.|--)[^\s{_JOINING}])+")
_OPENS_SENTENCE = re.compile(r"[.!?…\n]|:\s")
_BEFORE_NUMBER = frozenset("$€£¥+-#")
_AFTER_NUMBER = frozenset("%°")

NEGATIONS = frozenset(
    "no not never none nobody nothing nowhere neither nor cannot without hardly barely "
    "ain't cant dont didnt doesnt wont wouldnt couldnt shouldnt isnt arent wasnt werent havent hasnt "
    "hadnt".split()
)
NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "hundreds thousand thousands million millions billion billions dozen dozens half quarter couple "
    "once twice first second third fourth fifth sixth seventh eighth ninth tenth".split()
)
TIMES = frozenset(
    "yesterday today tomorrow tonight ago monday tuesday wednesday thursday friday saturday sunday "
    "january february march april june july august september october november december".split()
)
_RELATIVE = frozenset({"last", "next"})
# what a rule about words looks at in words that hyphens or slashes join
_PART = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_UNITS = frozenset(
    "night day week weekend month year spring summer fall autumn winter monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november "
    "december".split()
)
_PAST_UNITS = frozenset("minutes hours days weeks weekends months years hour day week month year".split())
_INTERJECTIONS = frozenset(
    "a aw aww awww awesome bye cheers congrats congratulations cool damn exactly gosh great haha hello hey "
    "hi hmm hooray huh hurray lol nah nope oh okay ok omg ouch please sorry sure thanks ugh welcome whoa wow "
    "yay yeah yep yes yo yup".split()
)


def word_spans(text: str) -> list[Span]:
    """Character spans of the words and marks; together they are all characters but white space.

    >>> text = "I don't pay **$3.50**—never!"
    >>> [text[start:end] for start, end in word_spans(text)]
    ['I', "don't", 'pay', '**', '$3.50', '**', '—', 'never', '!']
    """
    return [span for match in _CHUNK.finditer(text) for span in _parts(text, *match.span())]


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """A chunk's leading marks, its word and its trailing marks, as far as it has them."""
    first, last = start, end
    while first < end and unicodedata.category(text[first])[0] not in "LN":
        first += 1
    if first == end:
        yield start, end
        return
    while unicodedata.category(text[last - 1])[0] not in "LNM":
        last -= 1
    if text[first].isdigit():
        while first > start and text[first - 1] in _BEFORE_NUMBER:
            first -= 1
    elif first > start and text[first - 1] in "#@":
        first -= 1
    if last < end and text[last - 1].isdigit() and text[last] in _AFTER_NUMBER:
        last += 1
    if start < first:
        yield start, first
    yield first, last
    if last < end:
        yield last, end


def protected_words(text: str, spans: Sequence[Span]) -> list[bool]:
    """For each word, whether it is a number, a negation, a time or a capitalised name.

    A capitalised word that opens a sentence is taken for a name unless it is an interjection or
    English writes it small elsewhere (`weights/ordinary_words.txt`); "I" and its contractions are no names.

    >>> text = "Yes, Caroline didn't pay 30 dollars last week. Painting helps."
    >>> spans = word_spans(text)
    >>> [text[a:b] for (a, b), must in zip(spans, protected_words(text, spans)) if must]
    ['Caroline', "didn't", '30', 'last', 'week']
    """
    words = [i for i, (start, end) in enumerate(spans) if any(map(str.isalnum, text[start:end]))]
    plain = [text[spans[i][0] : spans[i][1]].replace("’", "'") for i in words]
    lower = [*(word.lower() for word in plain), ""]
    flags = [False] * len(spans)
    for at, i in enumerate(words):
        preceding, word, following = lower[at - 1] if at else "", lower[at], lower[at + 1]
        opens = not at or bool(_OPENS_SENTENCE.search(text[spans[words[at - 1]][1] : spans[i][0]]))
        flags[i] = (
            any(map(str.isdigit, word))
            or any(map(_is_negation_or_number, _PART.findall(word)))
            or word in TIMES
            or (word in _RELATIVE and following in _UNITS)
            or (word in _UNITS and preceding in _RELATIVE)
            or (word in _PAST_UNITS and following == "ago")
            or _is_name(plain[at], opens_sentence=opens)
        )
    return flags


def _is_negation_or_number(part: str) -> bool:
    return part in NEGATIONS or "n't" in part or part in NUMBER_WORDS


def _is_name(word: str, *, opens_sentence: bool) -> bool:
    if not word.lstrip("@#")[:1].isupper():
        return False
    stem = word.lower().split("'")[0]
    if stem == "i":
        return False
    # gerunds open many sentences and few names end like them
    return not opens_sentence or not (
        stem in _ordinary_words() or stem in _INTERJECTIONS or (stem.endswith("ing") and len(stem) > 5)
    )


def is_ordinary(word: str) -> bool:
    """Whether English writes a word (given in small letters) small wherever it does not open a sentence."""
    return word in _ordinary_words()


@cache
def _ordinary_words() -> frozenset[str]:
    listing = files("memcore.nlp.encoder").joinpath("weights/ordinary_words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in listing.splitlines() if line and not line.startswith("#"))
