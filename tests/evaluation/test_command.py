"""`python -m memcore evaluate`: documents, tables, exit codes, and that it needs no store."""

from __future__ import annotations

import json

import pytest

from memcore.cli import main
from memcore.domain.errors import BackendError
from memcore.evaluation.records import Evaluations
from memcore.evaluation.topic_datasets import STREAM_TURNS
from memcore.stages.segmentation.scores import DEFAULT_METHOD, METHODS
from tests.evaluation.test_locomo import SAMPLE
from tests.evaluation.test_topic_baselines import GOALS, TEA
from tests.pipeline import FakeBackends

FIGURES = {"precision", "recall", "f1", "pk", "windowdiff"}
SURVIVAL = {"answer_tokens_kept", "with_stop_words", "mean", "achieved_rate"}


@pytest.fixture(autouse=True)
def fakes(monkeypatch, tmp_path):
    for variable in ("MEMSCOPE_STORE", "MEMSCOPE_EMBEDDER", "MEMSCOPE_COMPRESSOR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def evaluate(capsys):
    """Runs a measurement with --json: (document, stderr)."""

    def run(*arguments, code=0, backends=FakeBackends):
        assert main(["evaluate", *arguments, "--json"], backends) == code
        out, err = capsys.readouterr()
        assert out.count("\n") == 1, "one document, one line"
        return json.loads(out), err

    return run


def tiage(*texts, shift):
    return {"1": [[text, "-1" if not i else str(int(i == shift))] for i, text in enumerate(texts)]}


@pytest.fixture
def dialogue(file):
    return file("anno_dev.json", tiage(*TEA, *GOALS, shift=6))


# ---------------------------------------------------------------- segmentation


def test_segmentation_of_one_dataset_is_one_flat_document(evaluate, dialogue):
    document, err = evaluate("segmentation", dialogue)
    assert {*document} == {
        "dataset", "file", "streams", "turns", "boundaries", "default", "methods", "milliseconds_a_turn",
    }  # fmt: skip
    assert (document["dataset"], document["file"]) == ("tiage", dialogue)
    assert (document["streams"], document["turns"], document["boundaries"]) == (1, 12, 1)
    assert document["default"] == DEFAULT_METHOD
    assert {*METHODS, "random", "every 6", "none", "texttiling, lexical"} <= {*document["methods"]}
    assert all({*figures} == FIGURES for figures in document["methods"].values())
    assert all(0 <= value <= 100 for figures in document["methods"].values() for value in figures.values())
    assert document["methods"]["texttiling, lexical"]["f1"] == 100
    assert "tiage: 1/1" in err


def test_the_result_is_kept_in_a_store_that_is_named_and_nowhere_else(evaluate, dialogue, tmp_path):
    before, _ = evaluate("segmentation", dialogue)
    assert "evaluation" not in before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["anno_dev.json"]
    document, err = evaluate("segmentation", dialogue, "--store", str(tmp_path / "store"))
    record = Evaluations(tmp_path / "store").get(document.pop("evaluation"))
    assert record.id in err
    assert (record.kind, record.recipe, record.document) == ("segmentation", "", document)
    assert [file.name for file in record.files] == ["anno_dev.json"]


def test_several_datasets_are_a_list_in_order(evaluate, dialogue, file):
    other = file("dialseg.json", [{"utterances": [*TEA, *GOALS], "segments": [6, 6]}])
    document, _ = evaluate("segmentation", other, dialogue)
    assert {*document} == {"datasets"}
    assert [(one["dataset"], one["file"]) for one in document["datasets"]] == [
        ("dialseg711", other),
        ("tiage", dialogue),
    ]


def test_haystacks_are_cut_and_counted_as_asked(evaluate, file):
    sessions = [[{"role": "user", "content": f"{topic} {i}"} for i in range(40)] for topic in ("tea", "rain")]
    haystacks = [{"haystack_sessions": [*sessions, [*sessions[0], turn]]} for turn in sessions[1][:3]]
    path = file("longmemeval.json", haystacks)
    document, _ = evaluate("segmentation", path)
    assert (document["streams"], document["turns"]) == (1, STREAM_TURNS), "alike as far as they are read"
    document, _ = evaluate("segmentation", path, "--turns", "200", "--limit", "2")
    assert (document["streams"], document["turns"], document["boundaries"]) == (2, 2 * 121, 4)
    assert evaluate("segmentation", path, "--turns", "200", "--streams", "2")[0]["streams"] == 2


def test_only_the_asked_methods_are_compared(evaluate, dialogue):
    document, _ = evaluate("segmentation", dialogue, "--method", "similarity", "--method", "lightmem")
    assert {*document["methods"]} & {*METHODS} == {"similarity", "lightmem"}


def test_a_person_sees_an_aligned_table_with_the_default_marked(capsys, dialogue):
    assert main(["evaluate", "segmentation", dialogue], FakeBackends) == 0
    title, header, *rows, note = capsys.readouterr().out.rstrip().split("\n")
    assert title.startswith("tiage (") and title.endswith("1 streams, 12 turns, 1 boundaries")
    assert header.split() == ["method", "precision", "recall", "f1", "pk", "windowdiff"]
    assert len({len(row) for row in [header, *rows]}) == 1
    (marked,) = [row for row in rows if row.startswith("*")]
    assert marked.startswith(f"* {DEFAULT_METHOD} ")
    assert "less is better" in note


# ---------------------------------------------------------------- compression


def test_compression_has_every_rate_and_method(evaluate, file):
    path = file("locomo.json", [SAMPLE])
    document, _ = evaluate("compression", path, "--rate", "0.8", "0.5")
    assert {*document} == {
        "dataset", "file", "answers", "turns", "default", "rates", "must_keep", "tokens_per_second",
        "unavailable",
    }  # fmt: skip
    assert (document["dataset"], document["file"], document["answers"]) == ("locomo", path, 1)
    assert document["default"] == "keep head, protected"
    assert {*document["rates"]} == {*document["must_keep"]} == {"0.8", "0.5"}
    for methods in document["rates"].values():
        assert {*methods} == {
            "keep head, protected", "keep head, unprotected", "entropy, protected", "entropy, unprotected",
            "random drop", "stop-word drop", "truncation",
        }  # fmt: skip
        assert all({*figures} == SURVIVAL for figures in methods.values())
        assert methods["keep head, protected"]["answer_tokens_kept"] == 100, "the fake keeps everything"
    assert document["must_keep"]["0.8"] == {"negations": 100, "numbers": 100, "names": 100}
    assert document["unavailable"] == {}


def test_compression_is_kept_in_a_store_that_is_named(evaluate, file, tmp_path):
    path = file("locomo.json", [SAMPLE])
    document, _ = evaluate("compression", path, "--rate", "0.8", "--store", str(tmp_path / "store"))
    record = Evaluations(tmp_path / "store").get(document.pop("evaluation"))
    assert (record.kind, record.document) == ("compression", document)


class WithoutModels(FakeBackends):
    """Some compressors cannot be had."""

    missing = ("entropy",)

    def compressor(self, name=None, *, protect=None):
        if (name or self.settings.compressor) in self.missing:
            raise BackendError("There is no such model.", "Install it.")
        return super().compressor(name, protect=protect)


class WithoutAnyModel(WithoutModels):
    missing = ("entropy", "embedded")


def test_a_compressor_that_cannot_be_had_is_named_with_the_reason(evaluate, file):
    document, err = evaluate("compression", file("locomo.json", SAMPLE), backends=WithoutModels)
    assert document["unavailable"] == {"entropy": "There is no such model. Install it."}
    assert not any(name.startswith("entropy") for name in document["rates"]["0.6"])
    assert "entropy is unavailable" in err


def test_the_active_compressor_must_be_there(evaluate, file):
    document, _ = evaluate("compression", file("locomo.json", SAMPLE), code=1, backends=WithoutAnyModel)
    assert document == {"error": "There is no such model.", "fix": "Install it."}


def test_a_person_sees_a_table_for_each_rate(capsys, file):
    assert main(["evaluate", "compression", file("locomo.json", SAMPLE), "--rate", "0.6"], FakeBackends) == 0
    out = capsys.readouterr().out
    assert "rate 0.6; kept of all turns by the default: negations 100.0 %" in out
    assert "* keep head, protected" in out and "tokens a second" in out


# ---------------------------------------------------------------- both


def test_progress_that_no_terminal_shows_is_a_line_when_all_is_done(capsys, file):
    main(["evaluate", "compression", file("locomo.json", SAMPLE), "--rate", "0.6"], FakeBackends)
    assert capsys.readouterr().err == "rates: 1/1\n"


def test_rates_may_stand_before_the_file(evaluate, file):
    document, _ = evaluate("compression", "--rate", "0.8", "0.5", file("locomo.json", SAMPLE))
    assert {*document["rates"]} == {"0.8", "0.5"}


def test_measuring_makes_no_store(evaluate, dialogue, tmp_path):
    before = {path.name for path in tmp_path.iterdir()}
    evaluate("segmentation", dialogue)
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("measure", ["segmentation", "compression"])
def test_a_damaged_file_is_a_failure_that_names_it(evaluate, file, measure):
    document, err = evaluate(measure, file("cut_off.json", '[{"utterances": ["a'), code=1)
    assert {*document} == {"error", "fix"}
    assert "cut_off.json" in document["error"] and "cut_off.json" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["segmentation"],
        ["compression"],
        ["retrieving", "a.json"],
        ["segmentation", "a.json", "--method", "guessing"],
        ["segmentation", "a.json", "--turns", "0"],
        ["segmentation", "a.json", "--limit", "-1"],
        ["compression", "a.json", "--rate", "much"],
        ["compression", "a.json", "--rate", "0.5", "1.2"],
        ["compression", "a.json", "--rate", "0"],
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(evaluate, arguments):
    document, _ = evaluate(*arguments, code=2)
    assert {*document} == {"error", "fix"}


def test_a_number_that_cannot_be_is_told_what_could(evaluate):
    document, _ = evaluate("segmentation", "a.json", "--limit", "0", code=2)
    assert "'0' is no whole number from 1 up" in document["error"]
    document, _ = evaluate("compression", "a.json", "--rate", "nan", code=2)
    assert "'nan' is no number above 0 and up to 1" in document["error"]
