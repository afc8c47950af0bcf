"""The wording of statements: sentences rewritten and joined, opinions attributed.

Which sentences belong together is decided in `discourse` and `before`; here they only become text, with the
exact words they rest on and the time of what they tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.domain.models import Source
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import screening
from memcore.nlp.language.statements.before import stands
from memcore.nlp.language.statements.companions import companions
from memcore.nlp.language.statements.moment import Moment, moment
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.statements.rewrite import finished, rewrite, subject_text
from memcore.nlp.language.statements.statement import Part, Statement, dated, quoted
from memcore.nlp.language.syntax.clause_kind import Clause, is_evaluative, kind_of
from memcore.nlp.language.syntax.clauses import clauses, whole_clause
from memcore.nlp.language.syntax.grammar import subject_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.noun_kinds import is_pursued
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LEAD_CHARS = len("As of 8 May 2023")
_FINITE = frozenset({"VBD", "VBP", "VBZ"})
_OWNS_WITHOUT_ARTICLE = frozenset(
    "today yesterday tomorrow tonight nature life love society history art music work".split()
)


def single(reading: Reading, item: MessageReading) -> list[Statement]:
    """The statements of one sentence, a clause each where it can be divided."""
    doc, turn = reading.doc, item.turn
    assert doc is not None
    group = companions(item, reading)
    found: list[Statement] = []
    parts = clauses(doc, reading.timed)
    texts = [_clause_text(doc, clause, reading, item, group) for clause in parts]
    if any(text is None for text in texts) and len(parts) > 1:
        whole = Clause(parts[0].low, parts[-1].high, parts[0].verb)
        parts, texts = [whole], [_clause_text(doc, whole, reading, item, group)]
    for clause, text in zip(parts, texts, strict=True):
        if text is None:
            quote = _quote(reading, item)
            return [quote] if quote else []
        found.append(
            Statement(
                finished(_led(doc, clause, _attributed(doc, clause, text, turn), reading, item)),
                kind_of(doc, clause),
                (_source(reading, doc, clause),),
                (Part(doc, clause.low, clause.high, reading.timed),),
                _time(reading, doc, clause),
            )
        )
    return found


def joined(unit: list[Reading], item: MessageReading) -> list[Statement]:
    """One statement of several sentences that need each other, or belong together."""
    texts: list[str] = []
    parts: list[Part] = []
    kinds: list[str] = []
    times: list[TimeExpression] = []
    for reading in unit:
        doc = reading.doc
        assert doc is not None
        whole = whole_clause(doc)
        text = _clause_text(doc, whole, reading, item, companions(item, reading))
        if text is None:
            return _without(unit, reading, item)
        if not texts:
            text = _attributed(doc, whole, text, item.turn)
        led = _led(doc, whole, text, reading, item)
        again = any(one.startswith(finished(led)[:_LEAD_CHARS]) for one in texts) and led != text
        texts.append(finished(text if again else led))
        parts.append(Part(doc, whole.low, whole.high, reading.timed))
        kinds.append(kind_of(doc, whole))
        if (time := _time(reading, doc, whole)) is not None:
            times.append(time)
    own = [number for number, reading in enumerate(unit) if _is_of(item, reading)]
    main = next((number for number in own if unit[number].reason is None), own[0])
    ordered = [unit[main], *(r for r in unit if r is not unit[main])]
    return [
        Statement(
            " ".join(texts),
            kinds[main],
            tuple(Source(r.sentence.message_id, r.sentence.start, r.sentence.end) for r in ordered),
            tuple(parts),
            times[0] if times else None,
            _apart(unit, item),
        )
    ]


def _apart(unit: list[Reading], item: MessageReading) -> tuple[Statement, ...]:
    """What the sentences tell alone; nothing where one needs another."""
    if any(one.answers or not (stands(one) and _is_of(item, one)) for one in unit):
        return ()
    return tuple(statement for one in unit for statement in single(one, item))


def _without(unit: list[Reading], unsafe: Reading, item: MessageReading) -> list[Statement]:
    """What can be kept of a run with a sentence that cannot be rewritten: those before it, when they stand
    alone; those after it, when it is an earlier message's and they do without."""
    at = unit.index(unsafe)
    kept = [one for one in unit[:at] if _is_of(item, one)]
    if not _is_of(item, unsafe):
        kept = [] if unit[at + 1].leans or unit[at + 1].lacks else unit[at + 1 :]
    if len(kept) > 1:
        return joined(kept, item)
    return single(kept[0], item) if kept and not kept[0].open else []


def _is_of(item: MessageReading, reading: Reading) -> bool:
    """Whether it stands in this message, not in an earlier one that it goes on with."""
    return reading.sentence.message_id == item.message.id


def _clause_text(doc: Doc, clause: Clause, reading: Reading, item: MessageReading, group: str) -> str | None:
    now = _moment(doc, clause, reading, item)
    edits = (*now.edits, *reading.names)
    own = subject_of(doc[clause.borrows]) if clause.borrows is not None else None
    named = (own is not None and own.lower_ == "i") or _opens_with_own(doc, clause)
    made = rewrite(doc, clause.low, clause.high, item.turn, reading.times, group, edits, named=named)
    if made.problem or not made.text:
        return None
    if clause.borrows is None:
        return _beyond_own_name(made.text, item.turn.speaker)
    subject = subject_text(doc, doc[clause.borrows], item.turn, group)
    return f"{subject} {made.text}" if subject else None


def _opens_with_own(doc: Doc, clause: Clause) -> bool:
    """ "Being my own boss is great": it will be told as what the speaker said."""
    opens = doc[clause.low].tag_ == "VBG" and "my own" in doc[clause.low : clause.low + 5].text.lower()
    return opens and is_evaluative(doc, clause)


def _beyond_own_name(text: str, speaker: str) -> str | None:
    """What is said beside "my name is Lena" by somebody who is called so already."""
    own = f"{speaker}'s name is {speaker}"
    return None if text.rstrip(".!") == own else text.removeprefix(f"{own} and ")


def _moment(doc: Doc, clause: Clause, reading: Reading, item: MessageReading) -> Moment:
    return moment(doc, clause, reading.times, item.message.said_at)


def _led(doc: Doc, clause: Clause, text: str, reading: Reading, item: MessageReading) -> str:
    """Behind the day on which it holds, where it means the day of speaking."""
    lead = _moment(doc, clause, reading, item).lead
    if not lead:
        return text
    first = next((t for t in doc[clause.low : clause.high] if text.startswith(t.text)), None)
    common = first is not None and not _keeps_capital(first) and first.lower_ not in lexicon.SECOND
    common = common and not _begins_with_name(text, item.turn)
    return f"{lead}, {text[0].lower() + text[1:] if common else text}"


def _keeps_capital(first: Token) -> bool:
    named = first.ent_type_ not in {"", "CARDINAL", "DATE"} and not is_pursued(first.lemma_.lower())
    return first.pos_ == "PROPN" or named or first.text.isupper() or _is_unknown_owner(first)


def _is_unknown_owner(word: Token) -> bool:
    """A name that nobody recognised: "Aragorn's story"; not "Today's story", "Mom's cooking"."""
    if word.tag_ != "NN" or word.dep_ != "poss" or any(word.lefts):
        return False
    return word.lower_ not in lexicon.PERSON | lexicon.KIN | lexicon.TEMPORAL | _OWNS_WITHOUT_ARTICLE


def _begins_with_name(text: str, turn: Turn) -> bool:
    return any(text.startswith(name) for name in turn.participants)


def _attributed(doc: Doc, clause: Clause, text: str, turn: Turn) -> str:
    """A judgement that does not mention its author is put in the author's mouth."""
    if not is_evaluative(doc, clause) or (turn.speaker in text and not _opens_with_own(doc, clause)):
        return text
    keep = _keeps_capital(doc[clause.low]) or _begins_with_name(text, turn)
    return f"{turn.speaker} said that {text if keep else text[0].lower() + text[1:]}"


def _source(reading: Reading, doc: Doc, clause: Clause) -> Source:
    sentence = reading.sentence
    whole = whole_clause(doc)
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

    inside = [t for t in inside if not _is_subordinate(doc, t, clause) and not _is_origin(doc, t)]
    if not inside:
        return None

    def distance(time: TimeExpression) -> tuple[int, int]:
        tokens = [token for token in doc if time.start <= token.idx < time.end]
        return min((len(list(token.ancestors)) for token in tokens), default=99), time.start

    return min(inside, key=distance)


def _is_origin(doc: Doc, time: TimeExpression) -> bool:
    """ "Comics from the 1990s", "moved from 30 April": where something comes from, not when it is told of."""
    return time.relation == "during" and doc.text[: time.start].lower().endswith("from ")


def _is_subordinate(doc: Doc, time: TimeExpression, clause: Clause) -> bool:
    """The time of a clause within the clause ("the theatre where I saw a play last week")."""
    token = next((t for t in doc if time.start <= t.idx < time.end), None)
    if token is None:
        return False
    for head in (token, *token.ancestors):
        if head.i == clause.verb:
            return False
        if head.dep_ in {"relcl", "advcl", "pcomp", "acl"} and head.pos_ in {"VERB", "AUX"}:
            return head.tag_ in _FINITE or head.dep_ in {"relcl", "pcomp"}
    return False


def _quote(reading: Reading, item: MessageReading) -> Statement | None:
    """The sentence in the speaker's own words, when it tells enough to be worth it."""
    doc = reading.doc
    assert doc is not None
    content = screening.content_words(doc, item.turn)
    if len(content) < 4 or len(doc) > 60:
        return None
    if item.turn.to_assistant and any(token.lower_ in lexicon.SECOND for token in doc):
        return None  # of the conversation itself: "the recipe you mentioned"
    to = f" to {item.turn.addressee}" if item.turn.addressee else ""
    sentence = reading.sentence
    when = dated(item.message, reading.times, sentence.text)
    return Statement(
        f'{when}{item.turn.speaker} said{to}: "{quoted(sentence.text)}"',
        "statement",
        (Source(sentence.message_id, sentence.start, sentence.end),),
        (Part(doc, 0, 0),),
        next((t for t in reading.times if not t.recurring and t.relation == "during"), None),
    )
