"""What the words of one turn say about whether it goes on with a topic or opens one.

Closed-class word lists and punctuation of English, no parser: whether a turn asks, whom it asks,
whether it points back ("that", "they"), acknowledges, greets, closes or announces something new; and
its content words, stemmed. In another language the cues are silent (all but length and question
marks), and the vectors decide. Knows no other turn.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import Stemmer

_STEMMER = Stemmer.Stemmer("english")
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")

_POINTING_BACK = frozenset(
    "that it they them this those these he she him her his its their there one ones both either too also "
    "same".split()
)
_ADDRESSING = frozenset("you your u".split())
_OF_ONESELF = frozenset("i my me im".split())
_ANYTHING_ELSE = frozenset("any anything else another other favorite favourite".split())
_ACKNOWLEDGING = frozenset(
    "yes yeah yep no nope ok okay sure thanks thank wow cool nice great good awesome lol haha oh ah that is "
    "right exactly true very well i see me too neat it sounds so really".split()
)
_FUNCTION = frozenset(
    "a about above after again all also am an and any are aren as at be because been before being below "
    "between both but by can cannot cant could couldn d did didn do does doesn doesnt doing don dont "
    "down during each few for from further had hadn has hasn have haven having he her here hers herself "
    "him himself his how i if im in into is isn isnt it its itself just ll m ma me more most my myself "
    "no nor not now o of off on once only or other our ours ourselves out over own re s same she should "
    "so some such t than that the their theirs them themselves then there these they this those through "
    "to too under until up ve very was we were what when where which while who whom why will with won "
    "wont would y you your yours yourself yeah yes oh ok okay hi hello hey wow lol cool nice great good "
    "well really like thanks thank please sure get got go going know think one much lot let".split()
)
_GREETS = re.compile(r"\W*(hi|hello|hey|greetings|good (morning|afternoon|evening))\b", re.IGNORECASE)
_CLOSES = re.compile(
    r"\b(bye|goodbye|good luck|take care|have an? (great|good|nice|wonderful|lovely)|thank you|thanks|enjoy"
    r"|you're welcome|you are welcome)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\W*(by the way|btw|anyways?|speaking of|what about|how about|another|also|on (a|another)|so\b,?"
    r"|i have (a|another) question|can you|could you|i need|i want|(i'm|i am|i was) (looking|trying|planning"
    r"|thinking|wondering))\b",
    re.IGNORECASE,
)
_CLOSING_CHARACTERS = 300
_LONGEST = 20_000
"""Characters that are read of one turn."""


@dataclass(frozen=True, slots=True)
class TurnCues:
    """Cues of one turn, as numbers (a yes is 1.0), and its content words' stems. `length` is
    log(1 + words); `referring` and `function` are shares of its words that point back, or carry no
    content."""

    length: float
    asks: float
    ends_asking: float
    asks_you: float
    referring: float
    of_oneself: float
    function: float
    acknowledges: float
    opens: float
    greets: float
    closes: float
    anything_else: float
    content: frozenset[str]


_SILENT = TurnCues(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, frozenset())


def turn_cues(text: str) -> TurnCues:
    """The cues of a turn's raw text; an empty text has none.

    >>> cues = turn_cues("Nice. What do you do for a living?")
    >>> cues.asks_you, cues.acknowledges, cues.referring, sorted(cues.content)
    (1.0, 1.0, 0.0, ['live'])
    """
    text = text[:_LONGEST].strip()
    words = _words(text)
    if not words:
        return _SILENT
    sentences = [part for part in _SENTENCE_END.split(text) if _WORD.search(part)]
    questions = [part for part in sentences if "?" in part]
    asked = _words(questions[-1]) if questions else []
    content = {word for word in words if len(word) > 1 and word not in _FUNCTION}
    return TurnCues(
        length=math.log1p(len(words)),
        asks=float("?" in text),
        ends_asking=float(text.endswith("?")),
        asks_you=float(any(word in _ADDRESSING for word in asked)),
        referring=sum(word in _POINTING_BACK for word in words) / len(words),
        of_oneself=float(any(word in _OF_ONESELF for word in words)),
        function=sum(word in _FUNCTION for word in words) / len(words),
        acknowledges=float(all(word in _ACKNOWLEDGING for word in _words(sentences[0]))),
        opens=float(bool(_OPENS.match(text))),
        greets=float(bool(_GREETS.match(text))),
        closes=float(bool(_CLOSES.search(text[-_CLOSING_CHARACTERS:]))),
        anything_else=float(any(word in _ANYTHING_ELSE for word in words)),
        content=frozenset(_STEMMER.stemWords(sorted(content))),
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("'", "").replace("’", ""))
