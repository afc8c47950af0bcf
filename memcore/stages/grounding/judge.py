"""The judge: a statement, the messages it cites and those around them, to a verdict with its reasons.

Support is looked for in the cited messages and, counting a little less, in the turns before them: who answers
does not repeat the question. Where another message carries the statement much better, the citation is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import UsageError
from memcore.domain.models import Grounding, Message, Reason, Support
from memcore.domain.protocols import Embedder, EncodedText
from memcore.nlp.language.words.wording import listed
from memcore.stages.grounding.alignment import Aligned, Floats, PieceIndex, WordIndex
from memcore.stages.grounding.checks import check_dates, check_names, check_negation, check_numbers
from memcore.stages.grounding.citation import better_citation
from memcore.stages.grounding.long_before import LongBefore
from memcore.stages.grounding.model import GroundingModel, grounding_model
from memcore.stages.grounding.people import check_person, names_of, subject_of
from memcore.stages.grounding.reading import read
from memcore.stages.grounding.said import Said

TURNS_BEFORE = 4

_OF_BEFORE, _OF_SESSION = 0.85, 0.6
_OF_NEAR = 0.85
"""What a word counts that was said in a turn before, or earlier in the session, and one that only the encoder
finds."""

_JUST_BEFORE = 3
"""Turns before a cited one among which stands what it answers."""

_NOT_FOUND = 0.35
_MUCH_BETTER = 0.15
_HARDLY, _HALF = 0.4, 0.5
"""Of a statement with less than `_HARDLY` of its content in the words nothing is supported, however short."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found against a statement: `features`, each from 0 (nothing), the `reasons` of the checks, the
    words with content that nobody said, the share that was said, and the message that carries the statement
    best of all that are not cited (empty: none does better)."""

    features: Mapping[str, float]
    reasons: tuple[Reason, ...]
    missing: tuple[str, ...]
    found: float
    better: str


class Grounder:
    """Judges statements against messages, all of one conversation and in its order; reads each once.
    `earlier` gives those said before all of these, for what they name, count and date; it is asked only when
    needed."""

    def __init__(
        self,
        messages: Iterable[Message],
        embedder: Embedder,
        *,
        earlier: Callable[[], Iterable[Message]] = tuple,
        model: GroundingModel | None = None,
    ) -> None:
        self._messages = tuple({message.id: message for message in messages}.values())
        self._embedder = embedder
        self._earlier = earlier
        self._model = model or grounding_model()
        self._row = {message.id: row for row, message in enumerate(self._messages)}
        self._names = names_of(sorted({message.speaker for message in self._messages if message.speaker}))
        self._people = frozenset(self._names)
        self._speakers = np.array([message.speaker for message in self._messages], dtype=object)
        self._last: tuple[tuple[str, datetime | None], Aligned] | None = None
        self._encoded: dict[str, EncodedText] = {}

    def prepare(self, texts: Sequence[str]) -> None:
        """Read statements that are to be judged, at once."""
        unread = [text for text in dict.fromkeys(texts) if text not in self._encoded]
        if unread:
            self._encoded |= zip(unread, self._embedder.read_texts(unread), strict=True)

    @cached_property
    def _said(self) -> tuple[Said, ...]:
        return tuple(map(self._read, self._messages))

    def _read(self, message: Message) -> Said:
        return Said(message, read(message.text, message.said_at, self._people))

    @cached_property
    def _begins(self) -> list[int]:
        """Of each message the place of the first one of its session."""
        begins: list[int] = []
        for row, message in enumerate(self._messages):
            goes_on = row > 0 and message.session_id == self._messages[row - 1].session_id
            begins.append(begins[-1] if goes_on else row)
        return begins

    @cached_property
    def _words(self) -> WordIndex:
        return WordIndex([said.reading for said in self._said])

    @cached_property
    def _pieces(self) -> PieceIndex:
        texts = [message.text for message in self._messages]
        return PieceIndex(self._embedder.token_codes(texts), self._embedder.dimension)

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        return self._embedder.embed([message.text for message in self._messages])

    @cached_property
    def _long_before(self) -> LongBefore:
        return LongBefore(self._said, lambda: [self._read(message) for message in self._earlier()])

    def judge(self, text: str, cited: Sequence[str], before: Sequence[str] | None = None) -> Grounding:
        """The verdict on a statement that cites messages by id. `before`: the turns to read it with (None: up
        to 4 before each, of its session). Raises UsageError for a message that is none of these."""
        version = self._model.version
        if not cited:
            reason = Reason("content", "", "It cites no message.")
            return Grounding("unsupported", 1.0, (reason,), made_by=version)
        findings = self.examine(text, cited, before)
        score = self._model.probability(findings.features)
        if score <= self._model.threshold and findings.found >= _HARDLY:
            return Grounding("supported", score, made_by=version)
        reasons = (*findings.reasons, *_of_content(findings))
        return Grounding(_verdict(findings, reasons), score, reasons, findings.better, version)

    def examine(self, text: str, cited: Sequence[str], before: Sequence[str] | None = None) -> Findings:
        """What stands against a statement. As `judge`; `cited` is not empty."""
        own = self._rows(cited)
        earlier = self._before(own, TURNS_BEFORE) if before is None else self._rows(before)
        session = self._before(own, len(self._messages)) if before is None else earlier
        aligned = self._align(text, self._messages[own[0]].said_at)
        said, told_before = [self._said[row] for row in own], [self._said[row] for row in earlier]
        statement, subject = aligned.statement, subject_of(aligned.statement, self._names)
        in_context = _with(aligned.both, own, earlier, session)
        same_in_context = _with(aligned.same, own, earlier, session)
        cosine = float(aligned.cosines[own].max())
        just_before = self._before(own, _JUST_BEFORE) if before is None else earlier
        cosine = max(cosine, _OF_BEFORE * float(aligned.cosines[just_before].max(initial=0.0)))
        others = self._speakers == subject if subject else np.ones(len(self._messages), dtype=bool)
        best, gain = better_citation(aligned, self._said, own, just_before, others)
        found = np.maximum(same_in_context, _OF_NEAR * in_context)
        last, long_before = max(own), self._long_before
        support = {at: float(value) for (at, _), value in zip(aligned.words, found, strict=True)}
        for at, word in aligned.words:
            if word.is_name and support[at] < _OF_BEFORE and long_before.named(word.stem, last):
                support[at] = _OF_BEFORE
        person, towards = check_person(statement, said, self._names)
        name = check_names(statement, support, self._where_named(aligned, own))
        number = check_numbers(statement, said, told_before, lambda one: long_before.counted(one, last))
        date = check_dates(statement, said, told_before, lambda one: long_before.dated(one, last))
        added, lost = check_negation(statement, said, told_before)
        missing = tuple(
            word.text
            for (_, word), value in zip(aligned.words, in_context, strict=True)
            if word.weight >= 1.0 and value < _NOT_FOUND
        )
        return Findings(
            features={
                "unsaid": 1.0 - aligned.share(same_in_context),
                "unlike": 1.0 - aligned.share(in_context),
                "distance": 1.0 - cosine,
                "missing": min(1.0, len(missing) / 4),
                "better": gain,
                "person": person.against,
                "towards": towards,
                "name": name.against,
                "number": number.against,
                "date": date.against,
                "negation_added": added.against,
                "negation_lost": lost.against,
            },
            reasons=tuple(r for check in (person, name, number, date, added, lost) for r in check.reasons),
            missing=missing,
            found=aligned.share(in_context),
            better=self._messages[best].id if gain > _MUCH_BETTER else "",
        )

    def _rows(self, ids: Sequence[str]) -> list[int]:
        unknown = [one for one in ids if one not in self._row]
        if unknown:
            raise UsageError(
                f"There is no message {unknown[0]} in this conversation.",
                "Give the conversation that the cited messages are of.",
            )
        return [self._row[one] for one in dict.fromkeys(ids)]

    def _before(self, rows: Sequence[int], turns: int) -> list[int]:
        """Up to so many turns before each of the rows, of its session."""
        found = {row for last in rows for row in range(max(self._begins[last], last - turns), last)}
        return sorted(found.difference(rows))

    def _align(self, text: str, said_at: datetime | None) -> Aligned:
        if self._last is not None and self._last[0] == (text, said_at):
            return self._last[1]
        statement = read(text, said_at, self._people)
        words = tuple((at, word) for at, word in enumerate(statement.words) if word.weight)
        contents = [word for _, word in words]
        self.prepare([text])
        encoded = self._encoded[text]
        same = self._words.find(contents)
        both = np.maximum(same, _OF_NEAR * self._pieces.find(contents, encoded))
        weights = np.array([word.weight for word in contents], dtype=np.float32)
        cosines = self._vectors @ encoded.vector
        aligned = Aligned(statement, words, same, both, cosines, weights / max(float(weights.sum()), 1e-9))
        self._last = ((text, said_at), aligned)
        return aligned

    def _where_named(self, aligned: Aligned, own: Sequence[int]) -> dict[str, str]:
        """By stem of each name, the first other message that says it."""
        found = {}
        for column, (_, word) in enumerate(aligned.words):
            if not word.is_name:
                continue
            rows = [row for row in np.flatnonzero(aligned.same[:, column] == 1.0) if row not in own]
            if rows:
                found[word.stem] = self._messages[rows[0]].id
        return found


def ground(
    text: str,
    cited: Sequence[Message],
    before: Sequence[Message],
    embedder: Embedder,
    rest: Sequence[Message] = (),
) -> Grounding:
    """The verdict on one statement: `cited` are its messages, `before` the turns before them, `rest` others
    of the conversation, in which better support may stand."""
    grounder = Grounder([*before, *cited, *rest], embedder)
    return grounder.judge(text, [message.id for message in cited], [message.id for message in before])


def _with(found: Floats, own: Sequence[int], before: Sequence[int], session: Sequence[int]) -> Floats:
    """What the cited messages have of each word, the turns before them, or the session until then."""
    whole: Floats = np.maximum.reduce(
        [
            factor * found[rows].max(axis=0, initial=0.0)
            for factor, rows in ((1.0, own), (_OF_BEFORE, before), (_OF_SESSION, session))
        ]
    )
    return whole


def _of_content(findings: Findings) -> tuple[Reason, ...]:
    """The reason that is left where the checks have none, or where another message is the one to cite."""
    if findings.better:
        return (Reason("content", "", "Another message carries this better.", findings.better),)
    if findings.reasons:
        return ()
    why = (
        f"{listed(findings.missing)} not said there."
        if findings.missing
        else "Hardly any of it is said there."
    )
    return (Reason("content", " ".join(findings.missing), why),)


def _verdict(findings: Findings, reasons: Sequence[Reason]) -> Support:
    if any(reason.contradicts for reason in reasons) and findings.found >= _HALF:
        return "contradicted"
    return "partly" if findings.found >= _HALF and not findings.better else "unsupported"
