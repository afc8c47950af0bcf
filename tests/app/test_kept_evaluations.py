"""Evaluate: results stay. They are listed, opened by their links after a restart, set side by side, deleted
and put back."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.records import Evaluations, Kind, evaluated_files, new_record
from memcore.runtime.config import load_settings
from tests.app.conftest import Open, shown
from tests.app.seed import SCRIPT
from tests.app.test_evaluate import PAGE, evaluate, upload
from tests.evaluation.annotated import HARBOUR
from tests.pipeline import FakeBackends
from ui.shell import opened
from ui.shell.jobs import board


@pytest.fixture(autouse=True)
def fakes(store: Path) -> None:
    opened.work_with(FakeBackends)


@pytest.fixture
def done(open_page: Open) -> AppTest:
    return evaluate(upload(open_page(PAGE), harbour__json=[HARBOUR]))


def restart(app: AppTest) -> str:
    """The server knows nothing any more; what is on disk stays. Returns the result's id."""
    result = app.query_params["job"]
    board().forget(result)
    assert board().get(result) is None
    return str(result)


def segmentation(store: Path, **more: Any) -> str:
    methods = {"mine": {"f1": 51.5}, f"none {SCRIPT}": {"f1": 2.0}}
    document = {"dataset": f"tiage {SCRIPT}", "default": "mine", "methods": methods} | more
    return keep(store, "segmentation", document)


def keep(store: Path, kind: Kind, document: dict[str, Any], *, recipe: str = "") -> str:
    """A result from the command line; its id."""
    record = new_record(
        kind,
        document,
        files=evaluated_files([GivenFile(f"{SCRIPT}.json", b"x")]),
        settings=load_settings(store),
        embedding_model="fake@1",
        by="command line",
        seconds=2.0,
        recipe=recipe,
    )
    return Evaluations(store).keep(record).id


def test_a_result_is_the_same_after_leaving_the_page_and_after_a_restart(
    done: AppTest, open_page: Open
) -> None:
    before = shown(done)
    result = restart(done)
    again = open_page(PAGE, job=result)
    assert not again.exception
    assert shown(again) == before
    opened_question = open_page(PAGE, job=result, question="harbour question 1", k="5")
    assert "1 of 1 evidence turn among the first 5 turns." in shown(opened_question)


def test_results_are_listed_newest_first_each_with_its_link(
    done: AppTest, open_page: Open, store: Path
) -> None:
    other = segmentation(store)
    html = shown(open_page(PAGE))
    links = [unescape(link) for link in re.findall(r'href="([^"]*job=[^"]*)"', html)]
    assert [link.partition("job=")[2] for link in links] == [other, done.query_params["job"]]
    assert "harbour.json" in html and "Memscope’s own on LoCoMo" in html
    assert "Evaluate page" in html and "command line" in html
    assert "51.5 %" in html and "<script" not in html


def test_a_segmentation_from_the_command_line_opens_with_its_methods(store: Path, open_page: Open) -> None:
    app = open_page(PAGE, job=segmentation(store))
    assert not app.exception
    html = shown(app)
    assert "51.5" in html and "2.0" in html
    assert "<script" not in html


ARM = {
    "name": "reviewed",
    "proposals": 4,
    "approved": 3,
    "undecided": 0,
    "active": 12,
    "past": 3,
    "unsupported": 0.25,
    "recall_at_k": 0.5,
    "recall_at_budget": 0.75,
    "dated_right": 1,
}
OVERSIGHT = {"dataset": "locomo", "recipe": "mem0", "questions": 8, "dated": 2, "arms": [ARM]}
COMPRESSION = {
    "dataset": "locomo",
    "default": "mine",
    "rates": {"0.8": {"mine": {"answer_tokens_kept": 99.0}}},
}


@pytest.mark.parametrize(
    ("kind", "document", "listed", "inside"),
    [
        ("oversight", OVERSIGHT, "recall@10 reviewed", "3 of 4"),
        ("compression", COMPRESSION, "rate 0.8 answer tokens kept", "answer tokens kept"),
    ],
)
def test_results_of_the_command_line_are_listed_and_open(
    store: Path, open_page: Open, kind: Kind, document: dict[str, Any], listed: str, inside: str
) -> None:
    name = keep(store, kind, document, recipe="mem0" if kind == "oversight" else "")
    for _ in range(2):
        app = open_page(PAGE)
        assert not app.exception
        assert listed in shown(app)
        opened_one = open_page(PAGE, job=name)
        assert not opened_one.exception
        assert inside in shown(opened_one)


def test_it_says_what_was_evaluated_with_what(done: AppTest) -> None:
    (file,) = evaluated_files([GivenFile("harbour.json", json.dumps([HARBOUR]).encode())])
    html = shown(done)
    assert file.sha256 in html
    assert "from the Evaluate page" in html
    assert "as they are now" in html


def test_two_results_stand_side_by_side_with_what_was_not_the_same(
    done: AppTest, open_page: Open, store: Path
) -> None:
    kept = Evaluations(store)
    one = kept.get(done.query_params["job"])
    document = one.document | {"overall": one.document["overall"] | {"ndcg@10": 12.5}}
    settings = one.settings | {"compression_rate": 0.4}
    other = kept.keep(replace(one, id="0123456789ab", document=document, settings=settings))
    html = shown(open_page(PAGE, job=one.id, **{"with": other.id}))
    mine = one.document["overall"]["ndcg@10"]
    row = re.search(
        r'<th scope="row">ndcg@10</th><td[^>]*>([^<]*)</td><td[^>]*>12.5</td><td[^>]*>([^<]*)', html
    )
    assert row is not None
    assert (row[1], row[2]) == (f"{mine:.1f}", f"{mine - 12.5:+.1f}".replace("-", "−"))
    assert "0.6 here, 0.4 there" in html


def test_a_result_is_deleted_once_one_is_sure_and_can_be_put_back(done: AppTest, store: Path) -> None:
    result = done.query_params["job"]
    assert done.button(key="delete_result").disabled
    done.checkbox(key=f"sure_{result}").check().run()
    done.button(key="delete_result").click().run()
    assert not done.exception
    assert "job" not in done.query_params
    assert Evaluations(store).all().records == ()
    assert [*(store / "evaluations").iterdir()] == []
    assert "The result was deleted." in shown(done)
    done.button(key="restore_result").click().run()
    assert [one.id for one in Evaluations(store).all().records] == [result]
    assert f"job={result}" in unescape(shown(done))
    assert "restore_result" not in [button.key for button in done.button]


def test_a_damaged_result_is_told_and_hides_no_other(done: AppTest, open_page: Open, store: Path) -> None:
    result = restart(done)
    damaged = segmentation(store, methods={"mine": "no figures"})
    (store / "evaluations" / "0123456789ab.json").write_text("{")
    (store / "evaluations" / f"{result}.questions.gz").write_bytes(gzip.compress(b"[]"))
    app = open_page(PAGE)
    assert not app.exception
    assert "0123456789ab.json" in shown(app)
    assert f"job={result}" in unescape(shown(app))
    for one in (damaged, result, "0123456789ab"):
        app = open_page(PAGE, job=one)
        assert not app.exception
        assert 'role="alert"' in shown(app)


def test_where_nothing_can_be_kept_it_is_said_with_a_way_on(open_page: Open, store: Path) -> None:
    store.mkdir()
    (store / "evaluations").write_text("a file is in the way")
    html = shown(evaluate(upload(open_page(PAGE), harbour__json=[HARBOUR])))
    assert "cannot be kept" in html
    assert "memories that were built are kept" in html
