"""LiCoMemory: one light call a turn, CogniGraph linked both ways, summaries that really update."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.models import ConversationLog, SessionSummary, Triple
from memcore.stages.relations import NO_RELATION
from memcore.store import DuckStore
from memcore.systems.licomemory.extract import LiCoMemoryExtractor, TurnReply
from memcore.systems.licomemory.pipeline import MOST_ENTITIES, UNREAD
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.fakes import Answer, ScriptedLlm
from tests.pipeline import EMBEDDER, SayingExtractor, content, log, run_ingest

LICOMEMORY = SYSTEMS["licomemory"]
TYPES = {"Ann": "PERSON", "Ben": "PERSON", "Oslo": "PLACE", "New York": "PLACE", "San Francisco": "PLACE"}


def turn(
    summary: str,
    *triples: tuple[str, str, str],
    line: int = 0,
    types: dict[str, str] | None = None,
    keywords: tuple[str, ...] = (),
) -> str:
    """The model's answer to one turn; triples are of its line `line`."""
    names = dict.fromkeys(end for subject, _, object_ in triples for end in (subject, object_))
    return json.dumps(
        {
            "entities": [{"name": n, "type": (TYPES | (types or {})).get(n, "THING")} for n in names],
            "triples": [{"source_id": line, "subject": s, "relation": r, "object": o} for s, r, o in triples],
            "summary": {"text": summary, "keywords": list(keywords), "themes": ["life"]},
        }
    )


def remember(store: DuckStore, *logs: ConversationLog, answers: list[Answer], **options: Any) -> ScriptedLlm:
    """Ingest (no log: resume) with a model that gives these answers, all of which must be asked for."""
    llm = ScriptedLlm(answers)
    options = {"recipe": LICOMEMORY} | options
    options["report"] = run_ingest(store, *logs, llm=llm, extractor=LiCoMemoryExtractor(llm), **options)
    assert not llm.answers, "every answer is a call that was made"
    return llm


def prompts(llm: ScriptedLlm) -> list[str]:
    return [asked.user for asked in llm.history]


def summary_of(store: DuckStore, session: int = 0) -> SessionSummary:
    sessions = [s.id for s in store.sessions(owner="me")]
    return {s.session_id: s for s in store.summaries("me", recipe="licomemory")}[sessions[session]]


def facts(store: DuckStore) -> list[str]:
    return [memory.text for memory in store.memories("me", recipe="licomemory")]


def edges(store: DuckStore) -> list[tuple[str, str, str]]:
    names = {e.id: e.name for e in store.entities("me", recipe="licomemory")}
    triples = store.triples("me", recipe="licomemory")
    return [(names[t.subject_id], t.relation, names[t.object_id]) for t in triples]


def traced(store: DuckStore, stage: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage, recipe="licomemory")]


# ---------------------------------------------------------------- the calls


def test_the_call_sequence_of_the_paper_is_one_call_a_turn_with_the_summary_the_turn_before_left(
    store,
) -> None:
    talk = log(["I run.", "Where?", "In Oslo.", "I paint."], ["Hi again.", "Hi!"])
    llm = remember(
        store,
        talk,
        answers=[
            turn("Ann runs.", ("Ann", "does", "running")),
            turn("Ann runs in Oslo. Ben paints.", ("Ann", "runs in", "Oslo"), ("Ben", "does", "painting")),
            turn("They greet."),
        ],
    )
    assert [(asked.stage, asked.prompt_version, asked.schema) for asked in llm.history] == [
        ("add_memory", "licomemory_turn_v1", TurnReply)
    ] * 3
    assert prompts(llm) == [
        "<summary>\n\n</summary>\n\n<entities>\n\n</entities>\n\n"
        "<turn>\n[2024-01-08T09:00, Mon] 0.Ann: I run.\n[2024-01-08T09:01, Mon] 1.Ben: Where?\n</turn>",
        "<summary>\nAnn runs.\n</summary>\n\n<entities>\nAnn (PERSON)\nrunning (THING)\n</entities>\n\n"
        "<turn>\n[2024-01-08T09:02, Mon] 0.Ann: In Oslo.\n[2024-01-08T09:03, Mon] 1.Ben: I paint.\n</turn>",
        "<summary>\n\n</summary>\n\n<entities>\n\n</entities>\n\n"
        "<turn>\n[2024-01-15T09:00, Mon] 0.Ann: Hi again.\n[2024-01-15T09:01, Mon] 1.Ben: Hi!\n</turn>",
    ]


def test_a_turn_is_a_message_and_its_reply_and_a_message_without_one_is_a_turn(store) -> None:
    talk = log(["I run.", "Where?", "In Oslo."])
    llm = remember(store, talk, answers=[turn("Ann runs."), turn("Ann runs in Oslo.")])
    assert [prompt.count("Ann:") + prompt.count("Ben:") for prompt in prompts(llm)] == [2, 1]
    assert [len(segment.message_ids) for segment in store.segments(recipe="licomemory")] == [2, 1]


def test_a_prompt_does_not_grow_for_ever(store) -> None:
    days = [[("Ann", "saw", f"film {day}.{number}") for number in range(15)] for day in range(6)]
    answers = [turn("Ann saw films.", *films) for films in days]
    llm = remember(store, log(["I saw films.", "And?"] * 6), answers=answers)
    listed = [prompt.partition("<entities>\n")[2].partition("\n</entities>")[0] for prompt in prompts(llm)]
    assert [len(names.splitlines()) for names in listed] == [0, 16, 31, 46, MOST_ENTITIES, MOST_ENTITIES]
    assert listed[-1].startswith("film 1.1 (THING)"), "those last met are listed"
    assert listed[-1].endswith("Ann (PERSON)\nfilm 4.14 (THING)")


def test_messages_nobody_said_are_skipped_with_the_reason(store) -> None:
    talk = log([("system", "Be kind."), "I run.", ("tool", "42")])
    remember(store, talk, answers=[turn("Ben runs.")])
    assert store.pending_messages("licomemory", "me") == []
    reasons = [row["reason"] for payload in traced(store, "extract") for row in payload["skipped"]]
    assert reasons.count(UNREAD) == 2


# ---------------------------------------------------------------- summaries


def test_the_last_summary_is_stored_and_every_version_traced(store) -> None:
    versions = ["Ann runs.", "Ann runs in Oslo.", "Ann runs in Oslo. Ben paints."]
    talk = log(["I run.", "Where?", "In Oslo.", "Oh.", "And you?", "I paint."])
    remember(store, talk, answers=[turn(text) for text in versions])
    assert [version["text"] for version in traced(store, "summarize")] == versions
    assert [v["segment_id"] for v in traced(store, "summarize")] == list(summary_of(store).segment_ids)
    assert {t.unit for t in store.traces(stage="summarize")} == {talk.sessions[0].id}
    assert summary_of(store).text == versions[-1]
    said = [m.said_at for m in talk.messages]
    assert (summary_of(store).started_at, summary_of(store).ended_at) == (said[0], said[-1])


def test_a_summary_is_embedded_when_no_further_step_goes_on_with_its_session(store) -> None:
    talk = log(["I run.", "Where?", "In Oslo.", "Oh.", "I paint.", "Nice."], ["I ski.", "Wow."])
    texts = ["Ann runs.", "Ann runs in Oslo.", "Ann runs in Oslo and paints.", "Ann skis."]
    answers = [turn(text, ("Ann", "does", text.split()[-1])) for text in texts]
    small = replace(LICOMEMORY, step_messages=2, before=0)
    remember(store, talk, answers=answers, recipe=small)
    assert set(store.embeddings(EMBEDDER.model_id, texts)) == set(texts[2:])


def test_history_shows_what_a_summary_was_before(store) -> None:
    remember(store, log(["I run.", "Where?"]), answers=[turn("Ann runs.", ("Ann", "does", "running"))])
    longer = log(["I run.", "Where?", "In Oslo.", "Oh."])
    remember(store, longer, answers=[turn("Ann runs in Oslo.", ("Ann", "runs in", "Oslo"))])
    summary = summary_of(store)
    events = store.events(object_id=summary.id)
    assert [(e.before or {}).get("text") for e in events] == [None, "Ann runs."]
    assert (events[-1].after or {})["text"] == "Ann runs in Oslo."
    assert (len(summary.triple_ids), len(summary.segment_ids)) == (2, 2), "its links have grown"


def test_a_summary_has_at_most_five_keywords(store) -> None:
    words = tuple("oslo lima cairo quito delhi perth".split())
    remember(store, log(["I travel.", "Where?"]), answers=[turn("Ann travels.", keywords=words)])
    assert summary_of(store).keywords == words[:5]


def test_an_answer_without_a_summary_leaves_the_one_so_far(store) -> None:
    answers = [turn("Ann runs.", keywords=("running",)), turn("", ("Ann", "runs in", "Oslo"))]
    remember(store, log(["I run.", "Where?", "In Oslo.", "Oh."]), answers=answers)
    assert (summary_of(store).text, summary_of(store).keywords) == ("Ann runs.", ("running",))
    assert facts(store) == ["Ann runs in Oslo"]


# ---------------------------------------------------------------- entities and triples


def test_a_name_that_shares_85_percent_of_its_words_is_the_entity_and_becomes_a_name_of_it(store) -> None:
    group, said = "north side church choir of old Boston", "North Side Church Choir of Boston"
    types = {group: "ORG", said: "ORG"}
    answers = [
        turn("Ann sings.", ("Ann", "joined", group), types=types),
        turn("Ann left.", ("Ann", "left", said), types=types),
    ]
    remember(store, log(["I sing.", "Where?", "I left.", "Oh."]), answers=answers)
    assert edges(store) == [("Ann", "joined", group), ("Ann", "left", group)]
    (entity,) = [e for e in store.entities("me", recipe="licomemory") if e.type == "ORG"]
    assert (entity.name, entity.aliases) == (group, (said,))
    (trace,) = traced(store, "dedupe")
    (equal,) = trace["equal"]
    assert equal == {"name": said, "type": "ORG", "entity": group, "overlap": pytest.approx(6 / 7)}
    assert store.proposals("me") == [], "nothing that was stored has changed"


def test_an_entity_of_another_type_stays_apart(store) -> None:
    one, other = "support group LGBTQ", "LGBTQ support group"
    answers = [
        turn("", ("Ann", "joined", one), types={one: "ORG"}),
        turn("", ("Ann", "attended", other), types={other: "EVENT"}),
    ]
    remember(store, log(["I joined.", "Where?", "I went.", "Oh."]), answers=answers)
    assert edges(store) == [("Ann", "joined", one), ("Ann", "attended", other)]


def test_parallel_relations_between_the_same_pair_are_kept_side_by_side(store) -> None:
    pair = [("Ann", "works in", "Oslo"), ("Ann", "loves", "Oslo"), ("Ann", "was born in", "Oslo")]
    remember(store, log(["I love Oslo.", "Me too."]), answers=[turn("Ann loves Oslo.", *pair)])
    assert sorted(edges(store)) == [
        ("Ann", "loves", "Oslo"),
        ("Ann", "was_born_in", "Oslo"),
        ("Ann", "works_in", "Oslo"),
    ]
    assert sorted(facts(store)) == ["Ann loves Oslo", "Ann was born in Oslo", "Ann works in Oslo"]


def test_the_same_relation_at_another_time_overwrites_nothing(store) -> None:
    talk = log(["I am in Oslo.", "Nice."], ["In Oslo again.", "Nice."])
    told = turn("Ann is in Oslo.", ("Ann", "visits", "Oslo"))
    remember(store, talk, answers=[told, told])
    said = [m.said_at for m in talk.messages if m.speaker == "Ann"]
    memories = store.memories("me", recipe="licomemory")
    assert [(m.text, m.mentioned_at, m.valid_from) for m in memories] == [
        ("Ann visits Oslo", at, at) for at in said
    ]
    assert len({m.segment_id for m in memories}) == 2, "each has the turn it was said in"
    (edge,) = store.triples("me", recipe="licomemory")
    assert (edge.mentions, edge.valid_from) == (2, said[0])
    assert set(edge.memory_ids) == {m.id for m in memories}


def test_a_contradiction_stands_side_by_side_and_nothing_is_proposed(store) -> None:
    remember(store, new_city(), answers=new_city_turns())
    assert [(m.text, m.state) for m in store.memories("me", states=None)] == [
        ("Ann lives in New York", "active"),
        ("Ann moved to San Francisco", "active"),
    ]
    assert store.proposals("me", states=None) == []


def new_city() -> ConversationLog:
    """January and, in a session eight weeks later, March."""
    talk = log(["I live in New York.", "Nice."], ["I moved to San Francisco.", "Oh."])
    later = [replace(m, said_at=m.said_at + timedelta(weeks=7)) for m in talk.messages[2:]]
    return replace(talk, messages=(*talk.messages[:2], *later))


def new_city_turns() -> list[Answer]:
    return [
        turn("Ann lives in New York.", ("Ann", "lives in", "New York")),
        turn("Ann moved to San Francisco.", ("Ann", "moved to", "San Francisco")),
    ]


# ---------------------------------------------------------------- linked both ways


def test_the_three_layers_are_linked_both_ways(store) -> None:
    talk = log(["I run.", "Where?", "In Oslo.", "Oh."])
    answers = [
        turn("Ann runs.", ("Ann", "does", "running")),
        turn("Ann runs in Oslo.", ("Ann", "runs in", "Oslo")),
    ]
    remember(store, talk, answers=answers)
    summary = summary_of(store)
    triples = {t.id: t for t in store.triples("me", recipe="licomemory")}
    first, second = store.segments(recipe="licomemory")

    assert set(summary.triple_ids) == set(triples), "from a summary down to triples"
    assert summary.segment_ids == (first.id, second.id), "and to chunks"
    homes = [segment_of(store, triples[i]) for i in summary.triple_ids]
    assert homes == [first, second], "from a triple to its chunk, through the memory that states it"
    assert {home.session_id for home in homes} == {summary.session_id}, "and to its session"

    (memory,) = store.memories("me", recipe="licomemory", segment_id=second.id)
    assert memory.text == "Ann runs in Oslo", "from a chunk up to what was read in it"
    (triple,) = store.triples("me", recipe="licomemory", memory_ids=[memory.id])
    assert triple.id == summary.triple_ids[1], "and to the triple it states"


def segment_of(store: DuckStore, triple: Triple):
    memories = store.memories_by_id(triple.memory_ids)
    return store.segments(ids=[memories[triple.memory_ids[0]].segment_id or ""])[0]


def test_a_memory_quotes_the_words_of_its_triple(store) -> None:
    long = "I was out late, as always on a Friday. I run in Oslo. " + "The rain was something else. " * 6
    remember(store, log([long, "Oh."]), answers=[turn("Ann runs.", ("Ann", "runs in", "Oslo"))])
    (memory,) = store.memories("me", recipe="licomemory")
    (source,) = memory.sources
    assert long[source.start : source.end] == "I run in Oslo."


# ---------------------------------------------------------------- when something fails


FAILED = LlmReplyError("The answer is no JSON.", "Choose another model.")


def test_a_failed_turn_waits_and_the_next_goes_on_with_the_last_good_summary(store) -> None:
    talk = log(["I run.", "Where?", "In Oslo.", "Oh.", "I paint.", "Nice."])
    answers: list[Answer] = [
        turn("Ann runs.", ("Ann", "does", "running")),
        FAILED,
        turn("Ann runs and paints.", ("Ann", "does", "painting")),
    ]
    llm = remember(store, talk, answers=answers)
    assert "<summary>\nAnn runs.\n</summary>" in prompts(llm)[2]
    assert store.pending_messages("licomemory", "me") == list(talk.messages[2:4])
    assert facts(store) == ["Ann does running", "Ann does painting"]
    assert len(summary_of(store).segment_ids) == 2, "nothing half done is stored"
    assert [p["error"] for p in traced(store, "extract") if p["error"]] == [str(FAILED)]

    again = remember(store, answers=[turn("Ann runs in Oslo and paints.", ("Ann", "runs in", "Oslo"))])
    assert "<summary>\nAnn runs and paints.\n</summary>" in prompts(again)[0]
    assert "0.Ann: In Oslo." in prompts(again)[0]
    assert store.pending_messages("licomemory", "me") == []
    assert (summary_of(store).text, len(summary_of(store).segment_ids)) == ("Ann runs in Oslo and paints.", 3)


def test_what_cannot_be_asked_at_all_is_raised_and_nothing_of_the_step_is_stored(store) -> None:
    down = LlmUnavailableError("There is no server.", "Start it.")
    with pytest.raises(LlmUnavailableError):
        remember(store, log(["I run.", "Where?"]), answers=[down])
    assert len(store.pending_messages("licomemory", "me")) == 2
    assert store.summaries("me") == []


def test_turns_read_before_the_server_was_lost_are_kept(store) -> None:
    talk = log(["I run.", "Where?", "In Oslo.", "Oh.", "I paint.", "Nice."])
    down = LlmUnavailableError("There is no server.", "Start it.")
    remember(store, talk, answers=[turn("Ann runs.", ("Ann", "does", "running")), down])
    assert facts(store) == ["Ann does running"]
    assert store.pending_messages("licomemory", "me") == list(talk.messages[2:]), "no other turn was asked"


# ---------------------------------------------------------------- steps and resuming


def chatter(turns: int) -> ConversationLog:
    """A session in which Ann once speaks twice, so that replies stand at odd places."""
    texts = [f"likes {word}." for word in "tea chess opera rain snow jazz rice figs kites maps".split()]
    talk = log((texts * 2)[: 2 * turns + 1])
    speakers = ["Ann", "Ann", *["Ben", "Ann"] * turns]
    said = [replace(m, speaker=who) for m, who in zip(talk.messages, speakers, strict=False)]
    return replace(talk, messages=tuple(said))


class Counting(ScriptedLlm):
    """Answers every turn with how many there were in what it was told so far."""

    def __init__(self) -> None:
        super().__init__()

    def _next(self, call):
        so_far = call.user.partition("<summary>\n")[2].partition("\n</summary>")[0]
        place = call.user.partition("<turn>\n")[2].split(" likes ")[1].split(".")[0]
        self.answers = [turn(f"{so_far} {place}".strip(), ("Ann", "likes", place))]
        return super()._next(call)


def step_sized(size: int):
    return replace(LICOMEMORY, step_messages=size)


@pytest.mark.parametrize("size", [4, 5, 6, 9])
def test_where_a_step_begins_makes_no_difference(tmp_path, size: int) -> None:
    seen = []
    for step_messages in (size, 1000):
        llm = Counting()
        with pipeline.open_with(EMBEDDER, tmp_path / str(step_messages)) as store:
            run_ingest(
                store,
                chatter(8),
                recipe=step_sized(step_messages),
                llm=llm,
                extractor=LiCoMemoryExtractor(llm),
            )
            kept = content(store, recipe="licomemory")
            seen.append((prompts(llm), {k: v for k, v in kept.items() if k != "events"}))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("steps", [1, 2])
def test_a_run_that_was_stopped_and_resumed_equals_one_run(tmp_path, steps: int) -> None:
    seen = []
    for stopped in (True, False):
        llm, done = Counting(), []
        options: dict[str, Any] = {"llm": llm, "extractor": LiCoMemoryExtractor(llm), "recipe": step_sized(6)}
        with pipeline.open_with(EMBEDDER, tmp_path / str(stopped)) as store:
            if stopped:
                run_ingest(
                    store,
                    chatter(8),
                    **options,
                    progress=lambda stage, n, total, done=done: (
                        done.append(n) if stage == "remember" else None
                    ),
                    cancelled=lambda done=done: len(done) >= steps,
                )
                assert store.pending_messages("licomemory", "me")
                run_ingest(store, **options)
            else:
                run_ingest(store, chatter(8), **options)
            kept = content(store, recipe="licomemory")
            seen.append((prompts(llm), {k: v for k, v in kept.items() if k != "events"}))
    assert seen[0] == seen[1]


# ---------------------------------------------------------------- no language model


def test_without_a_model_the_same_steps_run_and_rules_continue_the_summary(store) -> None:
    extractor = SayingExtractor()
    talk = log(["likes tea. Really?", "likes chess.", "likes opera.", "hm?"])
    report = run_ingest(store, talk, recipe=LICOMEMORY, extractor=extractor)
    assert (report.errors, report.llm["calls"]) == ((), 0)
    assert [[m.text for m in buffer.messages] for buffer in extractor.read] == [
        [m.text for m in talk.messages[:2]],
        [m.text for m in talk.messages[2:]],
    ]
    assert facts(store) == ["Ann likes tea", "Ben likes chess", "Ann likes opera"]
    versions = [version["text"] for version in traced(store, "summarize")]
    assert versions == [
        "likes tea. Really? likes chess.",
        "likes tea. Really? likes chess. likes opera. hm?",
    ], "what was said is kept, what is new is added"
    assert {"tea", "chess", "opera"} < set(summary_of(store).keywords)


def test_without_a_model_the_turns_of_a_step_are_read_in_one_batch(store) -> None:
    batches: list[int] = []

    class Batching(SayingExtractor):
        def extract(self, buffers):
            batches.append(len(buffers))
            return super().extract(buffers)

    run_ingest(store, log(["likes tea."] * 6), recipe=step_sized(4), extractor=Batching())
    assert batches == [2, 1]


def test_a_prompt_calls_what_a_person_merged_by_the_survivors_name(store) -> None:
    answers = [turn("Ann runs.", ("Ann", "runs in", "NYC"), ("Ann", "likes", "New York City"))]
    remember(store, log(["I run in NYC."]), answers=answers)
    nyc, city = sorted((e for e in store.entities("me") if e.name != "Ann"), key=lambda e: e.name)[:2]
    with store.write(actor="person") as writer:
        merged = replace(nyc, aliases=(city.name,)), replace(city, merged_into=nyc.id)
        writer.put_entities(merged, kind="entity.merged")
    go_on = log(["I run in NYC.", "Where?", "I like New York City."])
    llm = remember(store, go_on, answers=[turn("Ann runs.", ("Ann", "likes", "New York City"))])
    listed = prompts(llm)[0].partition("<entities>\n")[2].partition("\n</entities>")[0]
    assert sorted(listed.splitlines()) == ["Ann (PERSON)", "NYC (THING)"]
    names = {e.id: e.name for e in store.entities("me")}
    assert sorted((t.relation, names[t.object_id]) for t in store.triples("me")) == [
        ("likes", "NYC"),
        ("likes", "New York City"),
        ("runs_in", "NYC"),
    ]


def test_without_a_model_the_turn_before_is_context(store) -> None:
    extractor = SayingExtractor()
    talk = log(["likes tea.", "likes chess.", "likes opera.", "hm?"])
    run_ingest(store, talk, recipe=LICOMEMORY, extractor=extractor)
    assert [m.text for m in extractor.read[1].before] == ["likes tea.", "likes chess."]
    assert extractor.read[1].people == ("Ann", "Ben")


class WithoutRelations(SayingExtractor):
    """Facts that relate nothing to anything."""

    def extract(self, buffers):
        return [
            (replace(extraction, facts=tuple(replace(f, triples=()) for f in extraction.facts)), trace)
            for extraction, trace in super().extract(buffers)
        ]


def test_a_fact_that_relates_nothing_is_skipped_with_the_reason(store) -> None:
    run_ingest(store, log(["likes tea.", "hm?"]), recipe=LICOMEMORY, extractor=WithoutRelations())
    assert facts(store) == []
    (trace,) = traced(store, "extract")
    assert [row["reason"] for row in trace["skipped"]] == [NO_RELATION]


def test_undated_messages_leave_a_summary_without_dates(store) -> None:
    talk = log(["I run.", "Where?"], begin=None)
    remember(store, talk, answers=[turn("Ann runs.", ("Ann", "does", "running"))])
    assert (summary_of(store).started_at, summary_of(store).ended_at) == (None, None)
    (memory,) = store.memories("me")
    assert (memory.mentioned_at, memory.valid_from) == (None, None)


def test_the_owner_of_another_graph_is_left_alone(store) -> None:
    """Each recipe keeps its own entities, triples and summaries."""
    run_ingest(store, log(["likes tea.", "hm?"]), recipe=SYSTEMS["memscope"])
    before = (store.entities("me", recipe="memscope"), store.summaries("me", recipe="memscope"))
    run_ingest(store, recipe=LICOMEMORY)
    assert before == (store.entities("me", recipe="memscope"), store.summaries("me", recipe="memscope"))
    assert len(store.summaries("me", recipe="licomemory")) == 1
