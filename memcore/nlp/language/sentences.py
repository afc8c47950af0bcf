"""Clean prose to sentences, each freed of openers ("Well,") and of names in address (", Mel!").

Purely by pattern, before any parsing, so that small talk never reaches the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memcore.nlp.language.lexicon import DIMINUTIVE_ADDRESS
from memcore.nlp.language.people import Turn
from memcore.nlp.language.text import Aligned

LONGEST = 600
"""Characters: a longer run without an end is cut at a space, so that parsing stays linear."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message: its text as it will be parsed, and the raw characters it is.
    `opener` is what was taken off its front, `asks` whether it is a question, `quoted` whether it stands
    inside a longer quotation (its "I" is not the speaker)."""

    message_id: str
    words: Aligned
    opener: str
    asks: bool
    quoted: bool = False

    @property
    def text(self) -> str:
        return self.words.text

    @property
    def start(self) -> int:
        return self.words.start

    @property
    def end(self) -> int:
        return self.words.end


_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|a\.m|p\.m|u\.s|no|approx|jr|sr|inc|ltd|dept|mt|vol|fig|ft)|(?<![\w'])[a-z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|\n+|;(?=\s)")
_SUBJECT = r"(?:I|we|they|he|she|it|this|that|my|our|you|your|there)(?:'\w+)?\b"
_COMMENT = (
    r"(?:so|super|really|such|very|can't|definitely|absolutely|totally|pretty|love|thanks|what|how|always|kind|check"
    r"|here|hope|let)\b"
)
_DASH = re.compile(
    rf"\s*(?:\s[-\u2013\u2014]{{1,2}}\s|(?<=[\w!?.,])[\u2014\u2013-]{{1,2}}\s|\s?\u2014\s?)(?={_SUBJECT}|{_COMMENT})",
    re.I,
)
_OPENING_WORDS = (
    "yeah|yep|yup|yes|no|nope|nah|oh|ooh|ah|aw+|wow|whoa|woah|well|so|hmm+|haha\\w*|hehe|lol|omg|ok|okay"
    "|right|sure|definitely|absolutely|totally|exactly|indeed|anyway|anyways|by the way|btw|actually"
    "|honestly|basically|also|plus|hey|hi|hello|thanks|thank you|thx|cool|nice|great|awesome|oh yeah"
    "|of course|for sure|in fact|you know|i mean|to be honest|tbh|guess what|speaking of which|fyi|man"
    "|dude|yay|woohoo|woo|sweet|congrats|sorry|agreed|certainly|true|alright|all right|gosh"
    "|good question|no worries|no problem|on another note|on a side note|on a different note|as for me"
    "|luckily|unfortunately|fortunately|thankfully|sadly|glad to hear it|first off|anyhow|besides"
    "|overall|for example|for instance"
)
_OPENER = re.compile(
    rf"""^(?:
      (?:{_OPENING_WORDS.replace(" ", chr(92) + " ")})
      (?:\s+(?:yeah|so\ much|a\ lot|again|then|there))?
      (?:\s*[,:]\s*|\s+[-\u2013\u2014]+\s*|\s*\.\.\.\s*)
    | and,?\ of\ course,?\s+
    | (?:and|but|plus|also|yeah|yep|oh|wow|anyway|btw|ps|p\.s\.)\s+(?=[A-Za-z'"])
    | (?:so|well|or)\s+(?=(?:I|we|my|our|the|they|he|she|it|this|that|there|in|on|last|yesterday)(?:'\w+)?\b)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ADDRESS_FRONT = re.compile(
    r"^(?:(?i:hey|hi|hello|thanks|thank you|yeah|yes|wow|oh|no|yep|sure|so|well|ok|okay|congrats|great|yup)"
    r"\s+)?"
    r"([A-Z][\w'-]+|[a-z']+)\s*[,!:]\s+"
)
_ADDRESS_BACK = re.compile(r",\s*(?:my\s+)?([A-Z][\w'-]+|[a-z']+)\s*([.!?]*)$")
_ADDRESS_MID = re.compile(r",\s*([A-Z][\w'-]+)\s*,")
_SINCE = r"since (?:we|I) (?:last )?(?:spoke|talked|chatted|met|caught up|saw each other)(?: last)?"
_LAST_MET = re.compile(
    rf"^{_SINCE},?\s*|^since our last (?:chat|talk|conversation|call|meeting),?\s*|,?\s*{_SINCE}(?=[.!]*$)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r",?\s*\b(?:you know|lol|haha|hehe|tbh|imo|lmao)\b\s*,?(?=\s|[.!?]|$)|\s+\((?:lol|haha|hehe)\)", re.I
)
_TAIL = re.compile(
    r",\s*(?:too bad|take a look|check it out|can't wait"
    r"|haha|lol|right|huh|btw|by the way|speaking of(?: which)?|personally|thanks|thank you|I guess|you know"
    r"|so yeah|though)\s*(?=[.!?]*$)",
    re.I,
)


_QUOTATION = re.compile(r'(?<!\w)"[^"]{20,}?(?:"(?!\w)|\Z)')


def split(prose: Aligned) -> list[Aligned]:
    """Sentences in order. Ends are terminal marks, line ends, semicolons and dashes before a
    clause or comment of its own; abbreviations and initials do not end one."""
    pieces: list[Aligned] = []
    start = 0
    text = prose.text
    for match in _END.finditer(text):
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
        part for piece in pieces if piece.text for dashed in _at_dashes(piece) for part in _bounded(dashed)
    ]


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
    found = [sentence for piece in split(prose) if (sentence := _freed(message_id, piece, turn))]
    return [replace(s, quoted=any(s.start < end and start < s.end for start, end in inside)) for s in found]


def _addresses(word: str, turn: Turn) -> bool:
    name = turn.called(word)
    return (name is not None and name != turn.speaker) or word.lower() in DIMINUTIVE_ADDRESS


def _freed(message_id: str, piece: Aligned, turn: Turn) -> Sentence | None:
    whole = piece
    piece = piece.sub(_ASIDE, "")
    asks = bool(re.search(r"\?[\"')]*$", piece.text))
    changed = True
    while changed and piece.text:
        changed = False
        front = _ADDRESS_FRONT.match(piece.text)
        if front and _addresses(front.group(1), turn):
            piece, changed = piece.cut(front.end(), len(piece.text)), True
            continue
        met = _LAST_MET.search(piece.text)
        if met and met.group().strip():
            piece, changed = piece.sub(_LAST_MET, "").cut(0, len(piece.sub(_LAST_MET, "").text)), True
            continue
        opener = _OPENER.match(piece.text)
        if opener and opener.end() < len(piece.text):
            piece, changed = piece.cut(opener.end(), len(piece.text)), True
            continue
        back = _ADDRESS_BACK.search(piece.text)
        if back and _addresses(back.group(1), turn):
            piece, changed = piece.cut(0, back.start()), True
            continue
        tail = _TAIL.search(piece.text)
        if tail:
            piece, changed = piece.cut(0, tail.start()), True
    middle = _ADDRESS_MID.search(piece.text)
    if middle and _addresses(middle.group(1), turn):
        piece = piece.sub(re.compile(re.escape(middle.group())), ",")
    if not piece.text:
        return Sentence(message_id, whole, "", asks)
    opener_text = whole.text[: max(0, whole.text.find(piece.text[:12]))].strip(" ,")
    return Sentence(message_id, piece, opener_text, asks)
