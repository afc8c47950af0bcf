"""The store of `seed` with something hostile after every text of the log, of models and of people."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from memcore.domain.models import Run
from memcore.evaluation.records import EvaluatedFile, Evaluations, new_record
from memcore.memory import open_memory
from memcore.review.curate.acts import EditMemories, MarkWrong
from memcore.runtime.config import Settings
from tests.app.seed import START, seed

T = TypeVar("T")
EVALUATION = "0123456789ab"
EVIL = (
    "www.evil.example m@evil.example ![i](http://evil.example/p.png) :red[r] :material/home: $x$ "
    '[click](http://evil.example/x) http://evil.example/auto <a href="http://evil.example/h">h</a> '
    "<img src=x onerror=window.pwned=1> :streamlit: :smile: :green-badge[b] **b** `c` \u202e"
)
"""The shortest first: labels are cut."""
TEXTS = frozenset(
    "owner text speaker title source_file topic keywords persons entities location compressed_source name "
    "type aliases relation themes reason made_by before after model prompt completion prompt_version error "
    "file where category subcategory stage words why".split()
)
"""The fields that hold what somebody or some model wrote, of whatever is stored."""


def hostile(one: T) -> T:
    """The same with `EVIL` after each of its texts, in its parts too."""
    if isinstance(one, tuple):
        return type(one)(hostile(part) for part in one)  # type: ignore[return-value]
    if not dataclasses.is_dataclass(one) or isinstance(one, type):
        return one
    changed = {
        f.name: _evil(value) if f.name in TEXTS else hostile(value)
        for f in dataclasses.fields(one)
        if (value := getattr(one, f.name)) is not None
    }
    return dataclasses.replace(one, **changed)


def _evil(value: Any) -> Any:
    if isinstance(value, str):
        return f"{value} {EVIL}".strip()
    return tuple(_evil(one) for one in value) if isinstance(value, tuple) else value


OWNER = hostile(Run("", "ingest", "me", "memscope", "failed", START)).owner


def seed_hostile(directory: Path) -> None:
    """Fill a new store, also with a run that failed, corrections by hand, a question and an evaluation."""
    seed(directory, change=hostile)
    with open_memory(directory, llm="none") as memory:
        failed = Run("run_failed", "ingest", "me", "memscope", "failed", START, START + timedelta(seconds=2),
                     {"llm": EVIL, "active": {"llm": EVIL}}, error="It broke.")  # fmt: skip
        with memory.store.write(actor=EVIL, run_id="run_failed") as writer:
            writer.put_run(hostile(failed))
        memory.curation.do(MarkWrong(("mem_3",), "person", EVIL), owner=OWNER)
        memory.curation.do(EditMemories(("mem_7",), kind="state", stage="time", reason=EVIL), owner=OWNER)
        memory.curation.note_question(f"Who has a cat? {EVIL}", [], owner=OWNER)
    keep_evaluation(directory, EVIL)


def keep_evaluation(directory: Path, said: str) -> str:
    """Keep an evaluation in which everything is called so; its id."""
    document = {"dataset": said, "default": said, "methods": {said: {"f1": 50.0}}}
    record = new_record(
        "segmentation",
        document,
        files=[EvaluatedFile(said, "0" * 64, 9)],
        settings=Settings(store_dir=directory),
        embedding_model=said,
        by=said,
        seconds=1.0,
        id=EVALUATION,
    )
    return Evaluations(directory).keep(record).id
