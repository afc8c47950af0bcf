"""kill -9 at any moment of ingest, consolidation or decision costs at most the step in hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcore.store import DuckStore
from tests.kill_harness import run_with_kills
from tests.store import kill_worker

ROOT = Path(__file__).parent.parent.parent
KILLS = int(os.environ.get("KILLS", "12"))
"""Of the slow test: `KILLS=32 python -m pytest -m slow tests/store/test_kill.py` takes three minutes."""


def content(store: DuckStore) -> dict[str, Any]:
    """Everything but what differs between any two runs: event ids, batches, times."""
    owner = kill_worker.OWNER
    return {
        "conversations": store.conversations(owner),
        "messages": [store.messages(session.id) for session in store.sessions(owner=owner)],
        "segments": store.segments(),
        "memories": store.memories(owner, states=None),
        "entities": store.entities(owner),
        "triples": store.triples(owner),
        "proposals": store.proposals(owner, states=None),
        "pending": store.pending_messages(kill_worker.RECIPE, owner),
        "runs": store.runs(),
        "traces": [(trace.stage, trace.unit) for trace in store.traces()],
        "calls": store.llm_calls(),
        "events": [(e.seq, e.kind, e.object_id, e.before, e.after) for e in store.events()],
    }


@pytest.mark.parametrize("kills", [2, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_killed_again_and_again_it_ends_with_what_an_undisturbed_run_gives(
    tmp_path: Path, kills: int
) -> None:
    undisturbed = tmp_path / "undisturbed"
    kill_worker.work(undisturbed)
    killed = tmp_path / "killed"
    progress: list[int] = []

    def is_sound(_: int) -> None:
        with kill_worker.open_it(killed) as store:
            assert [finding for finding in store.check() if not finding.sound] == []
            progress.append(len(store.events()))
            found = store.semantic(
                kill_worker.OWNER, np.ones(64, np.float32), 5, kind="memory", recipe="worker"
            )
            assert len(found) == min(5, len(store.memories(kill_worker.OWNER, states=None)))

    run_with_kills(
        [sys.executable, "-m", "tests.store.kill_worker", str(killed)],
        kills=kills,
        seed=20240501,
        steps=6,
        after_kill=is_sound,
        cwd=ROOT,
    )

    assert progress == sorted(progress), "no committed step was lost"
    assert len(set(progress)) > kills // 2, "the kills fell into the work, not beside it"
    with kill_worker.open_it(undisturbed) as expected, kill_worker.open_it(killed) as actual:
        assert content(actual) == content(expected)
