"""How much of what will be asked for survives compression, against plainer ways to drop as much.

Every LoCoMo answer that stands verbatim in one of its evidence turns is followed through the compression
of that turn, token by token, with and without stop words. Beside it: whether negations, numbers and names
survive in all turns, and how fast the compressor is. No language model is asked anything.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from memcore.domain.errors import BackendError, LogError
from memcore.domain.protocols import Compressed, Compressor, Progress
from memcore.evaluation.locomo import LocomoDataset
from memcore.evaluation.survivors import Answer, is_kept, must_keep, verbatim_answers
from memcore.evaluation.word_baselines import TokenCounter, random_drop, stop_word_drop, truncation
from memcore.runtime.backends import Backends
from memcore.runtime.chosen import EMBEDDED_COMPRESSOR

RATES = (0.8, 0.6, 0.4)

_SEED = 7
_DRAWS = 5


@dataclass(frozen=True, slots=True)
class Survival:
    """Percentages of answer tokens kept: without stop words, with them, and the mean of the two; and
    the share of the tokens of these turns that was kept in all, from 0 to 1."""

    answer_tokens_kept: float
    with_stop_words: float
    mean: float
    achieved_rate: float


@dataclass(frozen=True, slots=True)
class CompressionResult:
    """What every method kept of `answers` in so many `turns`, by requested rate. Of `default`, the first
    compressor: percentages of negations, numbers and names kept in all turns, and its speed."""

    dataset: str
    file: str
    answers: int
    turns: int
    default: str
    rates: Mapping[float, Mapping[str, Survival]]
    must_keep: Mapping[float, Mapping[str, float]]
    tokens_per_second: float


def compared_compressors(backends: Backends) -> tuple[dict[str, Compressor], dict[str, str]]:
    """By name: the active compressor and self-information, each with word protection and without it, the
    settings' own first; and why self-information is not among them, if it is not."""
    own = backends.settings
    protections = {True: "protected", False: "unprotected"}
    found: dict[str, Compressor] = {}
    unavailable: dict[str, str] = {}
    for name in dict.fromkeys((own.compressor, "entropy")):
        title = "keep head" if name == EMBEDDED_COMPRESSOR else name
        try:
            for protect in (own.protect_words, not own.protect_words):
                found[f"{title}, {protections[protect]}"] = backends.compressor(name, protect=protect)
        except BackendError as error:
            if name == own.compressor:
                raise
            unavailable[title] = f"{error.cause} {error.fix}"
    return found, unavailable


def evaluate_compression(
    dataset: LocomoDataset,
    compressors: Mapping[str, Compressor],
    rates: Sequence[float] = RATES,
    *,
    count_tokens: TokenCounter,
    progress: Progress = lambda stage, done, total: None,
) -> CompressionResult:
    """Compare compressors, the first of them the default, and baselines at the default's tokens per turn.

    Raises LogError when no answer stands in its evidence, and what the compressors raise (UsageError for
    a rate outside (0, 1]).
    """
    answers = verbatim_answers(dataset.samples)
    if not answers:
        raise LogError(
            f"{dataset.file} has no answer of categories 1 to 4 that stands verbatim in its evidence.",
            "Give a LoCoMo file with questions, answers and evidence.",
            file=dataset.file,
        )
    compared = _Compared(answers, tuple(dict.fromkeys(answer.turn for answer in answers)), count_tokens)
    everything = [text for sample in dataset.samples for text in sample.turns.values()]
    default = next(iter(compressors))
    measured: dict[float, dict[str, Survival]] = {}
    kept: dict[float, dict[str, float]] = {}
    speeds = []
    for done, rate in enumerate(rates):
        shortened = {}
        for name, compressor in compressors.items():
            progress(f"rate {rate}, {name}", done, len(rates))
            shortened[name] = compressor.compress(compared.turns, rate)
        measured[rate] = {name: compared.survival(texts) for name, texts in shortened.items()}
        measured[rate] |= compared.baselines(shortened[default])
        progress(f"rate {rate}, all turns", done, len(rates))
        begun = time.perf_counter()
        compressed = compressors[default].compress(everything, rate)
        speeds.append(sum(one.tokens_before for one in compressed) / (time.perf_counter() - begun))
        kept[rate] = _must_keep_kept(everything, compressed)
    progress("rates", len(rates), len(rates))
    return CompressionResult(
        dataset=dataset.name,
        file=dataset.file,
        answers=len(answers),
        turns=len(compared.turns),
        default=default,
        rates=measured,
        must_keep=kept,
        tokens_per_second=fmean(speeds),
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """The answers that all methods are measured by, and the turns they stand in."""

    answers: Sequence[Answer]
    turns: tuple[str, ...]
    count: TokenCounter

    def survival(self, shortened: Sequence[Compressed]) -> Survival:
        made = dict(zip(self.turns, shortened, strict=True))
        content = [is_kept(span, made[answer.turn]) for answer in self.answers for span in answer.content]
        every = [is_kept(span, made[answer.turn]) for answer in self.answers for span in answer.every]
        kept, with_stop_words = _percent(content), _percent(every)
        rate = sum(self.count(one.text) for one in shortened) / sum(map(self.count, self.turns))
        return Survival(kept, with_stop_words, (kept + with_stop_words) / 2, rate)

    def baselines(self, default: Sequence[Compressed]) -> dict[str, Survival]:
        """Each turn is shortened to at most the tokens that it has in `default`."""
        draw = random.Random(_SEED)
        methods = {
            "random drop": [random_drop(self.count, draw)] * _DRAWS,
            "stop-word drop": [stop_word_drop(self.count)],
            "truncation": [truncation(self.count)],
        }
        rooms = [(turn, self.count(one.text)) for turn, one in zip(self.turns, default, strict=True)]
        return {
            name: _mean([self.survival([shorten(*room) for room in rooms]) for shorten in attempts])
            for name, attempts in methods.items()
        }


def _mean(several: Sequence[Survival]) -> Survival:
    return Survival(
        fmean(one.answer_tokens_kept for one in several),
        fmean(one.with_stop_words for one in several),
        fmean(one.mean for one in several),
        fmean(one.achieved_rate for one in several),
    )


def _must_keep_kept(texts: Sequence[str], compressed: Sequence[Compressed]) -> dict[str, float]:
    flags: dict[str, list[bool]] = {}
    for text, one in zip(texts, compressed, strict=True):
        for kind, spans in must_keep(text).items():
            flags.setdefault(kind, []).extend(is_kept(span, one) for span in spans)
    return {kind: _percent(kept) for kind, kept in flags.items()}


def _percent(flags: Sequence[bool]) -> float:
    """Of nothing, all was kept."""
    return 100 * sum(flags) / len(flags) if flags else 100.0
