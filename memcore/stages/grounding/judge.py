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
from memcore.stages.grounding.alignment import OF_NEAR, Aligned, Floats, PieceIndex, Worded, WordIndex
from memcore.stages.grounding.checks import check_dates, check_names, check_negation, check_numbers
from memcore.stages.grounding.citation import better_citation, most_better
from memcore.stages.grounding.long_before import LongBefore
from memcore.stages.grounding.model import GroundingModel, grounding_model
from memcore.stages.grounding.people import check_person, names_of, subject_of
from memcore.stages.grounding.reading import read
from memcore.stages.grounding.said import Said

TURNS_BEFORE = 4

_OF_BEFORE, _OF_SESSION = 0.85, 0.6
"""What a word counts that was said in a turn before, or earlier in the session."""

_JUST_BEFORE = 3
"""Turns before a cited one among which stands what it answers."""

_NOT_FOUND = 0.35
_FEW = 3
"""Cited messages that are read alone, since a statement may be certain once they are."""

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


@dataclass(frozen=True, slots=True)
class _Around:
    """Where support is looked for, as places of messages: those cited, the turns just before them, those
    before them that one reads with them, and their session until then."""

    own: list[int]
    just_before: list[int]
    before: list[int]
    session: list[int]

    def best(self, found: Floats) -> Floats:
        """What the cited messages have of each word, the turns before them, or the session until then."""
        whole: Floats = np.maximum.reduce(
            [
                factor * found[rows].max(axis=0, initial=0.0)
                for factor, rows in ((1.0, self.own), (_OF_BEFORE, self.before), (_OF_SESSION, self.session))
            ]
        )
        return whole


@dataclass(frozen=True, slots=True)
class _Checked:
    """What the checks of facts found: features and reasons."""

    features: dict[str, float]
    reasons: tuple[Reason, ...]


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
        self._cheaply: dict[tuple[str, tuple[str, ...]], Grounding | None] = {}

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

    def judge_cheaply(self, text: str, cited: Sequence[str]) -> Grounding | None:
        """The verdict on a statement that is supported whatever else the encoder would find: by its words
        alone, or once it has read the cited messages, if they are few. None: only `judge` can tell. The score
        takes what was not read for no nearer than its words are."""
        if not cited:
            return None
        key = (text, tuple(cited))
        if key not in self._cheaply:
            self._cheaply[key] = self._judged_cheaply(text, cited)
        return self._cheaply[key]

    def _judged_cheaply(self, text: str, cited: Sequence[str]) -> Grounding | None:
        around = self._around(cited, None)
        worded = self._word(text, self._messages[around.own[0]].said_at)
        settled = self._surely(worded, around, worded.same)
        if settled is None and len(around.own) <= _FEW:
            texts = [self._messages[row].text for row in around.own]
            [encoded] = self._embedder.read_texts([text])
            pieces = PieceIndex(self._embedder.token_codes(texts), self._embedder.dimension)
            found = worded.same.copy()
            found[around.own] = _or_near(found[around.own], pieces, worded, encoded)
            cosine = float((self._embedder.embed(texts) @ encoded.vector).max())
            settled = self._surely(worded, around, found, cosine)
        return settled

    def _surely(
        self, worded: Worded, around: _Around, least: Floats, cosine: float | None = None
    ) -> Grounding | None:
        """Supported, if it is however little more is found of its words than `least`, and of a cited message
        no nearer than `cosine` (None: unknown, but not turned away)."""
        said, same = around.best(least), around.best(worded.same)
        found = worded.share(said)
        if found < _HARDLY:
            return None
        against = self._check(worded, around, np.maximum(same, OF_NEAR * said)).features | {
            "unsaid": 1.0 - worded.share(same),
            "unlike": 1.0 - found,
            "missing": _share_missing(_missing(worded, said)),
        }
        nearest = 0.0 if cosine is None else cosine
        gain = most_better(worded, around.own, self._others(worded), least, nearest)
        if (
            self._model.probability(against | {"distance": 1.0 - nearest, "better": gain})
            > self._model.threshold
        ):
            return None
        distance = 1.0 - (found if cosine is None else nearest)
        score = self._model.probability(against | {"distance": distance, "better": 0.0})
        return Grounding("supported", score, made_by=self._model.version)

    def examine(self, text: str, cited: Sequence[str], before: Sequence[str] | None = None) -> Findings:
        """What stands against a statement. As `judge`; `cited` is not empty."""
        around = self._around(cited, before)
        aligned = self._align(text, self._messages[around.own[0]].said_at)
        worded = aligned.worded
        in_context, same_in_context = around.best(aligned.both), around.best(worded.same)
        cosine = float(aligned.cosines[around.own].max())
        cosine = max(cosine, _OF_BEFORE * float(aligned.cosines[around.just_before].max(initial=0.0)))
        best, gain = better_citation(
            aligned, self._said, around.own, around.just_before, self._others(worded)
        )
        checked = self._check(worded, around, np.maximum(same_in_context, OF_NEAR * in_context))
        missing = _missing(worded, in_context)
        return Findings(
            features={
                "unsaid": 1.0 - worded.share(same_in_context),
                "unlike": 1.0 - worded.share(in_context),
                "distance": 1.0 - cosine,
                "missing": _share_missing(missing),
                "better": gain,
                **checked.features,
            },
            reasons=checked.reasons,
            missing=missing,
            found=worded.share(in_context),
            better=self._messages[best].id if gain > _MUCH_BETTER else "",
        )

    def _check(self, worded: Worded, around: _Around, found: Floats) -> _Checked:
        """The checks of facts. `found`: how far each word with content was found."""
        statement, last, long_before = worded.statement, max(around.own), self._long_before
        said, told_before = [[self._said[row] for row in rows] for rows in (around.own, around.before)]
        support = {at: float(value) for (at, _), value in zip(worded.words, found, strict=True)}
        for at, word in worded.words:
            if word.is_name and support[at] < _OF_BEFORE and long_before.named(word.stem, last):
                support[at] = _OF_BEFORE
        person, towards = check_person(statement, said, self._names)
        name = check_names(statement, support, self._where_named(worded, around.own))
        number = check_numbers(statement, said, told_before, lambda one: long_before.counted(one, last))
        date = check_dates(statement, said, told_before, lambda one: long_before.dated(one, last))
        added, lost = check_negation(statement, said, told_before)
        return _Checked(
            features={
                "person": person.against,
                "towards": towards,
                "name": name.against,
                "number": number.against,
                "date": date.against,
                "negation_added": added.against,
                "negation_lost": lost.against,
            },
            reasons=tuple(r for check in (person, name, number, date, added, lost) for r in check.reasons),
        )

    def _around(self, cited: Sequence[str], before: Sequence[str] | None) -> _Around:
        own = self._rows(cited)
        if before is not None:
            told = self._rows(before)
            return _Around(own, told, told, told)
        turns = (self._before(own, turns) for turns in (_JUST_BEFORE, TURNS_BEFORE, len(self._messages)))
        return _Around(own, *turns)

    def _others(self, worded: Worded) -> NDArray[np.bool_]:
        """The messages that could be the one to cite: of whom a statement is about."""
        subject = subject_of(worded.statement, self._names)
        return self._speakers == subject if subject else np.ones(len(self._messages), dtype=bool)

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

    def _word(self, text: str, said_at: datetime | None) -> Worded:
        statement = read(text, said_at, self._people)
        words = tuple((at, word) for at, word in enumerate(statement.words) if word.weight)
        weights = np.array([word.weight for _, word in words], dtype=np.float32)
        same = self._words.find([word for _, word in words])
        return Worded(statement, words, weights / max(float(weights.sum()), 1e-9), same)

    def _align(self, text: str, said_at: datetime | None) -> Aligned:
        if self._last is not None and self._last[0] == (text, said_at):
            return self._last[1]
        worded = self._word(text, said_at)
        self.prepare([text])
        encoded = self._encoded[text]
        both = _or_near(worded.same, self._pieces, worded, encoded)
        aligned = Aligned(worded, both, self._vectors @ encoded.vector)
        self._last = ((text, said_at), aligned)
        return aligned

    def _where_named(self, worded: Worded, own: Sequence[int]) -> dict[str, str]:
        """By stem of each name, the first other message that says it."""
        found = {}
        for column, (_, word) in enumerate(worded.words):
            if not word.is_name:
                continue
            rows = [row for row in np.flatnonzero(worded.same[:, column] == 1.0) if row not in own]
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


def _or_near(same: Floats, pieces: PieceIndex, worded: Worded, encoded: EncodedText) -> Floats:
    """What the texts of an index have of each word: the same, or what the encoder finds."""
    near = pieces.find([word for _, word in worded.words], encoded)
    both: Floats = np.maximum(same, OF_NEAR * near)
    return both


def _missing(worded: Worded, found: Floats) -> tuple[str, ...]:
    """The plain words and names that were hardly found."""
    return tuple(
        word.text
        for (_, word), value in zip(worded.words, found, strict=True)
        if word.weight >= 1.0 and value < _NOT_FOUND
    )


def _share_missing(missing: Sequence[str]) -> float:
    return min(1.0, len(missing) / 4)


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
