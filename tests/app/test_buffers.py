"""The Buffers page: what filled each buffer, what released it, and what was made of it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import Segment, StageTrace
from memcore.memory import open_memory
from memcore.stages.buffer import BufferTrace
from memcore.systems.lightmem.sensory import SensoryTrace
from memcore.systems.simplemem.synthesize import Fragment, SynthesisRow, SynthesisTrace
from tests.app.conftest import Open, shown
from tests.app.seed import RUN


def add_traces(directory: Path, recipe: str = "memscope", **traces: object) -> None:
    """Further traces for session 1 by stage: of the seeded run, or of a run of another system."""
    with open_memory(directory) as memory, memory.store.write(actor="test", run_id=RUN) as writer:
        run = memory.runs.all()[0]
        if run.recipe != recipe:
            run = dataclasses.replace(run, id=f"run_{recipe}", recipe=recipe)
            writer.put_run(run)
            writer.mark_processed(recipe, [m.id for m in memory.evidence.session("ses_1").messages], run.id)
        writer.add_traces(
            [
                StageTrace(run.id, stage, "ses_1", 9, 1.0, dataclasses.asdict(trace))  # type: ignore[call-overload]
                for stage, trace in traces.items()
            ]
        )


def test_a_buffer_names_the_topics_that_filled_it_and_why_it_was_released(
    seeded: Path, open_page: Open
) -> None:
    html = shown(open_page("4_Buffers", session="ses_1"))
    assert "1. Moving to Lisbon</a>" in html
    assert "2. Visit</a>" in html
    assert "of 512" in html
    assert "nothing more was to come" in html
    assert "session=ses_1&segment=seg_2" in html.replace("&amp;", "&")


def test_what_extraction_made_of_a_buffer_is_beside_it(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("4_Buffers", session="ses_1"))
    assert "4 memories" in html
    assert "language pipeline" in html


def test_a_failed_extraction_is_shown_with_its_buffer(seeded: Path, open_page: Open) -> None:
    add_traces(
        seeded,
        buffer=BufferTrace("ses_1", 512, (("seg_9",),), (300,), ("threshold",)),
        extract=ExtractionTrace("ses_1", "a model", error="The <answer> was no JSON."),
    )
    html = shown(open_page("4_Buffers", session="ses_1"))
    assert "The &lt;answer&gt; was no JSON." in html
    assert "the threshold was reached" in html
    assert "1 topic of other sessions, or resegmented since" in html


def test_sensory_memory_shows_what_went_on_and_what_stayed(seeded: Path, open_page: Open) -> None:
    add_traces(
        seeded,
        "lightmem",
        sensory=SensoryTrace(
            "ses_1",
            capacity=40,
            message_ids=("msg_0", "msg_1", "msg_2"),
            tokens=(10, 12, 14),
            released_by="overflow",
            next_tokens=9,
            boundaries=(0, 2),
            stayed=2,
        ),
    )
    html = shown(open_page("4_Buffers", session="ses_1", recipe="lightmem"))
    assert "<td>1 to 3</td>" in html
    assert "36 of 40" in html
    assert "the next message did not fit (9 tokens)" in html
    assert "<td>1 topic</td><td>1 message</td>" in html


def test_synthesis_shows_what_became_one_what_waits_and_what_was_refused(
    seeded: Path, open_page: Open
) -> None:
    new, stored = (
        Fragment("mem_x", "Ada <has> a cat.", False),
        Fragment("mem_1", "Ada lives in Lisbon.", True),
    )
    rows = (
        SynthesisRow("merged", (new, new), "Ada has a cat, Miso.", "one cat", "a model", unit="mem_2"),
        SynthesisRow("proposed", (stored, new), "Ada lives in Lisbon with a cat.", "one home", "a model"),
        SynthesisRow("refused", (new, new), "Ada has 3 cats.", "the new text adds the number 3", "a model"),
    )
    add_traces(
        seeded,
        "simplemem",
        synthesis=SynthesisTrace("ses_1", "a model", 0.6, 5, 4, 4, rows, ("units [9] do not exist",)),
    )
    page = open_page("4_Buffers", session="ses_1", recipe="simplemem")
    html = shown(page).replace("&amp;", "&")
    assert '(<abbr title="Similarity of two embeddings' in html
    html = re.sub("</?abbr[^>]*>", "", html)
    assert "5 new units, 4 near others (cosine 0.60), 4 kept; merges by a model." in html
    assert "units [9] do not exist" in html
    assert "Ada &lt;has&gt; a cat." in html
    assert 'memory=mem_2" target="_self">Ada has a cat, Miso.</a>' in html
    assert 'memory=mem_1" target="_self">Ada lives in Lisbon.</a>' in html
    assert "waits for you" in html
    assert "the new text adds the number 3" in html


def test_a_system_without_buffers_shows_its_parts_and_not_that_nothing_was_read(
    seeded: Path, open_page: Open
) -> None:
    with open_memory(seeded) as memory, memory.store.write(actor="test", run_id="run_2") as writer:
        writer.put_run(dataclasses.replace(memory.runs.all()[0], id="run_2", recipe="simplemem"))
        (first, *_) = memory.evidence.session("ses_1").messages
        writer.add_segments([Segment("seg_w", "ses_1", (first.id,), recipe="simplemem")])
        writer.mark_processed("simplemem", [first.id], "run_2")
    html = shown(open_page("4_Buffers", session="ses_1", recipe="simplemem"))
    assert "<h3>1. part</h3>" in html
    assert "I moved to Lisbon last week." in html
    assert "Nothing of this session has been extracted" not in html
