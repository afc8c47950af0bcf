"""No file is left of an index that was made before something was erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memcore.store.duckdb import opening
from memcore.store.duckdb.database import Database
from memcore.store.index_files import IndexFiles


@dataclass
class Words:
    """An index of one file; `meanwhile` happens while it is written."""

    meanwhile: Callable[[], None] = lambda: None

    def save(self, at: Callable[[str], Path]) -> dict[str, Any]:
        at("words").write_text("zebra")
        self.meanwhile()
        return {}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = opening.open_any_model(tmp_path / "store", create=("model", 8))
    yield opened
    opened.close()


def erase(database: Database) -> None:
    database.rewrite(lambda draft: draft.query("update store set id = 'sto_after'"), keep=True)


def files_of(database: Database, directory: Path) -> IndexFiles[Words]:
    return IndexFiles(database, directory, "words", lambda files, rest: Words())


def test_an_index_from_before_an_erasure_is_not_written(database: Database, tmp_path: Path) -> None:
    files = files_of(database, tmp_path / "kept")
    files.save("me", "memory", "", Words(), 1)
    assert files.load("me", "memory", "") is not None
    before = sorted((tmp_path / "kept").iterdir())
    erase(database)
    files.save("me", "memory", "", Words(), 2)
    assert sorted((tmp_path / "kept").iterdir()) == before
    files_of(database, tmp_path / "kept").save("me", "memory", "", Words(), 3)
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_an_erasure_while_an_index_is_written_leaves_nothing_of_it(
    database: Database, tmp_path: Path
) -> None:
    files = files_of(database, tmp_path / "kept")
    files.save("me", "memory", "", Words(), 1)
    files.save("me", "memory", "", Words(lambda: erase(database)), 2)
    assert list((tmp_path / "kept").iterdir()) == []
