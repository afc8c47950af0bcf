"""Whatever a person does by hand: the store stays sound, and its export is the same after every step has been
undone, and the same again after it has been redone."""

from __future__ import annotations

import io
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models.identity import CurationAct
from memcore.review.curate import acts
from memcore.review.curate.perform import Done, do
from memcore.review.decide import undo
from memcore.store import DuckStore
from tests.pipeline import log, open_with, run_ingest
from tests.review.any_act import MAKERS, Choices, any_act
from tests.store.samples import EMBEDDER

SAID = [["likes tea. has Rex.", "likes tea. likes jazz."], ["knows Ben. likes Rex.", "knows Ann."]]
MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - a new directory in it; these tests are not about the disk
MOST_TRIES = 200
SEQUENCES = int(os.environ.get("SEQUENCES", "4"))
"""Of thirty acts each, in the slow test; as many as one likes to wait for."""

Rows = frozenset[bytes]
"""Lines of an export."""
Act = Callable[[DuckStore], acts.Act]
"""Makes an act of what a store holds."""


@contextmanager
def filled() -> Iterator[DuckStore]:
    """A store of what Ann and Ben said."""
    where = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=where) as directory,
        open_with(EMBEDDER, Path(directory) / "store") as store,
    ):
        run_ingest(store, log(*SAID))
        yield store


def exported(store: DuckStore) -> Rows:
    """The lines of the store's export, without the two that are about the file, and without events: an undo
    is an event more."""
    file = io.BytesIO()
    store.export_jsonl(file)
    lines = file.getvalue().splitlines()[1:-1]
    return frozenset(line for line in lines if not line.startswith(b'{"type":"event"'))


def is_left_over(row: bytes) -> bool:
    """Whether it is what undoing its creation leaves of an object (nothing is ever removed), which no search
    finds; or the vector of words that were there for a time."""
    parsed = json.loads(row)
    value: dict[str, Any] = parsed["value"]
    return {
        "memory": lambda: value["state"] == "deleted",
        "entity": lambda: value["merged_into"] is not None,
        "curation": lambda: not value["standing"],
        "embedding": lambda: True,
    }.get(parsed["type"], lambda: False)()


def assert_equal(now: Rows, then: Rows) -> None:
    """All that stood there stands again, and nothing that had not been there counts."""
    assert then - now == frozenset()
    assert [row for row in now - then if not is_left_over(row)] == []


def unsound(store: DuckStore) -> list[Any]:
    return [finding for finding in store.check() if not finding.sound]


def tried(store: DuckStore, act: acts.Act) -> Done | None:
    """The act done; None where it makes no sense, which changes nothing."""
    (newest,) = store.events(newest_first=True, limit=1)
    try:
        return do(store, EMBEDDER, act, owner="me", actor="ann")
    except MemcoreError:
        assert store.events(newest_first=True, limit=1) == [newest]
        return None


def undone_and_redone(store: DuckStore, wanted: Iterable[Act], steps: int) -> list[acts.Act]:
    """Do as many of these as can be done, at most `steps`; undo each, redo each. Returns what was done."""
    stood, did, done = [exported(store)], [], []
    for make in wanted:
        act = make(store)
        if (step := tried(store, act)) is not None:
            did.append(act)
            done.append(step)
            stood.append(exported(store))
        if len(done) == steps:
            break
    assert unsound(store) == []
    undone = []
    for number in range(len(done) - 1, -1, -1):
        undone.append(undo(store, done[number].event_id, "ann"))
        assert_equal(exported(store), stood[number])
    assert unsound(store) == []
    for number, step in enumerate(reversed(undone), start=1):
        undo(store, step.event_id, "ann")
        assert_equal(exported(store), stood[number])
    assert unsound(store) == []
    return did


def until_one_is_done(kind: type, make: Callable[[Choices], acts.Act], store: DuckStore) -> Iterator[Act]:
    """An act of this kind again and again, each on other objects, until one was done."""
    done = len(store.events())
    for seed in range(MOST_TRIES):
        yield lambda store, seed=seed: make(Choices(random.Random(seed), store))  # type: ignore[misc]
        if len(store.events()) > done:
            return
    raise AssertionError(f"{kind.__name__} can never be done here")


def test_every_kind_of_act_is_tried() -> None:
    assert {kind for kind, _ in MAKERS} == set(get_args(acts.Act))


def test_every_kind_of_act_undone_and_redone_leaves_an_equal_export() -> None:
    with filled() as store:
        each = (act for kind, make in MAKERS for act in until_one_is_done(kind, make, store))
        did = undone_and_redone(store, each, steps=len(MAKERS))
        assert [type(act) for act in did] == [kind for kind, _ in MAKERS]
        noted = {
            event.after["act"] for event in store.events() if event.object_type == "curation" and event.after
        }
        assert noted == set(get_args(CurationAct))


@pytest.mark.slow
@settings(
    max_examples=SEQUENCES,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink thirty steps would take hours
)
@given(seed=st.integers(0, 2**32))
def test_thirty_acts_undone_and_redone_leave_equal_exports(seed: int) -> None:
    chance = random.Random(seed)
    with filled() as store:
        wanted = (partial(any_act, chance) for _ in range(MOST_TRIES * 30))
        assert len(undone_and_redone(store, wanted, steps=30)) == 30
