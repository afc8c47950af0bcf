"""Words in a message that say nothing of its speaker: a pasted document, a draft to be edited, a plot.

By pattern, before any parsing. What a person wants corrected, shortened or continued says "I" of somebody
else, as may the scene of a story, or a move in a game that an assistant narrates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcore.nlp.language.prose import phrases
from memcore.nlp.language.prose.sentences import Sentence

PASTED = "a document pasted into the conversation"
TASK = "instructions to the assistant"
DRAFT = "a text to be edited, not said of oneself"
FICTION = "the plot of a story or game"
PASTED_WORDS = 200
_FIRST_PERSON = re.compile(r"\b(?:I|my|me)\b")
_TEXT = (
    r"(?:e-?mails?|letter|essay|text|paragraph|passage|sentences?|post|caption|message|article|abstract|bio|resume"
    r"|cv|cover letter|speech|statement|summary|introduction|conclusion|review|response|reply|comment"
    r"|description|instruction|prompt|draft|version|content|script|poem|lyrics|note|answer|report|proposal|title|section)"
)
_EDITS = re.compile(
    r"\b(?:correct|rewrite|re-write|rephrase|paraphrase|proofread|edit|improve|polish|shorten|summari[sz]e"
    r"|translate|revise|reword|critique|grade|analy[sz]e|convert|continue|respond to"
    r"|reply to|answer|check|make|turn|expand)\b"
    rf"[^.?!\n]{{0,40}}\b(?:this|these|the following|following|below|above)\b(?: [\w-]+){{0,2}}? {_TEXT}\b"
    r"|\b(?:correct|rewrite|re-write|rephrase|paraphrase|proofread|edit|summari[sz]e|translate|reword|check|revise)\b"
    r"[^.?!\n]{0,40}(?:\b(?:this|it|following|below|grammar|mistakes|errors)\b[^.?!\n]{0,20})?:\s*[\n\"“]"
    rf"|\bis (?:this|the following) (?:{_TEXT} )?(?:ok|okay|correct|right|good|fine)\b[^.?!]{{0,40}}\?\s*\n"
    rf"|\b(?:this|here) is (?:my|our|the|a) (?:\w+ )?{_TEXT}\b[^.?!\n]{{0,60}}[:,]"
    r"|^(?:re-?write|rephrase|paraphrase|proofread|correct|summari[sz]e|translate)\b[^\n]{0,80}[:\n]"
    r"|\n\s*(?:please |pls )?(?:re-?write|rephrase|paraphrase|reword|proofread|summari[sz]e|translate"
    r"|shorten)(?: (?:it|this))?(?: please)?\.?\s*$",
    re.IGNORECASE,
)
"""It asks for changes to a text that it holds."""
_HELD = re.compile(r"""[^.?!\n]*:\s*(?:["“][^"“”]{8,}["”]|'(?:[^'\n]|'(?=\w)){8,}')(?=[\s.]|$)""")
"""The request with the text in quotation marks: the other sentences are the speaker's."""
_SALUTES = re.compile(r"(?:dear|to whom it may concern|hi|hello)\b[^\n]{0,40},?\s*$", re.IGNORECASE)
_SIGNS = re.compile(
    r"(?:(?:best|kind|warm)?\s?regards|sincerely|yours|thank you|thanks|best|cheers)\b[^\n]{0,20},?\s*$",
    re.IGNORECASE,
)
_PLOT = re.compile(
    r"\b(?:write|continue|rewrite|expand|create|draft|make|do)\b[^.?!\n]{0,60}\b(?:scene|dialogue|chapter"
    r"|story|episode|fan-?fic\w*|script|screenplay|monologue|poem|song|lyrics|verse|rap|novel)s?\b"
    r"(?! about (?:my|our|me)\b)"
    r"|\b(?:simulate|imagine) (?:a|an) (?:\w+ ){0,3}(?:conversation|dialogue|scene|world|scenario)\b",
    re.IGNORECASE,
)
_GAME = re.compile(
    r"\b(?:(?:let's|can we|please|i want to|i'd like to|could you|can you|you will|i will) [^.?!\n]{0,30}"
    r"(?:role-?play|(?:text[- ](?:based )?|choose[- ]your[- ]own[- ])(?:adventure|rpg)|dungeon master"
    r"|game ?master)"
    r"|you (?:are|will be) the (?:narrator|dm|gm|dungeon master|game master)|(?:stay|be) in character"
    r"|let's (?:play|role-?play))\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"^\[(?:task|action|thought|observation|instructions?|input|output|role|system)\]:",
    re.IGNORECASE | re.MULTILINE,
)
"""A field of a form that tells an agent what to do: "[Observation]: I see a door"."""
FEWEST_FIELDS = 2
_ANSWER = re.compile(
    r"^(?:assistant|chatgpt)\s*:.*?(?=^\w+\s*:|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL
)
"""An assistant's words that are pasted into a message."""
FEWEST_SENTENCES = 3
VERSES = "the lines of a song or poem"
_VERSE = re.compile(r"(?![-*•\d#])(?:[^\s:]+ ){1,11}[^\s:]*[^\s.!?:;]")
"""A line of two to twelve words that nothing ends, and no item of a list."""
FEWEST_VERSES, SHARE_OF_VERSES = 6, 0.7


def borrowed(sentences: Sequence[Sentence], text: str, *, in_game: bool = False) -> dict[int, str]:
    """Reasons, by where a sentence starts, for the sentences of a message to an assistant that are not the
    speaker's own. `in_game`: an earlier message began a game in which one speaks for somebody else."""
    if phrases.ROLE_PLAY.match(text) and len(sentences) > FEWEST_SENTENCES:
        return dict.fromkeys((s.start for s in sentences), TASK)
    if len(_FIELD.findall(text)) >= FEWEST_FIELDS:
        return dict.fromkeys((s.start for s in sentences), TASK)
    if in_game or begins_game(text):
        return dict.fromkeys((s.start for s in sentences), FICTION)
    if _PLOT.search(text) and len(sentences) > 1:
        return dict.fromkeys((s.start for s in sentences), FICTION)
    edits = _EDITS.search(text) is not None
    if edits and (held := _HELD.search(text)):
        return dict.fromkeys(_within(sentences, text, [held.span()]), DRAFT)
    if edits or _is_letter(text):
        return dict.fromkeys((s.start for s in sentences), DRAFT)
    return _verses(sentences, text) or _answers(sentences, text)


def _verses(sentences: Sequence[Sentence], text: str) -> dict[int, str]:
    """The sentences of a message that is set in lines as a song is: many, short, and seldom ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    verses = [line for line in lines if _VERSE.fullmatch(line)]
    if len(verses) < FEWEST_VERSES or len(verses) < SHARE_OF_VERSES * len(lines):
        return {}
    return dict.fromkeys((sentence.start for sentence in sentences), VERSES)


def _answers(sentences: Sequence[Sentence], text: str) -> dict[int, str]:
    pasted_in = [found.span() for found in _ANSWER.finditer(text)]
    return dict.fromkeys(_within(sentences, text, pasted_in), PASTED)


def _within(sentences: Sequence[Sentence], text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Where the sentences start that begin within one of these spans of a message's prose."""
    found: list[int] = []
    at = 0
    for sentence in sentences if spans else ():
        at = max(at, text.find(sentence.text, at))
        if any(start <= at < end for start, end in spans):
            found.append(sentence.start)
    return found


def _is_letter(text: str) -> bool:
    """Whether one line salutes somebody and a later one takes leave."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    salutes = next((n for n, line in enumerate(lines) if _SALUTES.match(line)), None)
    return salutes is not None and any(_SIGNS.match(line) for line in lines[salutes + 2 :])


def begins_game(text: str) -> bool:
    """Whether a message begins a game or a conversation in which one speaks for somebody else."""
    return bool(_GAME.search(text))


def pasted(sentences: Sequence[Sentence], text: str) -> dict[int, str]:
    """Reasons, by where a sentence starts, for the sentences of a long message that are a document pasted
    into it: another's "I", and nothing about the speaker."""
    if len(text.split()) < PASTED_WORDS:
        return {}
    own = sum(bool(_FIRST_PERSON.search(sentence.text)) for sentence in sentences)
    if own >= 0.3 * len(sentences):
        return {}
    reasons: dict[int, str] = {}
    spoken = True
    for sentence in sentences:
        # The speaker's own words lead in, up to a colon or the first sentence that is not theirs.
        spoken = spoken and bool(_FIRST_PERSON.search(sentence.text))
        if not spoken:
            reasons[sentence.start] = PASTED
        spoken = spoken and ":" not in sentence.text
    return reasons
