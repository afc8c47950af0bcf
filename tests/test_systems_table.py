"""README's table of systems and features: every cell is seen here, on our own sample logs, with no model.

A cell that README states otherwise fails with the table as it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from memcore.domain.models import LogRead, StageTrace
from memcore.logs import read_log
from memcore.memory import Memory, open_memory
from memcore.retrieval.results import SearchReport
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import System
from ui.components.recipes import TITLES

pytestmark = pytest.mark.models

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- systems: tests/test_systems_table.py -->\n", "<!-- /systems -->"
UNITS = {
    "window of 40 dialogues, overlap 2": "windows of 40",
    "message pair": "message pairs",
    "turn": "turns",
    "chunk of 256 tokens": "chunks",
}
"""What segments that are no topics are called in the table, by the method that made them."""


@dataclass(frozen=True)
class ReadSystem:
    """One system, a store in which it alone has read the samples, the operations it then proposed and
    those that wait after its sleep time, and what it found for a question."""

    recipe: System[object, object]
    memory: Memory
    proposed_at_once: frozenset[str]
    proposed_in_consolidation: frozenset[str]
    found: SearchReport

    def traces(self, stage: str) -> list[StageTrace]:
        """What the stage left behind in any run."""
        runs = [self.memory.runs.view(run.id) for run in self.memory.runs.all()]
        return [trace for run in runs for trace in run.traces if trace.stage == stage]


def unit(system: ReadSystem) -> str:
    """What is read at a time."""
    if system.recipe.topics:
        return "topics"
    sessions = [
        system.memory.evidence.session(s.id, recipe=system.recipe.name)
        for s in system.memory.evidence.sessions()
    ]
    methods = {segment.boundary["method"] for session in sessions for segment in session.segments}
    return ", ".join(sorted(UNITS[method] for method in methods)) or "messages"


def what_is_said_twice(system: ReadSystem) -> str:
    skipped = [row for trace in system.traces("extract") for row in trace.payload["skipped"]]
    if any(row["reason"].startswith(("already known", "NOOP:")) for row in skipped):
        return "skipped"
    return "merged during consolidation" if "merge" in system.proposed_in_consolidation else ""


def sees_contradictions(system: ReadSystem) -> str:
    if "invalidate" in system.proposed_at_once or "delete" in system.proposed_at_once:
        return "while reading"
    return "during consolidation" if "invalidate" in system.proposed_in_consolidation else ""


def ranks_by(system: ReadSystem) -> str:
    return ", ".join(dict.fromkeys(name for hit in system.found.hits for name in hit.components))


def quotes(system: ReadSystem) -> bool:
    """Every memory names the characters it came from, and they are there."""
    memories = system.memory.memories.find(states=None)
    found = [system.memory.evidence.quotes(memory.sources) for memory in memories]
    return bool(memories) and all(words and all(quote.text for quote in words) for words in found)


def changes_nothing(system: ReadSystem) -> bool:
    """With all its proposals waiting, everything it ever stored still counts."""
    return {memory.state for memory in system.memory.memories.find(states=None)} == {"active"}


def answers_as_of(system: ReadSystem) -> bool:
    """What was said in March is unknown in February."""
    hits = system.memory.search("Where does Iris live?", as_of=datetime(2024, 2, 15)).hits
    return bool(hits) and not any("San Francisco" in hit.text for hit in hits)


Cell = Callable[[ReadSystem], bool | str]
FEATURES: dict[str, Cell] = {
    "Reads at a time": unit,
    "Compresses what a model reads": lambda s: bool(s.traces("compress")),
    "Joins related facts of a session": lambda s: bool(s.traces("synthesis")),
    "Entities and triples": lambda s: bool(s.memory.graph.entities()),
    "Summaries": lambda s: s.memory.evidence.stats()["summaries"] > 0,
    "What is said twice": what_is_said_twice,
    "Sees contradictions": sees_contradictions,
    "Ranks by": ranks_by,
    "Plans the search, reflects": lambda s: s.found.trace.plan.depth is not None,
    "Every fact quotes its words (ours)": quotes,
    "Nothing stored changes unapproved (ours)": changes_nothing,
    "Answers as of a date (ours)": answers_as_of,
}


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ReadSystem]]:
    logs = [read_log(ROOT / "sample_data" / name) for name in ("two_friends.json", "new_city.txt")]
    both = LogRead(tuple(log for read in logs for log in read.logs))
    opened = []
    for name, recipe in SYSTEMS.items():
        memory = open_memory(tmp_path_factory.mktemp(name))
        memory.ingest(both, recipe=name)
        at_once = operations(memory)
        memory.consolidate()
        found = memory.search("Where does Nora live now?")
        opened.append(ReadSystem(recipe, memory, at_once, operations(memory), found))
    yield opened
    for system in opened:
        system.memory.close()


def operations(memory: Memory) -> frozenset[str]:
    return frozenset(proposal.operation for proposal in memory.review.proposals())


def shown(cell: bool | str) -> str:
    return ("yes" if cell else "–") if isinstance(cell, bool) else cell or "–"


def table(systems: list[ReadSystem]) -> str:
    """The table as Markdown."""
    names = [TITLES[system.recipe.name] for system in systems]
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    lines += [
        f"| {feature} | {' | '.join(shown(cell(system)) for system in systems)} |"
        for feature, cell in FEATURES.items()
    ]
    return "\n".join(lines) + "\n"


def test_readme_says_of_every_system_what_is_seen_here(systems: list[ReadSystem]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    stated = readme.partition(BEGIN)[2].partition(END)[0]
    assert stated == table(systems), f"README should say:\n{table(systems)}"


def test_every_system_found_something_without_a_model(systems: list[ReadSystem]) -> None:
    assert all(system.found.hits for system in systems)
    assert all(system.memory.settings.llm == "none" for system in systems)
