"""Messages that are not English: kept as they are, with speaker and date, never lost.

They are not analysed; they become statements of kind "statement".
"""

from __future__ import annotations

import re

from memcore.domain.extraction import SkippedText
from memcore.domain.models import Message, Source
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.screening import NO_CONTENT, OF_THE_WORLD, QUESTION, REQUEST
from memcore.nlp.language.prose.sentences import split
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements.statement import Read, Statement, day
from memcore.nlp.language.words.english import is_english

LONGEST = 280
"""Characters of one statement; a longer message becomes several, divided between sentences."""
SHORTEST = 12
"""Letters of one, where a Chinese, Japanese or Korean character counts as three."""
_ASKS = re.compile(r"[?\u061f\uff1f]\W*$|[\u5417\u5462]\s*$")
"""It ends with a question mark, or with a word that makes a question in Chinese."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_JAPANESE_OR_KOREAN = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_CHARACTERS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_I_IN_CHINESE = re.compile(r"[\u6211\u54b1\u4ffa]|\u672c\u4eba")
_ORDERS = (  # in Spanish, Portuguese, French, German, Italian
    "redacta redact\u00e1 reformula traduce escribe reescribe dame dime explica resume corrige genera crea"
    " haz reescreva traduza escreva explique resuma corrija gere crie fa\u00e7a"
    " \u00e9cris r\u00e9\u00e9cris traduis donne donne-moi r\u00e9sume fais"
    " schreib schreibe \u00fcbersetze erkl\u00e4re fasse korrigiere gib erstelle"
    " scrivi riscrivi traduci dammi spiega riassumi correggi"
).split()
_ASKED_FOR = re.compile(
    r"(?:(?:por favor|s'il (?:te|vous) pla\u00eet|bitte|per favore|please)[,:]? )?"
    rf"(?:(?:{'|'.join(_ORDERS)}|me d\u00ea|quiero otr[ao]|quero (?:tentar )?outr[ao])\b"
    r"|(?:y ahora|e agora|et maintenant|und jetzt|e adesso) (?:como|comme|als|wie|come)\b)",
    re.IGNORECASE,
)
"""The beginning of what is asked of an assistant, in the commonest languages that a log may hold."""
_I_IN_ENGLISH = re.compile(r"\b(?:I|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)


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
    if _ASKED_FOR.match(text):
        return REQUEST
    if is_english(text):  # "Please write in English", behind what was pasted
        return "" if _I_IN_ENGLISH.search(text) or not re.search(r"[A-Za-z]", text) else REQUEST
    names_its_speaker = _JAPANESE_OR_KOREAN.search(text) or _I_IN_CHINESE.search(text)
    return OF_THE_WORLD if _CHINESE.search(text) and not names_its_speaker else ""
