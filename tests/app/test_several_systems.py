"""Several systems on one log: Memories shows one at a time, Topics and Compression only those that cut and
compress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memcore.logs import read_log
from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown

SAMPLE = Path(__file__).parents[2] / "sample_data" / "new_city.txt"

pytestmark = pytest.mark.usefixtures("light_embedder")


@pytest.fixture
def two_systems(seeded: Path) -> Path:
    """What LightMem remembers of the seed beside what Memscope does: the same, with its name before it."""
    with open_memory(seeded, backends=LightBackends) as memory:
        ours = memory.memories.find()
        theirs = [replace(m, id=f"{m.id}_light", recipe="lightmem", text=f"LightMem: {m.text}") for m in ours]
        run = replace(memory.runs.all()[0], id="run_light", recipe="lightmem")
        with memory.store.write(actor="lightmem", run_id=run.id) as writer:
            writer.put_run(run)
            writer.put_memories(theirs)
    return seeded


def test_of_one_system_nothing_is_to_be_chosen(seeded: Path, open_page: Open) -> None:
    app = open_page("5_Memories")
    assert "Memory of" not in [box.label for box in app.selectbox]


def test_of_two_systems_the_default_ones_memories_are_shown_until_the_other_is_chosen(
    two_systems: Path, open_page: Open
) -> None:
    assert "LightMem: " not in shown(open_page("5_Memories"))
    with open_memory(two_systems, backends=LightBackends) as memory:
        remembered = len(memory.memories.find(recipe="lightmem"))
    chosen = shown(open_page("5_Memories", recipe="lightmem"))
    assert chosen.count('class="ms-text">LightMem: ') == remembered > 1


@pytest.mark.parametrize("page", ["2_Compression", "3_Topics"])
def test_a_system_that_cuts_no_topics_is_not_offered_where_topics_are(
    seeded: Path, open_page: Open, page: str
) -> None:
    beside(seeded, "mem0")
    app = open_page(page, recipe="mem0")
    assert not app.exception
    assert "System" not in [box.label for box in app.selectbox]


@pytest.mark.parametrize("page", ["2_Compression", "3_Topics"])
def test_where_no_system_cut_topics_the_page_says_so(store: Path, open_page: Open, page: str) -> None:
    with open_memory(store, backends=LightBackends) as memory:
        memory.ingest(read_log(SAMPLE), recipe="fulltext")
    app = open_page(page)
    assert not app.exception
    assert "Only Full text worked on this session" in shown(app)


def beside(directory: Path, recipe: str) -> None:
    """Let another system have worked on all messages, too."""
    with open_memory(directory, backends=LightBackends) as memory, memory.store.write(actor=recipe) as writer:
        messages = [m.id for s in memory.evidence.sessions() for m in memory.evidence.session(s.id).messages]
        writer.mark_processed(recipe, messages, "run_beside")
