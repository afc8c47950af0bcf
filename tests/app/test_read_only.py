"""The workbench over a store that can only be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memcore.store.duckdb import opening
from tests.app.conftest import Open, shown
from tests.app.seed import RUN


@pytest.fixture
def unwritable(seeded: Path, light_embedder: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(opening.os, "access", lambda path, mode: mode != os.W_OK)
    return seeded


def sidebar(app: object) -> str:
    return "\n".join(part.proto.body for part in app.sidebar.get("html"))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("app.py", {}),
        ("1_Import", {}),
        ("2_Compression", {}),
        ("3_Topics", {}),
        ("4_Buffers", {}),
        ("5_Memories", {"memory": "mem_1"}),
        ("6_Graph", {}),
        ("7_Update_queue", {}),
        ("8_Review", {}),
        ("8_Review", {"view": "Rules"}),
        ("9_Ask", {"q": "Where does Ada live?"}),
        ("12_Runs_and_cost", {"run": RUN}),
        ("13_Settings", {}),
    ],
)
def test_every_page_reads_it_and_says_that_it_can_only_be_read(
    unwritable: Path, open_page: Open, page: str, query: dict[str, str]
) -> None:
    app = open_page(page, **query)
    assert not app.exception
    assert "can only be read" in sidebar(app)


def test_a_decision_says_why_it_cannot_be_made(unwritable: Path, open_page: Open) -> None:
    app = open_page("8_Review")
    for button in ("approve", "reject"):
        app.button(key=button).click().run()
        assert not app.exception
        assert "may not write to its directory or file" in shown(app)
    assert "prop_1" in str(app.query_params)


def test_long_work_cannot_be_started_and_says_why(unwritable: Path, open_page: Open) -> None:
    button = open_page("8_Review").button(key="consolidate")
    assert button.disabled
    assert "can only be read" in button.help


def test_a_rule_that_cannot_be_switched_says_why(unwritable: Path, open_page: Open) -> None:
    app = open_page("8_Review", view="Rules")
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert "may not write to its directory or file" in shown(app)
