"""`python -m memcore evaluate retrieval`: the document, the tables, the cache, and what is refused."""

from __future__ import annotations

import json

import pytest

from memcore.cli import main
from memcore.evaluation.records import Evaluations
from tests.evaluation.annotated import HARBOUR, QUESTION, inline, second_sample
from tests.pipeline import FakeBackends

SYSTEMS = ["random", "bm25", "dense", "z-sum", "oracle"]
TOKENS = {"500", "1000", "2000", "4000"}


@pytest.fixture(autouse=True)
def fakes(monkeypatch, tmp_path):
    for variable in ("MEMSCOPE_STORE", "MEMSCOPE_EMBEDDER", "MEMSCOPE_COMPRESSOR", "MEMSCOPE_LLM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("MEMSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def locomo(tmp_path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([HARBOUR, second_sample()]))
    return str(path)


@pytest.fixture
def longmemeval(tmp_path):
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps([inline(QUESTION, annotated=False)]))
    return str(path)


@pytest.fixture
def evaluate(capsys):
    def run(*arguments, code=0):
        assert main(["evaluate", "retrieval", *arguments, "--json"], FakeBackends) == code
        out, err = capsys.readouterr()
        assert out.count("\n") == 1, "one document, one line"
        return json.loads(out), err

    return run


def figures(*ks, turns=True):
    by_k = [f"{kind}@{k}" for kind in ("turn_recall", "session_any", "session_all") for k in ks]
    return {"questions", *(f for f in by_k if turns or "turn" not in f), "ndcg@10", "recall_at_tokens"}


def test_with_a_store_the_result_is_kept_there_with_its_questions(evaluate, locomo, tmp_path):
    document, err = evaluate("--dataset", "locomo", locomo, "--store", str(tmp_path / "store"))
    kept = Evaluations(tmp_path / "store")
    (record,) = kept.all().records
    assert document.pop("evaluation") == record.id
    assert record.id in err
    assert (record.kind, record.recipe, record.by) == ("retrieval", "memscope", "command line")
    assert record.document == document
    questions = kept.questions(record.id)
    assert len(questions.result.questions) == document["scored"]


def test_without_one_nothing_is_kept(evaluate, locomo, tmp_path):
    document, _ = evaluate("--dataset", "locomo", locomo)
    assert "evaluation" not in document
    assert not [*tmp_path.rglob("evaluations")]


def test_the_document_of_locomo(evaluate, locomo):
    document, err = evaluate("--dataset", "locomo", locomo)
    assert {*document} == {
        "dataset", "files", "recipe", "questions", "scored", "excluded", "overall", "by_type", "by_category",
        "baselines", "intervals", "ndcg_over", "recall_at_tokens_over", "tokenizer", "construction",
        "query_ms", "first_search_ms", "search_k", "notes",
    }  # fmt: skip
    assert (document["dataset"], document["recipe"], document["files"]) == ("locomo", "memscope", [locomo])
    assert (document["questions"], document["scored"]) == (6, 4)
    assert sum(document["excluded"].values()) == 2
    assert {*document["overall"]} == figures(5, 10, 25, 50)
    assert {*document["overall"]["recall_at_tokens"]} == TOKENS
    assert [*document["by_category"]] == ["1", "2", "4"]
    assert [*document["by_type"]] == ["multi-hop", "temporal", "single-hop"]
    assert [*document["baselines"]] == SYSTEMS
    for blocks in (document, *document["baselines"].values()):
        for block in (blocks["overall"], *blocks["by_type"].values(), *blocks["by_category"].values()):
            shares = [*block["recall_at_tokens"].values()]
            shares += [v for k, v in block.items() if k not in ("questions", "recall_at_tokens")]
            assert all(0 <= share <= 100 for share in shares)
    assert document["baselines"]["oracle"]["overall"]["turn_recall@5"] == 100
    assert {*document["construction"]} == {
        "messages", "memories", "llm_calls", "llm_tokens", "seconds", "from_cache", "unrecorded_runs",
        "errors",
    }  # fmt: skip
    assert {*document["query_ms"]} == {"p50", "p95"}
    assert (document["tokenizer"], document["ndcg_over"]) == ("cl100k_base", "turns")
    assert "search: 4/4" in err


def test_intervals_come_with_how_they_were_made(evaluate, locomo):
    intervals = evaluate("--dataset", "locomo", locomo, "-k", "1,5")[0]["intervals"]
    assert (intervals["percent"], intervals["draws"], intervals["clusters"]) == (95, 2000, 2)
    assert intervals["clustered_by"] == "conversation"
    assert {*intervals["overall"]} == figures(1, 5) - {"questions"}
    assert {*intervals["by_category"]} == {"1", "2", "4"} and {*intervals["difference"]} == {*SYSTEMS}
    low, high = intervals["overall"]["turn_recall@5"]
    assert 0 <= low <= high <= 100


def test_longmemeval_without_marked_turns_says_so(evaluate, longmemeval):
    document, _ = evaluate("--dataset", "longmemeval", longmemeval, "-k", "5")
    assert {*document["overall"]} == figures(5, turns=False)
    assert (document["ndcg_over"], document["recall_at_tokens_over"]) == ("sessions", "sessions")
    assert document["by_type"] == document["by_category"]
    assert any("no turn_recall" in note for note in document["notes"])
    assert document["intervals"]["clustered_by"] == "question"
    assert document["intervals"]["overall"]["ndcg@10"] is None, "one question has no interval"


def test_the_first_questions_only(evaluate, locomo):
    document, _ = evaluate("--dataset", "locomo", locomo, "--limit", "1", "--recipe", "naive_rag")
    assert (document["questions"], document["scored"], document["recipe"]) == (1, 1, "naive_rag")
    assert document["construction"]["messages"] == 5


def test_a_second_run_builds_nothing_and_finds_the_same(evaluate, locomo, tmp_path):
    first, _ = evaluate("--dataset", "locomo", locomo)
    second, _ = evaluate("--dataset", "locomo", locomo)
    assert (first["construction"].pop("from_cache"), second["construction"].pop("from_cache")) == (0, 7)
    for timed in ("query_ms", "first_search_ms"):
        first.pop(timed), second.pop(timed)
    assert first == second
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["evaluation"]


def test_a_cache_elsewhere_and_none_at_all(evaluate, locomo, tmp_path):
    evaluate("--dataset", "locomo", locomo, "--cache", str(tmp_path / "other"))
    assert [*(tmp_path / "other" / "evaluation").iterdir()]
    evaluate("--dataset", "locomo", locomo, "--no-cache")
    document, _ = evaluate("--dataset", "locomo", locomo, "--no-cache")
    assert document["construction"]["from_cache"] == 0
    assert not (tmp_path / "cache").exists()


def test_a_persons_store_is_left_alone(evaluate, locomo, tmp_path):
    evaluate("--dataset", "locomo", locomo, "--store", str(tmp_path / "mine"))
    kept = [path.name for path in (tmp_path / "mine").iterdir()]
    assert kept == ["evaluations"], "the result that was asked to be kept there, and no memory"
    assert not (tmp_path / "memscope_data").exists()


def test_a_person_sees_the_recipe_beside_the_baselines(capsys, locomo):
    assert main(["evaluate", "retrieval", "--dataset", "locomo", locomo, "-k", "5"], FakeBackends) == 0
    title, overall, *categories, notes = capsys.readouterr().out.split("\n\n")[:5]
    assert "4 of 6 questions; 1 left out, category 5 (adversarial)" in title
    header, *rows = overall.split("\n")
    assert header.split() == ["memscope", *SYSTEMS]
    assert rows[0].startswith("turn_recall@5") and "[" in rows[0]
    assert len({len(row) for row in rows}) == 1
    assert categories[0].startswith("1 multi-hop: 1 questions\n")
    assert categories[1].startswith("2 temporal: 1 questions\n")
    assert notes.startswith("4 single-hop: 2 questions\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.json"],
        ["--dataset", "tiage", "a.json"],
        ["--dataset", "locomo"],
        ["--dataset", "locomo", "a.json", "-k", "5,many"],
        ["--dataset", "locomo", "a.json", "-k", "0"],
        ["--dataset", "locomo", "a.json", "--recipe", "best"],
        ["--dataset", "locomo", "a.json", "--limit", "0"],
        ["--dataset", "locomo", "a.json", "--cache", "x", "--no-cache"],
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(evaluate, arguments):
    document, _ = evaluate(*arguments, code=2)
    assert {*document} == {"error", "fix"}


def test_a_file_of_another_kind_is_a_failure_that_names_it(evaluate, longmemeval):
    document, _ = evaluate("--dataset", "locomo", longmemeval, code=1)
    assert "longmemeval.json is no LoCoMo file" in document["error"]
