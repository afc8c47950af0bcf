"""What a reply answers: the request before it, with as much of what came before as it refers to.

Works on the words of sentences, without a parse. It does not judge whether the reply answers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcore.domain.models import Source
from memcore.nlp.language.people import ASSISTANT_ROLES
from memcore.nlp.language.prose import phrases
from memcore.nlp.language.prose.sentences import Sentence

if TYPE_CHECKING:
    from memcore.nlp.language.statements.reading import MessageReading

LONGEST = 220
"""Characters of a request as it is quoted."""
_TELLS_TO = re.compile(
    r"(?:(?:now|then|next|also|ok|okay|please|and|great|thanks|so|can you|could you)[, ]+)*"
    r"(?:act|add|analy[sz]e|answer|calculate|change|check|compare|compose|continue|convert|create|describe"
    r"|design|develop|draft|edit|elaborate|expand|explain|extract|fill|find|fix|generate|give|go on|help"
    r"|identify|imagine|improve|let's|list|make|name|outline|paraphrase|plan|play|pretend|proofread|propose|provide|rank"
    r"|recommend|remind|rephrase|rewrite|show|simplify|suggest|summari[sz]e|teach|tell|translate|turn|use|walk|write)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|her|these|those|the same"
    r"|the (?:first|second|third|last|other) ones?|above|instead|else|which ones?|any others?|another one"
    r"|that(?=[.?!,]|$)|(?:this|that)(?= (?:is|was|one|would|sounds|looks|can|could|will)\b|[.?!,]|$)"
    r"|(?:this|that|about|to|from|over|in|around|near|up|live|go|be|stay|was|been) there)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\b(?i:a|an|the|my|our|between|for|of) (?!more\b)[a-z][\w'-]{3,}|(?<=\s)[A-Z][\w'-]+")
"""What a pronoun after it may mean."""
_SHOWN = frozenset({"these", "those", "above"})
_OF_ASKING = frozenset(
    """
about advice also another answer anything appreciate asking best brainstorm could curious details direction
does else example examples explain find further give have help helpful here idea ideas information know like
list looking make maybe more need options please point possible provide question recommend recommendations
recommendation right share should show some something specific start strategies suggest suggestion
suggestions sure take tell thank thanks that there these think thinking this those tips want what when where
which while with wondering would your yours you're don't can't i'll i'd i've you'd they thought thoughts
good great really very
""".split()
)
"""Words that a request has whatever it is about."""
_OWN = re.compile(r"\b(?:my|mine|our|ours|we)\b", re.IGNORECASE)
_SPEAKS = re.compile(r"\b(?:I|me)\b")
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, as it is quoted, whether as a question or an order (else only said), the words it
    is, and whether the message tells of who asks (else it is about the world)."""

    text: str
    asked: bool
    sources: tuple[Source, ...]
    personal: bool


def request_before(history: Sequence[MessageReading]) -> Request | None:
    """What the last message of a person in `history` asks or says; none where the last one is no person's."""
    if not history or history[-1].message.role in ASSISTANT_ROLES:
        return None
    said = [item for item in history if item.message.role not in ASSISTANT_ROLES]
    found = _of_message(said[-1])
    if found is None:
        return None
    if stands(found.text):
        return found
    for item in reversed(said[:-1]):
        earlier = _of_message(item)
        if earlier is not None and stands(earlier.text):
            text = f"{_short(earlier.text, LONGEST // 2)} [...] {_short(found.text, LONGEST // 2)}"
            return replace(found, text=text, sources=(*found.sources, *earlier.sources))
    return found


def stands(text: str) -> bool:
    """Whether the words of a request say by themselves what it is about."""
    words = re.findall(r"[a-z0-9][\w']*", text.lower())
    about = [word for word in words if (len(word) > 3 or word.isdigit()) and word not in _OF_ASKING]
    if len(words) < _FEWEST_WORDS or len(about) < 2:
        return False
    first = _REFERS.search(text)
    if first is None:
        return True
    return first.group().lower() not in _SHOWN and bool(_NAMES.search(text[: first.start()]))


def _of_message(item: MessageReading) -> Request | None:
    """The last question of a message, else its last order, else its last sentence."""
    sentences = [s for s in item.sentences if not s.problem and re.search(r"\w", s.text)]
    if not sentences:
        return None
    place, asked = _chosen(sentences)
    low = place
    while low and place - low < 2 and not stands(_text(sentences[low : place + 1])):
        if len(_text(sentences[low - 1 : place + 1])) > LONGEST:
            break
        low -= 1
    run = sentences[low : place + 1]
    source = Source(item.message.id, run[0].start, run[-1].end)
    return Request(_short(_text(run), LONGEST), asked, (source,), any(map(_is_personal, sentences)))


def _chosen(sentences: Sequence[Sentence]) -> tuple[int, bool]:
    last = range(len(sentences) - 1, -1, -1)
    asks = next((n for n in last if sentences[n].asks or _is_question(sentences[n].text)), None)
    if asks is not None:
        return asks, True
    orders = next((n for n in last if _TELLS_TO.match(sentences[n].text)), None)
    if orders is not None:
        return orders, True
    return len(sentences) - 1, False


def _is_question(text: str) -> bool:
    return bool(phrases.UNMARKED_QUESTION.match(text) or phrases.ASSISTANT_TASK.match(text))


def _is_personal(sentence: Sentence) -> bool:
    """It tells of the one who speaks, and not only what they want to know."""
    if _OWN.search(sentence.text):
        return True
    return bool(_SPEAKS.search(sentence.text)) and not (sentence.asks or _is_question(sentence.text))


def _text(run: Sequence[Sentence]) -> str:
    return " ".join(s.text[:1].upper() + re.sub(r"\s+", " ", s.text[1:]) for s in run)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 4].rsplit(" ", 1)[0] + " ..."
