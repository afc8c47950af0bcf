"""Answers that only make sense with their question: both are quoted, in one statement.

"Yes, two dogs." alone says nothing; "Caroline asked Melanie: ... Melanie answered: ..." does. The
rules make sure that neither side refers to anything outside of the two.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memcore.domain.models import Source
from memcore.nlp.language.prose import screening
from memcore.nlp.language.statements.reading import ECHOES, FRAGMENT, MessageReading, Reading
from memcore.nlp.language.statements.statement import Part, Statement, dated, quoted
from memcore.nlp.language.syntax.coreference import fits
from memcore.nlp.language.syntax.definites import taken_as_known
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem

THIRD = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|her|this|that|these|those|there|ones|here"
    r"|one(?! or two\b| of (?:my|our)\b))\b",
    re.IGNORECASE,
)
"""It points to somebody or something else."""
_EXCLAIMS = re.compile(
    r"(?:sorry|oops|ouch|thank|congrat|that|this|hope|nice|good|great|cool|love|not much|nothing"
    r"|together|let's|let us)\b",
    re.I,
)
_BARE_OCCASION = re.compile(
    rf"\bthe (?:{'|'.join(sorted(lexicon.OCCASIONS))})s?\b"
    r"(?! (?:of|in|for|at|to|from|about|through|with|on)\b)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"\b(?:the|that|this) (?P<what>(?:[a-z-]+ ){0,2}?[a-z-]+)"
    r"(?=[?.,!;]|$| (?:is|was|are|were|has|have|going|do|does|did|say|says|look|looks|like|mean|means"
    r"|make|makes|go|goes|went|come|came|and|so|been|today|now|you|yet)\b)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(
    r"[a-z] (?:Any|What|How|Do|Did|Are|Is|Have|Got) [a-z]|^(?:While|Since|Because|Although)\b[^,]*\?"
)
_OCCASION_UNSAID = re.compile(r"\bwhen you (?:found out|heard|did|won|finished|saw|got)\W*$", re.IGNORECASE)
_ELLIPTIC = re.compile(
    r"\balong the way\b|\b(?:join|join in|attend|go|come|participate|take part|get involved|start|begin)\W*$",
    re.IGNORECASE,
)
"""In, to or with what was spoken of: "Did you join in?"."""
_EXPLETIVE = re.compile(r"\bit (?:was |is |been |be )?like (?:to|being|[a-z]+ing)\b", re.IGNORECASE)
_NO_MATTER = frozenset(
    stem(word)
    for word in lexicon.ASKING
    | lexicon.VAGUE
    | lexicon.LIGHT_VERBS
    | lexicon.EVALUATIVE
    | lexicon.EMPTY
    | frozenset({"gave", "made", "got", "took", "favorite", "favourite", "part"})
)
_EMPTY_QUESTION = re.compile(
    r"^(?:how (?:are|have|is|was|about)\b|what(?:'s| has) (?:up|new|been)|what about you|how's|anything"
    r"|and you|you\?|really|any plans)",
    re.IGNORECASE,
)


def answer(item: MessageReading, reading: Reading) -> Statement | None:
    """Question and answer, both quoted, when neither refers to anything else."""
    question, sentence, doc = item.asked.text, reading.sentence, reading.doc
    if ECHOES.match(sentence.text):
        question = closed_question(question)  # it answers the last of them
    if doc is None or not is_answerable(question) or not _is_answer(reading):
        return None
    if not all(fits(need.wants, offered_by(question)) for need in reading.open):
        return None
    if reading.leans and not _names_all(question, reading):
        return None
    said = sentence.text
    opener = re.match(r"(?:yes|yeah|yep|yup|no|nope|nah)\b", sentence.opener, re.IGNORECASE)
    if opener:
        said = (
            f"{opener.group().capitalize()}, {said if said.startswith('I ') else said[0].lower() + said[1:]}"
        )
    speaker = item.turn.speaker
    when = dated(item.message, reading.times, sentence.text)
    return Statement(
        f'{when}{item.asked.asker} asked {speaker}: "{quoted(question)}" '
        f'{speaker} answered: "{quoted(said)}"',
        "statement",
        (Source(sentence.message_id, sentence.start, sentence.end),),
        (Part(doc, 0, 0),),
        next((t for t in reading.times if not t.recurring and t.relation == "during"), None),
    )


def _names_all(question: str, reading: Reading) -> bool:
    """Whether a question names all that its answer speaks of as known."""
    assert reading.doc is not None
    asked = {stem(word.lower()) for word in re.findall(r"[A-Za-z-]{3,}", question)}
    return all(stem(noun.lemma_.lower()) in asked for noun in taken_as_known(reading.doc, reading.timed))


def with_question(item: MessageReading, told: Statement) -> Statement:
    """A statement behind the question that it answers, which names what it speaks of."""
    speaker, text = item.turn.speaker, told.text
    asked = f'{item.asked.asker} asked {speaker}: "{quoted(closed_question(item.asked.text))}"'
    if speaker not in text or (text.startswith("It") and speaker not in text.replace(f"{speaker}'s", "")):
        article = text.split(" ", 1)[0].lower() in lexicon.ARTICLES
        text = f"{speaker} said that {text[0].lower() + text[1:]}" if article else f"{speaker} said: {text}"
    return replace(told, text=f"{asked} {text}")


def makes_known(item: MessageReading, reading: Reading) -> bool:
    """Whether the question before says what a sentence is about: not "What gave you the idea?", and no last
    question of several that has no word in common with it."""
    question = closed_question(item.asked.text)
    known = taken_as_known(reading.doc, reading.timed) if reading.doc is not None else []
    if any(re.search(rf"\bthe {re.escape(noun.text)}\b", question, re.IGNORECASE) for noun in known):
        return False  # the question speaks of it as known, too
    words = {stem(word.lower()) for word in re.findall(r"[A-Za-z-]{4,}", question)} - _NO_MATTER
    if question != item.asked.text:
        words &= {stem(word.lower()) for word in re.findall(r"[A-Za-z-]{4,}", reading.sentence.text)}
    return bool(words)


def closed_question(text: str) -> str:
    """The questions of a message or, where an earlier one refers to something else, the last one; empty
    where that does, too."""
    if is_answerable(text):
        return text
    last = re.split(r"(?<=[?!.]) +", text)[-1]
    return last if is_answerable(last) else ""


def is_answerable(question: str) -> bool:
    """A question with content that refers to nothing before it."""
    if not 4 <= len(question.split()) <= 30 or _EMPTY_QUESTION.match(question):
        return False
    if (
        THIRD.search(_EXPLETIVE.sub("", question))
        or _ELLIPTIC.search(question)
        or _BARE_OCCASION.search(question)
    ):
        return False
    known = lexicon.KNOWN | lexicon.GENERIC | lexicon.TEMPORAL | lexicon.PLACE
    bare = [m["what"].lower().split() for m in _DEFINITE.finditer(question)]
    return not (_OCCASION_UNSAID.search(question) or _RUN_ON.search(question)) and all(
        any(word in known or word.removesuffix("s") in known for word in words) for words in bare
    )


def _is_answer(reading: Reading) -> bool:
    """Something told, not asked, exclaimed or pointed at."""
    sentence, doc = reading.sentence, reading.doc
    if doc is None or sentence.asks or _EXCLAIMS.match(sentence.text) or len(sentence.text.split()) > 40:
        return False
    if reading.reason not in {None, FRAGMENT, screening.NO_CONTENT, screening.GENERAL}:
        return False
    if any(need.wants == "nothing" or doc[need.index].lower_ in lexicon.POINTING for need in reading.open):
        return False
    return any(t.pos_ in {"NOUN", "PROPN", "NUM"} and t.lemma_.lower() not in lexicon.EVALUATIVE for t in doc)


def offered_by(question: str) -> set[str]:
    """What an unparsed question can be referred back to as, by its words alone."""
    words = [word.lower() for word in re.findall(r"[A-Za-z-]+", question)]
    found: set[str] = set()
    for word in words:
        single = word[:-1] if word.endswith("s") else word
        if word in lexicon.PERSON | lexicon.ANIMAL:
            found |= {"male"} if word not in lexicon.FEMALE else set()
            found |= {"female"} if word not in lexicon.MALE else set()
            found |= {"plural"} if word != single or word in lexicon.GROUP else set()
        elif len(word) > 3 and not word.endswith(("ing", "ed", "s")) and word not in lexicon.ASKING:
            found.add("noun")
        if (single in lexicon.PERSON | lexicon.ANIMAL and word != single) or word in lexicon.GROUP:
            found |= {"plural", "noun"}
    return found
