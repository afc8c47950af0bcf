"""LightMem's online half: the stream from sensory through short-term into long-term memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore import open_memory
from memcore.domain.errors import LlmUnavailableError
from memcore.domain.extraction import SkippedText
from memcore.domain.models import ConversationLog, LogRead, MemoryEntry, Segment
from memcore.domain.protocols import Compressed, WordScore
from memcore.retrieval.question import Question, SearchTools
from memcore.store import DuckStore, HnswIndex
from memcore.systems.lightmem.pipeline import UNREAD
from memcore.systems.nearest import Nearest
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import Known, SessionPart, Step, StepResult
from tests import pipeline
from tests.pipeline import EMBEDDER, FakeBackends, SayingExtractor, WholeCompressor, log, run_ingest

LIGHTMEM = SYSTEMS["lightmem"]
PLACES = "oslo lima cairo quito delhi perth malmo tunis accra sofia".split()


@pytest.fixture
def small_steps(monkeypatch):
    """Steps of 4 messages, so that a short log takes several."""
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 4)


def remember(store: DuckStore, *logs: ConversationLog, **options: Any):
    """Ingest with sensory memory of 5 messages and short-term memory of 10 (`about`: 4 tokens each)."""
    defaults = {"sensory_tokens": 20, "buffer_tokens": 40, "segment_method": "similarity"}
    return run_ingest(store, *logs, recipe=LIGHTMEM, **(defaults | options))


def about(subject: str, count: int, start: int = 0) -> list[str]:
    """Messages of one topic: `similarity` finds no boundary inside, and one to another subject."""
    return [f"likes {subject} {subject} {PLACES[n % 10]}{n}." for n in range(start, start + count)]


def known_facts(store: DuckStore) -> list[tuple[str, datetime | None]]:
    return [(memory.text, memory.mentioned_at) for memory in store.memories("me")]


def buffers_read(extractor: SayingExtractor) -> list[list[str]]:
    return [[message.text for message in buffer.messages] for buffer in extractor.read]


def traces(store: DuckStore, stage: str, unit: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage, unit=unit)]


# ---------------------------------------------------------------- the stream, without a store


@dataclass(frozen=True)
class Streamed:
    """What a stream of steps made of a log."""

    buffers: list[list[str]]
    segments: list[Segment]
    memories: list[MemoryEntry]
    processed: list[str]


def stream(talk: ConversationLog, step_messages: int, **options: Any) -> Streamed:
    """The recipe over a log in steps of at most so many messages of one session."""
    extractor = SayingExtractor()
    tools = pipeline.tools(segment_method="similarity", extractor=extractor, **options)
    parts = []
    for session in talk.sessions:
        said = [m for m in talk.messages if m.session_id == session.id]
        for begin in range(0, len(said), step_messages):
            before = tuple(said[max(0, begin - 3) : begin])
            parts.append(SessionPart(session, tuple(said[begin : begin + step_messages]), before))
    carry, results = None, list[StepResult]()
    for position, part in enumerate(parts):
        step = Step("me", "run", position, (part,), last=position == len(parts) - 1)
        known = Known({}, {}, {}, Nearest(HnswIndex(64)), Nearest(HnswIndex(64)), carry)
        result = LIGHTMEM.remember(LIGHTMEM.read(step, tools), known, tools)
        carry = result.carry
        results.append(result)
    return Streamed(
        [[message.id for message in buffer.messages] for buffer in extractor.read],
        [segment for result in results for segment in result.segments],
        [memory for result in results for memory in result.memories],
        [message_id for result in results for message_id in result.processed],
    )


texts = st.lists(st.sampled_from(["tea", "chess", "opera", "rain"]), min_size=1, max_size=8).map(
    lambda words: f"likes {' '.join(words)}."
)
talks = st.lists(st.lists(texts, min_size=1, max_size=8), min_size=1, max_size=8).map(lambda s: log(*s))


@settings(max_examples=40)
@given(talks, st.integers(4, 60), st.integers(4, 60))
def test_extractions_are_about_N_r_T_over_th_whatever_the_sessions_are(talk, capacity, th):
    streamed = stream(talk, 128, sensory_tokens=capacity, buffer_tokens=th)
    tokens = sum(len(message.text.split()) for message in talk.messages)
    assert len(streamed.buffers) <= math.ceil(tokens / th) + 1


@settings(max_examples=40)
@given(talks, st.integers(4, 60), st.integers(4, 60))
def test_every_message_is_extracted_from_exactly_once_and_in_order(talk, capacity, th):
    streamed = stream(talk, 3, sensory_tokens=capacity, buffer_tokens=th)
    said = [message.id for message in talk.messages]
    assert [i for buffer in streamed.buffers for i in buffer] == said
    assert [i for segment in streamed.segments for i in segment.message_ids] == said
    assert streamed.processed == said


@settings(max_examples=40)
@given(talks, st.integers(4, 60), st.integers(4, 60))
def test_no_segment_spans_sessions(talk, capacity, th):
    session_of = {message.id: message.session_id for message in talk.messages}
    for segment in stream(talk, 3, sensory_tokens=capacity, buffer_tokens=th).segments:
        assert {session_of[i] for i in segment.message_ids} == {segment.session_id}


@settings(max_examples=40)
@given(talks, st.integers(4, 60), st.integers(4, 60), st.integers(1, 7))
def test_one_message_at_a_time_or_a_whole_log_is_the_same(talk, capacity, th, step_messages):
    in_steps = stream(talk, step_messages, sensory_tokens=capacity, buffer_tokens=th)
    assert in_steps == stream(talk, 1000, sensory_tokens=capacity, buffer_tokens=th)


# ---------------------------------------------------------------- sensory memory


def test_the_tail_stays_because_its_topic_may_go_on(store, small_steps):
    """Room for 5 messages: the sixth cuts after the chess, and rain waits for more rain."""
    talk = log([*about("chess", 3), *about("rain", 4)])
    remember(store, talk)

    session = talk.sessions[0].id
    assert [len(segment.message_ids) for segment in store.segments(session_id=session)] == [3, 4]
    first, last = traces(store, "sensory", session)
    assert (first["released_by"], first["boundaries"], first["stayed"]) == ("overflow", [0, 3], 3)
    assert (last["released_by"], len(last["message_ids"])) == ("end", 4)


def test_a_segment_says_why_it_starts_also_after_its_tail_stayed(store):
    talk = log([*about("chess", 3), *about("rain", 4)])
    remember(store, talk)
    first, second = store.segments(session_id=talk.sessions[0].id)
    assert first.boundary["reason"] == "session start"
    assert (second.boundary["reason"], second.boundary["method"]) == ("topic shift", "similarity")
    assert second.boundary["similarity"] < second.boundary["similarity_threshold"]


def test_the_segmentation_method_is_the_one_asked_for(store):
    remember(store, log(about("chess", 3)), segment_method="intersection")
    (segment,) = store.segments(recipe="lightmem")
    assert (segment.boundary["method"], segment.recipe) == ("intersection", "lightmem")


class OnlyLastWord(WholeCompressor):
    """Keeps the last word of each text; what it kept has no full stop."""

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        return [
            Compressed(text.split()[-1].strip("."), whole.words, whole.tokens_before, 1)
            for text, whole in zip(texts, super().compress(texts, rate), strict=True)
        ]


def test_similarity_is_that_of_the_compressed_texts_which_the_buffer_holds(store):
    """Raw, the second message is like the first; compressed, like the third."""
    said = ["likes chess chess chess rain.", "likes chess chess chess tea.", "likes jazz jazz jazz tea."]
    talk = log(said)
    remember(store, talk, compressor=OnlyLastWord())

    (trace,) = traces(store, "segment", talk.sessions[0].id)
    held = EMBEDDER.embed(["rain", "tea", "tea"])
    assert trace["similarity"] == [
        None,
        pytest.approx(float(held[0] @ held[1]), abs=1e-4),
        pytest.approx(1.0, abs=1e-4),
    ]
    assert trace["boundaries"] == [0, 1], "the raw texts would have been divided before the third"


def test_no_vector_of_a_raw_message_is_made_or_stored(store):
    talk = log(["likes green tea.", "likes chess."])
    embeds: list[str] = []

    class Watched:
        model_id, dimension = EMBEDDER.model_id, EMBEDDER.dimension

        def embed(self, texts: Sequence[str]) -> Any:
            embeds.extend(texts)
            return EMBEDDER.embed(texts)

    remember(store, talk, compressor=OnlyLastWord(), embedder=Watched())
    assert sorted(embeds) == ["Ann likes green tea", "Ben likes chess", "chess", "tea"]
    known = store.embeddings(EMBEDDER.model_id, [*embeds, *(m.text for m in talk.messages)])
    assert sorted(known) == ["Ann likes green tea", "Ben likes chess"]


def test_a_message_longer_than_sensory_memory_is_compressed_until_it_fits(store):
    class ByRate(WholeCompressor):
        def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
            return [_first_words(whole, rate) for whole in super().compress(texts, rate)]

    def _first_words(whole: Compressed, rate: float) -> Compressed:
        keep = math.ceil(len(whole.words) * rate)
        words = tuple(replace(word, kept=i < keep) for i, word in enumerate(whole.words))
        return Compressed(" ".join(whole.text.split()[:keep]), words, len(words), keep)

    talk = log([" ".join(["word"] * 100), "likes tea."])
    remember(store, talk, compressor=ByRate())
    (trace,) = traces(store, "compress", talk.sessions[0].id)
    assert [row["tokens_after"] <= 20 for row in trace["messages"]] == [True, True]
    assert trace["messages"][0]["rate"] < trace["messages"][1]["rate"] == 0.6


# ---------------------------------------------------------------- short-term memory


def test_one_extraction_reads_segments_of_several_sessions(store):
    extractor = SayingExtractor()
    talk = log(about("tea", 3), about("chess", 3), about("rain", 3), about("jazz", 3))
    remember(store, talk, extractor=extractor)

    assert [len(read) for read in buffers_read(extractor)] == [12]
    one, two = talk.sessions[0].id, talk.sessions[3].id
    for session in (one, two):
        (trace,) = traces(store, "buffer", session)
        assert (trace["tokens"], trace["released_by"], trace["threshold"]) == ([48], ["threshold"], 40)
        assert len(trace["segments"][0]) == 4
    assert all(len(segment.message_ids) == 3 for segment in store.segments(recipe="lightmem"))


def test_each_session_of_a_buffer_is_told_what_was_skipped_in_it(store):
    class PassingOver(SayingExtractor):
        def extract(self, buffers):
            return [
                (
                    extraction,
                    replace(
                        trace,
                        skipped=tuple(SkippedText(m.id, 0, 5, "small talk") for m in buffer.messages),
                        notes=("one fact was left out",),
                    ),
                )
                for buffer, (extraction, trace) in zip(buffers, super().extract(buffers), strict=True)
            ]

    talk = log(about("tea", 2), about("chess", 3))
    remember(store, talk, extractor=PassingOver())
    for session in talk.sessions:
        (trace,) = traces(store, "extract", session.id)
        own = [m.id for m in talk.messages if m.session_id == session.id]
        assert [row["message_id"] for row in trace["skipped"]] == own
        assert (trace["session_id"], trace["notes"]) == (session.id, ["one fact was left out"])


def test_all_buffers_of_a_step_are_handed_to_the_extractor_together(store):
    calls = []

    class Counting(SayingExtractor):
        def extract(self, buffers):
            calls.append(len(buffers))
            return super().extract(buffers)

    remember(store, log(*(about(f"thing{n}", 5) for n in range(8))), extractor=Counting())
    assert calls == [4]


def test_context_for_a_buffer_comes_from_its_first_messages_own_session(store):
    extractor = SayingExtractor()
    talk = log(about("tea", 4), [*about("rain", 6), *about("chess", 4)])
    remember(store, talk, extractor=extractor, buffer_tokens=8)
    for buffer in extractor.read:
        first = buffer.messages[0]
        own = [m for m in talk.messages if m.session_id == first.session_id]
        assert list(buffer.before) == own[: first.position][-3:]


# ---------------------------------------------------------------- whose messages are read


def test_other_roles_are_skipped_with_the_reason(store):
    talk = log([("assistant", "likes order."), ("user", "likes tea."), ("assistant", "likes rain.")])
    extractor = SayingExtractor()
    report = remember(store, talk, roles=frozenset({"user", "person"}), extractor=extractor)

    assert (report.memories, buffers_read(extractor)) == (1, [["likes tea."]])
    rows = [row for t in traces(store, "extract", talk.sessions[0].id) for row in t["skipped"]]
    assert [(row["message_id"], row["end"], row["reason"]) for row in rows] == [
        (talk.messages[0].id, len("likes order."), UNREAD),
        (talk.messages[2].id, len("likes rain."), UNREAD),
    ]
    assert store.pending_messages("lightmem", "me") == []


def test_unread_messages_are_no_gap_between_those_read(store, small_steps):
    talk = log([(("user", "assistant")[n % 2], text) for n, text in enumerate(about("tea", 10))])
    remember(store, talk, roles=frozenset({"user"}))
    (segment,) = store.segments(recipe="lightmem")
    assert segment.message_ids == tuple(m.id for m in talk.messages if m.role == "user")


def test_a_session_in_which_nobody_is_read_is_worked_off(store):
    report = remember(store, log([("tool", "likes numbers.")]))
    assert (report.state, report.memories, report.segments) == ("finished", 0, 0)
    assert store.pending_messages("lightmem", "me") == []


# ---------------------------------------------------------------- long-term memory


def test_insertion_is_soft_nothing_that_is_there_changes(store):
    remember(store, log(["likes tea."]))
    (before,) = store.memories("me")
    remember(store, log(["hates tea.", "likes tea."], name="b"))
    assert store.memory(before.id) == before
    assert len(store.memories("me")) == 3


def test_there_is_no_graph_and_there_are_no_summaries(store):
    report = remember(store, log(about("tea", 6)))
    assert (report.memories, report.triples) == (6, 0)
    assert (store.triples("me"), store.entities("me"), store.summaries("me")) == ([], [], [])
    (link,) = traces(store, "link", report.run_id)
    assert (link["memories"], link["new_entities"], link["new_triples"]) == (6, 0, 0)


def found(store, question):
    """The text of the best memory for a question."""
    report = LIGHTMEM.search(store, SearchTools(EMBEDDER), Question(question, recipe=LIGHTMEM.name))
    return report.hits[0].text


def test_what_was_inserted_is_found_and_the_store_is_sound(store):
    remember(store, log(["likes green tea.", "plays chess."]))
    assert found(store, "green tea") == "Ann likes green tea"
    assert [finding for finding in store.check() if not finding.sound] == []


def test_it_is_reached_through_the_facade_with_its_own_settings(tmp_path):
    extractor = SayingExtractor()
    with open_memory(
        tmp_path / "store",
        backends=partial(FakeBackends, extractor=extractor),
        lightmem_messages="all",
        sensory_tokens=64,
    ) as memory:
        report = memory.ingest(LogRead((log(about("tea", 20)),)), recipe="lightmem")
        (segment, *_) = memory.evidence.session(memory.evidence.sessions()[0].id, recipe="lightmem").segments
    assert (report.state, report.memories) == ("finished", 20)
    assert segment.boundary["method"] == "intersection"
    assert len(segment.message_ids) == 16, "64 tokens of 4 each"
    assert len(extractor.read) == 1


# ---------------------------------------------------------------- the published code's defects


def test_topic_ids_neither_restart_nor_collide_across_batches(store, small_steps):
    """Published: a module-level counter, so topics of different batches share ids."""
    remember(store, log(about("tea", 12), about("chess", 3)))
    remember(store, log(about("rain", 9), name="b"))

    segments = {segment.id: segment for segment in store.segments(recipe="lightmem")}
    assert sorted(i for s in segments.values() for i in s.message_ids) == sorted(
        m.id for session in store.sessions() for m in store.messages(session.id)
    )
    assert len(segments) == len(store.segments(recipe="lightmem")) >= 5
    for memory in store.memories("me"):
        home = segments[memory.segment_id]
        assert memory.sources[0].message_id in home.message_ids
        assert memory.topic == home.topic == f"topic of {home.message_ids[0]}"


def test_emptying_by_force_loses_no_segment_already_cut(store):
    """Published: force_segment and force_extract drop what the same call had already cut."""
    extractor = SayingExtractor()
    said = [text for subject in ("tea", "chess", "rain", "jazz") for text in about(subject, 3)]
    talk = log(said)
    remember(store, talk, extractor=extractor, buffer_tokens=1000)

    assert buffers_read(extractor) == [said]
    last = traces(store, "sensory", talk.sessions[0].id)[-1]
    assert (last["released_by"], last["stayed"]) == ("end", len(last["message_ids"]))
    assert len(store.segments(recipe="lightmem")) == 4
    assert len(store.memories("me")) == 12


def test_an_error_in_one_message_does_not_leave_later_ones_uncompressed(store):
    class Choking(WholeCompressor):
        def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
            if any("bad" in text for text in texts):
                raise IndexError("list index out of range")
            return [Compressed("short", (WordScore(0, 5, 1.0, True),), 3, 1) for _ in texts]

    extractor = SayingExtractor()
    talk = log(["likes tea.", "likes bad tea.", "likes rain."])
    report = remember(store, talk, compressor=Choking(), extractor=extractor)

    (buffer,) = extractor.read
    assert list(buffer.compressed.values()) == ["short", "likes bad tea.", "short"]
    (trace,) = traces(store, "compress", talk.sessions[0].id)
    assert ["list index out of range" in row["error"] for row in trace["messages"]] == [False, True, False]
    assert (report.state, report.memories) == ("finished", 3)


def test_times_of_two_extractions_do_not_collide(store):
    """Published: each extraction counts its times on from one base in steps of 0.5 s."""
    talk = log(about("tea", 10), about("chess", 10))
    extractor = SayingExtractor()
    remember(store, talk, extractor=extractor)

    assert len(extractor.read) >= 2
    said = {message.id: message for message in talk.messages}
    memories = store.memories("me")
    assert len(memories) == len({memory.mentioned_at for memory in memories}) == 20
    for memory in memories:
        assert memory.mentioned_at == memory.valid_from == said[memory.sources[0].message_id].said_at
        assert memory.weekday == f"{said[memory.sources[0].message_id].said_at:%a}"


def test_messages_of_one_moment_keep_their_order_and_their_time(store):
    talk = log(about("tea", 15))
    same = replace(talk, messages=tuple(replace(m, said_at=talk.messages[0].said_at) for m in talk.messages))
    remember(store, same)
    memories = store.memories("me")
    assert {memory.mentioned_at for memory in memories} == {talk.messages[0].said_at}
    assert [memory.sources[0].message_id for memory in memories] == [m.id for m in talk.messages]


@pytest.mark.parametrize("pattern", ["AAAA", "ABCA", "AABBBA", "ABAB"])
def test_whoever_speaks_a_memory_has_its_own_messages_speaker_time_and_weekday(store, pattern):
    """Published: user and assistant must alternate, or facts get a neighbour's time and name."""
    talk = log([f"likes {PLACES[n]}." for n in range(len(pattern))])
    said = tuple(
        replace(m, speaker=who, said_at=m.said_at + timedelta(days=n))
        for n, (m, who) in enumerate(zip(talk.messages, pattern, strict=True))
    )
    remember(store, replace(talk, messages=said))
    for memory, message in zip(store.memories("me"), said, strict=True):
        assert memory.text == f"{message.speaker} {message.text[:-1]}"
        assert (memory.speaker, memory.mentioned_at) == (message.speaker, message.said_at)
        assert memory.weekday == f"{message.said_at:%a}"


def test_a_failed_extraction_is_reported_and_costs_only_its_own_buffer(store, small_steps):
    """Published: the error is logged and the segments are gone."""
    talk = log(about("tea", 10), about("chess", 10), about("rain", 10))
    bad = about("chess", 10)[4]
    extractor = SayingExtractor(fails={bad})
    report = remember(store, talk, extractor=extractor)

    failed = [
        m.id for read in extractor.read for m in read.messages if bad in [m.text for m in read.messages]
    ]
    waiting = [message.id for message in store.pending_messages("lightmem", "me")]
    assert waiting == failed
    assert len(report.errors) == 1 and "chess" in report.errors[0]
    assert report.memories == 30 - len(waiting)
    assert {i for s in store.segments(recipe="lightmem") for i in s.message_ids}.isdisjoint(waiting)
    errors = [t["error"] for t in traces(store, "extract", talk.sessions[1].id) if t["error"]]
    assert errors == list(report.errors)
    assert len(extractor.read) == len({buffer.messages[0].id for buffer in extractor.read}), "no second try"

    assert remember(store).memories == len(waiting)
    assert store.pending_messages("lightmem", "me") == []


def test_an_unreachable_server_keeps_what_was_extracted_before(store, small_steps):
    def goes_down(buffer):
        if any("rain" in message.text for message in buffer.messages):
            raise LlmUnavailableError("Down.", "Start it.")

    with pytest.raises(LlmUnavailableError):
        remember(store, log(about("tea", 10), about("rain", 10)), extractor=SayingExtractor(watch=goes_down))
    assert 0 < store.count_memories("me") < 20
    remember(store)
    assert len(known_facts(store)) == len(set(known_facts(store))) == 20


# ---------------------------------------------------------------- interrupted


@pytest.mark.parametrize("finished_steps", [1, 2, 3, 5])
def test_what_waits_when_a_run_is_cancelled_is_read_again_and_nothing_twice(
    store, small_steps, tmp_path, finished_steps
):
    """The memories are those of a run in one go. What may differ are the segments around the place
    of interruption: sensory and short-term memory begin empty there."""
    talk = log(about("tea", 9), about("chess", 9), [*about("rain", 5), *about("jazz", 5)])
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > finished_steps

    assert remember(store, talk, cancelled=cancelled).state == "cancelled"
    waiting = store.pending_messages("lightmem", "me")
    assert 28 - 4 * finished_steps <= len(waiting) <= 28
    assert store.count_memories("me") == 28 - len(waiting)

    assert remember(store).state == "finished"
    with pipeline.open_with(EMBEDDER, tmp_path / "in_one_go") as expected:
        remember(expected, talk)
        assert known_facts(store) == known_facts(expected)
        assert {m.id for m in store.memories("me")} == {m.id for m in expected.memories("me")}
    assert store.pending_messages("lightmem", "me") == []
    covered = [i for segment in store.segments(recipe="lightmem") for i in segment.message_ids]
    assert sorted(covered) == sorted(message.id for message in talk.messages)


def test_unread_messages_are_no_gap_when_what_waited_is_read_again(store, small_steps):
    """The replies skipped by the interrupted run stand between messages that run never finished."""
    talk = log([(("user", "assistant")[n % 2], text) for n, text in enumerate(about("tea", 10))])
    users = frozenset({"user"})
    remember(store, talk, roles=users, extractor=SayingExtractor(fails={talk.messages[4].text}))
    assert [m.position for m in store.pending_messages("lightmem", "me")] == [0, 2, 4, 6, 8]

    remember(store, roles=users)
    (segment,) = store.segments(recipe="lightmem")
    assert segment.message_ids == tuple(m.id for m in talk.messages if m.role == "user")


def test_messages_around_those_already_worked_on_are_not_one_segment(store):
    """Two buffers of one session failed, the one between them did not."""
    talk = log(about("tea", 30))
    remember(store, talk, extractor=SayingExtractor(fails={talk.messages[2].text, talk.messages[29].text}))
    waiting = [message.position for message in store.pending_messages("lightmem", "me")]
    assert waiting == [*range(10), *range(20, 30)]

    remember(store, sensory_tokens=1000, buffer_tokens=1000)
    by_id = {message.id: message.position for message in talk.messages}
    for segment in store.segments(recipe="lightmem"):
        assert all(by_id[b] - by_id[a] == 1 for a, b in pairwise(segment.message_ids))


def test_the_same_log_again_adds_nothing(store):
    talk = log(about("tea", 9))
    remember(store, talk)
    before = store.stats("me") | {"runs": None}
    report = remember(store, talk)
    assert (report.memories, report.segments, report.new_messages) == (0, 0, 0)
    assert store.stats("me") | {"runs": None} == before


# ---------------------------------------------------------------- beside another recipe


def test_two_recipes_in_one_store_keep_apart(store):
    talk = log([*about("tea", 3), *about("chess", 3)])
    run_ingest(store, talk)
    memscope = {m.id: m for m in store.memories("me")}
    assert len(store.pending_messages("lightmem", "me")) == 6

    remember(store, talk)

    assert store.pending_messages("lightmem", "me") == store.pending_messages("memscope", "me") == []
    both = {m.id: m for m in store.memories("me")}
    assert {m.recipe for i, m in both.items() if i not in memscope} == {"lightmem"}
    assert {i: both[i] for i in memscope} == memscope
    assert len(both) == 12
    for recipe in ("memscope", "lightmem"):
        covered = [i for s in store.segments(recipe=recipe) for i in s.message_ids]
        assert sorted(covered) == sorted(m.id for m in talk.messages)
        own = {s.id for s in store.segments(recipe=recipe)}
        assert {m.segment_id for m in both.values() if m.recipe == recipe} <= own
