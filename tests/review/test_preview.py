"""A dry run tells what a consolidation would do to what questions retrieve, and does none of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.errors import CancelledError, NotFoundError, UsageError
from memcore.memory import Memory
from memcore.store import open_store
from tests.pipeline import FakeBackends
from tests.review.scenes import JAN, JUN, MAR, fill, said
from tests.store.samples import EMBEDDER

NY = said("ny", "Ann lives in New York City", JAN, kind="state")
BOSTON = said("boston", "Ann lives in Boston City", MAR, kind="state", message="a-s0-m2")
HENS = said("hens", "Ann keeps seven hens", JUN, message="a-s0-m4")
BACKENDS = partial(FakeBackends, embedder=EMBEDDER)
WHERE = "Where does Ann live, in which City?"
NEW_YORK = "Ann lives in New York City?"
HENS_ASKED = "Who keeps seven hens?"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A store with a contradiction in it."""
    with open_store(
        tmp_path / "store", embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension
    ) as store:
        fill(store, NY, BOSTON, HENS)
    return tmp_path / "store"


@pytest.fixture
def memory(directory: Path) -> Iterator[Memory]:
    with open_memory(directory, backends=BACKENDS, queue_threshold=0.3) as opened:
        yield opened


def contents(memory: Memory) -> dict[str, Any]:
    store = memory.store
    return {
        "events": store.events(),
        "runs": store.runs(),
        "stats": memory.evidence.stats(),
        "traces": store.traces(),
        "calls": store.llm_calls(),
        "generation": store._database.generation,
    }


def test_it_tells_the_proposals_that_would_be_made(memory: Memory) -> None:
    preview = memory.review.preview_consolidation()
    assert [(p.operation, p.target_ids) for p in preview.proposals] == [("invalidate", ("ny",))]
    assert preview.by_operation == {"invalidate": 1}
    assert preview.questions == ()


def test_it_tells_which_questions_would_retrieve_differently_and_how(memory: Memory) -> None:
    new_york, hens = memory.review.preview_consolidation([NEW_YORK, HENS_ASKED], k=1).questions
    assert ([hit.id for hit in new_york.dropped], new_york.changed) == (["ny"], True)
    assert [hit.id for hit in new_york.entered] == ["boston"]
    assert not hens.changed
    assert [(hit.rank, hit.text) for hit in hens.after] == [(1, HENS.text)]
    (all_of_it,) = memory.review.preview_consolidation([NEW_YORK]).questions
    assert all_of_it.moved["boston"] == (2, 1)


def test_what_it_foresees_is_what_then_happens(memory: Memory) -> None:
    foreseen = memory.review.preview_consolidation([WHERE])
    memory.consolidate()
    waiting = memory.review.proposals()
    assert [p.id for p in waiting] == [p.id for p in foreseen.proposals]
    for proposal in waiting:
        memory.approve([proposal.id])
    assert [hit.id for hit in memory.search(WHERE).hits] == [hit.id for hit in foreseen.questions[0].after]


def test_nothing_of_it_touches_the_store(memory: Memory) -> None:
    before = contents(memory)
    memory.review.preview_consolidation([WHERE])
    assert contents(memory) == before


def test_the_file_of_the_store_stays_as_it_is_to_the_byte(directory: Path) -> None:
    file = directory / "memscope.duckdb"
    with open_memory(directory, backends=BACKENDS, queue_threshold=0.3) as memory:
        memory.evidence.stats()
    before = file.read_bytes()
    with open_memory(directory, backends=BACKENDS, queue_threshold=0.3) as memory:
        assert memory.review.preview_consolidation([WHERE]).proposals
        memory.evidence.stats()
    assert file.read_bytes() == before
    assert [path.name for path in directory.iterdir() if path.suffix == ".wal"] == []


def test_the_copy_is_thrown_away(memory: Memory, directory: Path) -> None:
    before = sorted(directory.iterdir())
    memory.review.preview_consolidation([WHERE])
    assert sorted(directory.iterdir()) == before


def test_what_waits_already_is_told_apart_and_counts_as_approved_too(memory: Memory) -> None:
    memory.consolidate()
    preview = memory.review.preview_consolidation([WHERE])
    assert (preview.proposals, [p.target_ids for p in preview.waiting]) == ((), [("ny",)])
    assert preview.questions[0].changed


def test_one_can_ask_what_approving_chosen_proposals_would_change(memory: Memory) -> None:
    memory.consolidate()
    (waiting,) = memory.review.proposals()
    before = contents(memory)
    preview = memory.review.preview_approval([waiting.id], [WHERE])
    assert [hit.id for hit in preview.questions[0].dropped] == ["ny"]
    assert not memory.review.preview_approval([], [WHERE]).questions[0].changed
    assert contents(memory) == before
    with pytest.raises(NotFoundError):
        memory.review.preview_approval(["prop_unknown"])


def test_proposals_that_can_no_longer_be_applied_are_named(memory: Memory) -> None:
    memory.consolidate()
    (waiting,) = memory.review.proposals()
    memory.reject([waiting.id])
    (why,) = memory.review.preview_approval([waiting.id]).not_applied
    assert "rejected" in why


def test_cancelling_leaves_no_half_preview(memory: Memory) -> None:
    with pytest.raises(CancelledError):
        memory.review.preview_consolidation([WHERE], cancelled=lambda: True)


def test_an_empty_question_and_an_unknown_recipe_are_said_so(memory: Memory) -> None:
    with pytest.raises(UsageError, match="empty"):
        memory.review.preview_consolidation([" "])
    with pytest.raises(UsageError, match="recipe"):
        memory.review.preview_consolidation(recipe="nonsense")


# --------------------------------------------------------------------------- command line

Cli = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def cli(directory: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    (directory / "settings.json").write_text('{"queue_threshold": 0.3}')

    def call(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = main([*arguments, "--store", str(directory), "--json"], BACKENDS)
        return code, json.loads(capsys.readouterr().out)

    return call


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("questions.txt", f"{NEW_YORK}\n\n{HENS_ASKED}\n"),
        ("questions.json", json.dumps([NEW_YORK, {"question": HENS_ASKED}])),
    ],
)
def test_a_dry_run_on_the_command_line(cli: Cli, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    code, document = cli("consolidate", "--dry-run", "--questions", str(tmp_path / name), "-k", "1")
    assert (code, document["dry_run"], document["by_operation"]) == (0, True, {"invalidate": 1})
    assert document["proposals"][0]["target_ids"] == ["ny"]
    new_york, hens = document["questions"]
    assert (new_york["question"], new_york["changed"], hens["changed"]) == (NEW_YORK, True, False)
    assert [hit["id"] for hit in new_york["before"]] == ["ny"]
    assert [hit["id"] for hit in new_york["after"]] == ["boston"]
    assert (cli("consolidate")[1]["proposals"], document["cycles"]) == (1, [])


def test_questions_that_cannot_be_read_are_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "broken.json").write_text("[1, {}]")
    (tmp_path / "no_list.json").write_text(json.dumps({"question": WHERE}))
    for name in ("empty.txt", "broken.json", "no_list.json", "missing.txt"):
        assert cli("consolidate", "--dry-run", "--questions", str(tmp_path / name))[0] == 2
    (tmp_path / "good.txt").write_text(WHERE)
    assert cli("consolidate", "--questions", str(tmp_path / "good.txt"))[0] == 2
