"""The main job with the real models and no language model: a log in, its words and dates out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.cli import main

ROOT = Path(__file__).parent.parent
FRIENDS = ROOT / "sample_data" / "two_friends.json"
LOCOMO = ROOT.parent / "shared" / "data" / "locomo" / "locomo_dev4.json"

pytestmark = pytest.mark.models


@pytest.fixture(scope="module", autouse=True)
def no_environment():
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "MEMSCOPE_EMBEDDER", "MEMSCOPE_COMPRESSOR"):
            patch.delenv(variable, raising=False)
        yield


def run(capsys, *arguments, code=0):
    assert main([*map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def said_in(sample):
    """How many messages a LoCoMo sample has."""
    turns = [value for name, value in sample["conversation"].items() if name.startswith("session_")]
    return sum(len(value) for value in turns if isinstance(value, list))


@pytest.fixture(scope="module")
def friends(tmp_path_factory):
    """The fictional LoCoMo-like log, taken in once."""
    store = tmp_path_factory.mktemp("friends")
    assert main(["ingest", str(FRIENDS), "--store", str(store), "--llm", "none", "--json"]) == 0
    return store


@pytest.mark.parametrize(
    ("question", "where", "words", "begin", "end"),
    [
        (
            "When did Nora get the keys to her flat?",
            "D1:3",
            "keys to my new flat",
            "2024-01-05",
            "2024-01-06",
        ),
        ("When did Nora adopt a dog?", "D2:2", "dog", "2024-02-03", "2024-02-04"),
        ("When does Tomás fly to Valencia?", "D4:19", "15 May", "2024-05-15", "2024-05-16"),
    ],
)
def test_when_something_happened_is_answered_with_the_words_and_the_date(
    friends, capsys, question, where, words, begin, end
):
    results = run(capsys, "search", question, "--store", friends)["results"][:3]

    sources = [
        (source["where"], source["quote"], result) for result in results for source in result["sources"]
    ]
    right = [result for place, quote, result in sources if place.endswith(f" {where}") and words in quote]
    assert right, sources
    assert (right[0]["event_at"], right[0]["event_end"]) == (f"{begin}T00:00:00", f"{end}T00:00:00")


def test_every_message_is_worked_on_and_taking_it_in_again_adds_nothing(friends, capsys):
    (sample,) = json.loads(FRIENDS.read_text())
    again = run(capsys, "ingest", FRIENDS, "--store", friends, "--llm", "none")
    assert again["messages"] == said_in(sample)
    assert (again["new_messages"], again["memories"], again["triples"]) == (0, 0, 0)


def test_doctor_finds_the_models_and_the_store_sound(friends, capsys):
    report = run(capsys, "doctor", "--store", friends)
    assert report["ok"]
    assert {"model encoder", "model compressor", "model language pipeline"} <= {
        check["name"] for check in report["checks"] if check["state"] == "ok"
    }


def test_the_worked_contradiction_from_log_to_as_of(tmp_path, capsys):
    log = tmp_path / "moves.txt"
    log.write_text(
        "[2024-01-10 09:00] Ann: I live in New York.\n"
        "[2024-01-10 09:01] Ben: Nice, how is the weather there?\n"
        "[2024-03-10 09:00] Ann: I moved to San Francisco.\n"
        "[2024-03-10 09:01] Ben: Congratulations!\n"
    )
    store = ["--store", tmp_path / "store"]
    run(capsys, "ingest", log, *store)
    report = run(capsys, "consolidate", *store)
    assert report["by_operation"] == {"invalidate": 1}
    (proposal,) = run(capsys, "review", "list", *store)["proposals"]
    approved = run(capsys, "review", "approve", proposal["id"], *store)

    def answer(*options):
        return [r["text"] for r in run(capsys, "search", "Where does Ann live?", *options, *store)["results"]]

    assert "New York" in answer("--as-of", "2024-02-01")[0]
    assert not any("New York" in text for text in answer())
    assert any("San Francisco" in text for text in answer())
    run(capsys, "review", "undo", approved["event"], *store)
    assert any("New York" in text for text in answer())


def test_a_message_of_100_000_characters_is_worked_on(tmp_path, capsys):
    log = tmp_path / "long.json"
    text = "I adopted a dog named Rex yesterday. " + "All work and no play makes Jack a dull boy. " * 2300
    log.write_text(json.dumps([{"role": "user", "name": "Ann", "content": text}]))
    assert len(text) > 100_000

    report = run(capsys, "ingest", log, "--store", tmp_path / "store", "--base-date", "2024-05-08")

    assert (report["state"], report["errors"], report["new_messages"]) == ("finished", [], 1)
    (best, *_) = run(capsys, "search", "dog named Rex", "--store", tmp_path / "store")["results"]
    assert "Rex" in best["text"]


@pytest.mark.skipif(not LOCOMO.exists(), reason=f"{LOCOMO} is not part of the project (LoCoMo, CC BY-NC 4.0)")
def test_locomo_when_did_caroline_go_to_the_support_group(tmp_path, capsys):
    (sample,) = [one for one in json.loads(LOCOMO.read_text()) if one["sample_id"] == "conv-26"]
    log = tmp_path / "conv-26.json"
    log.write_text(json.dumps([sample]))

    report = run(capsys, "ingest", log, "--store", tmp_path, "--llm", "none")
    assert (report["messages"], report["errors"]) == (said_in(sample), [])

    question = "When did Caroline go to the LGBTQ support group?"
    results = run(capsys, "search", question, "--store", tmp_path)["results"][:3]
    right = [r for r in results for source in r["sources"] if source["where"] == "conv-26 D1:3"]
    assert right and right[0]["event_at"] == "2023-05-07T00:00:00"
