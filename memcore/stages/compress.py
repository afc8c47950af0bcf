"""Sensory memory: every message compressed at one retention rate; the raw text stays the truth.

LightMem section 3.1, pre-compression. Works on what was said: the speaker's name is never handed to
the compressor. Where `window` is given, a message still longer than that many tokens is compressed
again, as LightMem does until it fits the encoder; unlike LightMem from its raw text at a lower rate,
so that every kept word still points at the raw words. And unlike LightMem's published code, a message
the compressor fails on is kept raw, and said so, without leaving later ones uncompressed. Loads and
knows no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Message
from memcore.domain.protocols import Compressed, Compressor, ScoredText, ScoringCompressor, WordScore

KEPT, DROPPED, FORCED = "K", "D", "F"
_LOWEST_RATE = 0.02
_PLAIN = "A compressor that works can compress this sentence."
_WORD = re.compile(r"\w+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class MessageCompression:
    """One message's words as parallel columns: characters `starts[i]:ends[i]` of the raw text, the
    probability `scores[i]` that the word should be kept, and in `marks[i]` what became of it: K kept,
    D dropped, F kept by a protection rule. `rate` is the rate last asked for (lower than requested
    only where the message had to fit a window). `error`: why the message was kept raw; its tokens
    are then its words."""

    message_id: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    scores: tuple[float, ...]
    marks: str
    tokens_before: int
    tokens_after: int
    rate: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class CompressionTrace:
    """What compression did: by which compressor, at which rate, and to every word. Tokens are the
    compressor's (LLMLingua-2 reports cl100k_base)."""

    compressor: str
    requested_rate: float
    achieved_rate: float
    tokens_before: int
    tokens_after: int
    messages: tuple[MessageCompression, ...]

    def of(self, messages: Iterable[Message]) -> CompressionTrace:
        """The trace of these messages only, e.g. one session out of a batch compressed together."""
        wanted = {message.id for message in messages}
        rows = [row for row in self.messages if row.message_id in wanted]
        return _trace(self.compressor, self.requested_rate, rows)


def compress(
    messages: Sequence[Message], rate: float, compressor: Compressor, *, window: int | None = None
) -> tuple[dict[str, Compressed], CompressionTrace]:
    """Compressed text by message id, and the trace. Raises what concerns the compressor as a whole
    (UsageError for a rate outside (0, 1], BackendError, whatever it also raises on a plain sentence)."""
    reader = _ReadOnce(compressor) if isinstance(compressor, ScoringCompressor) else compressor
    done, errors = _attempt(messages, rate, reader)
    rates = dict.fromkeys(done, rate)
    stuck: set[str] = set()  # what is left is protected words, which no rate drops
    while window is not None:
        long = [
            m
            for m in messages
            if done[m.id].tokens_after > window
            and rates[m.id] > _LOWEST_RATE
            and m.id not in errors
            and m.id not in stuck
        ]
        if not long:
            break
        lower = min(rates[m.id] for m in long) * min(rate, 0.8)
        again, failed = _attempt(long, lower, reader)
        stuck |= {m.id for m in long if again[m.id].tokens_after >= done[m.id].tokens_after}
        done |= again
        errors |= failed
        rates |= dict.fromkeys(again, lower)
    rows = [_row(message, done[message.id], rates[message.id], errors) for message in messages]
    return done, _trace(compressor.name, rate, rows)


class _ReadOnce:
    """A Compressor that reads each text once, at however many rates it is asked for."""

    def __init__(self, compressor: ScoringCompressor) -> None:
        self.name = compressor.name
        self._compressor = compressor
        self._scored: dict[str, ScoredText] = {}

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        unread = [text for text in texts if text not in self._scored]
        self._scored |= zip(unread, self._compressor.scored(unread), strict=True)
        return [self._scored[text].at(rate) for text in texts]


def _attempt(
    messages: Sequence[Message], rate: float, compressor: Compressor
) -> tuple[dict[str, Compressed], dict[str, str]]:
    """Compressed text and, where there is one, the error by message id: all in one batch or, where
    that fails, one by one, so that only the message that cannot be compressed stays raw."""
    done: dict[str, Compressed] = {}
    errors: dict[str, str] = {}
    try:
        batch = compressor.compress([m.text for m in messages], rate)
        return dict(zip((m.id for m in messages), batch, strict=True)), errors
    except MemcoreError:
        raise
    except Exception:  # noqa: BLE001 - of one message or of all: the next line tells
        compressor.compress([_PLAIN], rate)
    for message in messages:
        try:
            done[message.id] = compressor.compress([message.text], rate)[0]
        except MemcoreError:
            raise
        except Exception as error:  # noqa: BLE001 - told in the trace
            done[message.id] = _raw(message.text)
            errors[message.id] = f"kept raw: the compressor failed on it ({type(error).__name__}: {error})"
    return done, errors


def _raw(text: str) -> Compressed:
    words = tuple(WordScore(word.start(), word.end(), 1.0, True) for word in _WORD.finditer(text))
    return Compressed(text, words, len(words), len(words))


def _row(message: Message, compressed: Compressed, rate: float, errors: dict[str, str]) -> MessageCompression:
    words = compressed.words
    return MessageCompression(
        message_id=message.id,
        starts=tuple(word.start for word in words),
        ends=tuple(word.end for word in words),
        scores=tuple(round(word.keep, 3) for word in words),
        marks="".join((FORCED if word.forced else KEPT) if word.kept else DROPPED for word in words),
        tokens_before=compressed.tokens_before,
        tokens_after=compressed.tokens_after,
        rate=rate,
        error=errors.get(message.id, ""),
    )


def _trace(compressor: str, rate: float, rows: Sequence[MessageCompression]) -> CompressionTrace:
    before, after = sum(row.tokens_before for row in rows), sum(row.tokens_after for row in rows)
    return CompressionTrace(compressor, rate, after / before if before else 1.0, before, after, tuple(rows))
