"""What an assistant's message leaves to remember: what it recommended or stated, with what was asked.

An assistant's prose is long and mostly boilerplate, so it is not parsed. At most two memories are made of a
message, each in the assistant's own words with the request they answer: one of its lists, with the values
of their items, and one of the sentences that carry names or numbers. Of a text that was ordered (a story, a
letter, code) and of a part that is played only how it begins is kept. It does not judge whether what the
assistant said is true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memcore.domain.extraction import Kept, SkippedText
from memcore.domain.models import Message, Source
from memcore.domain.prompts import one_line
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.outline import Item, Listing, outline
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements.requests import Request
from memcore.nlp.language.statements.statement import Read, Statement, dated, quoted
from memcore.nlp.time_grammar.dates import find_times

LIST_CHARS = 640
"""Of all lists of a message together, as they are quoted."""
FEWEST_ITEM_CHARS = 44
FEWEST_CUT_CHARS = 60
"""Of words that are cut off elsewhere than at the end of a clause."""
MOST_ITEM_CHARS = 220
MOST_SENTENCES = 3
SENTENCES_CHARS = 420
OPENING_CHARS = 220
DOCUMENT_WORDS = 60
FEWEST_WORDS = 6
NOT_KEPT = "the assistant's words, which the settings leave out"
GENERAL = "general knowledge, which the settings leave out"
BOUNDED = "more than is kept of one assistant message"
BOILERPLATE = "assistant's general wording"
ORDERED = "the rest of a text that was written on request"
_DANGLING = re.compile(
    r"^(?:it|its|they|their|these|those|this|that|he|she|here|there|such|you|your|i|we|let|by|if|as|when"
    r"|however|remember|overall|feel|please|the \w+ ones?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=\s)(?:[A-Z][a-z]+(?:\s+[A-Z][\w&'-]+)+|[A-Z]{2,}\b)|\d")
_OF_ITSELF = re.compile(
    r"\b(?:as an? (?:\w+ )?(?:AI|assistant)|language model"
    r"|I (?:do not|don't|cannot|can't) (?:have|access|see)"
    r"|I(?:'m| am) (?:sorry|happy|glad|just an?|an? (?:AI|large))|I apologi[sz]e)\b",
    re.IGNORECASE,
)
"""An assistant about what it is and cannot."""
_WRITES = re.compile(
    r"\b(?:write|compose|draft|generate|create|rewrite|re-write|paraphrase|rephrase|continue|translate|proofread"
    r"|expand|finish|make|give|need|want|tell)\b[^.?!]{0,80}?\b(?:story|poem|song|lyrics|essay|article|blog"
    r"|e-?mail|letter|script|speech|toast|dialogue|scene|novel|chapter|verse|haiku|rap|joke|screenplay"
    r"|monologue|press release|resume|code|function|program|query|tweet|caption|paragraph|introduction"
    r"|conclusion|proposal|bio|post|conversation|episode|transcript|advert\w*|\bad|copy)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:how (?:to|can|do|should|could)|tips|advice|ideas|suggest\w*|recommend\w*|steps)\b", re.I
)
_GOES_ON = re.compile(
    r"^(?:please )?(?:continue|go on|keep going|rewrite|translate|paraphrase|proofread)\b", re.I
)
_PLAYS = re.compile(
    r"\b(?:act|behave|respond|answer|talk|reply) (?:as|like) (?:if|a|an|my|the)\b|\bpretend\b|\brole-?play"
    r"|\byou are now\b|\bimagine (?:that )?you are\b|\bin character\b",
    re.IGNORECASE,
)
"""A part that the assistant is given."""
_LEADS_IN = re.compile(
    r"^(?:sure|certainly|of course|absolutely|okay|here(?:'s| is| are)|i'd be happy|great)\b", re.I
)


@dataclass(slots=True)
class _Quote:
    """Words of the message that a memory quotes, and where they stand."""

    texts: list[str] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)


def statements(
    message: Message, prose: Aligned, turn: Turn, request: Request | None, kept: Kept = "all"
) -> Read:
    """Quoted recommendations and data of one assistant message with this `prose`, which answers `request`."""
    out = Read()
    if kept == "none" or (kept == "personal" and (request is None or not request.personal)):
        reason = NOT_KEPT if kept == "none" else GENERAL
        out.passed.append(SkippedText(message.id, 0, len(message.text), reason))
        return out
    parts = outline(prose)
    if request is not None and _is_ordered(request, message.text):
        _opening(out, message, turn, request, parts)
        return out
    lists = [part for part in parts if isinstance(part, Listing) and _tells(part)]
    between = [part for part in parts if isinstance(part, Aligned)]
    chosen, bounded = _sentences(out, message, between, figures=bool(lists))
    if lists:
        out.statements += _told(message, turn, request, _listed(out, message, lists, about=request is None))
    if chosen and not (request is not None and _PLAYS.search(request.text) and out.statements):
        quote = _Quote([one_line(one.text) for one in chosen], [(one.start, one.end) for one in chosen])
        out.statements += _told(message, turn, request, quote)
        chosen = []
    out.passed += [SkippedText(message.id, one.start, one.end, BOUNDED) for one in [*bounded, *chosen]]
    return out


def _tells(listing: Listing) -> bool:
    """More than a numbered word or two."""
    return len(listing.items) > 1 or len(listing.items[0].text.split()) >= FEWEST_WORDS


def _is_ordered(request: Request, text: str) -> bool:
    """Whether a reply is a text that somebody wanted written."""
    if not request.asked or len(text.split()) < DOCUMENT_WORDS:
        return False
    if _ADVICE.search(request.text):
        return False
    return bool(_WRITES.search(request.text) or _GOES_ON.match(request.text.rpartition("[...] ")[2]))


def _opening(
    out: Read, message: Message, turn: Turn, request: Request, parts: Sequence[Aligned | Listing]
) -> None:
    """How a text begins that was written on request."""
    quote, length = _Quote(), 0
    for text, start, end in _pieces(parts):
        first = not quote.texts and len(text.split()) > 1 and not _LEADS_IN.match(text)
        if first or (quote.texts and length + len(text) <= OPENING_CHARS):
            quote.texts.append(_shortened(text, OPENING_CHARS))
            quote.places.append((start, end))
            length += len(text)
        else:
            length = OPENING_CHARS if quote.texts else 0
            out.passed.append(SkippedText(message.id, start, end, ORDERED if quote.texts else BOILERPLATE))
    out.statements += _told(message, turn, request, quote, verb="wrote for")


def _pieces(parts: Sequence[Aligned | Listing]) -> list[tuple[str, int, int]]:
    found = []
    for part in parts:
        if isinstance(part, Aligned):
            found.append((one_line(part.text), part.start, part.end))
        else:
            found += [(item.text, item.start, item.end) for item in part.items]
    return found


def _sentences(
    out: Read, message: Message, sentences: Sequence[Aligned], *, figures: bool
) -> tuple[list[Aligned], list[Aligned]]:
    """Those that carry names or numbers and stand alone (`figures`: beside a list, only those with numbers),
    and those beyond what is kept."""
    chosen: list[Aligned] = []
    beyond: list[Aligned] = []
    length = 0
    for piece in sentences:
        text = piece.text
        if not _states(text) or (figures and not re.search(r"\d", text)):
            out.passed.append(SkippedText(message.id, piece.start, piece.end, BOILERPLATE))
        elif len(chosen) == MOST_SENTENCES or length + len(text) > SENTENCES_CHARS:
            beyond.append(piece)
        else:
            chosen.append(piece)
            length += len(text)
    return chosen, beyond


def _states(text: str) -> bool:
    """A whole sentence that carries names or numbers and stands alone."""
    if len(text.split()) < FEWEST_WORDS or _DANGLING.match(text) or _OF_ITSELF.search(text):
        return False
    if not re.search(r"[.!][\"')\]]*$", text) or (text.endswith("!") and not re.search(r"\d", text)):
        return False
    return bool(_NAMED.search(text))


def _listed(out: Read, message: Message, lists: Sequence[Listing], *, about: bool) -> _Quote:
    """All lists of a message one after another, their items shortened alike until they fit. `about`: with the
    sentence that leads to them, since no request says what they are of."""
    items = [item for listing in lists for item in listing.items if not item.text.endswith("?")]
    shown, room = _fitting(items)
    quote = _Quote()
    for listing in lists:
        those = [item for item in listing.items if id(item) in shown]
        for item in listing.items:
            if id(item) not in shown:
                out.passed.append(SkippedText(message.id, item.start, item.end, BOUNDED))
        if not those:
            continue
        lead = listing.heading or (listing.intro if about else None)
        if lead is not None and not about and _LEADS_IN.match(lead.text):
            lead = None
        text = "; ".join(_fitted(item, room) for item in those)
        more = "; and more" if len(those) < len(listing.items) else ""
        quote.texts.append((f"{_heading(lead.text)}: " if lead is not None else "") + text + more)
        if lead is not None:
            quote.places.append((lead.start, lead.end))
        quote.places.append((those[0].start, those[-1].end))
    return quote


def _fitting(items: Sequence[Item]) -> tuple[set[int], int]:
    """The items that there is room for, by identity, and the characters that each of them may have."""
    room = MOST_ITEM_CHARS
    while room > FEWEST_ITEM_CHARS and sum(len(_fitted(item, room)) + 2 for item in items) > LIST_CHARS:
        room -= 8
    shown: set[int] = set()
    length = 0
    for item in items:
        length += len(_fitted(item, room)) + 2
        if length > LIST_CHARS and shown:
            break
        shown.add(id(item))
    return shown, room


def _fitted(item: Item, room: int) -> str:
    """The item within so many characters; its name alone, where nothing that says something fits beside."""
    if not item.head or not item.value:
        return _shortened(item.text, max(room, FEWEST_CUT_CHARS)) if item.value else item.head
    value = item.value.rstrip(" .;,")
    left = room - len(item.head) - 2
    if len(value) > left:
        value = _shortened(value, left)
    return f"{item.head}: {value}" if value else item.head


def _shortened(text: str, room: int) -> str:
    """Whole clauses where they fill half of the room, else whole words; empty where there is room for few."""
    text = text.rstrip(" .;,")
    if len(text) <= room:
        return text
    cut = text[: max(room - 4, 0)]
    at = max(cut.rfind(mark) for mark in (". ", "; ", ", ", " ("))
    if at >= max(room // 2, 12):
        return f"{cut[:at]} ..."
    return f"{cut.rsplit(' ', 1)[0]} ..." if room >= FEWEST_CUT_CHARS else ""


def _told(
    message: Message, turn: Turn, request: Request | None, quote: _Quote, verb: str = "told"
) -> list[Statement]:
    """The memory, where there are words for it."""
    if not quote.texts:
        return []
    said = " ".join(_ended(text) for text in dict.fromkeys(quote.texts))
    said = quoted(said[:1].upper() + said[1:])
    who = turn.addressee or "the user"
    asked = ""
    sources = [Source(message.id, start, end) for start, end in quote.places]
    if request is not None:
        asked = f', who {"asked" if request.asked else "said"} "{quoted(request.text)}"'
        sources += request.sources
    times = find_times(f"{asked} {said}", message.said_at)
    text = f'{dated(message, times)}{turn.speaker} {verb} {who}{asked}: "{said}"'
    return [Statement(text, "statement", tuple(sources))]


def _heading(text: str) -> str:
    """Headings one above the other as one."""
    return ", ".join(one_line(line).rstrip(" :") for line in text.split("\n") if line.strip())


def _ended(text: str) -> str:
    return text if re.search(r"[.!?][\"')]?$", text) else text.rstrip(" ,;") + "."
