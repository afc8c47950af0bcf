"""LightMem's retrieval: nearest by embedding, by BM25, or both: BM25 candidates reranked by embedding, merged
and deduplicated."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memcore import open_memory
from memcore.domain.errors import UsageError
from memcore.domain.models import LogRead
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import SearchReport
from memcore.store import DuckStore
from memcore.systems.lightmem.search import RANK_OFFSET, lightmem_search
from memcore.systems.lightmem.settings import LightMemSettings
from memcore.systems.registry import SYSTEMS
from tests.pipeline import EMBEDDER, JANUARY, FakeBackends, log, run_ingest

THINGS = "tea chess opera rain maps oslo lima cats".split()


@pytest.fixture
def store(store):
    talk = log([f"likes {thing}." for thing in THINGS], [("user", "Hello there!")])
    run_ingest(store, talk, recipe=SYSTEMS["lightmem"])
    return store


def asked(store: DuckStore, text: str, *, k: int = 3, retrieval="hybrid", **changes) -> SearchReport:
    question = Question(text, recipe="lightmem", k=k, **changes)
    return lightmem_search(store, SearchTools(EMBEDDER, own=LightMemSettings(retrieval=retrieval)), question)


class NotAsked:
    """An embedder that must not be asked."""

    model_id, dimension = EMBEDDER.model_id, EMBEDDER.dimension

    def embed(self, texts):
        raise AssertionError(f"embeds {texts}")


def rankings(report: SearchReport) -> dict[str, list[str]]:
    return {view.view: [i for i, _ in view.ranking] for view in report.trace.views}


def test_it_is_what_the_lightmem_recipe_searches_with():
    assert SYSTEMS["lightmem"].search is lightmem_search


def test_a_memory_in_both_lists_counts_once_with_both_ranks(store):
    report = asked(store, "likes chess")
    best = report.hits[0]
    assert best.text == "Ben likes chess"
    assert best.components == {"semantic": 1 / (RANK_OFFSET + 1), "lexical": 1 / (RANK_OFFSET + 1)}
    ids = [hit.id for hit in report.hits]
    assert len(ids) == len(set(ids)) == 3
    assert all(hit.score == sum(hit.components.values()) for hit in report.hits)
    assert [hit.score for hit in report.hits] == sorted((h.score for h in report.hits), reverse=True)


def test_bm25_candidates_are_reranked_by_embedding(store):
    report = asked(store, "Ann likes opera and tea", k=4)
    found = rankings(report)
    candidates, reranked = found["lexical memory"][:4], found["lexical memory, reranked"]
    assert set(reranked) == set(candidates)
    nearness = dict(report.trace.views[0].ranking)
    assert reranked == sorted(reranked, key=lambda i: (-nearness[i], i))


def test_what_shares_words_is_found_though_nearer_ones_fill_the_list(store):
    """The words' best match is far from the question by embedding, yet among the k."""
    vectors = {m.text: EMBEDDER.embed([m.text])[0] for m in store.memories("me", recipe="lightmem")}

    class Elsewhere:
        """Puts the question next to everything but what shares its words."""

        model_id, dimension = EMBEDDER.model_id, EMBEDDER.dimension

        def embed(self, texts):
            chess = vectors["Ben likes chess"]
            others = sum(v for text, v in vectors.items() if "chess" not in text)
            away = others - (others @ chess) * chess
            return (away / (away @ away) ** 0.5)[None, :]

    report = lightmem_search(store, SearchTools(Elsewhere()), Question("chess?", recipe="lightmem", k=2))
    assert "Ben likes chess" in {hit.text for hit in report.hits}
    (chess,) = [hit for hit in report.hits if hit.text == "Ben likes chess"]
    assert chess.components["semantic"] == 0.0 < chess.components["lexical"]


def test_only_what_is_remembered_is_found(store):
    report = asked(store, "Hello there", k=50)
    assert {hit.kind for hit in report.hits} == {"memory"}
    assert len(report.hits) == len(THINGS)
    assert all(hit.quotes for hit in report.hits)


def test_a_question_that_shares_no_word_is_answered_by_embedding_alone(store):
    report = asked(store, "zzz")
    assert len(report.hits) == 3
    assert {hit.components["lexical"] for hit in report.hits} == {0.0}


def test_as_of_answers_from_what_was_valid_then(store):
    early = asked(store, "likes", k=50, as_of=JANUARY + timedelta(minutes=2))
    assert {hit.text for hit in early.hits} == {"Ann likes tea", "Ben likes chess", "Ann likes opera"}

    (tea,) = [m for m in store.memories("me", recipe="lightmem") if m.text == "Ann likes tea"]
    ended = replace(tea, state="invalidated", valid_to=JANUARY + timedelta(days=1))
    with store.write(actor="test") as writer:
        writer.put_memories([ended], kind="memory.invalidated")
    assert "Ann likes tea" not in {hit.text for hit in asked(store, "likes tea", k=50).hits}
    assert "Ann likes tea" in {hit.text for hit in asked(store, "likes tea", k=50, as_of=JANUARY).hits}


def test_a_candidate_without_an_embedding_is_said_to_be_left_out(store):
    (tea,) = [m for m in store.memories("me", recipe="lightmem") if m.text == "Ann likes tea"]
    with store.write(actor="test") as writer:
        writer.put_memories([replace(tea, id="mem_unread", text="Ann likes umbrellas")])
    report = asked(store, "umbrellas")
    assert "Ann likes umbrellas" not in {hit.text for hit in report.hits}
    assert report.trace.notes == ("1 BM25 candidates have no embedding and were left out",)


def test_another_recipes_memories_are_not_found(store):
    run_ingest(store, recipe=SYSTEMS["memscope"])
    own = {memory.id for memory in store.memories("me", recipe="lightmem")}
    assert {hit.id for hit in asked(store, "likes tea", k=50).hits} <= own


# ---------------------------------------------------------------- one index alone


def test_by_embedding_the_nearest_lead_by_their_cosine_and_words_are_not_asked(store):
    report = asked(store, "likes chess", retrieval="embedding")
    question = EMBEDDER.embed(["likes chess"])[0]
    cosines = {
        m.id: float(EMBEDDER.embed([m.text])[0] @ question) for m in store.memories("me", recipe="lightmem")
    }
    assert [hit.id for hit in report.hits] == sorted(cosines, key=lambda i: (-cosines[i], i))[:3]
    for hit in report.hits:
        assert hit.components == {"semantic": pytest.approx(cosines[hit.id], abs=1e-5)}
    assert list(rankings(report)) == ["semantic memory"]


def test_by_words_the_best_lead_by_bm25_and_nothing_is_embedded(store):
    tools = SearchTools(NotAsked(), own=LightMemSettings(retrieval="bm25"))
    report = lightmem_search(store, tools, Question("Ben likes chess", recipe="lightmem", k=3))
    assert report.hits[0].text == "Ben likes chess"
    assert list(rankings(report)) == ["lexical memory"]
    scores = dict(report.trace.views[0].ranking)
    assert [hit.components for hit in report.hits] == [{"lexical": scores[hit.id]} for hit in report.hits]
    assert [hit.score for hit in report.hits] == sorted(scores.values(), reverse=True)[:3]


def test_by_words_a_memory_without_an_embedding_is_found_and_one_that_shares_none_is_not(store):
    (tea,) = [m for m in store.memories("me", recipe="lightmem") if m.text == "Ann likes tea"]
    with store.write(actor="test") as writer:
        writer.put_memories([replace(tea, id="mem_unread", text="Ann likes umbrellas")])
    assert [hit.text for hit in asked(store, "umbrellas", retrieval="bm25").hits] == ["Ann likes umbrellas"]


def test_by_words_a_question_that_shares_none_finds_nothing_and_says_so(store):
    report = asked(store, "zzz", retrieval="bm25")
    assert report.hits == ()
    assert report.trace.notes == ("no memory shares a word with the question",)


@pytest.mark.parametrize("retrieval", ["embedding", "bm25"])
def test_one_index_alone_answers_as_of_a_time_too(store, retrieval):
    early = asked(store, "likes", k=50, as_of=JANUARY + timedelta(minutes=2), retrieval=retrieval)
    assert {hit.text for hit in early.hits} == {"Ann likes tea", "Ben likes chess", "Ann likes opera"}


@pytest.mark.parametrize(
    ("retrieval", "indexes"),
    [("hybrid", ("semantic", "lexical")), ("embedding", ("semantic",)), ("bm25", ("lexical",))],
)
def test_the_trace_says_which_way_was_taken(store, retrieval, indexes):
    trace = asked(store, "likes chess", retrieval=retrieval).trace
    assert (trace.strategy, trace.plan.indexes) == (f"LightMem {retrieval}", indexes)
    assert trace.weights == dict.fromkeys(indexes, 1.0)


def test_the_facade_searches_as_the_setting_says(tmp_path):
    for retrieval in ("hybrid", "embedding", "bm25"):
        with open_memory(tmp_path / "store", backends=FakeBackends, lightmem_retrieval=retrieval) as memory:
            memory.ingest(LogRead((log(["likes tea."]),)), recipe="lightmem")
            assert memory.search("tea", recipe="lightmem").trace.strategy == f"LightMem {retrieval}"
    with pytest.raises(UsageError, match="lightmem_retrieval = 'context' is not possible"):
        open_memory(tmp_path / "store", lightmem_retrieval="context")
