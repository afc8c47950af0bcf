"""Ingest: evidence first, one step one transaction, and running again is never harmful."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from threading import Event, Timer
from time import sleep

import numpy as np
import pytest

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.models import ConversationLog, LogRead, Message, Segment, Skipped
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.runs.ingest import AHEAD, READERS
from memcore.stages.buffer import CONTEXT_MESSAGES
from memcore.store import DuckStore
from memcore.store.sql.writer import Writer
from memcore.systems.memscope.pipeline import SPOKEN
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import Known, Step, StepResult, System, Tools
from tests import pipeline
from tests.pipeline import EMBEDDER, SayingExtractor, WholeCompressor, content, log, run_ingest
from tests.store.samples import proposal

THINGS = "tea coffee chess maths jazz rain cats dogs rome oslo lima cairo".split()


@pytest.fixture
def small_steps(monkeypatch):
    """Steps of 4 messages, so that a short log takes several."""
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 4)


def likes(count: int, start: int = 0) -> list[str]:
    """Texts that share hardly a word, so that every message is told from the others."""
    return [f"likes {THINGS[n % len(THINGS)]} number {n}." for n in range(start, start + count)]


def uninterrupted(tmp_path, *logs: ConversationLog, **options) -> dict:
    with pipeline.open_with(EMBEDDER, tmp_path / "expected") as expected:
        for one in logs:
            run_ingest(expected, one, **options)
        return content(expected)


def counts(store: DuckStore, owner: str = "me") -> dict[str, int]:
    events = Counter(event.object_type for event in store.events())
    return {**store.stats(owner), **{f"events of {kind}": n for kind, n in events.items()}}


# ---------------------------------------------------------------- evidence first


def test_all_evidence_is_stored_before_any_model_runs(store):
    seen = []

    class Watching(WholeCompressor):
        def compress(self, texts, rate):
            seen.append(len(store.pending_messages("memscope", "me")))
            return super().compress(texts, rate)

    run_ingest(store, log(likes(3)), log(likes(2), name="b"), compressor=Watching())

    assert seen[0] == 5


def test_a_model_that_breaks_costs_no_evidence(store):
    class Broken(WholeCompressor):
        def compress(self, texts, rate):
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        run_ingest(store, log(likes(3)), compressor=Broken())

    assert len(store.pending_messages("memscope", "me")) == 3
    assert store.count_memories("me") == 0


def test_the_report_names_what_was_skipped_and_counts_old_and_new(store):
    run_ingest(store, log(likes(2)))
    skipped = (Skipped("a.json", "line 9", "no text"),)

    report = pipeline.ingest(
        store,
        LogRead((log(likes(3)),), skipped),
        run=pipeline.new_run("me", "memscope", {}),
        recipe=SYSTEMS["memscope"],
        tools=pipeline.tools(),
        llm={"backend": "none", "model": ""},
        make_index=pipeline.ExactIndex,
    )

    assert (report.messages, report.new_messages, report.skipped) == (3, 1, skipped)
    assert report.state == "finished"
    assert report.llm == {
        "backend": "none",
        "model": "",
        "calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
    }


# ---------------------------------------------------------------- steps and transactions


def test_everything_of_a_step_is_one_batch_of_events(store, small_steps):
    run_ingest(store, log(likes(4), likes(4, 4), likes(4, 8)))

    batches = {}
    for event in store.events():
        if event.object_type in ("memory", "triple", "summary"):
            batches.setdefault(event.batch, Counter())[event.object_type] += 1
    assert [dict(batch) for batch in batches.values()] == [{"memory": 4, "triple": 4, "summary": 1}] * 3


def test_a_step_that_breaks_while_it_is_stored_leaves_nothing_of_itself(store, small_steps, monkeypatch):
    kept = Writer.mark_processed
    steps = []

    def breaks_at_the_second(self, recipe, message_ids, run_id):
        steps.append(message_ids)
        if len(steps) == 2:
            raise OSError("disk full")
        kept(self, recipe, message_ids, run_id)

    monkeypatch.setattr(Writer, "mark_processed", breaks_at_the_second)
    with pytest.raises(OSError, match="disk full"):
        run_ingest(store, log(likes(4), likes(4, 4), likes(4, 8)))

    first, second, third = store.sessions(owner="me")
    assert len(store.memories("me", session_id=first.id)) == 4
    for lost in (second, third):
        assert store.memories("me", session_id=lost.id) == []
        assert store.segments(session_id=lost.id) == []
        assert store.traces(unit=lost.id) == []
    assert len(store.triples("me")) == 4
    texts = [message.text for message in store.messages(second.id)]
    assert store.embeddings(EMBEDDER.model_id, texts) == {}


def test_after_an_exception_in_step_2_resuming_ends_where_an_uninterrupted_run_does(
    store, small_steps, tmp_path
):
    talk = log(likes(4), likes(4, 4), likes(4, 8), likes(3, 12))

    def breaks(buffer):
        if buffer.session_id == talk.sessions[1].id:
            raise RuntimeError("the parser crashed")

    with pytest.raises(RuntimeError, match="the parser crashed"):
        run_ingest(store, talk, extractor=SayingExtractor(watch=breaks))
    assert len(store.pending_messages("memscope", "me")) == 11

    report = run_ingest(store)

    assert (report.state, report.messages, report.memories) == ("finished", 11, 11)
    assert (report.read, report.cited) == (11, 11)
    assert content(store) == uninterrupted(tmp_path, talk)


@pytest.mark.parametrize("error", [RuntimeError("a bug"), LlmUnavailableError("Down.", "Start it.")])
def test_a_run_that_breaks_is_recorded_as_failed_with_its_error(store, small_steps, error):
    def breaks(buffer):
        raise error

    with pytest.raises(type(error)):
        run_ingest(store, log(likes(4)), extractor=SayingExtractor(watch=breaks))

    (run,) = store.runs()
    assert run.state == "failed"
    assert run.finished_at is not None
    assert str(error) in run.error


def test_a_finished_run_is_recorded_with_its_totals_and_traces(store, small_steps):
    report = run_ingest(store, log(likes(4), likes(4, 4)))

    (run,) = store.runs()
    assert (run.id, run.state, run.error) == (report.run_id, "finished", "")
    assert {name: run.totals[name] for name in ("messages", "new_messages", "memories", "triples")} == {
        "messages": 8,
        "new_messages": 8,
        "memories": 8,
        "triples": 8,
    }
    stages = {trace.stage for trace in store.traces(run_id=run.id)}
    assert stages == {"compress", "segment", "buffer", "extract", "link", "embed"}


# ---------------------------------------------------------------- again, and more


def test_the_same_log_again_adds_nothing(store, small_steps):
    talk = log(likes(6), likes(5, 6))
    run_ingest(store, talk)
    before = counts(store)
    remembered = content(store)

    report = run_ingest(store, talk)

    assert (report.new_messages, report.memories, report.triples, report.segments) == (0, 0, 0, 0)
    changed = {name: n for name, n in counts(store).items() if n != before.get(name)}
    assert set(changed) <= {"runs", "events of run"}
    assert content(store) == remembered


def test_a_log_that_has_grown_adds_only_what_is_new(store):
    run_ingest(store, log(likes(3)))
    before = {memory.id for memory in store.memories("me")}

    report = run_ingest(store, log(likes(5), likes(2, 5)))

    assert (report.messages, report.new_messages, report.memories, report.triples) == (7, 4, 4, 4)
    after = {memory.id: memory.text for memory in store.memories("me")}
    assert before < set(after)
    new = [text for key, text in after.items() if key not in before]
    assert sorted(int(text.split()[-1]) for text in new) == [3, 4, 5, 6]


def test_what_was_said_before_is_context_for_what_a_grown_log_adds(store):
    run_ingest(store, log(likes(5)))
    extractor = SayingExtractor()

    run_ingest(store, log(likes(6)), extractor=extractor)

    (buffer,) = extractor.read
    assert [message.text for message in buffer.messages] == likes(1, 5)
    assert [message.text for message in buffer.before] == likes(5)[-CONTEXT_MESSAGES:]
    assert buffer.segments[0].boundary["reason"] == "first new message"
    assert buffer.summaries == {buffer.session_id: " ".join(likes(5))}


# ---------------------------------------------------------------- failed buffers


def test_a_failed_buffer_is_reported_and_its_messages_wait_for_resume(store, tmp_path):
    talk = log(likes(4), likes(4, 4))
    extractor = SayingExtractor(fails={"likes jazz number 4."}, name="moody")

    report = run_ingest(store, talk, extractor=extractor)

    assert report.state == "finished"
    assert report.errors == ("cannot read 'likes jazz number 4.'",)
    waiting = [message.text for message in store.pending_messages("memscope", "me")]
    assert "likes jazz number 4." in waiting and len(waiting) < 8
    assert report.memories == 8 - len(waiting)
    (run,) = store.runs()
    assert run.error == "cannot read 'likes jazz number 4.'"

    again = run_ingest(store, extractor=extractor)
    assert (again.messages, again.memories) == (len(waiting), 0)
    assert len(store.pending_messages("memscope", "me")) == len(waiting)

    cured = run_ingest(store)
    assert (cured.errors, cured.memories) == ((), len(waiting))
    assert {m.id for m in store.memories("me")} == {m.id for m in uninterrupted(tmp_path, talk)["memories"]}


def test_every_message_ends_in_exactly_one_segment_also_after_failures(store):
    talk = log(likes(9))
    run_ingest(store, talk, extractor=SayingExtractor(fails={likes(9)[1]}), buffer_tokens=8)
    assert store.pending_messages("memscope", "me")

    run_ingest(store, buffer_tokens=8, segment_method="similarity")

    segments = store.segments(session_id=talk.sessions[0].id)
    covered = [i for segment in segments for i in segment.message_ids]
    assert sorted(covered) == sorted(message.id for message in talk.messages)
    assert all(segment.topic for segment in segments)
    (summary,) = store.summaries("me")
    assert set(summary.segment_ids) == {segment.id for segment in segments}


# ---------------------------------------------------------------- cancelling


def test_cancelling_between_steps_keeps_the_finished_ones(store, small_steps, tmp_path):
    talk = log(likes(4), likes(4, 4), likes(4, 8))
    progress = []

    report = run_ingest(
        store,
        talk,
        cancelled=lambda: store.count_memories("me") >= 4,
        progress=lambda stage, done, total: progress.append((stage, done, total)),
    )

    assert (report.state, report.memories) == ("cancelled", 4)
    assert progress[-1] == ("remember", 4, 12)
    assert store.runs()[0].state == "cancelled"
    assert len(store.pending_messages("memscope", "me")) == 8
    assert run_ingest(store).state == "finished"
    assert content(store) == uninterrupted(tmp_path, talk)


def test_cancelling_before_the_first_step_keeps_the_evidence(store):
    report = run_ingest(store, log(likes(3)), cancelled=lambda: True)

    assert (report.state, report.new_messages, report.memories) == ("cancelled", 3, 0)
    assert len(store.pending_messages("memscope", "me")) == 3


def test_each_stages_progress_never_goes_back_and_ends_with_all_messages(store, small_steps):
    told: dict[str, list[int]] = {}
    run_ingest(store, log(likes(10)), progress=lambda stage, n, _total: told.setdefault(stage, []).append(n))
    assert set(told) == {"read", "remember"}
    assert all(done == sorted(done) and done[-1] == 10 for done in told.values())


# ---------------------------------------------------------------- long sessions


def test_a_long_session_is_cut_and_context_crosses_the_cut(store, small_steps):
    extractor = SayingExtractor()
    run_ingest(store, log(likes(10)), extractor=extractor, buffer_tokens=12, sensory_tokens=1)

    buffers = sorted(extractor.read, key=lambda buffer: buffer.messages[0].position)
    assert [len(buffer.messages) for buffer in buffers] == [4, 4, 2]
    assert [[m.position for m in buffer.before] for buffer in buffers] == [[], [1, 2, 3], [5, 6, 7]]
    assert store.pending_messages("memscope", "me") == []


def test_short_sessions_share_a_step(store, small_steps):
    run_ingest(store, log(likes(2), likes(2, 2), likes(3, 4)))
    batches = {e.batch for e in store.events() if e.kind == "memory.added"}
    assert len(batches) == 2


def test_what_extracts_is_told_before_the_first_step_how_much_the_run_reads(store, small_steps):
    told = []

    class Preparing(SayingExtractor):
        def expect(self, messages):
            told.append((messages, len(self.read)))

    run_ingest(store, log(likes(6)), log(likes(3), name="b"), extractor=Preparing())
    run_ingest(store, log(likes(7)), extractor=Preparing())  # one more than before

    assert told == [(9, 0), (1, 0)]


def test_the_summary_of_a_long_session_tells_all_of_it_once(store, small_steps):
    run_ingest(store, log(likes(10)))

    (summary,) = store.summaries("me")
    assert summary.text == " ".join(likes(10))
    first, last = store.messages(summary.session_id)[0], store.messages(summary.session_id)[-1]
    assert (summary.started_at, summary.ended_at) == (first.said_at, last.said_at)
    assert set(summary.triple_ids) == {triple.id for triple in store.triples("me")}


# ---------------------------------------------------------------- recipes that work on a stream


def streaming(seen: list[tuple[list[int], bool, object]]) -> System[Step, object]:
    """Keeps each step's messages back until the next one; `seen` is told positions, last and carry."""

    def remember(step: Step, known: Known, tools: Tools) -> StepResult:
        messages = [message for part in step.parts for message in part.messages]
        seen.append(([message.position for message in messages], step.last, known.carry))
        held = [*(known.carry or []), *(message.id for message in messages)]
        done, held = (held, []) if step.last else (held[: -len(messages)], held[-len(messages) :])
        return StepResult(processed=tuple(done), carry=held, embedding_model=EMBEDDER.model_id)

    return System("streaming", lambda step, tools: step, remember)


def test_each_step_gets_what_the_one_before_it_carries_and_knows_when_it_is_the_last(store, small_steps):
    seen = []
    talk = log(likes(10))
    run_ingest(store, talk, recipe=streaming(seen))

    ids = [message.id for message in talk.messages]
    assert [(positions, last) for positions, last, _ in seen] == [
        ([0, 1, 2, 3], False),
        ([4, 5, 6, 7], False),
        ([8, 9], True),
    ]
    assert [carry for _, _, carry in seen] == [None, ids[:4], ids[4:8]]
    assert store.pending_messages("streaming", "me") == []


def test_a_run_that_is_stopped_begins_no_more_steps_and_waits_for_those_it_reads(store, small_steps):
    begun, ended, stopped = [], [], Event()

    def read(step: Step, tools: Tools) -> Step:
        begun.append(step.position)
        if step.position:
            assert stopped.wait(30)
        ended.append(step.position)
        return step

    def remember(step: Step, known: Known, tools: Tools) -> StepResult:
        while len(begun) < 1 + READERS:  # both readers are at work, others wait
            sleep(0.01)
        Timer(0.2, stopped.set).start()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_ingest(store, log(likes(4 * (2 + AHEAD))), recipe=System("stopped", read, remember))

    assert begun == [0, 1, 2]
    assert sorted(ended) == [0, 1, 2]
    assert [run.state for run in store.runs()] == ["cancelled"]


def test_what_a_run_carried_when_it_ended_early_is_not_stored_but_read_again(store, small_steps):
    seen = []
    talk = log(likes(10))
    run_ingest(store, talk, recipe=streaming(seen), cancelled=lambda: len(seen) == 2)
    assert [m.position for m in store.pending_messages("streaming", "me")] == [4, 5, 6, 7, 8, 9]

    seen.clear()
    run_ingest(store, recipe=streaming(seen))
    assert seen[0] == ([4, 5, 6, 7], False, None)
    assert store.pending_messages("streaming", "me") == []


def test_parts_of_one_stretch_of_unprocessed_messages_say_so(store, small_steps):
    talk = log(likes(14))
    with store.write(actor="test") as writer:
        writer.add_log(talk)
        held, unread = talk.messages[1].id, talk.messages[9].id
        writer.add_segments([Segment("seg", talk.sessions[0].id, (held,), recipe="watching")])
        writer.mark_processed("watching", [held, unread], "run")
    stretches = []

    def read(step: Step, tools: Tools) -> None:
        stretches.extend((part.messages[0].position, part.contiguous_from) for part in step.parts)

    done = System(
        "watching", read, lambda reading, known, tools: StepResult(embedding_model=EMBEDDER.model_id)
    )
    run_ingest(store, recipe=done)
    assert sorted(stretches) == [(0, 0), (2, 2), (6, 2), (11, 2)], "what is in no segment parts nothing"


# ---------------------------------------------------------------- who speaks


def test_what_systems_and_tools_say_is_evidence_only(store):
    talk = log([("system", "likes order."), "likes tea.", ("tool", "likes numbers."), "likes rain."])

    report = run_ingest(store, talk)

    assert report.new_messages == 4
    assert {m.text for m in store.memories("me")} == {"Ben likes tea", "Ben likes rain"}
    assert store.pending_messages("memscope", "me") == []
    assert {"system", "tool"}.isdisjoint(SPOKEN)


def test_a_session_in_which_only_a_tool_speaks_is_worked_off(store):
    report = run_ingest(store, log([("tool", "likes numbers.")]))

    assert (report.state, report.memories, report.errors) == ("finished", 0, ())
    assert store.pending_messages("memscope", "me") == []


# ---------------------------------------------------------------- what a person decided stays


def test_reading_a_memory_again_does_not_reset_what_a_person_decided(store):
    recipe = SYSTEMS["memscope"]
    forgetful = replace(recipe, remember=lambda *read: replace(recipe.remember(*read), processed=()))
    run_ingest(store, log(["likes tea.", "likes rain."]), recipe=forgetful)
    tea = next(m for m in store.memories("me") if "tea" in m.text)
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p1", tea.id, operation="delete", before=tea.text, after=None)])
    decide.approve(store, EMBEDDER, ["p1"], "person")
    decided = store.memory(tea.id)

    report = run_ingest(store)  # reads the same evidence again, which yields the same memory ids

    assert store.memory(tea.id) == decided
    assert decided.state == "invalidated"
    assert report.memories == 0


# ---------------------------------------------------------------- times and topics (LightMem's defects)


def test_every_fact_has_the_time_of_its_own_message(store):
    talk = log(likes(6), likes(6, 6))
    run_ingest(store, talk, buffer_tokens=1000)

    messages = {message.id: message for message in talk.messages}
    memories = store.memories("me")
    assert len(memories) == 12
    for memory in memories:
        said: Message = messages[memory.sources[0].message_id]
        assert memory.mentioned_at == memory.valid_from == said.said_at
        assert memory.speaker == said.speaker
    assert len({memory.mentioned_at for memory in memories}) == 12


def test_what_has_no_time_stays_without_one(store):
    run_ingest(store, log(likes(2), begin=None))
    assert {(m.mentioned_at, m.valid_from) for m in store.memories("me")} == {(None, None)}
    assert [(e.first_seen, e.last_seen) for e in store.entities("me")] == [(None, None)] * 4


def test_topics_of_several_steps_sessions_and_runs_are_told_apart(store, small_steps):
    run_ingest(store, log(likes(10), likes(3, 10)))
    run_ingest(store, log(likes(5), name="b"))

    segments = store.segments()
    assert len({segment.id for segment in segments}) == len(segments)
    assert sum(len(segment.message_ids) for segment in segments) == 18
    by_id = {segment.id: segment for segment in segments}
    for memory in store.memories("me"):
        home = by_id[memory.segment_id]
        assert memory.sources[0].message_id in home.message_ids
        assert memory.topic == home.topic == f"topic of {home.message_ids[0]}"


# ---------------------------------------------------------------- owners


def test_owners_never_mix(store):
    run_ingest(store, log(["likes tea.", "likes rain."]))
    before = content(store, "me")

    report = run_ingest(store, log(["likes tea.", "likes opera."], owner="you"), owner="you")

    assert report.memories == 2
    assert content(store, "me") | {"events": None} == before | {"events": None}
    assert {m.text for m in store.memories("you")} == {"Ann likes tea", "Ben likes opera"}
    assert {m.owner for m in store.memories("you")} == {"you"}
    ids = [{e.id for e in store.entities(o)} | {t.id for t in store.triples(o)} for o in ("me", "you")]
    assert ids[0].isdisjoint(ids[1])


def test_one_owners_run_leaves_the_others_pending(store):
    with store.write(actor="test") as writer:
        writer.add_log(log(likes(3), owner="you"))
    run_ingest(store, log(likes(2)))
    assert len(store.pending_messages("memscope", "you")) == 3


# ---------------------------------------------------------------- linking


def test_one_name_is_one_entity_over_steps_and_logs(store, small_steps):
    run_ingest(store, log(["likes the green tea.", "likes rain.", "likes Green Tea.", "likes rain."]))
    run_ingest(store, log(["hates green tea."], name="b"))

    names = Counter(entity.name.casefold() for entity in store.entities("me"))
    assert names == {"ann": 1, "ben": 1, "green tea": 1, "rain": 1}


def test_a_relation_said_again_is_one_triple_with_all_its_sources(store):
    first, second = log(["likes tea."]), log(["likes tea."], name="b", begin=datetime(2024, 6, 1))
    assert run_ingest(store, first).triples == 1

    report = run_ingest(store, second)

    (triple,) = store.triples("me")
    assert triple.mentions == 2
    assert [source.message_id for source in triple.sources] == [first.messages[0].id, second.messages[0].id]
    assert set(triple.memory_ids) == {memory.id for memory in store.memories("me")}
    assert report.triples == 0, "known relations are not counted as new"


def test_a_relation_said_twice_in_one_step_is_counted_once(store):
    report = run_ingest(store, log(["likes tea.", "likes rain.", "likes tea."]))
    assert report.triples == len(store.triples("me")) == 2


def test_several_relations_of_one_pair_live_side_by_side(store):
    run_ingest(store, log(["likes tea. sells tea."]))
    assert {triple.relation for triple in store.triples("me")} == {"likes", "sells"}


# ---------------------------------------------------------------- embeddings


def test_everything_that_is_searched_has_its_vector(store):
    run_ingest(store, log(likes(5)))

    texts = [m.text for m in store.memories("me")] + likes(5)
    vectors = store.embeddings(EMBEDDER.model_id, texts)
    assert set(vectors) == set(texts)
    for text, vector in vectors.items():
        np.testing.assert_allclose(vector, EMBEDDER.embed([text])[0], atol=1e-6)
    assert [finding for finding in store.check() if not finding.sound] == []


def found(store, question):
    """The text of the best memory for a question."""
    recipe = SYSTEMS["memscope"]
    report = recipe.search(store, SearchTools(EMBEDDER), Question(question, recipe=recipe.name))
    return report.hits[0].text


def test_what_was_just_ingested_is_found(store):
    run_ingest(store, log(["likes green tea.", "plays chess."]))
    assert found(store, "green tea") == "Ann likes green tea"
    run_ingest(store, log(["owns a submarine."], name="b"))
    assert found(store, "submarine") == "Ann owns a submarine"


def test_a_person_who_says_the_same_twice_is_remembered_twice(store):
    """Each with its own time and place; which of them count is consolidation's to propose."""
    talk = log(["likes tea.", "likes rain.", "likes tea."])
    run_ingest(store, talk)
    tea = [m for m in store.memories("me") if m.text == "Ann likes tea"]
    assert [m.mentioned_at for m in tea] == [talk.messages[0].said_at, talk.messages[2].said_at]
    assert replace(tea[0], id="", sources=(), mentioned_at=None, valid_from=None) != tea[1]
