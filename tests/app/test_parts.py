"""Buffers, for systems that cut no topics: what each part was, and the system's own steps at it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from memcore.domain.extraction import ExtractionTrace, SkippedText
from memcore.domain.models import Candidate, Segment, StageTrace
from memcore.logs import read_log
from memcore.memory import open_memory
from memcore.systems.licomemory.dedupe_entities import DedupeTrace, FoundEqual
from memcore.systems.mem0.conversation_summary import SummaryTrace
from memcore.systems.mem0.update import TracedVerdict, UpdateTrace
from memcore.systems.mem0_graph.conflicts import ConflictTrace
from memcore.systems.mem0_graph.match_nodes import Apart, EndTrace, MatchTrace, RelationNodes
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT

SAMPLE = Path(__file__).parents[2] / "sample_data" / "new_city.txt"
HOSTILE = "<script>alert(1)</script>"


def blocks(html: str) -> list[str]:
    """The parts on the page, in order."""
    return html.split('<div class="ms-part">')[1:]


def read_by(directory: Path, recipe: str, *traces: tuple[str, object]) -> list[Segment]:
    """Let a system have read session 1 of the seed two messages at a time, and have left these traces."""
    with open_memory(directory, backends=LightBackends) as memory:
        messages = [message.id for message in memory.evidence.session("ses_1").messages]
        pairs = [tuple(messages[i : i + 2]) for i in range(0, len(messages), 2)]
        segments = [
            Segment(f"seg_p{n}", "ses_1", ids, boundary={"method": "message pair"}, recipe=recipe)
            for n, ids in enumerate(pairs)
        ]
        run = dataclasses.replace(memory.runs.all()[0], id=f"run_{recipe}", recipe=recipe)
        with memory.store.write(actor="test", run_id=run.id) as writer:
            writer.put_run(run)
            writer.add_segments(segments)
            writer.mark_processed(recipe, messages, run.id)
            writer.add_traces(
                [
                    StageTrace(run.id, stage, "ses_1", 0, 1.0, dataclasses.asdict(trace))  # type: ignore[call-overload]
                    for stage, trace in traces
                ]
            )
    return segments


def traced(operation: str, memory_id: str = "", fact: str = "Ada lives in Porto.") -> TracedVerdict:
    compared = (Candidate(memory_id, 0.71),) if memory_id else ()
    return TracedVerdict(fact, operation, memory_id, compared, f"because {HOSTILE}", "a model")  # type: ignore[arg-type]


def test_each_decision_of_mem0_stands_in_the_part_it_was_made_for(seeded: Path, open_page: Open) -> None:
    read_by(
        seeded,
        "mem0",
        ("update", UpdateTrace("ses_1", "seg_p0", "a model", (traced("ADD"),))),
        ("update", UpdateTrace("ses_1", "seg_p1", "a model", (traced("UPDATE", "mem_1"),))),
    )
    with open_memory(seeded, backends=LightBackends) as memory:
        about = memory.memories.view("mem_1").memory.text
    first, second = blocks(shown(open_page("4_Buffers", session="ses_1", recipe="mem0")))
    assert "ADD" in first
    assert "UPDATE" not in first
    assert "UPDATE" in second
    assert "0.71" in second
    assert f'memory=mem_1" target="_self">{about}</a>' in second
    assert "because &lt;script&gt;alert(1)&lt;/script&gt;" in second


def test_a_summary_is_shown_at_the_part_after_which_it_was_taken_over(seeded: Path, open_page: Open) -> None:
    read_by(
        seeded,
        "mem0",
        ("summary", SummaryTrace("ses_1", "a model", ("seg_p0",), "S of old.", "seg_p1")),
        ("summary", SummaryTrace("ses_1", "a model", ("seg_p1",), "S of the end.", "")),
        ("summary", SummaryTrace("ses_1", "a model", ("seg_p1",), "", "", error=f"No summary {HOSTILE}")),
    )
    html = shown(open_page("4_Buffers", session="ses_1", recipe="mem0"))
    first, second = blocks(html)
    last = html[html.index("S of old.") :]
    assert "S of old." not in first
    assert "S of old." in second
    assert "S of the end." in last
    assert "1 pair added, at the end" in last
    assert "1 pair not added, at the end" in last
    assert "No summary &lt;script&gt;" in last


def test_how_each_end_of_a_relation_was_found_is_shown(seeded: Path, open_page: Open) -> None:
    subject = EndTrace("Ada's flat", "flat", created=False, similarity=0.83)
    object_ = EndTrace(HOSTILE, HOSTILE, created=True, apart=(Apart("balconies", 0.72, "other types"),))
    relation = RelationNodes("has", "one", subject, object_)
    read_by(seeded, "mem0_graph", ("match", MatchTrace("seg_p0", 0.7, (relation,))))
    first, second = blocks(shown(open_page("4_Buffers", session="ses_1", recipe="mem0_graph")))
    assert "found at 0.83: flat" in first
    assert "new node" in first
    assert "kept apart from balconies (0.72): other types" in first
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in first
    assert "one node is new" in first
    assert "Node matching" not in second


def test_names_found_equal_stand_in_their_turn(seeded: Path, open_page: Open) -> None:
    equal = FoundEqual("the book-club", "ORG", "book club", 0.875)
    read_by(seeded, "licomemory", ("dedupe", DedupeTrace(3, (equal,), "seg_p1")))
    first, second = blocks(shown(open_page("4_Buffers", session="ses_1", recipe="licomemory")))
    assert "the book-club" not in first
    assert "the book-club" in second
    assert "88%" in second
    assert "1 of 3 names" in second


def test_what_failed_and_left_no_part_is_shown_above_the_parts(seeded: Path, open_page: Open) -> None:
    read_by(
        seeded,
        "mem0_graph",
        ("extract", ExtractionTrace("ses_1", "a model", error=f"No JSON {HOSTILE}")),
        ("conflicts", ConflictTrace("seg_lost", "a model", 0, error="The resolver gave up.")),
        ("conflicts", ConflictTrace("seg_p0", "a model", 0, error="The first attempt failed.")),
    )
    html = shown(open_page("4_Buffers", session="ses_1", recipe="mem0_graph"))
    above = html.split('<div class="ms-part">')[0]
    assert "2 attempts failed" in above
    assert "No JSON &lt;script&gt;" in above
    assert "The resolver gave up." in above
    assert "The first attempt failed." not in above
    assert "The first attempt failed." in blocks(html)[0]


def test_what_was_skipped_stands_in_the_part_of_its_message(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        first_message, *_ = memory.evidence.session("ses_1").messages
    row = SkippedText(first_message.id, 0, 7, "too short <b>")
    read_by(seeded, "mem0", ("extract", ExtractionTrace("ses_1", "a model", (row,))))
    first, second = blocks(shown(open_page("4_Buffers", session="ses_1", recipe="mem0")))
    assert "too short &lt;b&gt;" in first
    assert "too short" not in second


def test_a_system_that_keeps_messages_as_they_are_is_not_said_to_be_unfinished(
    store: Path, open_page: Open, light_embedder: None
) -> None:
    with open_memory(store, backends=LightBackends) as memory:
        memory.ingest(read_log(SAMPLE), recipe="fulltext")
    html = shown(open_page("4_Buffers"))
    assert "Full text read this session message by message: 4 memories." in html
    assert "Finish the import" not in html


@pytest.mark.models
def test_the_page_of_parts_is_in_the_address_and_text_of_a_log_stays_text(
    store: Path, open_page: Open, light_embedder: None, tmp_path: Path
) -> None:
    log = tmp_path / "long.txt"
    lines = [f"[2024-01-12 18:{n:02d}] {'AB'[n % 2]}: line {n} {SCRIPT}" for n in range(44)]
    log.write_text("\n".join(lines), "utf-8")
    with open_memory(store, backends=LightBackends) as memory:
        memory.ingest(read_log(log), recipe="mem0")
    first = blocks(shown(open_page("4_Buffers")))
    third = blocks(shown(open_page("4_Buffers", page="3")))
    assert len(first) == 10
    assert [re.search("<h3>[0-9]+", one)[0] for one in third] == ["<h3>21", "<h3>22"]  # type: ignore[index]
    assert "line 43" in third[-1]
    assert "<script>" not in "".join((*first, *third))
    assert "&lt;script&gt;" in third[-1]


# --------------------------------------------------------------------------- the systems themselves


def parts_of_sample(directory: Path, open_page: Open, recipe: str) -> list[str]:
    """The parts of both sessions of the sample, read by a system without a language model."""
    with open_memory(directory, backends=LightBackends) as memory:
        memory.ingest(read_log(SAMPLE), recipe=recipe)
        ids = [session.id for session in memory.evidence.sessions()]
    return [one for i in ids for one in blocks(shown(open_page("4_Buffers", session=i)))]


@pytest.mark.models
def test_mem0_shows_the_delete_that_a_move_asks_for_with_its_reason(store: Path, open_page: Open) -> None:
    home, job, moved, again = parts_of_sample(store, open_page, "mem0")
    assert "DELETE" in moved
    assert re.search(r"memory=mem_\w+\" target=\"_self\">Iris lives in New York\.</a>", moved)
    assert "Iris has one residence at a time: “New York” on 12 January 2024, “San Francisco”" in moved
    assert "DELETE" not in home + job + again
    assert "NOOP" in again


@pytest.mark.models
def test_mem0_graph_shows_the_relation_that_a_move_made_obsolete(store: Path, open_page: Open) -> None:
    home, _, moved, _ = parts_of_sample(store, open_page, "mem0_graph")
    assert "both nodes are new" in home
    assert "found by name: Iris" in moved
    assert "2 pairs of relations compared, 1 obsolete; by rules" in moved
    assert "Iris has one residence at a time: “New York” on 12 January 2024, “San Francisco”" in moved


@pytest.mark.models
def test_licomemory_shows_the_summary_as_each_turn_left_it(store: Path, open_page: Open) -> None:
    home, job, *later = parts_of_sample(store, open_page, "licomemory")
    first = 'Summary after this turn</div><div class="ms-text">Iris lives in New York.'
    assert f"{first}</div>" in home
    assert f"{first} Iris works as a nurse at a children&#x27;s hospital.</div>" in job
    assert all("Summary after this turn" in one for one in later)


@pytest.mark.models
def test_a_summary_of_one_session_is_shown_in_the_next_where_it_was_taken_over(
    store: Path, open_page: Open, light_embedder: None, tmp_path: Path
) -> None:
    log = tmp_path / "two.txt"
    cities = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Coimbra", "Aveiro", "Sintra")
    lines = [f"[2024-01-12 18:{n:02d}] Ada: I visited {city} in {2000 + n}." for n, city in enumerate(cities)]
    lines = [line for one in lines for line in (one, one.replace("Ada: I visited", "Ben: I painted"))]
    lines += [f"[2024-03-16 10:{n:02d}] {'AB'[n % 2]}: I own a {n} year old cat." for n in range(1, 7)]
    log.write_text("\n".join(lines), "utf-8")
    with open_memory(store, backends=LightBackends) as memory:
        memory.ingest(read_log(log), recipe="mem0")
        earlier, later = (session.id for session in memory.evidence.sessions())
    assert "Summary S" not in shown(open_page("4_Buffers", session=earlier))
    ninth, tenth, *_ = blocks(shown(open_page("4_Buffers", session=later)))
    assert "Summary S" not in ninth
    assert "visited Lisbon" in tenth.split("Summary S from here on")[1]
