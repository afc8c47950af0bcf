"""`ingest --ray`: what it asks for, and what it tells; the readers are threads here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from memcore.cli import main
from memcore.domain.server_address import ServerAddress
from memcore.runs.bulk import Job, JobDone
from memcore.scale import ray_readers
from memcore.scale.reader import Reader
from tests.pipeline import FakeBackends

ADDRESS = "postgresql://ann@localhost/memory"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """What Ann and Ben said, a file each."""
    for name in ("ann", "ben"):
        said = "\n".join(f"[2024-01-1{day} 09:00] {name.title()}: likes tea {day}." for day in range(3))
        (tmp_path / f"{name}.txt").write_text(said, encoding="utf-8")
    return [str(file) for file in sorted(tmp_path.iterdir())]


class OneReader:
    """Reads in this process."""

    def __init__(self, settings: Any, backends: Any) -> None:
        self._reader = Reader(settings, backends)

    def read(self, jobs: list[Job], *, cancelled: Any) -> Iterator[JobDone]:
        yield from map(self._reader.read, jobs)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No Ray: which clusters were asked for."""
    asked: list[str] = []
    monkeypatch.setattr(ray_readers, "connected", lambda at: (asked.append(at), nullcontext())[1])
    monkeypatch.setattr(ray_readers, "RayReaders", OneReader)
    return asked


def test_each_file_is_an_owners_where_that_is_asked_for(
    connections: list[str], files: list[str], address: ServerAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ingest", *files, "--owner-per-file", "--store", str(address), "--json"]
    for read in (6, 0):
        assert main([*words, "--ray"], FakeBackends) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["state"], told["owners"], told["conversations"]) == ("finished", 2, 2 if read else 0)
        assert (told["messages"], told["new_messages"], told["read"], told["memories"]) == (
            6,
            read,
            read,
            read,
        )
    assert connections == ["local", "local"]
    for owner in ("ann", "ben"):
        main(["history", "--owner", owner, "--store", str(address), "--json"], FakeBackends)
        assert f"{owner.title()} likes tea 2" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_costs_itself(
    connections: list[str],
    files: list[str],
    address: ServerAddress,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = tmp_path / "cleo.txt"
    empty.write_bytes(b"")
    words = ["--ray", "10.0.0.1:6379", "--store", str(address), "--json"]
    assert main(["ingest", str(empty), *files, *words], FakeBackends) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["owners"], told["read"], len(told["skipped"])) == (1, 6, 1)
    assert connections == ["10.0.0.1:6379"]
    assert main(["ingest", str(empty), *words], FakeBackends) == 1
    assert "cleo.txt" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ray"], "--store postgresql://"),
        (["--owner-per-file", "--store", ADDRESS], "Add --ray"),
        (["--ray", "--store", ADDRESS, "--llm", "ollama", "--record", "replies.jsonl"], "--record"),
        (["elsewhere/ann.txt", "--ray", "--owner-per-file", "--store", ADDRESS], "memory of one owner, ann"),
    ],
)
def test_what_does_not_go_with_many_readers_is_told_before_anything_is_done(
    words: list[str],
    says: str,
    connections: list[str],
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ingest", *files, *words], FakeBackends) == 2
    assert says in capsys.readouterr().err
    assert connections == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["ann.txt", "ben.txt"]


def test_without_ray_it_says_what_to_install(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray_readers, "find_spec", lambda name: None)
    assert main(["ingest", *files, "--ray", "--store", ADDRESS], FakeBackends) == 2
    assert "pip install -r requirements-scale.txt" in capsys.readouterr().err


@pytest.mark.parametrize(("at", "says"), [([], "on this machine"), (["10.0.0.1:6379"], "at 10.0.0.1:6379")])
def test_a_cluster_that_is_not_there_is_told(
    at: list[str],
    says: str,
    files: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(**options: Any) -> None:
        raise ConnectionError("nobody answers")

    monkeypatch.setattr("ray.init", refuse)
    assert main(["ingest", *files, "--store", ADDRESS, "--ray", *at], FakeBackends) == 2
    told = capsys.readouterr().err
    assert says in told
    assert "nobody answers" in told
