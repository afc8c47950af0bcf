"""Which store an evaluation's memories are kept in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memcore.domain.errors import StoreError
from memcore.evaluation import evaluating
from memcore.evaluation.evaluating import (
    delete_evaluations,
    evaluation_settings,
    kept_evaluations,
    memories_digest,
)
from memcore.runtime.config import Settings, cache_directory

SETTINGS = Settings(store_dir=Path("somewhere"))


@pytest.fixture(autouse=True)
def no_sources_remembered():
    evaluating._sources_digest.cache_clear()
    yield
    evaluating._sources_digest.cache_clear()


def test_it_is_in_the_cache_directory_under_what_memories_depend_on(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMSCOPE_CACHE", str(tmp_path))
    settings = evaluation_settings(SETTINGS)
    assert settings.store_dir == tmp_path / "evaluation" / memories_digest(SETTINGS)
    assert replace(settings, store_dir=SETTINGS.store_dir) == SETTINGS
    assert evaluation_settings(SETTINGS, tmp_path / "b").store_dir.parent == tmp_path / "b" / "evaluation"


def test_the_cache_directory_follows_the_environment():
    assert cache_directory({"MEMSCOPE_CACHE": "/c", "XDG_CACHE_HOME": "/x"}) == Path("/c")
    assert cache_directory({"XDG_CACHE_HOME": "/x"}) == Path("/x/memscope")
    assert cache_directory({}) == Path.home() / ".cache" / "memscope"


@pytest.mark.parametrize(
    "changes",
    [
        {"compression_rate": 0.5},
        {"segment_method": "similarity"},
        {"compressor": "entropy"},
        {"llm": "ollama"},
    ],
)
def test_other_settings_make_other_memories(changes):
    assert memories_digest(replace(SETTINGS, **changes)) != memories_digest(SETTINGS)


@pytest.mark.parametrize(
    "changes",
    [{"store_dir": Path("x")}, {"openai_api_key": "k"}, {"ollama_model": "unused"}, {"queue_top_k": 30}],
)
def test_settings_without_influence_share_a_store(changes):
    assert memories_digest(replace(SETTINGS, **changes)) == memories_digest(SETTINGS)


def test_how_a_system_searches_is_without_influence_and_how_it_reads_is_not():
    assert memories_digest(SETTINGS.changed(lightmem_retrieval="bm25")) == memories_digest(SETTINGS)
    assert memories_digest(SETTINGS.changed(lightmem_prompt="event")) != memories_digest(SETTINGS)


def test_a_model_counts_once_it_is_chosen():
    asking = replace(SETTINGS, llm="ollama")
    assert memories_digest(replace(asking, ollama_model="other")) != memories_digest(asking)


def package(tmp_path, **changed):
    """A package of sources, one of them changed."""
    files = {"stages/segment.py": "a", "nlp/keep.npz": "b", "retrieval/search.py": "c", "cli.py": "d"}
    root = tmp_path / f"package{len([*tmp_path.iterdir()])}"
    for name, text in (files | changed).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("stages/segment.py", False),
        ("nlp/keep.npz", False),
        ("stages/new.py", False),
        ("retrieval/search.py", True),
        ("evaluation/new.py", True),
        ("cli.py", True),
        ("stages/__pycache__/segment.pyc", True),
    ],
)
def test_another_version_of_what_makes_memories_begins_another_store(monkeypatch, tmp_path, name, same):
    digests = []
    for changed in ({}, {name: "changed"}):
        monkeypatch.setattr(evaluating, "_PACKAGE", package(tmp_path, **changed))
        evaluating._sources_digest.cache_clear()
        digests.append(memories_digest(SETTINGS))
    assert (digests[0] == digests[1]) is same


def test_what_is_kept_is_measured_and_deleted_and_nothing_else_is(tmp_path):
    assert (kept_evaluations(tmp_path).stores, kept_evaluations(tmp_path).bytes) == ((), 0)
    directory = evaluation_settings(SETTINGS, tmp_path).store_dir
    (directory / "indexes").mkdir(parents=True)
    (directory / "a.duckdb").write_bytes(b"12345")
    (directory / "indexes" / "b").write_bytes(b"678")
    mine = tmp_path / "evaluation" / "my notes"
    mine.mkdir()
    (mine / "thesis.txt").write_text("not a store")
    kept = kept_evaluations(tmp_path)
    assert kept.stores == (directory,)
    assert kept.bytes == 8
    delete_evaluations(tmp_path)
    assert not directory.exists()
    assert (mine / "thesis.txt").exists()
    assert kept_evaluations(tmp_path).bytes == 0


def test_what_cannot_be_deleted_is_named(monkeypatch, tmp_path):
    directory = evaluation_settings(SETTINGS, tmp_path).store_dir
    directory.mkdir(parents=True)

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(StoreError, match=f"{directory.name} cannot be deleted: Permission denied"):
        delete_evaluations(tmp_path)
