"""Sensory memory: every message compressed at one retention rate; the raw text stays the truth.

LightMem section 3.1, pre-compression. Works on what was said: the speaker's name is never handed to
the compressor. Where `window` is given, a message still longer than that many tokens is compressed
again, as LightMem does until it fits the encoder; unlike LightMem from its raw text at a lower rate,
so that every kept word still points at the raw words. Loads and knows no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.models import Message
from memcore.protocols import Compressed, Compressor

KEPT, DROPPED, FORCED = "K", "D", "F"
_LOWEST_RATE = 0.02


@dataclass(frozen=True, slots=True)
class MessageCompression:
    """One message's words as parallel columns: characters `starts[i]:ends[i]` of the raw text, the
    probability `scores[i]` that the word should be kept, and in `marks[i]` what became of it: K kept,
    D dropped, F kept by a protection rule. `rate` is the rate last asked for (lower than requested
    only where the message had to fit a window)."""

    message_id: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    scores: tuple[float, ...]
    marks: str
    tokens_before: int
    tokens_after: int
    rate: float


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


def compress(
    messages: Sequence[Message], rate: float, compressor: Compressor, *, window: int | None = None
) -> tuple[dict[str, Compressed], CompressionTrace]:
    """Compressed text by message id, and the trace. Raises what the compressor raises (UsageError
    for a rate outside (0, 1], BackendError)."""
    done = dict(
        zip((m.id for m in messages), compressor.compress([m.text for m in messages], rate), strict=True)
    )
    rates = dict.fromkeys(done, rate)
    while window is not None:
        long = [m for m in messages if done[m.id].tokens_after > window and rates[m.id] > _LOWEST_RATE]
        if not long:
            break
        lower = min(rates[m.id] for m in long) * rate if rate < 1.0 else min(rates[m.id] for m in long) * 0.8
        for message, again in zip(long, compressor.compress([m.text for m in long], lower), strict=True):
            done[message.id], rates[message.id] = again, lower
    return done, compression_trace(messages, done, rate, compressor.name, rates=rates)


def compression_trace(
    messages: Sequence[Message],
    compressed: Mapping[str, Compressed],
    rate: float,
    compressor: str,
    *,
    rates: Mapping[str, float] | None = None,
) -> CompressionTrace:
    """The trace of these messages only, e.g. one session out of a batch compressed together."""
    rows = tuple(
        MessageCompression(
            message_id=message.id,
            starts=tuple(word.start for word in compressed[message.id].words),
            ends=tuple(word.end for word in compressed[message.id].words),
            scores=tuple(round(word.keep, 3) for word in compressed[message.id].words),
            marks="".join(
                (FORCED if word.forced else KEPT) if word.kept else DROPPED
                for word in compressed[message.id].words
            ),
            tokens_before=compressed[message.id].tokens_before,
            tokens_after=compressed[message.id].tokens_after,
            rate=(rates or {}).get(message.id, rate),
        )
        for message in messages
    )
    before, after = sum(row.tokens_before for row in rows), sum(row.tokens_after for row in rows)
    return CompressionTrace(compressor, rate, after / before if before else 1.0, before, after, rows)
