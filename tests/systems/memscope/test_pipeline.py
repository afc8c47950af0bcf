"""memscope: buffers of whole sessions, a summary of each, and never more calls than LightMem makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcore.domain.extraction import Buffer, SkippedText
from memcore.domain.models import ConversationLog, MemoryEntry
from memcore.domain.protocols import Compressed
from memcore.store import DuckStore, HnswIndex
from memcore.systems.nearest import Nearest
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import Known, SessionPart, Step, StepResult
from tests import pipeline
from tests.pipeline import EMBEDDER, SayingExtractor, WholeCompressor, log, run_ingest

WORDS = "tea chess opera rain maps oslo lima cats maths jazz".split()


def saying(*sizes: int) -> list[str]:
    """Texts of so many tokens: words, of which "likes" is the first."""
    return [
        " ".join(["likes", *(WORDS[(n + i) % 10] for i in range(size - 1))]) + "."
        for n, size in enumerate(sizes)
    ]


def sessions_read(extractor: SayingExtractor) -> list[list[int]]:
    """By buffer, how many messages of each of its sessions were read."""
    return [
        [len(list(said)) for _, said in groupby(buffer.messages, key=lambda message: message.session_id)]
        for buffer in extractor.read
    ]


def traces(store: DuckStore, stage: str, unit: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage, unit=unit)]


# ---------------------------------------------------------------- buffers of several sessions


def test_short_sessions_are_read_by_one_extraction(store):
    extractor = SayingExtractor()
    talk = log(saying(4, 4), saying(4, 4), saying(4, 4))
    run_ingest(store, talk, extractor=extractor, buffer_tokens=24)

    assert sessions_read(extractor) == [[2, 2, 2]]
    for session in talk.sessions:
        (trace,) = traces(store, "buffer", session.id)
        assert (trace["tokens"], trace["released_by"], len(trace["segments"][0])) == ([24], ["session"], 3)
        (segment,) = store.segments(session_id=session.id)
        assert segment.id in trace["segments"][0]


def test_a_session_that_fits_is_not_parted_though_the_threshold_is_reached_in_it(store):
    extractor = SayingExtractor()
    run_ingest(store, log(saying(4), saying(9, 9, 9)), extractor=extractor, buffer_tokens=12)
    assert sessions_read(extractor) == [[1, 3]]


def test_all_buffers_of_a_step_are_handed_to_the_extractor_together(store):
    calls = []

    class Counting(SayingExtractor):
        def extract(self, buffers):
            calls.append(len(buffers))
            return super().extract(buffers)

    run_ingest(store, log(*[saying(6, 6)] * 5), extractor=Counting(), buffer_tokens=12)
    assert [n for n in calls if n] == [5]


def test_talk_between_other_people_is_a_buffer_of_its_own(store):
    others = log([("user", "likes tea."), ("assistant", "likes order.")], name="b")
    extractor = SayingExtractor()
    run_ingest(store, log(saying(4, 4)), others, extractor=extractor, buffer_tokens=100)
    assert {buffer.people for buffer in extractor.read} == {("Ann", "Ben"), ("user", "assistant")}


def test_each_session_is_told_what_was_skipped_in_it(store):
    class PassingOver(SayingExtractor):
        def extract(self, buffers):
            return [
                (
                    extraction,
                    replace(trace, skipped=tuple(SkippedText(m.id, 0, 5, "why") for m in buffer.messages)),
                )
                for buffer, (extraction, trace) in zip(buffers, super().extract(buffers), strict=True)
            ]

    talk = log(saying(4, 4), saying(4))
    run_ingest(store, talk, extractor=PassingOver(), buffer_tokens=100)
    for session in talk.sessions:
        (trace,) = traces(store, "extract", session.id)
        own = [m.id for m in talk.messages if m.session_id == session.id]
        assert [row["message_id"] for row in trace["skipped"]] == own
        assert trace["session_id"] == session.id


def test_a_message_longer_than_sensory_memory_is_compressed_until_it_fits_as_in_lightmem(store):
    class ByRate(WholeCompressor):
        def compress(self, texts, rate):
            return [self._first_words(text.split(), rate) for text in texts]

        def _first_words(self, words: list[str], rate: float) -> Compressed:
            keep = max(1, int(len(words) * rate))
            return Compressed(" ".join(words[:keep]), (), len(words), keep)

    talk = log(saying(100, 4))
    run_ingest(store, talk, compressor=ByRate(), sensory_tokens=20)
    (trace,) = traces(store, "compress", talk.sessions[0].id)
    assert [row["tokens_after"] <= 20 for row in trace["messages"]] == [True, True]


# ---------------------------------------------------------------- summaries


def test_each_session_of_a_buffer_gets_its_own_summary(store):
    talk = log(saying(4, 5), saying(6))
    run_ingest(store, talk, buffer_tokens=100)
    found = {summary.session_id: summary for summary in store.summaries("me", recipe="memscope")}
    assert set(found) == {session.id for session in talk.sessions}
    for session in talk.sessions:
        summary, said = found[session.id], store.messages(session.id)
        assert summary.text == " ".join(message.text for message in said)
        assert (summary.started_at, summary.ended_at) == (said[0].said_at, said[-1].said_at)
        assert set(summary.segment_ids) == {s.id for s in store.segments(session_id=session.id)}
        own = {m.id for m in store.memories("me", session_id=session.id)}
        linked = store.triples("me", ids=list(summary.triple_ids))
        assert linked and own >= {i for triple in linked for i in triple.memory_ids[:1]}


def test_the_summary_so_far_goes_with_its_session_only(store):
    run_ingest(store, log(saying(4), saying(5)))
    extractor = SayingExtractor()
    grown = log(saying(4), saying(5, 6), saying(7))
    run_ingest(store, grown, extractor=extractor, buffer_tokens=100)
    (buffer,) = extractor.read
    assert buffer.summaries == {grown.sessions[1].id: saying(5)[0]}
    assert [len(said) for said in sessions_read(extractor)] == [2]


# ---------------------------------------------------------------- steps


@dataclass(frozen=True)
class Streamed:
    """What a stream of steps made of a log: the messages of each buffer, and how often topics that
    waited were overtaken by a later step that had read its own buffers already."""

    buffers: list[list[str]]
    memories: list[MemoryEntry]
    processed: list[str]
    overtaken: int


def stream(recipe: str, talk: ConversationLog, step_messages: int, **options: Any) -> Streamed:
    """A recipe over a log, whole sessions together up to so many messages; a longer one is parted."""
    extractor = SayingExtractor()
    tools = pipeline.tools(segment_method="similarity", extractor=extractor, **options)
    steps: list[list[SessionPart]] = [[]]
    for session in talk.sessions:
        said = [m for m in talk.messages if m.session_id == session.id]
        for begin in range(0, len(said), step_messages):
            messages = tuple(said[begin : begin + step_messages])
            goes_on = begin + step_messages < len(said)
            part = SessionPart(session, messages, people=("Ann", "Ben"), goes_on=goes_on)
            if steps[-1] and sum(len(p.messages) for p in steps[-1]) + len(messages) > step_messages:
                steps.append([])
            steps[-1].append(part)
    carry: object = None
    results = list[StepResult]()
    overtaken = 0
    for position, parts in enumerate(steps):
        step = Step("me", "run", position, tuple(parts), last=position == len(steps) - 1)
        reading = SYSTEMS[recipe].read(step, tools)
        overtaken += bool(recipe == "memscope" and carry and reading.extracted)
        nearest: Any = [Nearest(HnswIndex(EMBEDDER.dimension)) for _ in range(2)]
        result = SYSTEMS[recipe].remember(reading, Known({}, {}, {}, *nearest, carry), tools)
        carry = result.carry
        results.append(result)
    return Streamed(
        [[message.id for message in buffer.messages] for buffer in extractor.read],
        [memory for result in results for memory in result.memories],
        [message_id for result in results for message_id in result.processed],
        overtaken,
    )


talks = st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=9), min_size=1, max_size=12).map(
    lambda sessions: log(*(saying(*sizes) for sizes in sessions))
)


@settings(max_examples=50)
@given(talks, st.integers(4, 80), st.integers(4, 60))
@example(log(saying(8, 4), saying(8, 4), saying(8, 4)), 12, 12)
def test_a_step_never_costs_more_calls_than_lightmem_makes_of_the_same_messages(talk, th, sensory):
    """Whatever the sessions, the messages, the topics either of them finds and the settings are."""
    options = {"buffer_tokens": th, "sensory_tokens": sensory}
    ours, theirs = stream("memscope", talk, 1000, **options), stream("lightmem", talk, 1000, **options)
    assert len(ours.buffers) <= len(theirs.buffers)


@settings(max_examples=50)
@given(talks, st.integers(4, 80), st.integers(4, 60), st.integers(1, 40))
def test_a_log_in_steps_costs_at_most_one_call_more_for_every_step_that_overtook_what_waited(
    talk, th, sensory, step_messages
):
    """And none where no step did: the corner that the recipe's docstring names."""
    options = {"buffer_tokens": th, "sensory_tokens": sensory}
    ours = stream("memscope", talk, step_messages, **options)
    theirs = stream("lightmem", talk, step_messages, **options)
    assert len(ours.buffers) <= len(theirs.buffers) + ours.overtaken


@settings(max_examples=60)
@given(talks, st.integers(4, 80), st.integers(4, 60), st.integers(1, 40))
def test_every_message_is_extracted_from_exactly_once(talk, th, sensory, step_messages):
    read = stream("memscope", talk, step_messages, buffer_tokens=th, sensory_tokens=sensory)
    said = sorted(message.id for message in talk.messages)
    assert sorted(i for buffer in read.buffers for i in buffer) == said
    assert sorted(read.processed) == said


def test_the_corner_a_fuller_step_overtakes_one_that_could_not_fill_a_buffer():
    """Three steps, of 5, 12 and 5 tokens, 5 after them: LightMem reads 5 + 12 together, then the rest."""
    talk = log(saying(5), saying(4, 4, 4), saying(5), saying(4, 4, 4))
    options = {"buffer_tokens": 12, "sensory_tokens": 12}
    ours, theirs = stream("memscope", talk, 3, **options), stream("lightmem", talk, 3, **options)
    assert (len(ours.buffers), len(theirs.buffers), ours.overtaken) == (3, 2, 2)


def test_steps_that_fill_no_buffer_wait_for_each_other(store, monkeypatch):
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 2)
    extractor = SayingExtractor()
    run_ingest(store, log(*[saying(3, 3)] * 5), extractor=extractor, buffer_tokens=12)
    assert sessions_read(extractor) == [[2, 2], [2, 2], [2]]
    assert store.pending_messages("memscope", "me") == []


def test_what_waits_when_a_run_is_cancelled_is_read_again(store, monkeypatch):
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 2)
    talk = log(*[saying(3, 3)] * 3)
    steps = iter([False, True, True])
    run_ingest(store, talk, buffer_tokens=100, cancelled=lambda: next(steps))
    assert len(store.pending_messages("memscope", "me")) == 6
    assert store.memories("me") == []

    run_ingest(store, buffer_tokens=100)
    assert store.pending_messages("memscope", "me") == []
    assert len(store.memories("me")) == 6


# ---------------------------------------------------------------- reading ahead


class AheadExtractor(SayingExtractor):
    """Notes what it may begin with, and that this comes before any buffer."""

    def begin(self, buffers: Sequence[Buffer]) -> None:
        assert not self.read
        self.begun = [[message.text for message in buffer.messages] for buffer in buffers]

    begun: list[list[str]] | None = None


def test_the_extractor_may_read_ahead_in_a_run_of_one_step(store):
    extractor = AheadExtractor()
    run_ingest(store, log(["likes tea.", "likes maps."], ["likes jazz."]), extractor=extractor)
    assert extractor.begun == [["likes tea.", "likes maps."], ["likes jazz."]]


def test_beside_a_second_step_nothing_is_read_ahead(store):
    extractor = AheadExtractor()
    run_ingest(store, log(*[saying(*[4] * 100)] * 2), extractor=extractor)
    assert extractor.begun is None
    assert extractor.read
