"""Sentences of a message to standalone statements.

A sentence whose references are closed stands alone, divided into its clauses. One that points back
("It is special to me") is kept together with the sentences before it that it points to, so that a
statement never contains a pronoun without its antecedent. An answer that is no sentence of its own
is quoted with its question. What cannot be made standalone is passed over, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.models import Source
from memcore.nlp.dates import TimeExpression
from memcore.nlp.language import lexicon, screening
from memcore.nlp.language.coreference import fits
from memcore.nlp.language.grammar import subject_of
from memcore.nlp.language.people import Turn
from memcore.nlp.language.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.rewrite import finished, rewrite, subject_text
from memcore.nlp.language.sentences import Sentence
from memcore.nlp.language.statements import FINAL, Clause, clauses, is_evaluative, kind_of
from memcore.stages.facts import PassedOver

if TYPE_CHECKING:
    from spacy.tokens import Doc

FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ"})
NEEDS_CONTEXT = "needs context: it refers to something outside of the message"
UNSAFE = "cannot be rewritten safely"
TOO_LONG = "too long to be one statement"
MOST_SENTENCES = 3
MOST_WORDS = 70
_THIRD = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|her|this|that|these|those|there|one|ones|here)\b",
    re.IGNORECASE,
)
_PRESENTS = re.compile(
    r"(?:here(?:'s| is| are)|this is|these are|check out|look at|take a look at|that's (?:me|my|a|the|us|our))\b",
    re.I,
)
_EXCLAIMS = re.compile(
    r"(?:sorry|oops|ouch|thank|congrat|that|this|hope|nice|good|great|cool|love|not much|nothing)\b", re.I
)
_EXPLETIVE = re.compile(r"\bit (?:was |is |been |be )?like (?:to|being|[a-z]+ing)\b", re.IGNORECASE)
_FUNCTION = frozenset(
    "what which when where whom whose have been does that this your with from about like would could should think "
    "were will there into more most some anything something ever also just really else long much many".split()
)
_EMPTY_QUESTION = re.compile(
    r"^(?:how (?:are|have|is|was|about)\b|what's (?:up|new)|what about you|how's|anything|and you|you\?|really|any plans)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens low:high of a parsed sentence that a statement rests on."""

    doc: Doc
    low: int
    high: int
    timed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Statement:
    """A standalone text, what kind it is, the exact words and parses behind it, and its time."""

    text: str
    kind: str
    sources: tuple[Source, ...]
    parts: tuple[Part, ...] = ()
    time: TimeExpression | None = None


@dataclass(slots=True)
class Read:
    """What a message yielded."""

    statements: list[Statement] = field(default_factory=list)
    passed: list[PassedOver] = field(default_factory=list)


def statements(item: MessageReading) -> Read:
    """All standalone statements of a message, in order, and what was passed over."""
    out = Read()
    unit: list[Reading] = []
    fresh = True
    for position, reading in enumerate(item.readings):
        if reading.reason == screening.GENERAL and unit and _continues(reading):
            reading = replace(reading, reason=None)
        first, fresh = fresh, fresh and _says_nothing(reading)
        if reading.reason is not None or reading.doc is None:
            if first and (answer := _answer(item, reading)) is not None:
                out.statements.append(answer)
                continue
            _pass(out, reading, reading.reason or FRAGMENT)
            continue
        if not reading.open and unit and _takes_up(reading, unit) and _fits(unit, reading):
            unit = [*unit, reading]
            continue
        if not reading.open:
            _close(out, unit, item)
            unit = [reading]
            continue
        head = _antecedents(unit, item.readings[:position], reading)
        if head:
            if head[0] not in unit or len(head) < len(unit):
                _close(out, [r for r in unit if r not in head], item)
            unit = [*head, reading]
        elif first and (answer := _answer(item, reading)) is not None:
            out.statements.append(answer)
        else:
            _pass(out, reading, NEEDS_CONTEXT)
    _close(out, unit, item)
    out.statements += _shared(item)
    return out


def _continues(reading: Reading) -> bool:
    """Tells more about what was just said ("She works as a nurse there"), rather than judging it."""
    doc = reading.doc
    if doc is None or not reading.open or doc[0].lower_ in {"this", "that"}:
        return False
    return not is_evaluative(doc, _whole(doc)) and not any(t.lower_ in lexicon.EVALUATIVE for t in doc)


def _says_nothing(reading: Reading) -> bool:
    """A greeting or exclamation, after which an answer may still begin."""
    return reading.reason == screening.REACTION or (
        reading.reason == screening.SMALL_TALK and len(reading.sentence.text.split()) <= 3
    )


def _tells_of(text: str) -> bool:
    """Words that present an image and stand alone: "here's a picture of my garden"."""
    return len(text.split()) >= 6 and not re.search(
        r"\b(?:it|them|they|he|she|him|her|one|ones|at this)\b", text, re.I
    )


def _shared(item: MessageReading) -> list[Statement]:
    """The images of a message by their captions, with the words that presented them."""
    words = next((s for s in item.sentences if _PRESENTS.match(s.text) and _tells_of(s.text)), None)
    found = []
    for image in item.images:
        text = f"{item.turn.speaker} shared an image: {image.caption.strip().rstrip('.')}"
        sources = [Source(item.message.id, image.start, image.end)]
        if words is not None:
            text += f', saying "{_plain(words.text).rstrip(".!")}"'
            sources.append(Source(item.message.id, words.start, words.end))
        found.append(Statement(finished(text), "event", tuple(sources)))
    return found


def _pass(out: Read, reading: Reading, reason: str) -> None:
    sentence = reading.sentence
    out.passed.append(PassedOver(sentence.message_id, sentence.start, sentence.end, reason))


def _antecedents(unit: list[Reading], earlier: tuple[Reading, ...], reading: Reading) -> list[Reading]:
    """The run of sentences that closes all that `reading` leaves open; empty if none does."""
    if any(need.wants == "nothing" for need in reading.open):
        return []
    between = [r.reason for r in earlier]
    while between and between[-1] == screening.REACTION:
        between.pop()
    last = earlier[len(between) - 1] if between else None
    if last is None or not last.usable:
        return []  # what came in between may be what is meant
    runs: list[list[Reading]] = []
    if unit and unit[-1] is last:
        runs.append(unit)
    elif not last.open and not _is_impersonal(last):
        runs.append([last])
    for run in runs:
        offered = set().union(*(r.offered for r in run))
        if all(fits(need.wants, offered) for need in reading.open):
            while len(run) >= MOST_SENTENCES or _words([*run, reading]) > MOST_WORDS:
                run = run[1:]
                if not run or run[0].open:
                    return []
                offered = set().union(*(r.offered for r in run))
                if not all(fits(need.wants, offered) for need in reading.open):
                    return []
            return run
    return []


def _is_impersonal(reading: Reading) -> bool:
    """ "It is amazing how …": such a remark is not what a later "it" means."""
    return reading.reason is not None and reading.sentence.text[:2].lower() == "it"


def _takes_up(reading: Reading, unit: list[Reading]) -> bool:
    """ "The event …" after "… an event …": the same bare noun, now definite."""
    doc = reading.doc
    assert doc is not None
    named = {t.lemma_.lower() for r in unit if r.doc is not None for t in r.doc if t.pos_ == "NOUN"}
    return any(
        t.pos_ == "NOUN"
        and t.lemma_.lower() in named
        and any(c.lower_ == "the" for c in t.children)
        and not any(c.dep_ in {"compound", "prep", "relcl", "acl"} for c in t.children)
        for t in doc
    )


def _fits(unit: list[Reading], reading: Reading) -> bool:
    return len(unit) < MOST_SENTENCES and _words([*unit, reading]) <= MOST_WORDS


def _words(run: list[Reading]) -> int:
    return sum(len(r.sentence.text.split()) for r in run)


def _close(out: Read, unit: list[Reading], item: MessageReading) -> None:
    """Turn a finished run of sentences into statements."""
    if not unit:
        return
    made = _single(unit[0], item) if len(unit) == 1 else _joined(unit, item)
    if made:
        out.statements += made
    else:
        for reading in unit:
            _pass(out, reading, UNSAFE)


def _single(reading: Reading, item: MessageReading) -> list[Statement]:
    doc, turn = reading.doc, item.turn
    assert doc is not None
    group = _group(item, reading)
    found: list[Statement] = []
    parts = clauses(doc, reading.timed)
    texts = [_clause_text(doc, clause, reading, turn, group) for clause in parts]
    if any(text is None for text in texts) and len(parts) > 1:
        whole = Clause(parts[0].low, parts[-1].high, parts[0].verb)
        parts, texts = [whole], [_clause_text(doc, whole, reading, turn, group)]
    for clause, text in zip(parts, texts, strict=True):
        if text is None:
            quote = _quote(reading, item)
            return [quote] if quote else []
        found.append(
            Statement(
                finished(_attributed(doc, clause, text, turn)),
                kind_of(doc, clause),
                (_source(reading, doc, clause),),
                (Part(doc, clause.low, clause.high, reading.timed),),
                _time(reading, doc, clause),
            )
        )
    return found


def _joined(unit: list[Reading], item: MessageReading) -> list[Statement]:
    texts: list[str] = []
    parts: list[Part] = []
    kinds: list[str] = []
    times: list[TimeExpression] = []
    for reading in unit:
        doc = reading.doc
        assert doc is not None
        whole = _whole(doc)
        text = _clause_text(doc, whole, reading, item.turn, _group(item, reading))
        if text is None:
            # Keep what can be kept: the sentences before the unsafe one, when they stand alone.
            before = unit[: unit.index(reading)]
            return (
                _joined(before, item)
                if len(before) > 1
                else (_single(before[0], item) if before and not before[0].open else [])
            )
        if not texts:
            text = _attributed(doc, whole, text, item.turn)
        texts.append(finished(text))
        parts.append(Part(doc, whole.low, whole.high, reading.timed))
        kinds.append(kind_of(doc, whole))
        if (time := _time(reading, doc, whole)) is not None:
            times.append(time)
    main = next((number for number, reading in enumerate(unit) if reading.reason is None), 0)
    ordered = [unit[main], *(r for r in unit if r is not unit[main])]
    return [
        Statement(
            " ".join(texts),
            kinds[main],
            tuple(Source(r.sentence.message_id, r.sentence.start, r.sentence.end) for r in ordered),
            tuple(parts),
            times[0] if times else None,
        )
    ]


def _whole(doc: Doc) -> Clause:
    high = len(doc)
    while high > 1 and doc[high - 1].text in FINAL:
        high -= 1
    root = next((token.i for token in doc if token.dep_ == "ROOT"), 0)
    return Clause(0, high, root)


def _clause_text(doc: Doc, clause: Clause, reading: Reading, turn: Turn, group: str) -> str | None:
    made = rewrite(doc, clause.low, clause.high, turn, reading.times, group)
    if made.problem or not made.text:
        return None
    if clause.borrows is None:
        return made.text
    subject = subject_text(doc, doc[clause.borrows], turn, group)
    return f"{subject} {made.text}" if subject else None


def _attributed(doc: Doc, clause: Clause, text: str, turn: Turn) -> str:
    """A judgement that does not mention its author is put in the author's mouth."""
    if not is_evaluative(doc, clause) or turn.speaker in text:
        return text
    first = doc[clause.low]
    keep = first.pos_ == "PROPN" or first.ent_type_ not in {"", "CARDINAL", "DATE"} or first.text.isupper()
    return f"{turn.speaker} said that {text if keep else text[0].lower() + text[1:]}"


def _source(reading: Reading, doc: Doc, clause: Clause) -> Source:
    sentence = reading.sentence
    whole = _whole(doc)
    if (clause.low, clause.high) == (whole.low, whole.high):
        return Source(sentence.message_id, sentence.start, sentence.end)
    end = doc[clause.high - 1]
    start, stop = sentence.words.span(doc[clause.low].idx, end.idx + len(end.text))
    return Source(sentence.message_id, start, stop)


def _time(reading: Reading, doc: Doc, clause: Clause) -> TimeExpression | None:
    """The clause's time: the expression whose words hang nearest to the clause's verb."""
    begin, end = doc[clause.low].idx, doc[clause.high - 1].idx + len(doc[clause.high - 1].text)
    inside = [
        t
        for t in reading.times
        if not t.recurring and begin <= t.start and t.end <= end and t.relation in {"during", "from"}
    ]
    if not inside:
        return None

    inside = [time for time in inside if not _is_subordinate(doc, time, clause)]
    if not inside:
        return None

    def distance(time: TimeExpression) -> tuple[int, int]:
        tokens = [token for token in doc if time.start <= token.idx < time.end]
        return min((len(list(token.ancestors)) for token in tokens), default=99), time.start

    return min(inside, key=distance)


def _is_subordinate(doc: Doc, time: TimeExpression, clause: Clause) -> bool:
    """The time of a clause within the clause ("the theatre where I saw a play last week")."""
    token = next((t for t in doc if time.start <= t.idx < time.end), None)
    if token is None:
        return False
    for head in (token, *token.ancestors):
        if head.i == clause.verb:
            return False
        if head.dep_ in {"relcl", "advcl", "pcomp", "acl"} and head.pos_ in {"VERB", "AUX"}:
            return head.tag_ in FINITE_TAGS or head.dep_ in {"relcl", "pcomp"}
    return False


def _quote(reading: Reading, item: MessageReading) -> Statement | None:
    """The sentence in the speaker's own words, when it tells enough to be worth it."""
    doc = reading.doc
    assert doc is not None
    content = screening.content_words(doc, item.turn)
    if len(content) < 4 or len(doc) > 60:
        return None
    to = f" to {item.turn.addressee}" if item.turn.addressee else ""
    when = (
        f"On {day(item.message.said_at)} "
        if item.message.said_at and any(t.relative for t in reading.times)
        else ""
    )
    sentence = reading.sentence
    return Statement(
        f'{when}{item.turn.speaker} said{to}: "{_plain(sentence.text)}"',
        "statement",
        (Source(sentence.message_id, sentence.start, sentence.end),),
        (Part(doc, 0, 0),),
        next((t for t in reading.times if not t.recurring and t.relation == "during"), None),
    )


def day(moment: datetime | None) -> str:
    return f"{moment.day} {moment:%B %Y}" if moment else ""


def _plain(text: str) -> str:
    text = " ".join(text.split()).replace('"', "'").rstrip(" ;,:-")
    return text if text[-1:] in ".!?" else text + "."


def _answer(item: MessageReading, reading: Reading) -> Statement | None:
    """Question and answer, both quoted, when neither refers to anything else."""
    question, sentence = item.asked, reading.sentence
    if not question or sentence.asks or _EMPTY_QUESTION.match(question):
        return None
    if _THIRD.search(_EXPLETIVE.sub("", question)):
        return None
    if not all(fits(need.wants, _offered_by(question)) for need in reading.open):
        return None
    if _EXCLAIMS.match(sentence.text) or any(
        reading.doc[need.index].lower_ in {"this", "that", "these", "those"}
        for need in reading.open
        if reading.doc
    ):
        return None
    if reading.reason not in {None, FRAGMENT, screening.NO_CONTENT, screening.GENERAL}:
        return None
    if len(question.split()) < 4 or len(question.split()) > 30 or len(sentence.text.split()) > 40:
        return None
    doc = reading.doc
    if doc is None or any(need.wants == "nothing" for need in reading.open):
        return None
    if not any(
        t.pos_ in {"NOUN", "PROPN", "NUM"} and t.lemma_.lower() not in lexicon.EVALUATIVE for t in doc
    ):
        return None
    asker = item.asker
    when = (
        f"On {day(item.message.said_at)} "
        if item.message.said_at and any(t.relative for t in reading.times)
        else ""
    )
    opener = re.match(r"(?:yes|yeah|yep|yup|no|nope|nah)\b", sentence.opener, re.IGNORECASE)
    said = (
        f"{opener.group().capitalize()}, {sentence.text[0].lower() + sentence.text[1:] if sentence.text[:2] != 'I ' else sentence.text}"
        if opener
        else sentence.text
    )
    return Statement(
        f'{when}{asker} asked {item.turn.speaker}: "{_plain(question)}" {item.turn.speaker} answered: "{_plain(said[0].upper() + said[1:])}"',
        "statement",
        (Source(sentence.message_id, sentence.start, sentence.end),),
        (Part(doc, 0, 0),),
        next((t for t in reading.times if not t.recurring and t.relation == "during"), None),
    )


def _offered_by(question: str) -> set[str]:
    """What an unparsed question can be referred back to as, by its words alone."""
    words = [word.lower() for word in re.findall(r"[A-Za-z-]+", question)]
    found: set[str] = set()
    for word in words:
        single = word[:-1] if word.endswith("s") else word
        if word in lexicon.PERSON | lexicon.ANIMAL:
            found |= {"male"} if word not in lexicon.FEMALE else set()
            found |= {"female"} if word not in lexicon.MALE else set()
            found |= {"plural"} if word != single or word in lexicon.GROUP else set()
        elif len(word) > 3 and not word.endswith(("ing", "ed", "s")) and word not in _FUNCTION:
            found |= {"thing", "noun"}
        if single in lexicon.PERSON | lexicon.ANIMAL and word != single or word in lexicon.GROUP:
            found |= {"plural", "noun"}
    return found


def _group(item: MessageReading, reading: Reading) -> str:
    """Who "we" are, where this sentence or the one before it says so; empty when none does."""
    place = next(n for n, other in enumerate(item.readings) if other.sentence == reading.sentence)
    for other in _nearest(item.readings[max(0, place - 1) : place]):
        if other.doc is not None and (named := _companions(other, item.turn)):
            return named
    return ""


def _nearest(readings: tuple[Reading, ...]) -> Iterator[Reading]:
    return reversed(readings)


def _companions(reading: Reading, turn: Turn) -> str:
    doc = reading.doc
    assert doc is not None
    for verb in doc:
        if verb.pos_ not in {"VERB", "AUX"}:
            continue
        subject = subject_of(verb)
        if subject is None:
            continue
        people = [t for t in subject.subtree if t.lower_ in {"i", "me"}]
        if people and subject.lower_ not in {"i", "me"}:
            tokens = sorted(subject.subtree, key=lambda t: t.i)
            made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
            return "" if made.problem or len(tokens) > 8 else made.text
        if subject.lower_ not in {"i"}:
            continue
        for prep in (t for t in verb.subtree if t.lower_ == "with" and t.dep_ == "prep"):
            for noun in (c for c in prep.children if c.dep_ == "pobj"):
                lemma = noun.lemma_.lower()
                if (
                    lemma in lexicon.PERSON
                    or lemma in {"family", "team", "group"}
                    or noun.ent_type_ == "PERSON"
                ):
                    tokens = sorted(noun.subtree, key=lambda t: t.i)
                    made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
                    if not made.problem and len(tokens) <= 4:
                        return f"{turn.speaker} and {made.text}"
    return ""
