"""Mem0: for each new message pair the candidate facts, and for each fact one tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.models import ConversationLog
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.store import DuckStore
from memcore.systems.mem0.extract import Mem0Extractor
from memcore.systems.mem0.pipeline import SUMMARY_EVERY, UNREAD
from memcore.systems.mem0.prompts import MEM0_EXTRACT, MEM0_SUMMARY, MEM0_UPDATE
from memcore.systems.mem0.update import TOOLS
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.fakes import Asked, ScriptedLlm
from tests.pipeline import EMBEDDER, log, run_ingest

MEM0 = SYSTEMS["mem0"]
EXTRACT, UPDATE, SUMMARY = (p.version for p in (MEM0_EXTRACT, MEM0_UPDATE, MEM0_SUMMARY))
NEW_YORK = "Ann lives in New York"
SAN_FRANCISCO = "Ann moved to San Francisco"
MOVE = (
    log(["lives in New York."], name="a", begin=datetime(2024, 1, 8)),
    log(["moved to San Francisco."], name="b", begin=datetime(2024, 3, 4)),
)


Decide = Callable[[str, list[str]], dict[str, Any]]
"""A fact and the memories shown with it, by their ids → a tool call."""


def add(fact: str, memories: list[str]) -> dict[str, Any]:
    return {"name": "ADD", "arguments": {"reason": "New."}}


class Mem0Llm(ScriptedLlm):
    """Answers by what is asked, since S is asked for in the background. Every sentence of the new messages
    is a fact, unless a message asks; S is "So far N." after N refreshes; `decide` decides."""

    def __init__(self, decide: Decide = add, fails: Sequence[str] = ()) -> None:
        super().__init__()
        self.decide, self.fails, self.refreshes = decide, set(fails), 0
        self.down = False

    def _next(self, call: Asked) -> str:
        self.answers.append(self._answer)
        return super()._next(call)

    def _answer(self, call: Asked) -> str:
        if self.down:
            raise LlmUnavailableError("The server is down.", "Start it.")
        if any(text in call.user for text in self.fails):
            raise LlmReplyError("The answer cannot be used.", "Try again.")
        if call.prompt_version == EXTRACT:
            facts = [
                {"source_id": int(number), "fact": f"{who} {text[:-1]}"}
                for number, who, text in re.findall(r"(\d+)\.(\w+): (.*)", tagged(call, "new"))
                if text.endswith(".")
            ]
            return json.dumps({"facts": facts})
        if call.prompt_version == UPDATE:
            fact = tagged(call, "fact").split("] ", 1)[1]
            shown = [line.split("] ", 1)[1] for line in tagged(call, "memories").splitlines()]
            return json.dumps(self.decide(fact, shown))
        self.refreshes += 1
        return json.dumps({"summary": f"So far {self.refreshes}."})

    def asked(self, *versions: str) -> list[Asked]:
        return [call for call in self.history if call.prompt_version in versions]


def tagged(call: Asked, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", call.user, re.DOTALL)
    assert found, f"no <{tag}> in {call.user}"
    return found[1]


def texts_in(part: str) -> list[str]:
    """What was said in the lines of a prompt."""
    return [line.split(": ", 1)[1] for line in part.splitlines() if ": " in line]


def remember(store: DuckStore, *logs: ConversationLog, llm: ScriptedLlm | None = None, **options: Any):
    if llm is not None:
        options = {"extractor": Mem0Extractor(llm), "llm": llm} | options
    return run_ingest(store, *logs, recipe=options.pop("recipe", MEM0), **options)


def calling(name: str, memory: str = "", **arguments: Any) -> Decide:
    """The tool call for the memory of this text where it is shown, and ADD elsewhere."""

    def decided(fact: str, memories: list[str]) -> dict[str, Any]:
        if memory not in memories:
            return add(fact, memories)
        named = {"memory": memories.index(memory), "reason": "Because."}
        return {"name": name, "arguments": named | arguments}

    return decided


def texts(store: DuckStore) -> list[str]:
    return [memory.text for memory in store.memories("me")]


def traces(store: DuckStore, stage: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage)]


def found_as_of(store: DuckStore, when: datetime | None) -> list[str]:
    question = Question("Where does Ann live?", recipe="mem0", as_of=when)
    return [hit.text for hit in MEM0.search(store, SearchTools(EMBEDDER), question).hits]


def about(count: int, what: str = "thing") -> list[str]:
    return [f"likes {what} {n}." for n in range(count)]


# ---------------------------------------------------------------- the calls of the paper


def test_one_extraction_a_pair_and_one_tool_call_a_fact_in_order(store):
    llm = Mem0Llm()
    remember(store, log(["likes tea.", "plays chess.", "sings.", "Really?"]), llm=llm)

    assert [(call.stage, call.prompt_version) for call in llm.history] == [
        ("add_memory", EXTRACT),  # "likes tea.", "plays chess."
        ("update", UPDATE),  # about chess; about tea there was nothing to compare with
        ("add_memory", EXTRACT),  # "sings.", "Really?"
        ("update", UPDATE),
    ]
    first, chess, second, sings = llm.history
    assert (first.system, chess.system) == (MEM0_EXTRACT.text, MEM0_UPDATE.text)
    assert texts_in(tagged(first, "new")) == ["likes tea.", "plays chess."]
    assert texts_in(tagged(second, "new")) == ["sings.", "Really?"]
    assert tagged(chess, "fact") == "[2024-01-08] Ben plays chess"
    assert tagged(chess, "memories") == "0. [2024-01-08] Ann likes tea"
    assert {line[3:] for line in tagged(sings, "memories").splitlines()} == {
        "[2024-01-08] Ann likes tea",
        "[2024-01-08] Ben plays chess",
    }
    assert [tool.__name__ for tool in TOOLS] == ["ADD", "UPDATE", "DELETE", "NOOP"]
    assert (chess.tools, chess.schema) == (TOOLS, None)


def test_extraction_sees_the_last_ten_messages_across_sessions_and_the_time_of_the_new_ones(store):
    llm = Mem0Llm()
    talk = log(about(12, "tea"), about(4, "chess"))
    remember(store, talk, llm=llm)

    said = [message.text for message in talk.messages]
    extractions = llm.asked(EXTRACT)
    assert len(extractions) == 8
    for number, call in enumerate(extractions):
        begin = 2 * number
        assert texts_in(tagged(call, "new")) == said[begin : begin + 2]
        assert texts_in(tagged(call, "recent")) == said[max(0, begin - 10) : begin]
        assert tagged(call, "people") == "Ann, Ben"
    assert tagged(extractions[6], "new").splitlines()[1].startswith("[2024-01-15T09:00, Mon] 0.Ann: ")


def test_a_fact_is_compared_with_the_ten_most_similar_memories_best_first(store):
    llm = Mem0Llm()
    remember(store, log([*about(14, "rare old tea")]), llm=llm)

    *_, last = llm.asked(UPDATE)
    fact = "Ben likes rare old tea 13"
    cosines = EMBEDDER.embed([m for m in texts(store) if m != fact]) @ EMBEDDER.embed([fact])[0]
    lines = tagged(last, "memories").splitlines()
    assert [line.split(".")[0] for line in lines] == [str(n) for n in range(10)]
    shown = [line.split("] ", 1)[1] for line in lines]
    scores = EMBEDDER.embed(shown) @ EMBEDDER.embed([fact])[0]
    assert list(scores) == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-5)


def test_what_one_pair_added_the_next_one_sees_and_the_second_fact_of_a_pair_the_first(store):
    llm = Mem0Llm()
    remember(store, log(["likes tea. ", "likes tea too.", "likes tea best."]), llm=llm)
    shown = [set(re.findall(r"\] (.*)", tagged(call, "memories"))) for call in llm.asked(UPDATE)]
    assert shown[-1] >= {"Ben likes tea too"}


def test_memories_said_later_are_not_compared_with(store):
    llm = Mem0Llm()
    remember(store, log(["likes tea in May."], begin=datetime(2024, 5, 6)), llm=llm)
    remember(store, log(["likes tea in March."], name="b", begin=datetime(2024, 3, 4)), llm=llm)
    assert llm.asked(UPDATE) == []
    (_, earlier) = traces(store, "update")
    assert [(row["operation"], row["compared"]) for row in earlier["decisions"]] == [("ADD", [])]


# ---------------------------------------------------------------- the summary S


def test_s_is_refreshed_every_period_and_taken_over_one_period_later(store):
    llm = Mem0Llm()
    pairs = 3 * SUMMARY_EVERY + 1
    talk = log(about(2 * pairs))
    report = remember(store, talk, llm=llm)

    assert report.errors == ()
    seen = [tagged(call, "summary") for call in llm.asked(EXTRACT)]
    assert seen == [""] * 2 * SUMMARY_EVERY + ["So far 1."] * SUMMARY_EVERY + ["So far 2."]
    said = [message.text for message in talk.messages]
    period = 2 * SUMMARY_EVERY
    refreshes = llm.asked(SUMMARY)
    assert [call.stage for call in refreshes] == ["summary"] * 3
    assert [tagged(call, "summary") for call in refreshes] == ["", "So far 1.", "So far 2."]
    assert [texts_in(tagged(call, "messages")) for call in refreshes] == [
        said[n * period : (n + 1) * period] for n in range(3)
    ]


def test_s_is_kept_as_the_summary_of_the_session_it_then_stood_in(store):
    llm = Mem0Llm()
    period = 2 * SUMMARY_EVERY
    talk = log(about(period, "tea"), about(period, "chess"), about(2))
    remember(store, talk, llm=llm)

    summaries = {s.session_id: s for s in store.summaries("me", recipe="mem0")}
    first, second, _ = (summaries.get(session.id) for session in talk.sessions)
    assert first is not None
    assert (first.text, first.recipe) == ("So far 1.", "mem0")
    assert second is not None
    assert second.text == "So far 2.", "at the end of the run nothing follows that it could be late for"
    assert (second.started_at, second.ended_at) == (
        talk.messages[period].said_at,
        talk.messages[2 * period - 1].said_at,
    )
    assert len(summaries) == 2
    assert [(t["text"], t["taken_over_after"] != "") for t in traces(store, "summary")] == [
        ("So far 1.", True),
        ("So far 2.", False),
    ]


def test_a_refresh_that_fails_leaves_s_and_is_shown_and_its_pairs_are_in_the_next(store):
    period = 2 * SUMMARY_EVERY
    talk = log(about(2 * period))

    class FailingOnce(Mem0Llm):
        def _answer(self, call: Asked) -> str:
            if call.prompt_version == SUMMARY and len(self.asked(SUMMARY)) == 1:
                raise LlmReplyError("No summary.", "Try again.")
            return super()._answer(call)

    llm = FailingOnce()
    report = remember(store, talk, llm=llm)
    (error,) = report.errors
    assert "No summary." in error
    assert store.pending_messages("mem0", "me") == [], "no message waits for a summary"
    assert len(texts_in(tagged(llm.asked(SUMMARY)[1], "messages"))) == 2 * period
    assert [bool(t["error"]) for t in traces(store, "summary")] == [True, False]


def test_conversations_share_neither_s_nor_recent_messages(store):
    llm = Mem0Llm()
    remember(store, log(about(4 * SUMMARY_EVERY, "tea")), log(about(4, "chess"), name="b"), llm=llm)
    for call in llm.asked(EXTRACT):
        other = "chess" if "tea" in tagged(call, "new") else "tea"
        assert other not in tagged(call, "recent")
        if other == "tea":
            assert tagged(call, "summary") == ""


# ---------------------------------------------------------------- the four operations


def test_add_stores_the_fact_with_the_words_and_the_time_of_its_own_message(store):
    talk = log(["likes tea.", "plays chess."])
    report = remember(store, talk, llm=Mem0Llm())
    assert (report.memories, report.proposals, report.segments) == (2, 0, 1)
    for memory, message in zip(store.memories("me"), talk.messages, strict=True):
        assert (memory.speaker, memory.mentioned_at) == (message.speaker, message.said_at)
        assert [(s.message_id, s.start, s.end) for s in memory.sources] == [
            (message.id, 0, len(message.text))
        ]
        assert memory.recipe == "mem0"
    (segment,) = store.segments(recipe="mem0")
    assert segment.message_ids == tuple(message.id for message in talk.messages)
    assert {memory.segment_id for memory in store.memories("me")} == {segment.id}


def test_update_is_proposed_with_the_integer_mapped_back_and_the_fact_is_stored_too(store):
    both = "Ann likes pizza, above all cheese pizza"
    remember(store, log(["likes pizza.", "plays chess."]), llm=Mem0Llm())
    llm = Mem0Llm(calling("UPDATE", "Ann likes pizza", text=both))
    report = remember(store, log(["likes cheese pizza."], name="b", begin=datetime(2024, 3, 4)), llm=llm)

    assert (report.memories, report.proposals) == (1, 1)
    assert texts(store) == ["Ann likes pizza", "Ben plays chess", "Ann likes cheese pizza"]
    (proposal,) = store.proposals("me")
    old, _, new = store.memories("me")
    assert (proposal.operation, proposal.before, proposal.after) == ("update", old.text, both)
    assert proposal.target_ids == (old.id, new.id), "the new text says all that the new fact says"
    assert [candidate.memory_id for candidate in proposal.candidates] == [new.id]
    assert proposal.made_by == f"scripted ({UPDATE})"
    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert sorted(texts(store)) == [both, "Ben plays chess"]


def test_noop_stores_nothing_and_the_trace_names_the_memory_that_says_it(store):
    remember(store, log(["likes pizza."]), llm=Mem0Llm())
    (known,) = store.memories("me")
    talk = log(["likes pizza still."], name="b", begin=datetime(2024, 3, 4))
    report = remember(store, talk, llm=Mem0Llm(calling("NOOP", "Ann likes pizza")))

    assert (report.memories, report.proposals, report.errors) == (0, 0, ())
    assert texts(store) == ["Ann likes pizza"]
    assert store.pending_messages("mem0", "me") == []
    *_, row = (row for trace in traces(store, "extract") for row in trace["skipped"])
    assert (row["message_id"], row["end"]) == (talk.messages[0].id, len(talk.messages[0].text))
    assert row["reason"].startswith("NOOP: “Ann likes pizza still” is remembered already")
    assert known.id in row["reason"]
    *_, update = traces(store, "update")
    assert [(d["operation"], d["memory_id"]) for d in update["decisions"]] == [("NOOP", known.id)]


@pytest.mark.parametrize("judge", ["model", "rules"])
def test_a_contradiction_is_proposed_and_once_approved_the_old_fact_ends_when_the_new_one_was_said(
    store, judge
):
    """The published open source deletes the old fact and never adds the new one."""
    january, march = MOVE
    models = [Mem0Llm(), Mem0Llm(calling("DELETE", NEW_YORK))] if judge == "model" else [None, None]
    for talk, llm in zip((january, march), models, strict=True):
        remember(store, talk, llm=llm)

    (proposal,) = store.proposals("me")
    assert (proposal.operation, proposal.before, proposal.after) == ("delete", NEW_YORK, None)
    assert proposal.risk == "high"
    assert texts(store) == [NEW_YORK, SAN_FRANCISCO], "nothing changes before a person approves"
    assert set(found_as_of(store, datetime(2024, 4, 1))) == {NEW_YORK, SAN_FRANCISCO}

    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert texts(store) == [SAN_FRANCISCO]
    (old,) = store.memories("me", states=("invalidated",))
    (new,) = store.memories("me")
    assert (old.text, old.valid_to, old.superseded_by) == (NEW_YORK, new.mentioned_at, new.id)
    assert found_as_of(store, datetime(2024, 2, 1)) == [NEW_YORK]
    assert found_as_of(store, datetime(2024, 4, 1)) == [SAN_FRANCISCO]
    assert found_as_of(store, None) == [SAN_FRANCISCO]


def test_a_rejected_contradiction_leaves_both(store):
    for talk in MOVE:
        remember(store, talk)
    decide.reject(store, [proposal.id for proposal in store.proposals("me")], "person")
    assert texts(store) == [NEW_YORK, SAN_FRANCISCO]
    assert set(found_as_of(store, None)) == {NEW_YORK, SAN_FRANCISCO}


@pytest.mark.models
def test_with_the_language_pipeline_the_worked_contradiction_is_found_too(store):
    for text, month in (("I live in New York.", 1), ("I moved to San Francisco.", 3)):
        talk = log([text], name=text, begin=datetime(2024, month, 5))
        remember(store, talk, extractor=LanguageExtractor())
    (proposal,) = store.proposals("me")
    assert (proposal.operation, proposal.before) == ("delete", "Ann lives in New York.")
    assert [m.text for m in store.memories("me")] == ["Ann lives in New York.", "Ann moved to San Francisco."]


# ---------------------------------------------------------------- what cannot be used is shown


@pytest.mark.parametrize("call", ["UPDATE", "DELETE", "NOOP"])
def test_an_unknown_id_is_an_error_that_is_shown_and_the_pair_waits(store, call):
    """Published: an id that cannot be mapped back is dropped with a line in a log."""
    remember(store, log(["likes tea."]), llm=Mem0Llm())
    arguments = {"memory": 7, "reason": "Because."} | ({"text": "X"} if call == "UPDATE" else {})
    talk = log(["plays chess.", "sings."], name="b", begin=datetime(2024, 3, 4))
    decides = iter([add("", []), {"name": call, "arguments": arguments}])
    report = remember(store, talk, llm=Mem0Llm(lambda fact, memories: next(decides)))

    (error,) = report.errors
    assert f"{call} names memory 7, but there are 0 to 1" in error
    assert (report.memories, report.proposals) == (0, 0), "nothing half done is kept"
    assert [m.text for m in store.pending_messages("mem0", "me")] == ["plays chess.", "sings."]
    *_, extraction = traces(store, "extract")
    *_, update = traces(store, "update")
    assert extraction["error"] == update["error"] == error
    assert [row["operation"] for row in update["decisions"]] == ["ADD"]

    llm = Mem0Llm()
    assert remember(store, llm=llm).errors == ()
    assert sorted(texts(store)) == ["Ann likes tea", "Ann plays chess", "Ben sings"]
    assert "Ann plays chess" not in tagged(llm.asked(UPDATE)[0], "memories"), "what was given up is not known"


def test_facts_of_a_pair_that_failed_are_not_compared_with_later(store):
    llm = Mem0Llm(fails=["[2024-01-08] Ben sings"])
    remember(store, log(["likes tea.", "sings.", "plays chess.", "runs."]), llm=llm)
    assert sorted(texts(store)) == ["Ann plays chess", "Ben runs"]
    assert all("likes tea" not in tagged(call, "memories") for call in llm.asked(UPDATE)[1:])


def test_a_summary_points_to_no_segment_of_a_pair_that_waits(store):
    period = 2 * SUMMARY_EVERY
    messages = about(2 * period)
    failing = messages[-4]
    report = remember(store, log(messages), llm=Mem0Llm(fails=[f".Ann: {failing}"]))
    assert report.errors
    assert store.pending_messages("mem0", "me")
    stored = {segment.id for segment in store.segments(recipe="mem0")}
    summaries = store.summaries("me", recipe="mem0")
    assert summaries
    assert all(set(summary.segment_ids) <= stored for summary in summaries)
    assert [finding for finding in store.check() if not finding.sound] == []


def test_a_pair_whose_extraction_fails_waits_alone(store):
    llm = Mem0Llm(fails=["0.Ann: sings."])
    report = remember(store, log(["likes tea.", "plays chess.", "sings.", "runs.", "swims."]), llm=llm)
    assert len(report.errors) == 1
    assert [m.text for m in store.pending_messages("mem0", "me")] == ["sings.", "runs."]
    assert texts(store) == ["Ann likes tea", "Ben plays chess", "Ann swims"]

    assert remember(store, llm=Mem0Llm()).errors == ()
    assert len(texts(store)) == 5
    covered = [s.message_ids for s in store.segments(recipe="mem0")]
    assert sorted(map(len, covered)) == [1, 2, 2]


@pytest.mark.parametrize("pairs_done", [0, 3])
def test_a_server_that_goes_down_keeps_what_was_done_and_the_rest_waits(store, pairs_done):
    llm = Mem0Llm()

    def counting(fact: str, memories: list[str]) -> dict[str, Any]:
        llm.down = len(llm.asked(EXTRACT)) > pairs_done
        return add(fact, memories)

    llm.decide = counting
    llm.down = pairs_done == 0
    talk = log(about(12))
    if pairs_done == 0:
        with pytest.raises(LlmUnavailableError):
            remember(store, talk, llm=llm)
    else:
        report = remember(store, talk, llm=llm)
        assert any("down" in error for error in report.errors)
    assert len(store.pending_messages("mem0", "me")) == 12 - 2 * pairs_done
    remember(store, llm=Mem0Llm())
    assert sorted(texts(store)) == sorted(f"{('Ann', 'Ben')[n % 2]} likes thing {n}" for n in range(12))


def test_what_nobody_reads_is_skipped_with_the_reason(store):
    talk = log([("system", "likes order."), ("user", "likes tea."), ("assistant", "likes rain.")])
    llm = Mem0Llm()
    report = remember(store, talk, llm=llm)
    assert report.memories == 2
    assert texts_in(tagged(llm.history[0], "new")) == ["likes tea.", "likes rain."]
    rows = [row for trace in traces(store, "extract") for row in trace["skipped"]]
    assert [(row["message_id"], row["reason"]) for row in rows] == [(talk.messages[0].id, UNREAD)]
    assert store.pending_messages("mem0", "me") == []


# ---------------------------------------------------------------- where a run is interrupted


def in_steps_of(messages: int):
    return replace(MEM0, step_messages=messages)


def foreground(llm: ScriptedLlm) -> list[str]:
    return [call.user for call in llm.history if call.prompt_version != SUMMARY]


def kept(store: DuckStore) -> dict[str, Any]:
    """All that is stored but for how often: S is stored once a step."""
    return {what: found for what, found in pipeline.content(store, recipe="mem0").items() if what != "events"}


def speakers(talk: ConversationLog, pattern: str) -> ConversationLog:
    named = {"A": "Ann", "B": "Ben"}
    return replace(
        talk,
        messages=tuple(
            replace(m, speaker=named[pattern[n % len(pattern)]]) for n, m in enumerate(talk.messages)
        ),
    )


@pytest.mark.parametrize("pattern", ["AB", "AAB", "ABBAB"])
@pytest.mark.parametrize("step", [1, 3, 4])
def test_where_steps_begin_makes_no_difference(store, tmp_path, step, pattern):
    talk = speakers(log(about(13, "tea"), about(14, "chess")), pattern)
    whole, cut = Mem0Llm(), Mem0Llm()
    remember(store, talk, llm=whole)
    with pipeline.open_with(EMBEDDER, tmp_path / "cut") as other:
        remember(other, talk, llm=cut, recipe=in_steps_of(step))
        assert kept(other) == kept(store)
    assert foreground(cut) == foreground(whole)


@pytest.mark.parametrize("finished_steps", range(1, 11))
def test_a_run_resumed_in_the_middle_equals_one_run(store, tmp_path, finished_steps):
    """The same memories, proposals and calls: with the same S, the same recent messages, the same similar
    memories. Only a refresh that was under way is asked for again."""
    talk = log(about(11, "tea"), about(14, "chess"), about(13, "rain"))
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > finished_steps

    whole, cut = ByContent(), ByContent()
    with pipeline.open_with(EMBEDDER, tmp_path / "one_run") as expected:
        remember(expected, talk, llm=whole)
        assert remember(store, talk, llm=cut, recipe=in_steps_of(4), cancelled=cancelled).state == "cancelled"
        assert remember(store, llm=cut, recipe=in_steps_of(4)).state == "finished"
        assert foreground(cut) == foreground(whole)
        assert kept(store) == kept(expected)
    again = len(cut.asked(SUMMARY)) - len(whole.asked(SUMMARY))
    assert 0 <= again <= 1
    assert {call.user for call in cut.asked(SUMMARY)} == {call.user for call in whole.asked(SUMMARY)}


class ByContent(Mem0Llm):
    """S names the last message it was made from, so that asking again gives the same S."""

    def _answer(self, call: Asked) -> str:
        if call.prompt_version == SUMMARY:
            last = texts_in(tagged(call, "messages"))[-1]
            return json.dumps({"summary": f"Up to {last}"})
        return super()._answer(call)


def test_the_same_log_again_adds_nothing(store):
    talk = log(about(6))
    remember(store, talk, llm=Mem0Llm())
    before = pipeline.content(store, recipe="mem0")
    llm = Mem0Llm()
    report = remember(store, talk, llm=llm)
    assert (report.memories, report.segments, llm.history) == (0, 0, [])
    assert pipeline.content(store, recipe="mem0") == before


def test_a_log_that_has_grown_goes_on_with_s_and_the_recent_messages(store):
    period = 2 * SUMMARY_EVERY
    said = about(period + 2)
    remember(store, log(said[:period]), llm=Mem0Llm())
    llm = Mem0Llm()
    remember(store, log(said), llm=llm)
    (extraction,) = llm.asked(EXTRACT)
    assert tagged(extraction, "summary") == "So far 1."
    assert texts_in(tagged(extraction, "recent")) == said[period - 10 : period]


# ---------------------------------------------------------------- with no model


def test_without_a_model_the_extractor_reads_pair_by_pair_and_rules_decide(store):
    extractor = pipeline.SayingExtractor()
    said = [
        "likes green tea.",
        "plays chess with Rex on Sundays.",
        "plays the violin.",
        "sings.",
        "likes green tea.",
    ]
    report = remember(store, log(said), extractor=extractor)

    assert [[m.text for m in buffer.messages] for buffer in extractor.read] == [said[:2], said[2:4], said[4:]]
    assert [len(buffer.before) for buffer in extractor.read] == [0, 2, 4]
    assert (report.memories, report.proposals, report.errors) == (4, 0, ())
    *_, update = traces(store, "update")
    (row,) = update["decisions"]
    assert (row["operation"], row["made_by"]) == ("NOOP", "rule: near-duplicate")
    assert store.memory(row["memory_id"]).text == "Ann likes green tea"


def test_without_a_model_a_refinement_is_proposed_as_an_update(store):
    remember(store, log(["plays chess."]))
    fuller = "plays chess with Rex every Sunday."
    remember(store, log([fuller], name="b", begin=datetime(2024, 1, 9)))
    (proposal,) = store.proposals("me")
    old, new = store.memories("me")
    assert (proposal.operation, proposal.made_by) == ("update", "rule: refinement")
    assert (proposal.before, proposal.after) == (old.text, new.text)
    decide.approve(store, EMBEDDER, [proposal.id], "person")
    assert texts(store) == [f"Ann {fuller[:-1]}"]


def test_without_a_model_s_is_made_of_the_extractors_drafts_one_period_late(store):
    extractor = pipeline.SayingExtractor()
    period = 2 * SUMMARY_EVERY
    said = about(2 * period + 2)
    remember(store, log(said), extractor=extractor)
    assert [buffer.summary for buffer in extractor.read] == [""] * period + [" ".join(said[:period])]
    (summary,) = store.summaries("me", recipe="mem0")
    assert summary.text == " ".join(said[: 2 * period])


def test_without_a_model_s_is_the_same_when_a_run_is_resumed(store, tmp_path):
    talk = log(about(27))
    stop = iter([False] * 4 + [True] * 9)
    remember(store, talk, recipe=in_steps_of(4), cancelled=lambda: next(stop))
    assert store.pending_messages("mem0", "me")
    remember(store, recipe=in_steps_of(4))
    with pipeline.open_with(EMBEDDER, tmp_path / "one_run") as expected:
        remember(expected, talk)
        assert kept(store) == kept(expected)


@pytest.mark.models
def test_with_the_language_pipeline_a_small_log_is_read_whole(store):
    talk = log(
        ["I adopted a dog last week. His name is Rex.", "Lovely! I play the violin in an orchestra."],
        ["I play the violin in an orchestra.", "Hi Ben!"],
    )
    report = remember(store, talk, extractor=LanguageExtractor())
    assert (report.errors, store.pending_messages("mem0", "me")) == ((), [])
    assert any("adopted a dog" in text for text in texts(store))
    for memory in store.memories("me"):
        assert memory.sources
        assert memory.recipe == "mem0"
    assert found_as_of(store, None)


# ---------------------------------------------------------------- finding


def test_search_finds_memories_by_meaning_and_nothing_that_was_not_remembered(store):
    remember(store, log(["likes green tea.", "Where is my umbrella?"]), llm=Mem0Llm())
    report = MEM0.search(store, SearchTools(EMBEDDER), Question("umbrella", recipe="mem0"))
    (hit,) = report.hits
    assert hit.text == "Ann likes green tea"
    assert hit.components == {"semantic": hit.score}
    assert report.trace.strategy == "dense"
    assert [finding for finding in store.check() if not finding.sound] == []


def test_it_keeps_apart_from_another_recipe_in_the_same_store(store):
    talk = log(["likes tea."])
    run_ingest(store, talk)
    llm = Mem0Llm()
    remember(store, talk, llm=llm)
    assert llm.asked(UPDATE) == [], "another recipe's memories are not compared with"
    by_recipe = {
        recipe: [m.text for m in store.memories("me", recipe=recipe)] for recipe in ("memscope", "mem0")
    }
    assert by_recipe == {"memscope": ["Ann likes tea"], "mem0": ["Ann likes tea"]}
