"""What the lightmem recipe asks of a model, on a fictional haystack: never more than N·r·T/th calls."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from benchmarks.lightmem_cost import Cost, haystack_cost
from memcore.store import open_store
from memcore.systems.lightmem.prompts import LIGHTMEM_FLAT
from tests import pipeline

TOPICS = (
    "I planted tomatoes and basil on the balcony in spring.",
    "My bicycle needs a new chain before the tour to the lake.",
    "The choir sings Brahms in the old church on Sunday.",
)
STAMP_AND_SPEAKER, TOPIC_LINE, FENCE = 3, 4, 2  # in words


def words(text: str) -> int:
    return len(text.split())


def measured(directory, threshold: int) -> Cost:
    """Twenty sessions of six user messages about three things, and the assistant's replies between."""
    texts = list(islice(cycle(TOPICS), 6))
    turns = [turn for text in texts for turn in (("user", text), ("assistant", "I see. " * 40))]
    log = pipeline.log(*[turns] * 20)
    tools = pipeline.tools(
        buffer_tokens=threshold,
        sensory_tokens=threshold,
        roles=frozenset({"user"}),
        segment_method="similarity",
    )
    with open_store(
        directory, embedding_model=tools.embedder.model_id, dimension=tools.embedder.dimension
    ) as store:
        return haystack_cost(store, log, lambda run_id: tools, count=words)


@pytest.mark.parametrize("threshold", [64, 128, 512])
def test_calls_are_no_more_than_the_paper_allows(tmp_path, threshold: int) -> None:
    cost = measured(tmp_path, threshold)
    assert cost.messages == 120
    assert cost.raw_tokens == cost.compressed_tokens == 20 * 2 * sum(words(text) for text in TOPICS)
    assert 1 <= cost.calls <= cost.expected_calls + 1


def test_input_is_the_text_once_its_lines_marks_and_the_prompt_once_a_call(tmp_path) -> None:
    """Nothing else is sent: no earlier messages, no summary, nothing twice."""
    cost = measured(tmp_path, 128)
    marks = STAMP_AND_SPEAKER * cost.messages + TOPIC_LINE * cost.segments
    prompt = words(LIGHTMEM_FLAT.text) + FENCE
    assert cost.input_tokens == cost.compressed_tokens + marks + prompt * cost.calls
