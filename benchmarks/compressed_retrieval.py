"""Is a conversation still found when memories are built from its compressed text?

LoCoMo questions of categories 1 to 4 whose evidence names turns of their conversation, each searched in
that conversation. Two measurements, both turn recall@10: the share of a question's evidence turns among
the ten best results, averaged over questions.

Turns: one memory a turn, "Speaker: text", the text raw, compressed by the default compressor, or
shortened to as many tokens by plainer means; the speaker is never compressed. Searched by embedding, by
BM25 and by the sum of their standard scores. Pipeline: the default recipe without a language model, once
as it is and once with an extractor that is given the compressed text; its search looks at the raw
messages too.

Differences from raw come with a bootstrap 95% interval that draws whole conversations, as questions about
one are not independent. Of few conversations such an interval is coarse.

    python -m benchmarks.compressed_retrieval ../shared/data/locomo/locomo_dev4.json
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore import open_memory
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Extractor
from memcore.domain.models import DEFAULT_OWNER, LogRead, Message
from memcore.evaluation.locomo import ANSWERED, read_locomo
from memcore.evaluation.word_baselines import random_drop, stop_word_drop
from memcore.logs import read_log
from memcore.nlp.encoder.cl100k import count_tokens
from memcore.nlp.encoder.minilm import MiniLM, load_minilm
from memcore.runs.ingest import ingest, new_run
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import ExactIndex, open_store
from memcore.store.keyword_index import Bm25Index
from memcore.systems.memscope.fuse import above_lowest
from memcore.systems.registry import SYSTEMS

RATES = (0.8, 0.6, 0.4)
PIPELINE_RATE = 0.6
K = 10
DRAWS = 10_000
SEED = 7
RECIPE = "memscope"

Recall = list[NDArray[np.float64]]
"""By conversation, the recall of each of its questions."""


@dataclass(frozen=True)
class Conversation:
    """A conversation's log and messages, and its questions, each with the ids of its evidence."""

    log: LogRead
    messages: tuple[Message, ...]
    questions: tuple[tuple[str, frozenset[str]], ...]


def conversations(path: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file. Evidence that names no message is left out."""
    found = []
    for log, sample in zip(read_log(path).logs, read_locomo(path).samples, strict=True):
        ids = {}
        for message in log.messages:
            if place := re.search(r"D:?(\d+):0*(\d+)$", message.raw_ref.where):
                ids[int(place[1]), int(place[2])] = message.id
        asked = (
            (question.text, frozenset(ids[place] for place in question.evidence if place in ids))
            for question in sample.questions
            if question.category in ANSWERED
        )
        found.append(
            Conversation(
                LogRead((log,)), log.messages, tuple((text, evidence) for text, evidence in asked if evidence)
            )
        )
    return found


def recall(found: Sequence[str], evidence: frozenset[str]) -> float:
    """The share of the evidence among what was found."""
    return len(evidence & set(found)) / len(evidence)


def turn_recall(conversation: Conversation, texts: Sequence[str], encoder: MiniLM) -> dict[str, list[float]]:
    """Per view the recall of each question, with one memory a turn of these texts."""
    said = [f"{message.speaker}: {text}" for message, text in zip(conversation.messages, texts, strict=True)]
    ids = [message.id for message in conversation.messages]
    index = Bm25Index()
    index.put(ids, said)
    vectors = encoder.embed(said)
    asked = encoder.embed([question for question, _ in conversation.questions])
    found: dict[str, list[float]] = {"dense": [], "bm25": [], "sum": []}
    for (question, evidence), vector in zip(conversation.questions, asked, strict=True):
        dense = dict(zip(ids, map(float, vectors @ vector), strict=True))
        bm25 = dict(index.search(question, len(ids)))
        both = dict(zip(ids, above_lowest(dense, ids) + above_lowest(bm25, ids), strict=True))
        for view, scores in (("dense", dense), ("bm25", bm25), ("sum", both)):
            best = sorted((-score, i) for i, score in scores.items())[:K]
            found[view].append(recall([i for _, i in best], evidence))
    return found


class CompressedReader:
    """Gives another extractor the compressed text in place of the raw one. What it says of characters
    is then of the compressed text; of messages it stays right."""

    def __init__(self, extractor: Extractor) -> None:
        self.name = extractor.name
        self._extractor = extractor

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """Extract as the wrapped extractor does, from compressed messages."""
        return self._extractor.extract([_compressed(buffer) for buffer in buffers])


def _compressed(buffer: Buffer) -> Buffer:
    return replace(buffer, messages=tuple(replace(m, text=buffer.compressed[m.id]) for m in buffer.messages))


def pipeline_recall(conversation: Conversation, *, compressed: bool) -> tuple[list[float], int]:
    """Recall of each question through ingest and search, and how many memories there are."""
    with tempfile.TemporaryDirectory() as place:
        settings = Settings(store_dir=Path(place), compression_rate=PIPELINE_RATE)
        model_id, dimension = ChosenBackends(settings).embedding_space()
        store = open_store(Path(place), embedding_model=model_id, dimension=dimension)
        run = new_run(DEFAULT_OWNER, RECIPE, {})
        tools = ChosenBackends(settings).tools(RECIPE, store, run.id)
        if compressed:
            tools = replace(tools, extractor=CompressedReader(tools.extractor))
        report = ingest(
            store,
            conversation.log,
            run=run,
            recipe=SYSTEMS[RECIPE],
            tools=tools,
            make_index=ExactIndex,
            llm={},
        )
        store.close()
        if report.errors:
            sys.exit(f"Extraction failed: {report.errors[0]}")
        with open_memory(Path(place)) as memory:
            found = [
                recall(
                    [quote.message.id for hit in memory.search(question, k=K).hits for quote in hit.quotes],
                    evidence,
                )
                for question, evidence in conversation.questions
            ]
    return found, report.memories


def percent(recalls: Recall) -> float:
    """The mean over all questions, in percent."""
    return round(100 * float(np.concatenate(recalls).mean()), 2)


def against(recalls: Recall, raw: Recall) -> dict[str, Any]:
    """Mean recall, its difference from raw, and the interval of the difference, in percent."""
    differences = [ours - theirs for ours, theirs in zip(recalls, raw, strict=True)]
    sums, counts = np.array([d.sum() for d in differences]), np.array([len(d) for d in differences])
    drawn = np.random.default_rng(SEED).integers(len(sums), size=(DRAWS, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return {
        "recall": percent(recalls),
        "minus_raw": round(100 * float(sums.sum() / counts.sum()), 2),
        "interval_95": [round(100 * float(edge), 2) for edge in np.percentile(means, [2.5, 97.5])],
    }


def main() -> None:
    """Print the recall of every view of the turns, raw and compressed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("samples", type=Path)
    path = parser.parse_args().samples
    all_of = conversations(path)
    encoder = load_minilm(threads=1)

    texts = [message.text for conversation in all_of for message in conversation.messages]

    def by_view(shortened: Mapping[str, str]) -> dict[str, Recall]:
        each = [
            turn_recall(conversation, [shortened[m.text] for m in conversation.messages], encoder)
            for conversation in all_of
        ]
        return {view: [np.array(found[view]) for found in each] for view in each[0]}

    raw = by_view({text: text for text in texts})
    rates: dict[str, Any] = {}
    for rate in RATES:
        kept = dict(zip(texts, (one.text for one in encoder.compress(texts, rate)), strict=True))
        plainer = {
            "stop-word drop": stop_word_drop(count_tokens),
            "random drop": random_drop(count_tokens, random.Random(SEED)),
        }
        shortened = {encoder.name: kept} | {
            name: {text: shorten(text, count_tokens(kept[text])).text for text in kept}
            for name, shorten in plainer.items()
        }
        rates[str(rate)] = {}
        for name, of in shortened.items():
            print(f"rate {rate}: {name}", file=sys.stderr)
            recalls = by_view(of)
            rates[str(rate)][name] = {
                "achieved_rate": round(
                    sum(count_tokens(of[text]) for text in texts) / sum(map(count_tokens, texts)), 3
                ),
                **{view: against(recalls[view], raw[view]) for view in recalls},
            }
    print("pipeline", file=sys.stderr)
    as_is, changed = (
        [pipeline_recall(conversation, compressed=compressed) for conversation in all_of]
        for compressed in (False, True)
    )
    from_raw, from_compressed = ([np.array(found) for found, _ in made] for made in (as_is, changed))
    print(json.dumps({
        "dataset": path.name, "metric": f"turn_recall@{K}", "conversations": len(all_of),
        "turns": sum(len(conversation.messages) for conversation in all_of),
        "questions": sum(len(conversation.questions) for conversation in all_of),
        "raw": {view: percent(recalls) for view, recalls in raw.items()}, "rates": rates,
        "pipeline": {
            "rate": PIPELINE_RATE,
            "extractor reads raw text": {"recall": percent(from_raw), "memories": sum(n for _, n in as_is)},
            "extractor reads compressed text":
                against(from_compressed, from_raw) | {"memories": sum(n for _, n in changed)},
        },
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
