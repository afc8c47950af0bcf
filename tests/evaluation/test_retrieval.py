"""A recipe measured through the facade, with fakes for models: what is built, asked, scored and kept."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import CancelledError, UsageError
from memcore.domain.models import LogRead
from memcore.evaluation.evaluating import evaluate_retrieval
from memcore.evaluation.ranking import CURVE, at_tokens
from memcore.evaluation.retrieval import KEPT_HITS, by_line
from memcore.evaluation.retrieval_datasets import read_retrieval_dataset
from memcore.evaluation.retrieval_result import interval_blocks, score_blocks, token_curve
from memcore.memory import Memory, open_settings
from memcore.nlp.encoder.cl100k import count_tokens
from memcore.retrieval.results import Candidate, QueryPlan, SearchReport, SearchTrace
from memcore.runtime.config import Settings
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.evaluation.annotated import HARBOUR, QUESTION, hit, inline, second_sample
from tests.pipeline import EMBEDDER, FakeBackends, SayingExtractor, open_with


@pytest.fixture
def locomo(tmp_path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([HARBOUR, second_sample()]))
    return read_retrieval_dataset("locomo", [path])


@pytest.fixture
def longmemeval(tmp_path):
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps([inline(QUESTION, annotated=False)]))
    return read_retrieval_dataset("longmemeval", [path])


def finding(monkeypatch, choose):
    """Let searches find, of each question's own conversation, what `choose(question, messages)` says."""

    def search(self, query, *, k, owner, as_of=None, asked_at=None, recipe=None):
        messages = [
            m
            for s in self.evidence.sessions(owner)
            for m in self.evidence.session(s.id, owner=owner).messages
        ]
        hits = tuple(hit(m) for m in choose(query, messages))[:k]
        trace = SearchTrace(QueryPlan(query), (), {}, None, 0.0)
        return SearchReport(query, hits, trace)

    monkeypatch.setattr(Memory, "search", search)


def evidence_first(dataset):
    wanted = {q.text: q.messages for q in dataset.scored}
    return lambda query, messages: sorted(messages, key=lambda m: m.id not in wanted.get(query, ()))


# --------------------------------------------------------------------------- figures


def test_a_perfect_search_scores_a_hundred_everywhere(memory, locomo, monkeypatch):
    finding(monkeypatch, evidence_first(locomo))
    blocks = score_blocks(evaluate_retrieval(locomo, memory, ks=(2, 5)))
    assert blocks["overall"] == {
        "questions": 4, "turn_recall@2": 100, "turn_recall@5": 100, "session_any@2": 100,
        "session_any@5": 100, "session_all@2": 100, "session_all@5": 100, "ndcg@10": 100,
        "recall_at_tokens": {"500": 100, "1000": 100, "2000": 100, "4000": 100},
    }  # fmt: skip


def test_a_search_that_finds_nothing_scores_nothing(memory, locomo, monkeypatch):
    finding(monkeypatch, lambda query, messages: [])
    overall = score_blocks(evaluate_retrieval(locomo, memory, ks=(5,)))["overall"]
    assert overall.pop("questions") == 4
    assert overall.pop("recall_at_tokens") == dict.fromkeys(("500", "1000", "2000", "4000"), 0)
    assert {*overall.values()} == {0}


def test_figures_are_means_over_questions_by_type_and_category(memory, locomo, monkeypatch):
    """Every search finds the log as it reads. At 1: question 1 has its turn, 2 one of two, 3 nothing; the
    question to the other conversation has its turn."""
    finding(monkeypatch, lambda query, messages: messages)
    blocks = score_blocks(evaluate_retrieval(locomo, memory, ks=(1, 2)))
    assert blocks["overall"]["turn_recall@1"] == 62.5
    by_category = {name: block["turn_recall@1"] for name, block in blocks["by_category"].items()}
    assert by_category == {"1": 50, "2": 0, "4": 100}
    assert {name: block["questions"] for name, block in blocks["by_type"].items()} == {
        "multi-hop": 1, "temporal": 1, "single-hop": 2,
    }  # fmt: skip
    assert blocks["overall"]["session_any@1"] == 100
    assert blocks["overall"]["session_all@1"] == 75, "the multi-hop question's other session comes second"
    assert blocks["overall"]["session_all@2"] == 100


def test_where_no_turn_is_marked_figures_are_of_sessions(memory, longmemeval, monkeypatch):
    """The haystack in order of time: both evidence sessions, then the filler."""
    finding(monkeypatch, lambda query, messages: messages)
    result = evaluate_retrieval(longmemeval, memory, ks=(1, 2))
    assert score_blocks(result)["overall"] == {
        "questions": 1, "session_any@1": 100, "session_any@2": 100, "session_all@1": 0,
        "session_all@2": 100, "ndcg@10": 100,
        "recall_at_tokens": {"500": 100, "1000": 100, "2000": 100, "4000": 100},
    }  # fmt: skip
    assert {*score_blocks(result)["by_category"]} == {"knowledge-update"}


def test_intervals_are_of_conversations_and_null_for_one(memory, locomo, longmemeval, monkeypatch):
    finding(monkeypatch, lambda query, messages: messages)
    blocks = interval_blocks(evaluate_retrieval(locomo, memory, ks=(1,)))
    assert blocks["overall"]["turn_recall@1"] == [50, 100], "of one: (100 + 50 + 0) / 3, of the other 100"
    assert blocks["by_category"]["1"]["turn_recall@1"] is None, "only one conversation has such a question"
    assert blocks["difference"]["oracle"]["overall"]["turn_recall@1"] == [pytest.approx(-100 / 3), 0]
    alone = interval_blocks(evaluate_retrieval(longmemeval, memory, ks=(1,)))
    assert alone["overall"]["ndcg@10"] is None
    assert {*alone["overall"]["recall_at_tokens"].values()} == {None}


# --------------------------------------------------------------------------- contexts


@pytest.mark.parametrize("recipe", SYSTEMS)
def test_recall_at_tokens_is_what_ask_delivers(memory, locomo, recipe):
    result = evaluate_retrieval(locomo, memory, recipe=recipe, budgets=(50, 60, 500))
    for one in result.questions:
        for budget in (50, 60, 500):
            asked = memory.retrieve(
                one.question.text, budget=budget, owner=one.question.owner, recipe=recipe
            ).context
            quoted = {q.message.id for cited in asked.citations for q in cited.hit.quotes}
            share = len(quoted & {*one.question.messages}) / len(one.question.messages)
            assert one.recipe.scores[at_tokens(budget)] == share
            assert one.recipe.tokens[budget] == asked.tokens <= budget


@pytest.mark.parametrize("recipe", SYSTEMS)
def test_ten_results_are_the_first_ten_of_more_unless_a_recipe_says_that_k_matters(memory, recipe):
    """What allows one search to stand for those of every budget."""
    words = ("kayak", "sloop", "pie", "rain", "goat", "lamp", "quince", "spade", "heron", "market")
    draw = random.Random(3)
    sessions = [[" ".join(draw.choices(words, k=3)) + "." for _ in range(20)] for _ in range(6)]
    memory.ingest(LogRead((pipeline.log(*sessions),)), recipe=recipe)
    differs = False
    for query in ("Where are the kayak and the goat?", "quince market lamp", "When did Ann see a heron?"):
        most = memory.search(query, k=100, recipe=recipe).hits
        differs |= any(memory.search(query, k=k, recipe=recipe).hits != most[:k] for k in (10, 20, 33, 66))
    assert not differs or SYSTEMS[recipe].ranking_depends_on_k
    if recipe == "lightmem":
        assert differs, "it reranks the k best by words"


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=12), st.integers(1, 995))
def test_counting_line_by_line_is_counting_the_context(texts, first):
    lines = [f"[{number}] {' '.join(text.split())}" for number, text in enumerate(texts, first)]
    count = by_line(count_tokens)
    assert count("\n".join(lines)) == count_tokens("\n".join(lines))
    assert [count(f"{line}\n") for line in lines] == [count_tokens(f"{line}\n") for line in lines]


def test_recall_never_falls_as_the_budget_grows_and_no_baseline_beats_the_oracle(memory, locomo):
    result = evaluate_retrieval(locomo, memory, ks=(1, 2, 5))
    for one in result.questions:
        for system in one.baselines.values():
            at = [system.scores[at_tokens(budget)] for budget in CURVE]
            assert at == sorted(at)
            best = one.baselines["oracle"].scores
            assert all(system.scores[name] <= best[name] + 1e-12 for name in best)


def test_a_curve_has_the_tokens_that_were_delivered(memory, locomo, monkeypatch):
    finding(monkeypatch, lambda query, messages: messages[:1])
    result = evaluate_retrieval(locomo, memory, budgets=(50, 500))
    harbour = [one for one in result.questions if one.question.id.startswith("harbour")]
    small, large = token_curve(result, None, harbour)
    assert (small.budget, large.budget) == (50, 500)
    assert small.tokens == large.tokens > 0 and small.recall == large.recall == 50


# --------------------------------------------------------------------------- building


def test_each_question_is_asked_of_its_own_conversation_only(memory, locomo):
    for one in evaluate_retrieval(locomo, memory).questions:
        own = {m.id for log in locomo.logs[one.question.owner].logs for m in log.messages}
        assert one.recipe.turns and {*one.recipe.turns} <= own
        assert all({*baseline.turns} <= own for baseline in one.baselines.values())


def test_what_was_built_is_found_again_with_what_it_took(memory, locomo):
    first = evaluate_retrieval(locomo, memory).construction
    again = evaluate_retrieval(locomo, memory).construction
    assert (first.messages, first.from_cache, again.from_cache) == (7, 0, 7)
    assert replace(first, from_cache=7) == again, "seconds and memories are those of the building"
    assert first.memories == len([m for o in locomo.logs for m in memory.memories.find(o)]) > 0
    assert first.seconds > 0 and (first.unrecorded_runs, first.errors) == (0, ())


def test_a_run_that_was_killed_is_said_to_have_left_no_record_of_what_it_took(memory, locomo, tmp_path):
    """A killed process leaves its run as it began, and what it had committed."""
    finished = evaluate_retrieval(locomo, memory).construction
    (run, *_) = memory.runs.all()
    with (
        open_with(EMBEDDER, tmp_path / "store") as store,
        store.write(actor="ingest", run_id=run.id) as writer,
    ):
        writer.put_run(replace(run, state="running", totals={}))
    found = evaluate_retrieval(locomo, memory).construction
    assert (finished.unrecorded_runs, found.unrecorded_runs) == (0, 1)
    assert found.memories == finished.memories and 0 < found.seconds < finished.seconds


def test_recipes_and_datasets_share_a_store(memory, locomo, longmemeval):
    evaluate_retrieval(locomo, memory)
    assert evaluate_retrieval(longmemeval, memory).construction.from_cache == 0
    assert evaluate_retrieval(locomo, memory, recipe="naive_rag").construction.from_cache == 0
    assert evaluate_retrieval(locomo, memory).construction.from_cache == 7
    assert {*memory.evidence.owners()} == {*locomo.logs, *longmemeval.logs}


def test_a_cancelled_evaluation_keeps_what_it_built_and_goes_on_from_there(memory, locomo):
    told = []

    def progress(stage, done, total):
        told.append((stage, done, total))

    with pytest.raises(CancelledError):
        evaluate_retrieval(locomo, memory, progress=progress, cancelled=lambda: len(told) >= 1)
    assert told[0] == ("build memories", 5, 7)
    result = evaluate_retrieval(locomo, memory, progress=progress)
    assert result.construction.from_cache == 5
    assert told[-1] == ("search", 4, 4)


def test_cancelling_between_questions_stops_there(memory, locomo):
    evaluate_retrieval(locomo, memory)
    asked = []
    with pytest.raises(CancelledError):
        evaluate_retrieval(
            locomo,
            memory,
            progress=lambda stage, *_: asked.append(stage),
            cancelled=lambda: "search" in asked,
        )
    assert asked.count("search") == 1


def test_messages_that_an_extractor_failed_on_are_reported(locomo, tmp_path):
    failing = partial(FakeBackends, extractor=SayingExtractor(fails={"Lost a spade."}))
    with open_settings(Settings(store_dir=tmp_path / "store"), failing) as memory:
        errors = evaluate_retrieval(locomo, memory).construction.errors
    assert errors == ("cannot read 'Lost a spade.'",)


def test_nothing_of_a_question_is_in_the_store(memory, locomo, tmp_path):
    evaluate_retrieval(locomo, memory)
    exported = tmp_path / "all.jsonl"
    memory.exports.write(exported)
    content = exported.read_text()
    assert "Moored the sloop" in content
    assert not [q.text for q in locomo.scored if q.text in content]
    assert "SECRETWORD" not in content and "ANSWERWORD" not in content


def test_an_unknown_recipe_is_a_usage_error(memory, locomo):
    with pytest.raises(UsageError, match="no recipe 'best'"):
        evaluate_retrieval(locomo, memory, recipe="best")


# --------------------------------------------------------------------------- what a page opens


def test_every_question_keeps_its_ranking_its_search_and_where_its_evidence_was(memory, locomo, monkeypatch):
    """Searches find the newest four of five turns, newest first."""
    finding(monkeypatch, lambda query, messages: messages[:0:-1])
    result = evaluate_retrieval(locomo, memory)
    one = next(one for one in result.questions if one.question.type == "multi-hop")
    moored, repainted = one.question.messages
    assert one.recipe.evidence_ranks == {repainted: 1}, "the other was not found at all"
    assert one.recipe.turns[0] == repainted and len(one.recipe.turns) == 4
    assert one.report.query == one.question.text and len(one.report.hits) == 4
    assert {*one.baselines["oracle"].evidence_ranks.values()} == {1, 2}
    assert {*one.baselines["bm25"].evidence_ranks} == {moored, repainted}, "both say sloop"
    assert one.milliseconds > 0 and len(result.first_search_ms) == 2


def test_every_question_is_asked_when_the_dataset_says(memory, longmemeval, monkeypatch):
    asked = []

    def search(self, query, *, k, owner, as_of=None, asked_at=None, recipe=None):
        asked.append((query, as_of, asked_at))
        return SearchReport(query, (), SearchTrace(QueryPlan(query), (), {}, None, 0.0))

    monkeypatch.setattr(Memory, "search", search)
    evaluate_retrieval(longmemeval, memory)
    (question,) = longmemeval.scored
    assert (question.text, None, datetime(2023, 4, 1)) in asked, "asked then, and of everything"


def test_of_what_a_search_weighed_the_first_are_kept_and_all_evidence(memory, locomo, monkeypatch):
    def search(self, query, *, k, owner, as_of=None, asked_at=None, recipe=None):
        said = [
            m.id
            for s in self.evidence.sessions(owner)
            for m in self.evidence.session(s.id, owner=owner).messages
        ]
        candidates = tuple(Candidate(f"c{n}", (f"other {n}",), {}, 0.0) for n in range(KEPT_HITS + 20))
        candidates += tuple(Candidate(i, (i,), {}, 0.0) for i in said)
        return SearchReport(
            query, (), SearchTrace(QueryPlan(query), (), {}, None, 0.0, candidates=candidates)
        )

    monkeypatch.setattr(Memory, "search", search)
    for one in evaluate_retrieval(locomo, memory).questions:
        kept = [candidate.id for candidate in one.report.trace.candidates]
        assert kept[:KEPT_HITS] == [f"c{n}" for n in range(KEPT_HITS)]
        assert {*kept[KEPT_HITS:]} == {*one.question.messages}
