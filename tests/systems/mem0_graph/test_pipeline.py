"""Mem0-graph: which calls in which order, which nodes, what is proposed, and what stays as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Fact, TripleDraft
from memcore.domain.models import ConversationLog, Proposal, Source
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.runs.ingest import IngestReport
from memcore.store import DuckStore
from memcore.systems.mem0_graph.extract import GraphExtractor
from memcore.systems.mem0_graph.pipeline import UNREAD
from memcore.systems.mem0_graph.prompts import MEM0_GRAPH_CONFLICTS
from memcore.systems.mem0_graph.search import mem0_graph
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.fakes import Answer, HashingEmbedder, ScriptedLlm
from tests.pipeline import JANUARY, SayingExtractor, log, run_ingest

RECIPE = SYSTEMS["mem0_graph"]
EMBEDDER = HashingEmbedder(4096)
MARCH = datetime(2024, 3, 11, 9, 0)
FEBRUARY, APRIL = datetime(2024, 2, 15), datetime(2024, 4, 15)
IN_NEW_YORK, IN_SAN_FRANCISCO = "I live in New York.", "I moved to San Francisco."
NEW_YORK, SAN_FRANCISCO = ("New York", "PLACE"), ("San Francisco", "PLACE")
ANN = ("Ann", "PERSON")
E, R, C = (
    ("entities", "mem0_graph_entities_v1"),
    ("relations", "mem0_graph_relations_v1"),
    ("conflicts", "mem0_graph_conflicts_v1"),
)


def remember(store: DuckStore, *logs: ConversationLog, llm: ScriptedLlm | None = None, **options: Any):
    """Ingest with a scripted model or, without one, `Stating`."""
    extractor = Stating() if llm is None else GraphExtractor(llm, workers=1)
    defaults = {"recipe": RECIPE, "embedder": EMBEDDER, "llm": llm, "extractor": extractor}
    return run_ingest(store, *logs, **(defaults | options))


VERBS = {
    "lives in": ("live_in", "state"),
    "lived in": ("live_in", "event"),
    "moved to": ("move_to", "event"),
    "will move to": ("move_to", "plan"),
    "works at": ("work_at", "state"),
    "does not live in": ("not_live_in", "state"),
    "likes": ("like", "preference"),
    "paints": ("paint", "state"),
}
"""What `Stating` reads: relation and kind."""


class Stating(SayingExtractor):
    """Stands in for the language pipeline, which keeps a relation's verb without its tense: "lives in
    Oslo." is the state (Ann, live_in, Oslo), "lived in Oslo." and "moved to Oslo." are events."""

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        read = zip(buffers, super().extract(buffers), strict=True)
        return [(replace(made, facts=self._facts(buffer)), trace) for buffer, (made, trace) in read]

    def _facts(self, buffer: Buffer) -> tuple[Fact, ...]:
        found = []
        for message in buffer.messages:
            for verb, (relation, kind) in VERBS.items():
                if message.text.startswith(f"{verb} "):
                    what = message.text.removeprefix(f"{verb} ").rstrip(".")
                    draft = TripleDraft(message.speaker, relation, what, "PERSON", "THING")
                    text = f"{message.speaker} {verb} {what}."
                    source = Source(message.id, 0, len(message.text))
                    found.append(Fact(text, kind, (source,), message.speaker, triples=(draft,)))
        return tuple(found)


def entities(*found: tuple[str, str]) -> str:
    return json.dumps({"entities": [{"name": name, "type": kind} for name, kind in found]})


def relations(*found: tuple[str, str, str]) -> str:
    return json.dumps(
        {"relations": [{"source_id": 0, "subject": s, "relation": r, "object": o} for s, r, o in found]}
    )


def obsolete(*found: tuple[int, int]) -> str:
    return json.dumps(
        {"obsolete": [{"existing": old, "new": new, "reason": "She moved."} for old, new in found]}
    )


def calls(llm: ScriptedLlm) -> list[tuple[str, str]]:
    return [(call.stage, call.prompt_version) for call in llm.history]


def graph(store: DuckStore) -> list[tuple[str, str, str, datetime | None]]:
    """Every triple by name, and when it ceased to hold."""
    names = {entity.id: entity.name for entity in store.entities("me")}
    return [
        (names[t.subject_id], t.relation, names[t.object_id], t.invalidated_at) for t in store.triples("me")
    ]


def states(store: DuckStore) -> dict[str, str]:
    return {memory.text: memory.state for memory in store.memories("me", states=None)}


def traces(store: DuckStore, stage: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage)]


def found(store: DuckStore, query: str, as_of: datetime | None = None) -> list[str]:
    question = Question(query, recipe="mem0_graph", as_of=as_of)
    return [hit.text for hit in mem0_graph(store, SearchTools(EMBEDDER), question).hits]


def the_move(*, llm: bool) -> tuple[ConversationLog, ConversationLog]:
    said = (IN_NEW_YORK, IN_SAN_FRANCISCO) if llm else ("lives in New York.", "moved to San Francisco.")
    return log([said[0]], name="january"), log([said[1]], name="march", begin=MARCH)


def scripted_move(resolver: Answer) -> ScriptedLlm:
    return ScriptedLlm(
        [
            entities(ANN, NEW_YORK),
            relations(("Ann", "lives in", "New York")),
            entities(ANN, SAN_FRANCISCO),
            relations(("Ann", "moved to", "San Francisco")),
            resolver,
        ]
    )


# ---------------------------------------------------------------- the calls


def test_two_calls_a_pair_in_order_and_a_third_where_its_subject_is_known(store):
    """Two sessions, three pairs, one step: every pair is read before the first is remembered."""
    talk = log(["I live in New York.", "Nice!", "I like tea.", "Me too!"], ["I moved to San Francisco."])
    llm = ScriptedLlm(
        [
            entities(ANN, NEW_YORK),
            relations(("Ann", "lives in", "New York")),
            entities(("Ben", "PERSON"), ("tea", "THING")),
            relations(("Ben", "likes", "tea")),
            entities(ANN, SAN_FRANCISCO),
            relations(("Ann", "moved to", "San Francisco")),
            obsolete(),
        ]
    )
    report = remember(store, talk, llm=llm)
    assert calls(llm) == [E, R, E, R, E, R, C]
    assert (report.errors, report.memories, report.triples, report.proposals) == ((), 3, 3, 0)

    first, _, second, _, third, _, conflicts = llm.history
    assert first.user == (
        "<log>\n[2024-01-08T09:00, Mon] 0.Ann: I live in New York.\n"
        "[2024-01-08T09:01, Mon] 1.Ben: Nice!\n</log>"
    )
    assert "I like tea." in second.user and "New York" not in second.user, "a pair is read for itself"
    assert third.user == "<log>\n[2024-01-15T09:00, Mon] 0.Ann: I moved to San Francisco.\n</log>"
    assert conflicts.system == MEM0_GRAPH_CONFLICTS.text
    assert conflicts.user == (
        "<existing>\n1. [2024-01-08] Ann lives in New York\n</existing>\n\n"
        "<new>\n2. [2024-01-15] Ann moved to San Francisco\n</new>"
    )


def test_a_model_is_shown_the_ten_most_similar_relations_of_the_subject(store):
    said = [f"thing{n}" for n in range(14)]
    llm = ScriptedLlm()
    for number, thing in enumerate(said):
        llm.enqueue(entities(ANN, (thing, "THING")))
        llm.enqueue(relations(("Ann", "owns" if number % 2 else "sees", thing)))
    for _ in said[1:]:
        llm.enqueue(obsolete())
    remember(store, log(*[[f"I have {thing}."] for thing in said]), llm=llm)

    assert calls(llm) == [E, R] * 14 + [C] * 13
    last = llm.history[-1].user
    existing = last.split("<new>")[0]
    assert existing.count("] Ann ") == 10
    assert existing.count("owns") == 6, "all others of its kind, then the rest"
    assert [t["compared"] for t in traces(store, "conflicts")] == [*range(10), *[10] * 4]


def test_what_a_model_named_before_is_numbered_again(store):
    """Numbers are small and of this call; they are mapped back to the memories."""
    llm = scripted_move(obsolete((1, 2)))
    remember(store, *the_move(llm=True), llm=llm)
    (proposal,) = store.proposals("me")
    memories = store.memories_by_id([*proposal.target_ids, *(c.memory_id for c in proposal.candidates)])
    assert [m.text for m in memories.values()] == ["Ann lives in New York", "Ann moved to San Francisco"]
    assert proposal.reason == "She moved."
    assert proposal.made_by == "scripted (mem0_graph_conflicts_v1)"
    assert proposal.candidates[0].score == pytest.approx(
        float(
            EMBEDDER.embed(["Ann lives in New York"])[0] @ EMBEDDER.embed(["Ann moved to San Francisco"])[0]
        ),
        abs=1e-3,
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (obsolete((7, 2)), "existing 7 does not exist; left out: 'She moved.'"),
        (obsolete((1, 9)), "new 9 does not exist; left out: 'She moved.'"),
        (obsolete((2, 1)), "existing 2 and new 1 does not exist; left out: 'She moved.'"),
        (obsolete((1, 2), (1, 2)), "1 was named twice; left out: 'She moved.'"),
    ],
)
def test_unknown_ids_are_shown(store, answer, told):
    report = remember(store, *the_move(llm=True), llm=scripted_move(answer))
    assert report.errors == ()
    assert [note for trace in traces(store, "conflicts") for note in trace["notes"]] == [told]


def test_relations_of_another_subject_are_not_compared(store):
    llm = ScriptedLlm(
        [
            entities(ANN, NEW_YORK),
            relations(("Ann", "lives in", "New York")),
            entities(("Ben", "PERSON"), SAN_FRANCISCO),
            relations(("Ben", "lives in", "San Francisco")),
        ]
    )
    remember(store, log(["I live in New York."], ["Ben lives in San Francisco."]), llm=llm)
    assert calls(llm) == [E, R, E, R]


# ---------------------------------------------------------------- nodes


def test_a_matched_node_keeps_its_name_and_gets_an_alias_and_one_relation_two_mentions(store):
    remember(store, log(["paints red sports car."], ["paints sports car."]))
    ann, car = sorted(store.entities("me"), key=lambda entity: entity.name)
    assert (ann.name, car.name, car.aliases) == ("Ann", "red sports car", ("sports car",))
    (triple,) = store.triples("me")
    assert (triple.mentions, len(triple.memory_ids)) == (2, 2)
    assert list(states(store)) == ["Ann paint red sports car", "Ann paint sports car"], "as they were said"
    rows = [row for trace in traces(store, "match") for row in trace["relations"]]
    assert [row["created"] for row in rows] == ["both", "none"]
    assert rows[1]["object"]["node"] == "red sports car"


def test_a_later_run_finds_the_nodes_and_aliases_of_an_earlier_one(store):
    remember(store, log(["paints red sports car."], ["paints sports car."]))
    remember(store, log(["likes sports car."], ["likes old red sports car."], name="b"))
    assert [entity.name for entity in store.entities("me")] == ["Ann", "red sports car"]
    assert sorted(graph(store)) == [
        ("Ann", "like", "red sports car", None),
        ("Ann", "paint", "red sports car", None),
    ]


def test_nodes_are_found_by_meaning_and_so_are_triples_and_memories(store):
    remember(store, log(["paints red sports car."]))
    for kind, text in (
        ("entity", "red sports car"),
        ("triple", "Ann paint red sports car"),
        ("memory", "Ann paint red sports car"),
    ):
        ((_, cosine),) = store.semantic("me", EMBEDDER.embed([text])[0], 1, kind=kind, recipe="mem0_graph")
        assert cosine == pytest.approx(1.0, abs=1e-3)


def test_several_relations_between_one_pair_live_side_by_side(store):
    llm = ScriptedLlm(
        [
            entities(ANN, ("Google", "ORG")),
            relations(
                ("Ann", "works at", "Google"), ("Ann", "studied at", "Google"), ("Google", "paid", "Ann")
            ),
        ]
    )
    remember(store, log(["I work at Google, studied there, and they paid me."]), llm=llm)
    assert sorted(graph(store)) == [
        ("Ann", "studied_at", "Google", None),
        ("Ann", "works_at", "Google", None),
        ("Google", "paid", "Ann", None),
    ]
    assert len(store.memories("me")) == 3
    assert calls(llm) == [E, R], "relations of one pair are not compared with each other"


# ---------------------------------------------------------------- the contradiction


@pytest.fixture(params=["rules", "model"])
def moved(request, store) -> Proposal:
    """January in New York, March in San Francisco; the proposal that follows."""
    by_model = request.param == "model"
    llm = scripted_move(obsolete((1, 2))) if by_model else None
    report = remember(store, *the_move(llm=by_model), llm=llm)
    assert (report.memories, report.triples, report.proposals) == (2, 2, 1)
    (proposal,) = store.proposals("me")
    return proposal


def test_a_contradiction_is_only_proposed(store, moved):
    assert (moved.operation, moved.recipe, moved.risk, moved.state) == (
        "invalidate",
        "mem0_graph",
        "high",
        "pending",
    )
    assert "New York" in moved.before
    assert set(states(store).values()) == {"active"}
    assert [ended for *_, ended in graph(store)] == [None, None]
    home = "Where does Ann live? New York or San Francisco?"
    assert all("New York" in text for text in found(store, home, FEBRUARY))
    assert len(found(store, home, APRIL)) == len(found(store, home)) == 2


def test_approved_it_ends_memory_and_triple_at_the_time_of_the_new_one_and_removes_nothing(store, moved):
    before = graph(store)
    decided = decide.approve(store, EMBEDDER, [moved.id], "person")
    old, new = store.memories("me", states=None)
    assert (old.state, old.valid_to, old.superseded_by) == ("invalidated", MARCH, new.id)
    assert (new.state, new.valid_to) == ("active", None)
    after = graph(store)
    assert [row[:3] for row in after] == [row[:3] for row in before]
    assert [(row[2], row[3]) for row in after] == [("New York", MARCH), ("San Francisco", None)]
    home = "Where does Ann live? New York or San Francisco?"
    assert found(store, home, FEBRUARY) == [old.text]
    assert found(store, home, APRIL) == found(store, home) == [new.text]

    decide.undo(store, decided.event_id, "person")
    assert graph(store) == before
    assert set(states(store).values()) == {"active"}


def test_rejected_both_stay(store, moved):
    decide.reject(store, [moved.id], "person")
    assert set(states(store).values()) == {"active"}
    assert [ended for *_, ended in graph(store)] == [None, None]


def test_a_relation_stated_several_times_ends_as_a_whole(store):
    remember(store, log(["lives in Oslo."], ["likes tea."], ["lives in Oslo."]))
    remember(store, log(["moved to Rome."], name="b", begin=MARCH))
    (proposal,) = store.proposals("me")
    assert len(proposal.target_ids) == 2
    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert [(row[2], row[3]) for row in graph(store)] == [("Oslo", MARCH), ("tea", None), ("Rome", None)]
    ended = [m for m in store.memories("me", states=None) if m.state == "invalidated"]
    assert [m.valid_to for m in ended] == [MARCH, MARCH]


def test_what_is_said_again_does_not_propose_again(store):
    remember(store, log(["lives in Oslo."], ["moved to Rome."], ["lives in Rome."]))
    (proposal,) = store.proposals("me")
    decide.reject(store, [proposal.id], "person")
    remember(store, log(["moved to Rome."], name="b", begin=MARCH))
    assert store.proposals("me") == []


def test_moving_back_ends_the_home_between(store):
    remember(store, log(["lives in Oslo."], ["lives in Rome."], ["lives in Oslo."]))
    assert [p.before for p in store.proposals("me")] == ["Ann live in Oslo", "Ann live in Rome"]


@pytest.mark.parametrize("by_model", [False, True])
def test_in_an_older_log_that_comes_later_it_is_the_older_relation_that_ends(store, by_model):
    january, march = the_move(llm=by_model)
    llm = scripted_move(obsolete((1, 2))) if by_model else None
    if llm:
        llm.answers[:4] = [*llm.answers[2:4], *llm.answers[:2]]
    remember(store, march, llm=llm)
    remember(store, january, llm=llm)
    (proposal,) = store.proposals("me")
    assert "New York" in proposal.before
    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert {row[2]: row[3] for row in graph(store)} == {"San Francisco": None, "New York": MARCH}
    assert all("New York" in text for text in found(store, "Where does Ann live? New York", FEBRUARY))


def test_what_an_older_log_says_ends_when_the_other_was_first_said_after_it(store):
    remember(store, log(["lives in Oslo."]))
    remember(store, log(["lives in Oslo."], name="again", begin=MARCH))
    remember(store, log(["lives in Rome."], name="between", begin=JANUARY + timedelta(weeks=2)))
    (proposal,) = store.proposals("me")
    assert proposal.before == "Ann live in Rome"
    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert {row[2]: row[3] for row in graph(store)} == {"Oslo": None, "Rome": MARCH}


def test_a_relation_is_compared_with_those_of_its_subject_among_the_nearest_memories(store, monkeypatch):
    monkeypatch.setattr("memcore.systems.mem0_graph.growing_graph.NEAREST_MEMORIES", 5)
    remember(store, log(["lives in Oslo.", *[f"paints thing{n}." for n in range(20)]]))
    remember(store, log(["lives in Oslo today."], name="b", begin=MARCH))
    assert traces(store, "conflicts")[-1]["compared"] <= 5
    remember(store, log(["lives in Rome."], name="c", begin=APRIL))
    assert "Ann live in Oslo" in [p.before for p in store.proposals("me")]


def test_said_anew_after_it_ended_it_holds_for_a_second_time(store):
    remember(store, log(["lives in Oslo."], ["moved to Rome."]))
    decide.approve(store, EMBEDDER, [store.proposals("me")[0].id], "person")
    remember(store, log(["lives in Oslo."], name="b", begin=MARCH))
    oslo = [row for row in graph(store) if row[2] == "Oslo"]
    assert [ended is None for *_, ended in oslo] == [False, True]


def test_without_dates_what_is_said_anew_after_it_ended_is_found_again(store):
    home = "Where does Ann live? New York or San Francisco?"
    remember(store, log([IN_NEW_YORK], [IN_SAN_FRANCISCO], begin=None), llm=scripted_move(obsolete((1, 2))))
    decide.approve(store, EMBEDDER, [store.proposals("me")[0].id], "person")
    assert found(store, home) == ["Ann moved to San Francisco"]
    back = ScriptedLlm([*scripted_move("").answers[:2], obsolete()])
    remember(store, log([IN_NEW_YORK], name="b", begin=None), llm=back)
    assert sorted(found(store, home)) == ["Ann lives in New York", "Ann moved to San Francisco"]


def test_a_denial_ends_what_it_denies(store):
    remember(store, log(["lives in Oslo."], ["does not live in Oslo."]))
    assert [p.before for p in store.proposals("me")] == ["Ann live in Oslo"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("lived in Oslo.", "moved to Rome."),  # it was over already
        ("lives in Oslo.", "lived in Rome."),  # tells of an earlier time
        ("lives in Oslo.", "will move to Rome."),  # has not happened
        ("lives in Oslo.", "works at Google."),
        ("lives in Oslo.", "likes Rome."),
        ("likes tea.", "likes coffee."),
        ("paints roses.", "paints tulips."),
        ("moved to Oslo.", "moved to Rome."),  # that she once moved there stays true
    ],
)
def test_what_can_stand_side_by_side_is_never_proposed_to_end(store, first, then):
    remember(store, log([first], [then]))
    assert len(store.memories("me")) == 2
    assert store.proposals("me") == []


# ---------------------------------------------------------------- what is stored


def test_every_relation_is_a_memory_with_its_words_in_the_segment_of_its_pair(store):
    talk = log(["lives in Oslo.", "likes tea.", "paints roses."])
    report = remember(store, talk)
    assert report.segments == 2
    segments = {segment.id: segment for segment in store.segments(recipe="mem0_graph")}
    assert [len(segment.message_ids) for segment in segments.values()] == [2, 1]
    for memory in store.memories("me"):
        (triple,) = store.triples("me", memory_ids=[memory.id])
        (source,) = memory.sources
        assert triple.sources == memory.sources
        assert source.message_id in segments[memory.segment_id].message_ids
        assert memory.mentioned_at == memory.valid_from == triple.valid_from


def test_other_roles_are_skipped_with_the_reason(store):
    talk = log([("tool", "likes numbers."), "likes tea."])
    remember(store, talk)
    rows = [row for trace in traces(store, "extract") for row in trace["skipped"]]
    assert [(row["message_id"], row["reason"]) for row in rows] == [(talk.messages[0].id, UNREAD)]
    assert store.pending_messages("mem0_graph", "me") == []


def test_two_recipes_in_one_store_keep_apart(store):
    talk = log(["likes tea."])
    run_ingest(store, talk, embedder=EMBEDDER)
    before = store.triples("me"), store.entities("me"), store.memories("me")
    remember(store, talk)
    assert store.triples("me", recipe="memscope") == before[0]
    assert store.entities("me", recipe="memscope") == before[1]
    assert store.memories("me", recipe="memscope") == before[2]
    assert [t.relation for t in store.triples("me", recipe="mem0_graph")] == ["like"]


# ---------------------------------------------------------------- failures


def pending(store: DuckStore) -> list[str]:
    return [message.text for message in store.pending_messages("mem0_graph", "me")]


BROKEN, GONE = LlmReplyError("Nonsense.", "Choose another model."), LlmUnavailableError("Down.", "Start it.")


def test_a_pair_whose_conflicts_cannot_be_resolved_leaves_nothing_and_waits(store):
    talk = log([IN_NEW_YORK], [IN_SAN_FRANCISCO], ["I like tea."])
    llm = scripted_move(BROKEN)
    llm.answers[4:4] = [entities(("Ben", "PERSON"), ("tea", "THING")), relations(("Ben", "likes", "tea"))]
    report = remember(store, talk, llm=llm)
    assert report.errors == ("Nonsense. Choose another model.",)
    assert list(states(store)) == ["Ann lives in New York", "Ben likes tea"]
    assert "San Francisco" not in [entity.name for entity in store.entities("me")]
    assert pending(store) == [IN_SAN_FRANCISCO]
    assert [t["error"] for t in traces(store, "conflicts") if t["error"]] == list(report.errors)

    again = ScriptedLlm([*scripted_move("").answers[2:4], obsolete((1, 2))])
    assert remember(store, llm=again).proposals == 1
    assert pending(store) == []


@pytest.mark.parametrize("failing", [0, 1])
def test_a_pair_that_cannot_be_read_waits_alone(store, failing):
    answers = [entities(ANN, NEW_YORK), relations(("Ann", "lives in", "New York"))][:failing]
    llm = ScriptedLlm([*answers, BROKEN, *scripted_move("").answers[2:4]])
    report = remember(store, log([IN_NEW_YORK], [IN_SAN_FRANCISCO]), llm=llm)
    assert report.errors == ("Nonsense. Choose another model.",)
    assert list(states(store)) == ["Ann moved to San Francisco"]
    assert pending(store) == [IN_NEW_YORK]


def test_a_server_lost_while_resolving_keeps_the_pairs_before_and_stops(store):
    llm = scripted_move(GONE)
    llm.answers[4:4] = [entities(ANN, ("tea", "THING")), relations(("Ann", "likes", "tea"))]
    report = remember(store, log([IN_NEW_YORK], [IN_SAN_FRANCISCO], ["I like tea."]), llm=llm)
    assert report.errors == ("Down. Start it.",)
    assert calls(llm) == [E, R] * 3 + [C], "once it is gone it is not asked again"
    assert pending(store) == [IN_SAN_FRANCISCO, "I like tea."]


def test_a_server_lost_for_everything_fails_the_run(store):
    with pytest.raises(LlmUnavailableError):
        remember(store, log([IN_NEW_YORK]), llm=ScriptedLlm([GONE]))
    assert pending(store) == [IN_NEW_YORK]


# ---------------------------------------------------------------- interrupted


def told(report: IngestReport) -> tuple[str, int]:
    return report.state, report.memories


def test_resuming_equals_one_run(store, tmp_path):
    talk = log(
        ["lives in Oslo.", "paints red sports car.", "likes tea.", "likes jazz.", "paints roses."],
        ["moved to Rome.", "paints sports car."],
        ["lives in Rome.", "lives in Lima.", "does not live in Rome."],
        ["likes green tea leaves.", "moved to Quito."],
    )
    small = replace(RECIPE, step_messages=4)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    assert remember(store, talk, recipe=small, cancelled=cancelled).state == "cancelled"
    assert 0 < len(pending(store)) < len(talk.messages)
    assert remember(store, recipe=small).state == "finished"
    with pipeline.open_with(EMBEDDER, tmp_path / "in_one_go") as expected:
        remember(expected, talk, recipe=small)
        assert len(expected.proposals("me")) > 1
        assert pipeline.content(store, recipe="mem0_graph") == pipeline.content(expected, recipe="mem0_graph")


def test_the_same_log_again_adds_nothing(store):
    talk = log(["lives in Oslo.", "likes tea."], ["moved to Rome."])
    remember(store, talk)
    before = store.stats("me") | {"runs": None}
    assert told(remember(store, talk)) == ("finished", 0)
    assert store.stats("me") | {"runs": None} == before


def test_steps_are_small_and_hold_whole_pairs(store):
    remember(store, log([f"likes thing{n}." for n in range(70)]))
    assert [len(s.message_ids) for s in store.segments(recipe="mem0_graph")] == [2] * 35
    assert len({trace.position for trace in store.traces(stage="embed")}) == 3
