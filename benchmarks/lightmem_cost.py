"""What it costs to build LightMem's memory of LongMemEval haystacks: calls and input tokens, beside the
published row.

    python -m benchmarks.lightmem_cost ../shared/data/longmemeval/questions_dev60.json --limit 5

Each haystack is ingested by the lightmem recipe into a store of its own, with the real compressor and
segmentation and a model that is scripted: it answers that no line tells anything. So input tokens and
calls are what any model would be sent; output tokens say nothing and are not shown. Tokens are
cl100k_base, of the system prompt and the user's part; a server adds a few for its chat template.

The paper's complexity analysis (section 4) expects N·r·T/th calls for N turns of T tokens. It is worked
out here from what was there: the tokens of the messages that were read (the user's, as published) after
compression, by th.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import fmean

from memcore.domain.models import ConversationLog, LogRead
from memcore.domain.protocols import Store
from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.conversation import CheckedLlm
from memcore.llm.statistics import ledger_statistics
from memcore.logs import read_log
from memcore.nlp.encoder.cl100k import count_tokens
from memcore.runs.ingest import ingest, new_run
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import HnswIndex, open_store
from memcore.systems.lightmem.extract import LightMemExtractor
from memcore.systems.lightmem.settings import Prompt
from memcore.systems.memscope.extract import LlmExtractor
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import Tools

PUBLISHED_CALLS, PUBLISHED_INPUT = 18.43, 18_880
"""LightMem with GPT-4o-mini on LongMemEval-S at r=0.7, th=512 (9.37k output tokens, 28.25k in all)."""


class NothingToTell:
    """A `ChatServer` that finds nothing to remember, whichever recipe asks, and counts as a server does."""

    model_id = "scripted"

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    def send(self, request: ChatRequest) -> ChatCompletion:
        """Answer with empty lists, and count the tokens of question and answer."""
        assert request.schema is not None, "extraction always asks for a schema"
        answer = json.dumps({name: [] for name in request.schema["properties"]})
        asked = self._count(request.system) + self._count(request.user)
        return ChatCompletion(answer, asked, self._count(answer))


@dataclass(frozen=True, slots=True)
class Cost:
    """One haystack, or a mean over several: what was read, what it became, and what was asked."""

    messages: float
    raw_tokens: float
    compressed_tokens: float
    segments: float
    expected_calls: float
    calls: float
    input_tokens: float


def haystack_cost(
    store: Store,
    log: ConversationLog,
    tools: Callable[[str], Tools],
    *,
    recipe: str = "lightmem",
    prompt: Prompt = "flat",
    count: Callable[[str], int] = count_tokens,
) -> Cost:
    """Ingest `log` into the empty `store`. `tools` are the recipe's (lightmem or memscope) for a run id;
    their extractor is replaced by its own on the scripted model, whose calls the store's ledger counts."""
    run = new_run(log.conversation.owner, recipe, {})
    own = tools(run.id)
    llm = CheckedLlm(NothingToTell(count), store, run.id)
    extractor = LightMemExtractor(llm, prompt) if recipe == "lightmem" else LlmExtractor(llm)
    report = ingest(
        store,
        LogRead((log,)),
        run=run,
        recipe=SYSTEMS[recipe],
        tools=replace(own, extractor=extractor),
        llm={"backend": "scripted", "model": "scripted"},
        make_index=HnswIndex,
    )
    if report.errors:
        raise SystemExit(f"failed: {report.errors[0]}")
    compressed = [t.payload for t in store.traces(run_id=run.id, stage="compress")]
    kept = sum(payload["tokens_after"] for payload in compressed)
    spent = ledger_statistics(store, owner=run.owner, run_id=run.id)["llm"]["add_memory"]
    return Cost(
        messages=sum(len(payload["messages"]) for payload in compressed),
        raw_tokens=sum(payload["tokens_before"] for payload in compressed),
        compressed_tokens=kept,
        segments=report.segments,
        expected_calls=kept / own.buffer_tokens,
        calls=spent["calls"],
        input_tokens=spent["prompt_tokens"],
    )


def mean(costs: Sequence[Cost]) -> Cost:
    """The mean haystack."""
    return Cost(*(fmean(getattr(cost, field.name) for cost in costs) for field in fields(Cost)))


def main() -> None:
    """Print calls and tokens of each haystack beside what the paper's formula gives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path", type=Path, help="a LongMemEval file with haystacks")
    parser.add_argument("--limit", type=int, default=5, help="haystacks to ingest (default 5)")
    parser.add_argument("--rate", type=float, default=0.7, help="retention rate r (default 0.7)")
    parser.add_argument("--threshold", type=int, default=512, help="buffer threshold th (default 512)")
    parser.add_argument("--prompt", choices=("flat", "event"), default="flat")
    options = parser.parse_args()
    costs = []
    for log in read_log(options.path).logs[: options.limit]:
        with tempfile.TemporaryDirectory() as directory:
            settings = Settings(
                store_dir=Path(directory), compression_rate=options.rate, buffer_tokens=options.threshold
            )
            model_id, dimension = ChosenBackends(settings).embedding_space()
            with open_store(settings.store_dir, embedding_model=model_id, dimension=dimension) as store:

                def tools(run_id: str, settings: Settings = settings, store: Store = store) -> Tools:
                    return ChosenBackends(settings).tools("lightmem", store, run_id)

                costs.append(haystack_cost(store, log, tools, prompt=options.prompt))
        print(_row(log.conversation.title, costs[-1]), flush=True)
    print(_row(f"mean of {len(costs)}", mean(costs)))
    print(
        f"published at r=0.7, th=512: {PUBLISHED_CALLS} calls, {PUBLISHED_INPUT:,} input tokens "
        f"({PUBLISHED_INPUT / PUBLISHED_CALLS:.0f} a call), 9,370 output, 28,250 in all"
    )


def _row(name: str, cost: Cost) -> str:
    return (
        f"{name:<20} {cost.messages:5.0f} messages {cost.raw_tokens:7,.0f} tokens, kept "
        f"{cost.compressed_tokens / cost.raw_tokens:.3f}, {cost.segments:4.0f} segments; "
        f"N·r·T/th {cost.expected_calls:5.2f}, calls {cost.calls:5.2f}; input {cost.input_tokens:7,.0f} "
        f"({cost.input_tokens / cost.calls:5.0f} a call)"
    )


if __name__ == "__main__":
    main()
