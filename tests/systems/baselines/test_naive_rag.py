"""NaiveRAG: chunks of whole neighbouring messages, found by embedding."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.models import ConversationLog, Message
from memcore.retrieval.question import Question, SearchTools
from memcore.store import DuckStore
from memcore.systems.baselines.chunk import chunks, spoken_line
from memcore.systems.baselines.naive_rag import CHUNK_TOKENS
from memcore.systems.registry import SYSTEMS
from tests.pipeline import EMBEDDER, JANUARY, SayingExtractor, log, run_ingest

NAIVE_RAG = SYSTEMS["naive_rag"]


def words(text: str) -> int:
    return len(text.split())


def of_tokens(*sizes: int) -> list[str]:
    """Texts whose lines ("Ann: ...") are so many words."""
    return [" ".join([f"w{n}"] * (size - 1)) for n, size in enumerate(sizes)]


def remember(store: DuckStore, *logs: ConversationLog, **options):
    return run_ingest(store, *logs, recipe=NAIVE_RAG, count_tokens=words, **options)


def chunked(store: DuckStore) -> list[int]:
    """How many messages each memory was made of."""
    return [len(memory.sources) for memory in store.memories("me", recipe="naive_rag")]


def test_neighbouring_messages_share_a_chunk_up_to_its_size(store):
    remember(store, log(of_tokens(100, 100, 56, 1)))
    assert CHUNK_TOKENS == 256
    assert chunked(store) == [3, 1]


def test_a_message_that_is_too_long_alone_is_a_chunk_alone_and_whole(store):
    talk = log(of_tokens(10, 400, 10))
    remember(store, talk)
    assert chunked(store) == [1, 1, 1]
    assert store.memories("me")[1].text == f"Ben: {talk.messages[1].text}"


def test_no_chunk_spans_sessions(store):
    remember(store, log(of_tokens(10, 10), of_tokens(10, 10)))
    assert chunked(store) == [2, 2]


def test_a_chunk_is_one_memory_with_all_its_messages_as_sources_and_its_segment(store):
    talk = log(["likes tea.", "likes rain."])
    extractor = SayingExtractor()
    report = remember(store, talk, extractor=extractor)

    assert (report.memories, report.segments, report.triples, extractor.read) == (1, 1, 0, [])
    (memory,) = store.memories("me", recipe="naive_rag")
    assert memory.text == "Ann: likes tea.\nBen: likes rain."
    assert [(s.message_id, s.start, s.end) for s in memory.sources] == [
        (m.id, 0, len(m.text)) for m in talk.messages
    ]
    (segment,) = store.segments(recipe="naive_rag")
    assert (memory.segment_id, segment.message_ids) == (segment.id, tuple(m.id for m in talk.messages))
    assert (memory.kind, memory.speaker, memory.persons) == ("statement", "Ann, Ben", ("Ann", "Ben"))


def test_what_systems_and_tools_say_is_in_no_chunk(store):
    remember(store, log([("system", "Be kind."), ("user", "Hi!"), ("tool", "42"), ("assistant", "Hello!")]))
    (memory,) = store.memories("me", recipe="naive_rag")
    assert memory.text == "user: Hi!\nassistant: Hello!"
    assert store.pending_messages("naive_rag", "me") == []


def test_the_chunk_nearest_to_the_question_is_found(store):
    remember(store, log(["likes tea."], ["plays chess."], ["fears rain."]))
    report = NAIVE_RAG.search(store, SearchTools(EMBEDDER), Question("plays chess", recipe="naive_rag", k=2))
    assert report.hits[0].text == "Ann: plays chess."
    assert len(report.hits) == 2
    assert report.trace.strategy == "dense"


def test_a_chunk_is_known_once_its_last_message_was_said(store):
    remember(store, log(["likes tea.", "likes rain.", "likes chess."]))
    (memory,) = store.memories("me", recipe="naive_rag")
    assert memory.mentioned_at == memory.valid_from == JANUARY + timedelta(minutes=2)
    before = Question("tea", recipe="naive_rag", as_of=JANUARY + timedelta(minutes=1))
    assert NAIVE_RAG.search(store, SearchTools(EMBEDDER), before).hits == ()


@given(st.lists(st.integers(2, 300), max_size=40))
def test_chunks_hold_every_message_once_in_order_and_no_more_than_fits(sizes):
    said: list[Message] = list(log(of_tokens(*sizes)).messages)
    made = chunks(said, 256, words)
    assert [m.id for chunk in made for m in chunk] == [m.id for m in said]
    for chunk in made:
        assert len(chunk) == 1 or sum(words(spoken_line(m)) for m in chunk) <= 256
    for one, following in pairwise(made):
        assert sum(words(spoken_line(m)) for m in (*one, following[0])) > 256
