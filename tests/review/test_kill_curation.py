"""kill -9 at any moment of correcting by hand leaves a sound store with nothing half done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.kill_harness import run_with_kills
from tests.pipeline import log, open_with, run_ingest
from tests.review import curation_worker
from tests.review.test_curate_properties import SAID
from tests.store.samples import EMBEDDER

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_killed_while_a_person_corrects_nothing_is_half_done(tmp_path: Path) -> None:
    kills, directory = 60, tmp_path / "store"
    with open_with(EMBEDDER, directory) as store:
        run_ingest(store, log(*SAID))
    progress: list[int] = []

    def is_sound(_: int) -> None:
        with open_with(EMBEDDER, directory) as store:
            assert [finding for finding in store.check() if not finding.sound] == []
            batches: dict[str, set[str]] = {}
            for event in store.events(run_id=""):
                if event.actor == curation_worker.ACTOR:
                    kind = "undo" if event.undo_of else event.object_type
                    batches.setdefault(event.batch, set()).add(kind)
            assert all("undo" in kinds or {"curation"} < kinds for kinds in batches.values())
            progress.append(len(batches))

    run_with_kills(
        [sys.executable, "-m", "tests.review.curation_worker", str(directory), str(kills * 6)],
        kills=kills,
        seed=20261123,
        steps=3,
        after_kill=is_sound,
        cwd=ROOT,
    )
    assert progress == sorted(progress), "no committed step was lost"
    assert len(set(progress)) > kills // 2, "the kills fell into the work, not beside it"
