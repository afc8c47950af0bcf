"""Evaluate: files and what is wrong with them, the job, the figures, and missed questions opened."""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import threading
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.errors import CancelledError
from memcore.domain.models import Message, RawRef
from memcore.evaluation.evaluating import evaluation_settings, kept_evaluations
from memcore.evaluation.retrieval_document import retrieval_document
from memcore.memory import Memory, open_settings
from memcore.retrieval.hits import message_hit
from memcore.retrieval.missed import Loss, ScorePart
from memcore.retrieval.reasons import why
from memcore.runtime.config import load_settings
from memcore.store import open_store
from tests.app.conftest import Open, shown
from tests.app.seed import SCRIPT
from tests.evaluation.annotated import HARBOUR, QUESTION, inline, packed_sessions, turn
from tests.pipeline import FakeBackends
from ui.evaluate import result
from ui.evaluate.evaluation import RESULTS_KEPT, Evaluation
from ui.shell import opened
from ui.shell.jobs import board

PAGE = "11_Evaluate"


@pytest.fixture(autouse=True)
def fakes(store: Path) -> None:
    opened.work_with(FakeBackends)


def upload(app: AppTest, **files: Any) -> AppTest:
    """Files by name, with `__` for the dot."""
    given = []
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        given.append((name.replace("__", "."), data, "application/json"))
    app.file_uploader(key="dataset_files").set_value(given)
    return app.run()


def evaluate(app: AppTest) -> AppTest:
    app.button(key="start_evaluation").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.exception(timeout=180)
    app.run()
    assert not app.exception
    return app


def found(app: AppTest) -> Evaluation:
    job = board().get(app.query_params["job"])
    assert job is not None
    result = job.future.result()
    assert isinstance(result, Evaluation)
    return result


def evaluate_sample(open_page: Open) -> AppTest:
    app = open_page(PAGE)
    app.button(key="load_questions").click().run()
    return evaluate(app)


@pytest.fixture(scope="module")
def sample_jobs() -> list[str]:
    """The job that evaluated the sample last, for all tests that only look at its result."""
    return []


@pytest.fixture
def on_sample(open_page: Open, sample_jobs: list[str]) -> AppTest:
    """The sample's result, evaluated anew where the board has dropped it."""
    if sample_jobs and board().get(sample_jobs[-1]) is not None:
        return open_page(PAGE, job=sample_jobs[-1])
    app = evaluate_sample(open_page)
    sample_jobs.append(app.query_params["job"])
    return app


@pytest.fixture
def kept_sample(open_page: Open) -> AppTest:
    """The same, evaluated here, so that what was built for it is kept here."""
    return evaluate_sample(open_page)


# --------------------------------------------------------------------------- before


def test_it_says_what_it_measures_for_whom_and_where_datasets_are(open_page: Open) -> None:
    html = shown(open_page(PAGE))
    assert "For whoever chooses, tunes or builds a memory" in html
    assert "snap-research/locomo, CC BY-NC 4.0" in html
    assert "xiaowu0162/LongMemEval, MIT" in html


def test_files_are_known_by_their_content(open_page: Open) -> None:
    app = upload(open_page(PAGE), mine__json=[HARBOUR])
    assert "Read as <b>LoCoMo</b>: mine.json" in shown(app)
    assert app.button(key="start_evaluation").label == "Evaluate on LoCoMo"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (
            {"chat__json": [{"role": "user", "content": "hi"}]},
            "chat.json is neither a LoCoMo nor a LongMemEval",
        ),
        (
            {"a__json": [HARBOUR], "b__json": [inline(QUESTION)]},
            "a.json is of LoCoMo, b.json of LongMemEval.",
        ),
        ({"sessions__jsonl__xz": packed_sessions()}, "There are no questions in these files."),
        ({"empty__json": b""}, "empty.json"),
        ({"cut__xz": lzma.compress(b"[" * 1000)[:-20]}, "cut.xz cannot be unpacked"),
        ({"<img src=x>__json": b"{}"}, "&lt;img src=x&gt;.json is neither"),
    ],
)
def test_files_of_no_dataset_are_named_with_a_fix(open_page: Open, files: dict[str, Any], says: str) -> None:
    app = upload(open_page(PAGE), **files)
    assert not app.exception
    assert 'role="alert"' in shown(app)
    assert says in shown(app)
    assert "start_evaluation" not in [button.key for button in app.button]


def test_a_damaged_place_is_named_and_another_file_can_be_given(open_page: Open) -> None:
    broken = HARBOUR | {"qa": [{"question": "Why?", "category": 4}]}
    app = evaluate(upload(open_page(PAGE), harbour__json=[broken]))
    html = shown(app)
    assert "harbour.json is damaged at record 1 question 1" in html
    assert "it needs `question`, `category` and `evidence`" in html
    app = evaluate(upload(app, harbour__json=[HARBOUR]))
    assert "Beside plain rankings" in shown(app)
    assert '<abbr title="The turns ranked by the sum of BM25 and cosine' in shown(app)


def test_an_evaluation_needs_no_store_of_ones_own(store: Path, open_page: Open) -> None:
    open_store(store, embedding_model="someone/else@1", dimension=8).close()
    app = open_page(PAGE)
    assert "someone/else@1" in shown(app), "it is told"
    app = evaluate(upload(app, harbour__json=[HARBOUR]))
    assert "Beside plain rankings" in shown(app)


def test_a_persons_store_is_left_alone(store: Path, kept_sample: AppTest) -> None:
    with open_settings(load_settings(store), FakeBackends) as memory:
        assert memory.evidence.owners() == []


def test_a_language_model_that_is_chosen_is_said_to_be_asked(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_LLM", "ollama")
    assert "building memories asks it" in shown(upload(open_page(PAGE), harbour__json=[HARBOUR]))


# --------------------------------------------------------------------------- the job


def test_the_sample_is_evaluated_in_a_job_whose_result_a_reload_shows_again(
    on_sample: AppTest, open_page: Open
) -> None:
    job = board().get(on_sample.query_params["job"])
    assert job is not None
    assert job.stages == {"read files": (1, 1), "build memories": (138, 138), "search": (20, 20)}
    assert [heading.value for heading in on_sample.header] == [
        "Beside plain rankings",
        "By category",
        "Recall against tokens delivered",
        "Questions",
        "What it took",
    ]
    again = open_page(PAGE, job=job.id)
    assert shown(again) == shown(on_sample)


def test_several_files_a_recipe_and_a_limit_are_heeded(open_page: Open) -> None:
    second = QUESTION | {"question_id": "q9"}
    app = upload(open_page(PAGE), questions__json=[QUESTION, second], sessions__jsonl__xz=packed_sessions())
    app.selectbox(key="bound_system").set_value("naive_rag")
    app.number_input(key="bound_first").set_value(1)
    app = evaluate(app.run())
    result = found(app).result
    assert (result.dataset.name, result.recipe) == ("longmemeval", "naive_rag")
    assert [one.question.id for one in result.questions] == ["q7"]
    assert "Naive RAG</b> on LongMemEval" in shown(app)
    assert "1 of 1 question scored" in shown(app)


def test_what_is_chosen_before_an_evaluation_stands_in_the_address(open_page: Open) -> None:
    app = open_page(PAGE)
    app.button(key="load_questions").click().run()
    app.selectbox(key="bound_system").set_value("naive_rag").run()
    app.number_input(key="bound_first").set_value(2).run()
    reloaded = open_page(PAGE, **{name: str(value) for name, value in app.query_params.items()})
    assert reloaded.selectbox(key="bound_system").value == "naive_rag"
    assert reloaded.number_input(key="bound_first").value == 2
    reloaded.number_input(key="bound_first").set_value(None).run()
    assert "first" not in reloaded.query_params


def test_cancelling_keeps_what_was_built_and_offers_to_begin_again(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()

    def slowly(dataset: Any, memory: Any, *, recipe: str, progress: Any, cancelled: Any) -> None:
        progress("build memories", 5, 100)
        began.set()
        while not cancelled():
            threading.Event().wait(0.01)
        raise CancelledError("The evaluation was cancelled.", "The memories that were built are kept.")

    monkeypatch.setattr("ui.evaluate.evaluation.evaluate_retrieval", slowly)
    app = upload(open_page(PAGE), harbour__json=[HARBOUR])
    app.button(key="start_evaluation").click().run()
    assert began.wait(180)
    app.run()
    job = board().get(app.query_params["job"])
    assert job is not None
    app.button(key=f"cancel_{job.id}").click().run()
    job.future.exception(timeout=180)
    html = shown(app.run())
    assert "Cancelled. Finished steps are kept." in html
    assert "The memories that were built are kept." in html
    assert "load_questions" in [button.key for button in app.button]


@pytest.mark.parametrize("query", [{"job": "nope"}, {"question": "two-friends question 3"}])
def test_a_result_that_is_gone_is_explained_and_the_page_begins_anew(
    open_page: Open, query: dict[str, str]
) -> None:
    app = open_page(PAGE, **query)
    assert not app.exception
    assert "This result is not here any more." in shown(app)
    assert "load_questions" in [button.key for button in app.button]


def test_only_the_last_results_are_held_in_memory_and_the_others_open_all_the_same(open_page: Open) -> None:
    jobs = []
    for _ in range(RESULTS_KEPT + 1):
        app = evaluate(upload(open_page(PAGE), harbour__json=[HARBOUR]))
        jobs.append(app.query_params["job"])
    assert [board().get(job) is None for job in jobs] == [True] + [False] * RESULTS_KEPT
    assert "Beside plain rankings" in shown(open_page(PAGE, job=jobs[0]))


# --------------------------------------------------------------------------- figures


def test_the_table_has_the_recipe_with_its_interval_beside_every_ranking(on_sample: AppTest) -> None:
    document = found(on_sample).document
    html = shown(on_sample)
    heads = re.findall(r'<th scope="col" class="num">(?:<abbr[^>]*>)?([^<]*)(?:</abbr>)?</th>', html)
    assert heads[:6] == ["Memscope’s own", "random", "BM25", "dense", "z-sum", "oracle"]
    row = re.search(r'<th scope="row">turn recall@10</th>(.*?)</tr>', html)
    assert row is not None
    figures = [float(f) for f in re.findall(r'class="num">(?:<b>)?([\d.]+)', row[1])]
    systems = [document, *document["baselines"].values()]
    assert figures == [round(blocks["overall"]["turn_recall@10"], 1) for blocks in systems]
    low, high = document["intervals"]["overall"]["turn_recall@10"]
    assert f"{low:.1f} to {high:.1f}" in row[1]


def test_categories_come_with_how_many_questions_they_have(on_sample: AppTest) -> None:
    html = shown(on_sample)
    for title in ("1 multi-hop (6)", "2 temporal (5)", "3 open-domain (4)", "4 single-hop (5)", "all (20)"):
        assert f'<th scope="row">{title}</th>' in html


def test_the_figure_by_category_is_chosen_in_the_url(on_sample: AppTest, open_page: Open) -> None:
    app = open_page(PAGE, job=on_sample.query_params["job"], figure="ndcg@10")
    document = found(on_sample).document
    row = re.search(r'<th scope="row">1 multi-hop \(6\)</th><td class="num"><b>([\d.]+)', shown(app))
    assert row is not None
    assert float(row[1]) == round(document["by_category"]["1"]["ndcg@10"], 1)


@pytest.mark.parametrize(
    ("curve", "lines"),
    [
        ("all", ["Memscope’s own", "random", "BM25", "dense", "z-sum", "oracle"]),
        ("categories", ["1 multi-hop (6)", "2 temporal (5)", "3 open-domain (4)", "4 single-hop (5)"]),
        ("category 2", ["Memscope’s own", "random", "BM25", "dense", "z-sum", "oracle"]),
    ],
)
def test_every_curve_stands_in_a_table_too(
    on_sample: AppTest, open_page: Open, curve: str, lines: list[str]
) -> None:
    html = shown(open_page(PAGE, job=on_sample.query_params["job"], curve=curve))
    table = html[html.index("budget in tokens") :]
    names = re.findall(r'<th scope="row">([^<]*)</th><td class="num">250</td>', table)
    assert names == lines


def test_without_marked_turns_sessions_are_counted_and_it_is_said(open_page: Open) -> None:
    app = evaluate(upload(open_page(PAGE), q__json=[inline(QUESTION, annotated=False)]))
    html = shown(app)
    assert "No turn of these files is marked as evidence" in html
    assert "among the first 10 sessions" in html


def test_the_documents_offered_are_the_command_lines_and_every_question(on_sample: AppTest) -> None:
    one = found(on_sample)
    assert one.document == retrieval_document(one.result)
    offered = [button.proto.label for button in on_sample.get("download_button")]
    assert offered == [
        "Download the curves as CSV",
        "Whole result as JSON",
        "Questions as JSON Lines",
        "Questions as CSV",
    ]
    rows = list(csv.reader(io.StringIO(result._questions_csv(one.result).decode("utf-8-sig"))))
    assert len(rows) == 21
    assert {len(row) for row in rows} == {len(rows[0])}
    assert rows[0][:7] == ["id", "category", "type", "question", "answer", "evidence", "ranks"]


# --------------------------------------------------------------------------- questions


HOSTILE = {
    "sample_id": "hostile",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": SCRIPT,
        "session_1": [
            turn(1, 1, "Ann", f"Moored the sloop {SCRIPT} pay\u202epal."),
            *(turn(1, n, SCRIPT, f"What of the sloop, number {n}?") for n in range(2, 14)),
        ],
    },
    "qa": [
        {
            "question": f"What of the sloop? {SCRIPT}",
            "answer": f"pay\u202epal {SCRIPT}",
            "category": 4,
            "evidence": ["D1:1", "D1:13"],
        },
        {"question": "Who moored?", "answer": "Ann", "category": 4, "evidence": ["D1:1"]},
    ],
}


@pytest.fixture
def missing(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Searches find only what was said last, last first."""
    real = Memory.search

    def search(self: Memory, query: str, *, k: int, owner: str, **more: Any) -> Any:
        report = real(self, query, k=k, owner=owner, **more)
        last = [
            m
            for s in self.evidence.sessions(owner)
            for m in self.evidence.session(s.id, owner=owner).messages
        ][:0:-1]
        hits = tuple(message_hit(m, {"lexical": 2.0 - n / 10, "time": 0.0}) for n, m in enumerate(last))
        return type(report)(query, hits, report.trace)

    monkeypatch.setattr(Memory, "search", search)
    return evaluate(upload(open_page(PAGE), hostile__json=[HOSTILE]))


def test_missed_questions_are_listed_with_the_ranks_of_their_evidence(missing: AppTest) -> None:
    html = shown(missing)
    assert "2 of 2 questions. Of all, 2 are missed" in html
    ranks = re.findall(r'<td class="num">([^<]*)</td></tr>', html[html.index("ranks of the evidence") :])
    assert ranks[:2] == ["–, 1", "–"]


def test_filters_come_from_the_url(missing: AppTest, open_page: Open) -> None:
    job = missing.query_params["job"]
    assert "1 of 2 questions" in shown(open_page(PAGE, job=job, words="who moored"))
    assert "No question passes these filters." in shown(open_page(PAGE, job=job, words="zebra"))
    assert "There is no category “9”." in shown(open_page(PAGE, job=job, category="9"))
    assert "first 50 turns" in shown(open_page(PAGE, job=job, k="50"))
    assert "first 10 turns" in shown(open_page(PAGE, job=job, k="7"))


def test_found_questions_are_shown_when_asked_for(on_sample: AppTest, open_page: Open) -> None:
    job = on_sample.query_params["job"]
    html = shown(open_page(PAGE, job=job, show="all"))
    assert "20 of 20 questions." in html
    assert html.count('<span class="ms-ok">') + html.count('<span class="ms-fail">') == 20


def test_a_missed_question_opens_by_its_link(missing: AppTest, open_page: Open) -> None:
    link = re.search(r'href="([^"]*question=hostile[^"]*)"', shown(missing))
    assert link is not None
    assert f"job={missing.query_params['job']}" in unescape(link[1])
    app = open_page(PAGE, job=missing.query_params["job"], question="hostile question 1")
    html = shown(app)
    assert "1 of 2 evidence turns among the first 10 turns." in html
    assert "<b>Rank 1</b> in the whole." in html
    assert "<b>Not among what the search returned" in html
    assert "hostile.json, hostile D1:1<" in html
    assert html.count("✓ evidence") == 1
    assert "the first 10 turns end here" in html
    views = re.findall(r'<th scope="row">((?:semantic|lexical) [^<]*)</th>', html)
    assert {"semantic message", "lexical message", "semantic memory", "lexical memory"} <= {*views}
    assert "Beside plain rankings" not in html
    assert [button.label for button in app.button if button.key == "next_question"] == ["Next"]


def test_one_goes_to_the_next_question_and_back_to_all(missing: AppTest, open_page: Open) -> None:
    app = open_page(PAGE, job=missing.query_params["job"], question="hostile question 1")
    app.button(key="next_question").click().run()
    assert app.query_params["question"] == "hostile question 2"
    app.button(key="all_questions").click().run()
    assert "question" not in app.query_params
    assert "Beside plain rankings" in shown(app)


def test_an_unknown_question_is_explained(on_sample: AppTest, open_page: Open) -> None:
    app = open_page(PAGE, job=on_sample.query_params["job"], question=f"nope {SCRIPT}")
    assert not app.exception
    html = shown(app)
    assert "This evaluation has no question “nope &lt;script&gt;" in html
    app.button(key="all_questions").click().run()
    assert "Beside plain rankings" in shown(app)


@pytest.mark.parametrize("query", [{}, {"question": "hostile question 1"}, {"curve": "categories"}])
def test_nothing_in_a_dataset_is_html(missing: AppTest, open_page: Open, query: dict[str, str]) -> None:
    html = shown(open_page(PAGE, job=missing.query_params["job"], **query))
    assert "<script" not in html
    assert "<img" not in html
    assert "\u202e" not in html
    if "question" in query:
        assert "pay⟨U+202E⟩pal" in html


# --------------------------------------------------------------------------- why


AHEAD = message_hit(
    Message("a", "s", 0, "Ann", "person", "sold the sloop", None, "none", RawRef("f", "1")), {"lexical": 1.2}
)


def lost(*parts: ScorePart, views: tuple[str, ...] = (), was_candidate: bool | None = True) -> Loss:
    return Loss(10, AHEAD, parts, views, was_candidate)


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        (
            lost(ScorePart("lexical", -0.8, 1.2), ScorePart("semantic", 0.5, 0.4)),
            "Compared with what came at place 10 (“Ann: sold the sloop”), its words match less: "
            "lexical −0.80 against 1.20.",
        ),
        (lost(ScorePart("novel", 0.0, 1.0)), "its part “novel” is lower: novel 0.00 against 1.00."),
        (lost(ScorePart("lexical", 1.2, 1.2)), "Its score is no lower than that of what came at place 10"),
        (lost(was_candidate=False), "No view returned it at all."),
        (
            lost(views=("graph",), was_candidate=False),
            "It was not ranked: graph returned it, but not high enough.",
        ),
        (lost(views=("a", "b", "c"), was_candidate=None), "a, b and c returned it, but not high enough"),
        (Loss(10, None, (), (), None), "returned fewer than 10 turns"),
    ],
)
def test_why_evidence_lost_is_said_in_words(loss: Loss, says: str) -> None:
    assert says in " ".join(why(loss))


# --------------------------------------------------------------------------- what is kept


def test_what_is_kept_is_shown_with_its_size_and_deleted_once_one_is_sure(
    kept_sample: AppTest, open_page: Open, tmp_path: Path
) -> None:
    assert (
        evaluation_settings(load_settings(), backends=FakeBackends).store_dir.parent
        == tmp_path / "cache" / "evaluation"
    )
    app = open_page(PAGE)
    assert f"{tmp_path / 'cache' / 'evaluation'}: 1 store" in shown(app)
    assert app.button(key="delete_evaluations").disabled
    app.checkbox(key="sure_to_delete").check().run()
    app.button(key="delete_evaluations").click().run()
    assert not app.exception
    assert kept_evaluations().stores == ()
    assert "0 stores" in shown(app)


def test_after_deleting_memories_are_built_again(kept_sample: AppTest, open_page: Open) -> None:
    before = found(kept_sample)
    app = open_page(PAGE)
    app.checkbox(key="sure_to_delete").check().run()
    app.button(key="delete_evaluations").click().run()
    app.button(key="load_questions").click().run()
    again = found(evaluate(app))
    assert again.result.construction.from_cache == 0
    assert again.document["overall"] == before.document["overall"]


def test_nothing_is_deleted_while_a_job_runs(kept_sample: AppTest, open_page: Open) -> None:
    go = threading.Event()
    job = board().start("Import", "An import", bool, lambda progress, cancelled: go.wait(180))
    try:
        app = open_page(PAGE)
        assert app.checkbox(key="sure_to_delete").disabled
        assert app.button(key="delete_evaluations").disabled
    finally:
        go.set()
        job.future.result(timeout=180)
