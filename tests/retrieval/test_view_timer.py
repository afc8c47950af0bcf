"""Views that are asked at once, and what is read on as soon as one has found something."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memcore.retrieval.hits import ViewTimer
from memcore.store import open_store
from tests.store.samples import EMBEDDER


def test_what_a_view_found_is_told_with_its_name(tmp_path: Path) -> None:
    told: dict[str, list[str]] = {}

    def tell(view: str, ids: Iterable[str]) -> None:
        told[view] = list(ids)

    views = {"one": lambda: {"a": 1.0, "b": 2.0}, "none": lambda: {}}
    timer = ViewTimer()
    with open_store(tmp_path, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension) as store:
        for _ in range(2):
            found = timer.run_at_once(store, views, then=tell)
    assert found == {"one": {"a": 1.0, "b": 2.0}, "none": {}}
    assert told == {"one": ["a", "b"], "none": []}
    assert [(view.view, [i for i, _ in view.ranking]) for view in timer.views] == [
        ("one", ["b", "a"]),
        ("none", []),
    ]
