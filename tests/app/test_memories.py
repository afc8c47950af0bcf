"""Memories: of several systems on one log, one at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memcore.memory import open_memory
from tests.app.conftest import Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")


@pytest.fixture
def two_systems(seeded: Path) -> Path:
    """What LightMem remembers of the seed beside what Memscope does: the same, with its name before it."""
    with open_memory(seeded) as memory:
        ours = memory.memories()
        theirs = [replace(m, id=f"{m.id}_light", recipe="lightmem", text=f"LightMem: {m.text}") for m in ours]
        run = replace(memory.runs()[0], id="run_light", recipe="lightmem")
        with memory._store.write(actor="lightmem", run_id=run.id) as writer:
            writer.put_run(run)
            writer.put_memories(theirs)
    return seeded


def test_of_one_system_nothing_is_to_be_chosen(seeded: Path, open_page: Open) -> None:
    app = open_page("4_Memories")
    assert "Memory of" not in [box.label for box in app.selectbox]


def test_of_two_systems_the_default_ones_memories_are_shown_until_the_other_is_chosen(
    two_systems: Path, open_page: Open
) -> None:
    assert "LightMem: " not in shown(open_page("4_Memories"))
    with open_memory(two_systems) as memory:
        remembered = len(memory.memories(recipe="lightmem"))
    chosen = shown(open_page("4_Memories", recipe="lightmem"))
    assert chosen.count('class="ms-text">LightMem: ') == remembered > 1
