"""The comparison with peers: what is ours of it. No peer is needed, and none is contacted."""

from __future__ import annotations

import json
import re
import socket
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.peer_bm25 import at_spaces, rank_bm25, stemmed
from benchmarks.peer_mem0 import as_mem0, turn_ids
from benchmarks.peer_model import Peer, SharedVectors, licence, no_connections
from benchmarks.peer_report import peers_document, show_peers
from benchmarks.peer_simplemem import as_unit, told
from memcore.evaluation.retrieval_datasets import read_retrieval_dataset
from memcore.runtime.config import Settings
from tests.evaluation.annotated import HARBOUR, message, second_sample
from tests.fakes import HashingEmbedder
from tests.pipeline import FakeBackends

ROOT = Path(__file__).parents[2]


def ranking(choose, *, packages=("rank-bm25",), name="fake"):
    """A peer that finds, of a conversation's messages, those that `choose(question, messages)` says."""

    @contextmanager
    def opened(messages, embed, directory):
        yield lambda question, k: [m.id for m in choose(question, messages)][:k]

    return Peer(name, packages, True, "a fake", opened)


# --------------------------------------------------------------------------- what peers are given and give


def test_mem0_is_told_who_speaks_in_the_text_and_knows_two_roles():
    said = message("a", text="Sold the boat.")
    assert as_mem0(said) == {"role": "user", "content": "Ann: Sold the boat.", "name": "Ann"}
    reply = replace(said, role="assistant", speaker="assistant")
    assert as_mem0(reply) == {"role": "assistant", "content": "Sold the boat.", "name": "assistant"}


def test_turns_of_mem0s_results_keep_their_order():
    found = {"results": [{"id": "x", "metadata": {"turn": "b"}}, {"id": "y", "metadata": {"turn": "a"}}]}
    assert turn_ids(found) == ["b", "a"]


def test_a_turn_is_a_memory_unit_of_simplemem_with_speaker_and_time_if_there_is_one():
    unit = as_unit(message("a", text="Sold the boat."))
    assert unit == {
        "entry_id": "a", "lossless_restatement": "Ann: Sold the boat.", "persons": ["Ann"],
        "timestamp": "2023-05-08T00:00:00",
    }  # fmt: skip
    assert as_unit(replace(message("a"), said_at=None))["timestamp"] is None


def test_what_simplemem_only_prints_as_failed_is_an_error(capsys):
    def fails():
        sys.stdout.write("Error during semantic search: no such column\n")
        return []

    with pytest.raises(RuntimeError, match="no such column"):
        told(fails)
    assert told(lambda: sys.stdout.write("Added\n")) == 6
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("words", "first"), [(at_spaces, "shouted"), (stemmed, "plain")])
def test_words_cut_at_spaces_match_as_they_are_written_and_stems_whatever_their_form(tmp_path, words, first):
    said = [
        message("shouted", text="nobody baked PIES? there"),
        message("plain", text="baking a pie with pies"),
        message("other", text="the boat was sold"),
        message("another", text="it rained"),
        message("last", text="it snowed"),
    ]
    with rank_bm25(words)(said, HashingEmbedder().embed, tmp_path) as search:
        assert search("Who ate PIES?", 1) == [first]
        assert len(search("Who ate PIES?", 9)) == len(said)


def test_turns_are_embedded_once_and_questions_every_time():
    embedder = HashingEmbedder()
    vectors = SharedVectors(embedder)
    vectors.learn(["a turn", "a turn", "another"])
    vectors.learn(["another"])
    found = vectors(["a question", "another", "a turn"])
    vectors(["a question"])
    assert embedder.embedded == ["a turn", "another", "a question", "a question"]
    assert (found == HashingEmbedder().embed(["a question", "another", "a turn"])).all()


# --------------------------------------------------------------------------- other hosts


def test_a_connection_is_refused_and_listed_until_the_end():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with no_connections() as tried:
            with pytest.raises(PermissionError), socket.socket() as ours:
                ours.connect(address)
            with pytest.raises(socket.gaierror):
                socket.create_connection(("telemetry.example", 443))
        assert tried == [str(address), "telemetry.example"]
        with socket.create_connection(address):
            assert len(tried) == 2


# --------------------------------------------------------------------------- packages


@pytest.mark.parametrize(
    ("expression", "text", "classifiers", "named"),
    [
        ("Apache-2.0", "whatever", ["License :: OSI Approved :: MIT License"], "Apache-2.0"),
        (None, "MIT", [], "MIT"),
        (None, "MIT License\n\nPermission is", ["License :: OSI Approved :: MIT License"], "MIT License"),
        (None, "UNKNOWN", ["Topic :: Software"], "not stated"),
    ],
)
def test_a_licence_is_as_the_package_names_it(expression, text, classifiers, named):
    assert licence(expression, text, classifiers) == named


def test_every_package_that_a_peer_needs_is_pinned():
    files = (ROOT / "requirements.txt", ROOT / "benchmarks" / "requirements-peers.txt")
    pinned = {name for file in files for name in re.findall(r"^([\w-]+)==", file.read_text(), re.MULTILINE)}
    assert {package for peer in peers.PEERS for package in peer.packages} <= pinned


# --------------------------------------------------------------------------- the comparison


@pytest.fixture
def compare(monkeypatch, tmp_path):
    """The comparison of the memscope recipe with peers, with fakes for models, in this process."""
    monkeypatch.setattr(peers, "measure_recipe", peers._evaluated)
    monkeypatch.setattr(peers, "_forgetful_embedder", lambda settings: HashingEmbedder())
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([HARBOUR, second_sample()]))
    dataset = read_retrieval_dataset("locomo", [path])

    def compared(*others, recipes=()):
        settings = Settings(store_dir=tmp_path / "store")
        result, timed = peers.compare(dataset, settings, "memscope", recipes, others, backends=FakeBackends)
        return peers_document(result, timed, others)

    compared.dataset = dataset
    return compared


def evidence_first(dataset):
    wanted = {question.text: question.messages for question in dataset.scored}
    return lambda question, messages: sorted(messages, key=lambda m: m.id not in wanted.get(question, ()))


def test_a_peer_is_scored_as_everybody_is_with_the_intervals_of_the_difference_to_ours(compare):
    document = compare(ranking(evidence_first(compare.dataset), name="perfect"))
    mine, theirs = document["overall"], document["baselines"]["perfect"]["overall"]
    assert theirs["turn_recall@5"] == theirs["ndcg@10"] == theirs["recall_at_tokens"]["500"] == 100
    assert theirs == document["baselines"]["oracle"]["overall"]
    low, high = document["intervals"]["difference"]["perfect"]["overall"]["ndcg@10"]
    assert low <= mine["ndcg@10"] - 100 <= high
    assert document["systems"]["perfect"]["package"]["name"] == "rank-bm25"
    assert document["systems"]["perfect"]["query_ms"].keys() == {"p50", "p95"}


def test_what_a_peer_does_not_find_counts_against_it(compare):
    document = compare(ranking(lambda question, messages: [], name="silent"))
    assert document["baselines"]["silent"]["overall"]["turn_recall@50"] == 0


def test_other_recipes_stand_beside_ours(compare):
    document = compare(recipes=("lightmem",))
    assert "lightmem recipe" in document["baselines"]
    assert document["systems"]["lightmem recipe"]["query_ms"]
    assert document["systems"]["dense"]["query_ms"] is None


def test_a_peer_that_is_not_installed_is_named_with_the_command_that_installs_it(compare):
    absent = ranking(lambda question, messages: messages, packages=("no-such-memory",), name="absent")
    document = compare(absent)
    assert document["missing"]["absent"]["packages"] == ["no-such-memory"]
    assert "absent" not in document["baselines"]
    shown = show_peers(document)
    assert "MISSING: absent (no no-such-memory)" in shown
    assert "pip install -r requirements.txt -r benchmarks/requirements-peers.txt" in shown


def test_a_peer_that_reaches_out_ends_the_comparison_even_if_it_hides_the_error(compare):
    def reports_home(question, messages):
        with pytest.raises(OSError):
            socket.create_connection(("telemetry.example", 443))
        return messages

    with pytest.raises(RuntimeError, match=r"chatty tried to reach telemetry\.example"):
        compare(ranking(reports_home, name="chatty"))


def test_a_person_sees_each_system_with_its_figures_differences_version_and_licence(compare):
    shown = show_peers(compare(ranking(evidence_first(compare.dataset), name="perfect")))
    assert re.search(r"^ +R@5 +R@10 +R@25 +R@50 ", shown, re.MULTILINE)
    assert re.search(r"^perfect +100\.0 +100\.0 +100\.0 +100\.0 ", shown, re.MULTILINE)
    assert re.search(r"^random .* - +- +-$", shown, re.MULTILINE)
    assert re.search(r"^perfect +[+-]\d.* \[[+-].*\]", shown, re.MULTILINE)
    assert "perfect: rank-bm25 0.2.2, Apache2.0; a fake" in shown
