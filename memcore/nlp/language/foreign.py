"""Messages that are not English: kept as they are, with speaker and date, never lost.

They are not analysed; they become statements of kind "statement".
"""

from __future__ import annotations

import re

from memcore.domain.extraction import SkippedText
from memcore.domain.models import Message, Source
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.screening import NO_CONTENT, QUESTION, REQUEST
from memcore.nlp.language.prose.sentences import split
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements.statement import Read, Statement, day

LONGEST = 280
"""Characters of one statement; a longer message becomes several, divided between sentences."""
SHORTEST = 12
"""Letters of one, where a Chinese, Japanese or Korean character counts as three."""
_ASKS = re.compile(r"[?\u061f\uff1f]\W*$|\u5417\W*$")
"""It ends with a question mark, or with the word that makes a question in Chinese."""
_CHARACTERS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_ORDERS = (
    "redacta reformula traduce escribe reescribe dame dime explica corrige"
    " reescreva traduza escreva explique corrija"
    " r\u00e9\u00e9cris traduis donne-moi"
    " schreib schreibe \u00fcbersetze korrigiere"
    " scrivi riscrivi traduci dammi spiega correggi"
).split()
"""What is asked of an assistant in Spanish, Portuguese, French, German and Italian, and nobody says of
themselves; below in Chinese."""
_ORDERED = re.compile(
    r"(?:(?:por favor|s'il (?:te|vous) pla\u00eet|bitte|per favore)[,:]? )?"
    rf"(?:{'|'.join(_ORDERS)})\b"
    r"(?!.*\b(?:yo|mi|mis|soy|estoy|vivo|je|mon|ma|mes|ich|mein\w*|io|mio|mia|sono|eu|meu|minha|sou)\b)"
    r"|(?:\u8bf7|\u4f60\u80fd|\u7ffb\u8bd1|\u6539\u5199|\u603b\u7ed3|\u5217\u51fa|\u751f\u6210)",
    re.IGNORECASE,
)
_ORDERED_IN_ENGLISH = re.compile(
    r"(?:please|write|answer|reply|respond|translate|rewrite|explain|summarize)\b(?!.*\b(?:I|my|we|our)\b)",
    re.IGNORECASE,
)
"""Behind a text in another language: "Please write in English"."""


def statements(message: Message, prose: Aligned, turn: Turn) -> Read:
    """`Anna (8 May 2023): Ich habe einen Hund.` for each stretch of up to LONGEST characters. Questions are
    passed over, and what asks an assistant for something in words that can be told from the rest."""
    label = f"{turn.speaker} ({day(message.said_at)})" if message.said_at else turn.speaker
    read = Read()
    held: list[Aligned] = []

    def close() -> None:
        if held:
            text = " ".join(piece.text for piece in held)
            source = Source(message.id, held[0].start, held[-1].end)
            made = Statement(f"{label}: {' '.join(text.split())}", "statement", (source,))
            if len(text) + 2 * len(_CHARACTERS.findall(text)) >= SHORTEST:
                read.statements.append(made)
            else:
                read.skip(made, NO_CONTENT)
        held.clear()

    for piece in split(prose):
        if reason := _reason_to_skip(piece.text.strip(), turn):
            read.passed.append(SkippedText(message.id, piece.start, piece.end, reason))
            continue
        if sum(len(one.text) for one in held) + len(piece.text) > LONGEST:
            close()
        held.append(piece)
    close()
    return read


def _reason_to_skip(text: str, turn: Turn) -> str:
    """Why a sentence is none to keep; empty where it is."""
    if _ASKS.search(text):
        return QUESTION
    if not turn.to_assistant:
        return ""
    return REQUEST if _ORDERED.match(text) or _ORDERED_IN_ENGLISH.match(text) else ""
