"""Clean prose to sentences, each freed of what frames it (see `framing`).

Purely by pattern, before any parsing, so that small talk never reaches the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import framing
from memcore.nlp.language.prose.appositions import asks_for, told_by_apposition
from memcore.nlp.language.prose.ones import with_nouns
from memcore.nlp.language.prose.text import Aligned, literals

FEWEST_WORDS = 4
"""Of a statement that follows a question in one sentence."""
LONGEST = 600
"""Characters: a longer run without an end is cut at a space, so that parsing stays linear."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message: its text as it will be parsed, and the raw characters it is.
    `opener` is what was taken off its front, `asks` whether it is a question, `quoted` whether it stands
    inside a longer quotation (its "I" is not the speaker), `problem` why it cannot be read."""

    message_id: str
    words: Aligned
    opener: str
    asks: bool
    quoted: bool = False
    problem: str = ""

    @property
    def text(self) -> str:
        """The sentence's own words."""
        return self.words.text

    @property
    def start(self) -> int:
        """Where it begins in the message."""
        return self.words.start

    @property
    def end(self) -> int:
        """Where it ends in the message."""
        return self.words.end


_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|sgt|capt|lt|col|rev|ave|blvd|prof|st|vs|etc|e\.g|i\.e|a\.m|p\.m|u\.s|no|approx|jr|sr|inc|ltd|dept|mt|vol|fig|ft)|(?<![\w'])[a-z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|\n+|;(?=\s)")
_SUBJECT = r"(?:I|we|they|he|she|it|this|that|my|our|you|your|there)(?:'\w+)?\b"
_COMMENT = (
    r"(?:so|super|really|such|very|can't|definitely|absolutely|totally|pretty|love|thanks|what|how|always|kind|check"
    r"|here|hope|let)\b"
)
_ASKS = r"(?:(?:do|did|can|could|would|will|have) you|should I)\b"
_DASH = re.compile(
    rf"\s*(?:\s[-\u2013\u2014]{{1,2}}\s|(?<=[\w!?.,])[\u2014\u2013-]{{1,2}}\s|\s?\u2014\s?)"
    rf"(?={_SUBJECT}|{_COMMENT}|{_ASKS})",
    re.I,
)
_BEEN_TOO = re.compile(
    r"(?:I|we)(?:['’]ve| have) been [^,]+?(?P<joint>, )(?=been \w+ing\b(?!.*(?:,| and )))", re.IGNORECASE
)
""" "I've been meaning to buy a mic, been using this one for years": two sentences, the second without its
subject."""
_AUX = r"(?:is|are|was|were|do|does|did|can|could|would|will|should|might)"
_ASKING_TAIL = re.compile(
    r"(?:\s*,\s*|\s+)(?:(?:and|so|but)\s+)?(?:also\s+)?"
    r"(?=(?:I (?:was|am) (?:also |just )?(?:wondering|curious)|was wondering|I wonder"
    r"|I'd (?:love|like) (?:to (?:hear|know)|your)"
    r"|(?:do|did|can|could|would|will) you|should I|(?:do|can|could|would) I(?=[^?]*\?)"
    r"|what (?:do|would|should|is|are)"
    r"|how (?:do|can|should|would)|(?:is|are) there (?:any|a)"
    r"|any (?:\w+ )?(?:ideas?|tips|advice|suggestions|recommendations|thoughts)|have you"
    r"|(?:do you )?remember (?:when|that|how|the time) (?:I|we|my|our))\b"
    rf"|(?<=, )(?:(?:what|how)\b|(?:which \w+|where|why|who) {_AUX}\b"
    rf"|{_AUX} (?:it|that|this|they|there|the|my|our|these|those|\w+s)\b)(?=[^?]*\?))",
    re.IGNORECASE,
)
"""Where a statement goes over into a question or request: "I am planning a trip, can you help?"."""
_NOT_BEFORE_TAIL = re.compile(
    r"^(?:(?:(?:so|and|but|ok|okay|well),? )?if|when|whenever|since|because|while|after|before|given|as"
    r"|although|though|unless|once|in case|assuming"
    r"|(?:what|how|why|who|where|which|do|does|did|can|could|would|will|should|is|are|was|were|have|has)\b)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"^(?:since|because|now that|given that|seeing (?:that|as)) (?=(?:I|we|my|our)\b)", re.IGNORECASE
)
"""What leads to a question and is told by itself: "Since I moved to Leeds, could you find me a gym?"."""
_ASKED_FIRST = re.compile(
    r"^(?P<asked>(?:(?:what|how|why|where|who|which)"
    r"(?:'s|'re| is| are| do| does| did| can| could| should| would| to)\b"
    r"|(?:can|could|would|will|do|does|should|is|are) (?:you|I|we|there|it)\b)[^,.?!]{8,}),\s+"
    r"(?:(?:especially )?(?:since|because|as|now that"
    r"|(?:considering|given|seeing)(?: that| as)?(?= (?:I|my)\b)) )?"
    r"(?=(?:I|we)\b(?!,| (?:mean|guess|think|wonder|know|would|will|could|might)\b|'(?:d|ll)\b)"
    r"|(?:my|our) (?:\w+ ){1,2}?(?:is|are|was|were|has|have|had|says|said|lives|likes|loves|wants|needs|hates"
    r"|works|turns|starts|can't|doesn't|isn't)\b)",
    re.IGNORECASE,
)
"""A question that goes over into a statement: "Could you find me a gym, I moved to Leeds?"."""
_ASKED_WITHIN = re.compile(
    r"\b(?:know|tell|ask|asked|wonder|sure|see|think|guess|remember|decide|on|about|of|to)$", re.IGNORECASE
)
"""Words that a question is the object of: "I asked her, what ..."."""
_QUOTATION = re.compile(r'(?<!\w)"[^"]{20,}?(?:"(?!\w)|\Z)')


def split(prose: Aligned) -> list[Aligned]:
    """Sentences in order. Ends are terminal marks, line ends, semicolons and dashes before a
    clause or comment of its own; abbreviations and initials do not end one."""
    pieces: list[Aligned] = []
    start = 0
    text = prose.text
    kept = literals(text)
    for match in _END.finditer(text):
        if any(low < match.start() < high - 1 for low, high in kept):
            continue
        if match.group().startswith(".") and len(match.group().rstrip("\"')]")) == 1:
            following = text[match.end() : match.end() + 2].strip()
            before = text[max(start, match.start() - 8) : match.start() + 1]
            if _ABBREVIATION.search(before) and not (
                following[:1].isupper() and before.lower().endswith(("etc.", "m."))
            ):
                continue
        pieces.append(prose.cut(start, match.end()))
        start = match.end()
    pieces.append(prose.cut(start, len(text)))
    return [
        part
        for piece in pieces
        if piece.text
        for told in _before_been(piece)
        for dashed in _at_dashes(told)
        for asked in _before_asking(dashed)
        for half in _after_asking(asked)
        for part in _bounded(half)
    ]


def _before_asking(piece: Aligned) -> list[Aligned]:
    """The statement, and the question or request it ends in."""
    for match in _ASKING_TAIL.finditer(piece.text):
        before = piece.text[: match.start()]
        joined = match.group().strip()
        if not joined or len(before.split()) < 4 or _ASKED_WITHIN.search(before):
            continue
        reminds = match.string[match.end() :].lower().startswith(("remember", "do you remember"))
        inside = before.count('"') % 2 or before.count("(") > before.count(")")
        reason = _REASON.match(before)
        if inside or (_NOT_BEFORE_TAIL.match(before) and not reminds and not reason):
            return [piece]
        if reason:
            return [piece.cut(reason.end(), match.start()), piece.cut(match.end(), len(piece.text))]
        return [piece.cut(0, match.start()), piece.cut(match.end(), len(piece.text))]
    return [piece]


def _after_asking(piece: Aligned) -> list[Aligned]:
    """The question or request, and the statement it ends in, which its question mark says nothing of."""
    match = _ASKED_FIRST.match(piece.text)
    rest = piece.text[match.end() :].rstrip("?! ") if match else ""
    if match is None or len(rest.split()) < FEWEST_WORDS:
        return [piece]
    asked = piece.cut(0, match.end("asked"))
    marked = Aligned(f"{asked.text}?", (*asked.origin, asked.end))
    return [marked, piece.cut(match.end(), match.end() + len(rest))]


def _before_been(piece: Aligned) -> list[Aligned]:
    two = _BEEN_TOO.match(piece.text)
    if two is None:
        return [piece]
    return [piece.cut(0, two.start("joint")), piece.cut(two.end("joint"), len(piece.text))]


def _at_dashes(piece: Aligned) -> list[Aligned]:
    parts, start = [], 0
    for match in _DASH.finditer(piece.text):
        if len(piece.text[start : match.start()].split()) >= 3:
            parts.append(piece.cut(start, match.start()))
            start = match.end()
    parts.append(piece.cut(start, len(piece.text)))
    return [part for part in parts if part.text]


def _bounded(piece: Aligned) -> list[Aligned]:
    parts = []
    while len(piece.text) > LONGEST:
        at = piece.text.rfind(" ", 1, LONGEST)
        at = at if at > 0 else LONGEST
        parts.append(piece.cut(0, at))
        piece = piece.cut(at, len(piece.text))
    return [*parts, piece] if piece.text else parts


def read(message_id: str, prose: Aligned, turn: Turn) -> list[Sentence]:
    """The sentences of one message, openers and names in address taken off."""
    text = prose.text
    quotations = [m.span() for m in _QUOTATION.finditer(text) if _END.search(m.group()[1:-2])]
    inside = [(prose.origin[start], prose.origin[end]) for start, end in quotations]
    found = [
        sentence
        for piece in split(prose)
        for sentence in _with_apposition(_sentence(message_id, piece, turn))
    ]
    named = with_nouns([(one.words, one.asks) for one in found])
    return [
        replace(s, words=words, quoted=any(s.start < end and start < s.end for start, end in inside))
        for s, words in zip(found, named, strict=True)
    ]


def _with_apposition(sentence: Sentence) -> list[Sentence]:
    """A question or request, behind what it tells in passing of something of the speaker's."""
    told = told_by_apposition(sentence.words) if sentence.asks or asks_for(sentence.text) else None
    return [sentence] if told is None else [Sentence(sentence.message_id, told, "", False), sentence]


def _sentence(message_id: str, piece: Aligned, turn: Turn) -> Sentence:
    found = isolated(lambda: _without_framing(message_id, piece, turn))
    return (
        Sentence(message_id, piece, "", False, problem=found.reason) if isinstance(found, Failed) else found
    )


def _without_framing(message_id: str, piece: Aligned, turn: Turn) -> Sentence:
    asks = bool(re.search(r"\?[\"')]*$", piece.text))
    bare, asks = framing.without_framing(piece, turn, asks)
    if not bare.text:
        return Sentence(message_id, piece, "", asks)
    opener = piece.text[: max(0, piece.text.find(bare.text[:12]))].strip(" ,")
    return Sentence(message_id, bare, opener, asks)
