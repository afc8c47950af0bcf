"""The sample as a language model reads it: recorded replies in its place, in a project of their own.

The recording comes with Memscope and answers for the sample alone, so the project is kept apart from what a
person imports: there it would answer nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memcore.domain.models import LogRead
from memcore.domain.protocols import Cancelled, Progress
from memcore.logs import read_log
from memcore.memory import Memory
from memcore.runs.ingest import IngestReport
from memcore.runtime import projects, recordings
from memcore.runtime.config import load_settings, save_settings
from memcore.runtime.projects import Project
from memcore.systems.registry import OURS
from ui.shell import links, opened, readings, sample, tab, who

NAME = "Sample, read by a language model"
ABOUT = (
    "Six systems, with the recorded replies of a language model. Opens a project of its own; nothing "
    "leaves this machine."
)
FILES = ("two_friends.json", "new_city.txt")
"""The logs that the replies are about, in the order in which they were recorded."""

SYSTEMS = tuple(system.name for system in OURS if not system.about.bound)
"""All that a model reads for."""


def refused() -> str:
    """Why it cannot be loaded by whoever is looking; empty when it can: a project is the machine's."""
    return "Projects are chosen on the machine that Memscope runs on." if who.name() else ""


def recording() -> Path:
    """The recorded replies."""
    return sample.FOLDER / "recorded" / "replies.jsonl"


def load() -> None:
    """Open the project, made if there is none, let these systems read the sample there, and go to Compare.
    Raises MemcoreError, NotPermittedError among them."""
    opened.opened().people.require_operator("To open a project")
    project = next((one for one in projects.known() if one.name == NAME), None) or projects.create(
        NAME, make=opened.make_store
    )
    if opened.project().directory != project.directory:
        opened.switch(project)
        tab.arrive(project, f"“{NAME}” is open.")
    _choose_recording(project)
    memory = opened.opened()
    logs = LogRead(tuple(log for file in FILES for log in read_log(sample.FOLDER / file).logs))

    def read(system: str, tell: Progress, cancelled: Cancelled) -> IngestReport:
        return memory.ingest(logs, recipe=system, progress=tell, cancelled=cancelled)

    here = {"log": logs.logs[0].conversation.id, "systems": ",".join(SYSTEMS)}
    if unread := _unread(memory, [log.conversation.id for log in logs.logs]):
        job = readings.start("The sample, as a language model reads it", unread, read)
        here["job"] = job.id
    links.go("Compare", **here)


def _unread(memory: Memory, logs: Sequence[str]) -> list[str]:
    """The systems that have not read all of these logs yet."""
    known = {conversation.id for conversation in memory.evidence.conversations()}
    if not known.issuperset(logs):
        return list(SYSTEMS)
    read = [memory.runs.progress(log) for log in logs]
    return [system for system in SYSTEMS if any(one.left(system) for one in read)]


def _choose_recording(project: Project) -> None:
    file = recordings.permit(str(recording()))
    settings = load_settings(project.directory)
    if (settings.llm, settings.recording) != (recordings.BACKEND, file):
        save_settings(settings, llm=recordings.BACKEND, recording=file)
