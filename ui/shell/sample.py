"""The sample conversation: two fictional friends, ours to give away."""

from __future__ import annotations

from pathlib import Path

from memcore.domain.models import LogRead
from memcore.logs import ReadOptions, read_bytes
from memcore.memory import Memory
from memcore.runs.ingest import IngestReport
from ui.shell.jobs import Job, board

FOLDER = Path(__file__).parents[2] / "sample_data"
ABOUT = "A fictional conversation of two friends over some months. Nothing leaves this machine."


def path() -> Path:
    """The file that "Load sample" imports."""
    return next(iter(sorted(FOLDER.glob("two_friends.*"))))


def questions() -> Path:
    """The dataset that "Load sample" evaluates on."""
    return FOLDER / "questions.json"


def read(owner: str) -> LogRead:
    """The sample as its reader sees it."""
    file = path()
    return read_bytes(file.name, file.read_bytes(), ReadOptions(owner=owner))


def start(memory: Memory, owner: str) -> Job[IngestReport]:
    """Import the sample on a thread of its own."""
    logs = read(owner)
    return board().start(
        "Import",
        f"Import of {path().name}",
        IngestReport,
        lambda progress, cancelled: memory.ingest(logs, owner=owner, progress=progress, cancelled=cancelled),
    )
