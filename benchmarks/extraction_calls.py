"""How many calls memscope makes where LightMem reads the same messages, and how much each is sent.

    python -m benchmarks.extraction_calls ../shared/data/locomo/locomo_dev4.json
    python -m benchmarks.extraction_calls ../shared/data/longmemeval/questions_dev60.json --limit 6

Both ingest each log with the real compressor and segmentation at their own defaults, LightMem reading
all messages and not the user's only, and a model that is scripted (`lightmem_cost`): it finds nothing to
tell, so calls and input tokens are what any model would be sent, and output says nothing. An average over
logs hides a log on which memscope needs more, so every log is shown, and counted.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.lightmem_cost import Cost, haystack_cost, mean
from memcore.domain.models import ConversationLog
from memcore.logs import read_log
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import load_settings
from memcore.store import open_store
from memcore.systems.steps import Tools


def cost(log: ConversationLog, recipe: str, threshold: int) -> Cost:
    """What one recipe asks of a model to ingest one log."""
    with tempfile.TemporaryDirectory() as directory:
        settings = load_settings(
            Path(directory), environ={}, lightmem_messages="all", buffer_tokens=threshold
        )
        model_id, dimension = ChosenBackends(settings).embedding_space()
        with open_store(settings.store_dir, embedding_model=model_id, dimension=dimension) as store:

            def tools(run_id: str) -> Tools:
                return ChosenBackends(settings).tools(recipe, store, run_id)

            return haystack_cost(store, log, tools, recipe=recipe)


def main() -> None:
    """Print what reading each log costs our own system and LightMem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "path", type=Path, help="a log file: LoCoMo, LongMemEval with haystacks, or any other"
    )
    parser.add_argument("--limit", type=int, default=None, help="logs to ingest (default: all)")
    parser.add_argument("--threshold", type=int, default=512, help="buffer threshold th (default 512)")
    options = parser.parse_args()
    ours: list[Cost] = []
    theirs: list[Cost] = []
    for log in read_log(options.path).logs[: options.limit]:
        ours.append(cost(log, "memscope", options.threshold))
        theirs.append(cost(log, "lightmem", options.threshold))
        print(_row(log.conversation.title, ours[-1], theirs[-1]), flush=True)
    print(_row(f"mean of {len(ours)}", mean(ours), mean(theirs)))
    more = sum(one.calls > other.calls for one, other in zip(ours, theirs, strict=True))
    print(f"memscope made more calls on {more} of {len(ours)}")


def _row(name: str, ours: Cost, theirs: Cost) -> str:
    def sent(cost: Cost) -> str:
        return f"{cost.calls:6.2f} calls, {cost.input_tokens / cost.calls:6,.0f} tokens a call"

    return (
        f"{name:<22} {ours.messages:5.0f} messages, {ours.compressed_tokens:7,.0f} tokens compressed; "
        f"memscope {sent(ours)}; lightmem {sent(theirs)}"
    )


if __name__ == "__main__":
    main()
