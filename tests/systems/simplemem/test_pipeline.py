"""SimpleMem's first two stages: windows, units, the density gate, and synthesis within a session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar

import pytest

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.models import ConversationLog
from memcore.domain.protocols import Vectors
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.store import DuckStore
from memcore.systems.registry import SYSTEMS
from memcore.systems.simplemem.extract import SimpleMemExtractor
from memcore.systems.simplemem.pipeline import UNREAD
from tests import pipeline
from tests.fakes import Answer, Asked, HashingEmbedder, ScriptedLlm
from tests.pipeline import EMBEDDER, SayingExtractor, content, log, run_ingest

SIMPLEMEM = SYSTEMS["simplemem"]
WINDOW, SYNTHESIS = ("add_memory", "simplemem_window_v1"), ("synthesis", "simplemem_synthesis_v1")


def by_rule(store: DuckStore, *logs: ConversationLog, **options: Any):
    return run_ingest(store, *logs, recipe=SIMPLEMEM, **options)


def by_model(store: DuckStore, llm: ScriptedLlm, *logs: ConversationLog, **options: Any):
    """One window at a time, so that the script's order is the log's."""
    extractor = SimpleMemExtractor(llm, workers=1)
    return run_ingest(store, *logs, recipe=SIMPLEMEM, llm=llm, extractor=extractor, **options)


def unit(text: str, *sources: int, **changes: Any) -> dict[str, Any]:
    fields = {
        "source_ids": list(sources or (0,)),
        "lossless_restatement": text,
        "keywords": [],
        "timestamp": None,
        "location": None,
        "persons": [],
        "entities": [],
        "topic": None,
    }
    return fields | changes


def read(*units: dict[str, Any], known: dict[int, int] | None = None) -> str:
    """A window's answer; `known`: line → number of the statement that says it already."""
    rows = [{"source_id": line, "known": number} for line, number in (known or {}).items()]
    return json.dumps({"data": units, "known": rows})


def merge(text: str, *units: int) -> dict[str, Any]:
    return {"units": list(units), "text": text, "reason": "one preference"}


def merges(*found: dict[str, Any]) -> str:
    return json.dumps({"merges": found})


def calls(llm: ScriptedLlm) -> list[tuple[str, str]]:
    return [(asked.stage, asked.prompt_version) for asked in llm.history]


def part(asked: Asked, tag: str) -> list[str]:
    """The lines of one part of a prompt."""
    return re.findall(rf"<{tag}>\n(.*?)</{tag}>", asked.user, re.DOTALL)[0].strip().splitlines()


def lines(asked: Asked) -> list[str]:
    """What is said in the window's lines, without time, number and speaker."""
    return [line.split(": ", 1)[1] for line in part(asked, "log")]


def texts(store: DuckStore) -> list[str]:
    return sorted(memory.text for memory in store.memories("me"))


def traces(store: DuckStore, stage: str) -> list[dict[str, Any]]:
    return [trace.payload for trace in store.traces(stage=stage)]


def skipped(store: DuckStore) -> list[tuple[str, str]]:
    """(words, reason) of everything skipped."""
    rows = [row for trace in traces(store, "extract") for row in trace["skipped"]]
    said = store.messages_by_id([row["message_id"] for row in rows])
    return [(said[r["message_id"]].text[r["start"] : r["end"]], r["reason"]) for r in rows]


def notes(store: DuckStore, stage: str) -> list[str]:
    return [note for trace in traces(store, stage) for note in trace["notes"]]


def numbered(count: int) -> list[str]:
    return [f"says {n}" for n in range(count)]


# ---------------------------------------------------------------- Simple1: windows


def test_a_session_of_100_messages_is_three_calls_whose_windows_overlap_by_two(store: DuckStore) -> None:
    llm = ScriptedLlm([read()] * 3)
    report = by_model(store, llm, log(numbered(100)))
    said = numbered(100)
    assert calls(llm) == [WINDOW] * 3
    assert [lines(asked) for asked in llm.history] == [said[:40], said[40:78], said[78:]]
    before = [[line.split(": ", 1)[1] for line in part(asked, "before")] for asked in llm.history]
    assert before == [[], said[38:40], said[76:78]], "40 dialogues a window, two of them read before"
    assert [part(asked, "people") for asked in llm.history] == [["Ann, Ben"]] * 3
    assert (report.segments, report.errors) == (3, ())


def test_each_line_has_its_own_time_weekday_number_and_speaker(store: DuckStore) -> None:
    llm = ScriptedLlm([read()])
    by_model(store, llm, log(["hi", "hello\n[2020-01-01] 7.Ann: I lie"]))
    assert part(llm.history[0], "log") == [
        "[2024-01-08T09:00, Mon] 0.Ann: hi",
        "[2024-01-08T09:01, Mon] 1.Ben: hello [2020-01-01] 7.Ann: I lie",
    ]


def test_steps_end_where_windows_end_however_long_the_session(store: DuckStore) -> None:
    by_rule(store, log(numbered(240)))
    (session,) = store.sessions(owner="me")
    sizes = [len(segment.message_ids) for segment in store.segments(session_id=session.id)]
    assert sizes == [40, 38, 38, 38, 38, 38, 10]


def test_a_window_never_spans_sessions(store: DuckStore) -> None:
    llm = ScriptedLlm([read()] * 3)
    by_model(store, llm, log(["one", "two"], ["three"], ["four"]))
    assert [lines(asked) for asked in llm.history] == [["one", "two"], ["three"], ["four"]]
    assert [part(asked, "before") for asked in llm.history] == [[], [], []]


def test_what_a_system_says_is_not_read_and_that_is_shown(store: DuckStore) -> None:
    llm = ScriptedLlm([read()])
    by_model(store, llm, log([("system", "You are kind."), "hi"]))
    assert lines(llm.history[0]) == ["hi"]
    assert ("You are kind.", UNREAD) in skipped(store)
    assert store.pending_messages("simplemem", "me") == []


# ---------------------------------------------------------------- Simple1: units


def test_a_unit_becomes_a_memory_field_by_field(store: DuckStore) -> None:
    told = unit(
        "Charlie will meet Ann at Blue Cup on 2024-01-09 at 14:00.",
        1,
        0,
        keywords=["meeting"],
        timestamp="2024-01-09T14:00",
        location="Blue Cup",
        persons=["Charlie", "Ann"],
        entities=["Blue Cup"],
        topic="meeting plan",
    )
    by_model(store, ScriptedLlm([read(told)]), log(["Charlie is in town.", "He'll meet you tomorrow at 2pm"]))
    (found,) = store.memories("me")
    first, second = store.messages(store.sessions(owner="me")[0].id)
    assert (found.text, found.topic, found.location) == (
        "Charlie will meet Ann at Blue Cup on 2024-01-09 at 14:00.",
        "meeting plan",
        "Blue Cup",
    )
    assert (found.keywords, found.persons, found.entities) == (
        ("meeting",),
        ("Charlie", "Ann"),
        ("Blue Cup",),
    )
    assert (found.event_at, found.event_end) == (datetime(2024, 1, 9, 14), datetime(2024, 1, 9, 14, 1))
    assert [source.message_id for source in found.sources] == [second.id, first.id], "the main source first"
    assert (found.mentioned_at, found.speaker) == (second.said_at, "Ben")
    (segment,) = store.segments(ids=[found.segment_id])
    assert segment.message_ids == (first.id, second.id)


def test_a_pronoun_left_standing_as_subject_is_noted(store: DuckStore) -> None:
    told = [unit("She moved to Oslo."), unit("Ann said that they won."), unit('Ben wrote "I am happy".')]
    by_model(store, ScriptedLlm([read(*told), merges()]), log(["..."]))
    assert notes(store, "extract") == [
        "a pronoun was left unresolved ('She') in 'She moved to Oslo.'",
        "a pronoun was left unresolved ('they') in 'Ann said that they won.'",
    ]


def test_what_a_model_returns_that_cannot_be_used_is_noted_and_the_rest_is_kept(store: DuckStore) -> None:
    told = [
        unit("Ann runs.", 0, 9, timestamp="next week"),
        unit("Ben swims.", 7),
    ]
    by_model(store, ScriptedLlm([read(*told, known={0: 3})]), log(["I run."]))
    (found,) = store.memories("me")
    assert (found.text, found.event_at) == ("Ann runs.", None)
    assert notes(store, "extract") == [
        "sources [9] do not exist; left out of 'Ann runs.'",
        "source 7 does not exist; fact left out: 'Ben swims.'",
        "the event time of 'Ann runs.' was left out: 'next week' is not an ISO 8601 date",
        "line 0 was called known by 3; one of them is none",
    ]


# ---------------------------------------------------------------- Simple1: the density gate


def test_a_model_is_told_what_is_known_and_what_it_gates_is_shown(store: DuckStore) -> None:
    by_model(store, ScriptedLlm([read(unit("Ann likes green tea."))]), log(["I like green tea."]))
    llm = ScriptedLlm([read(known={0: 1})])
    by_model(store, llm, log(["I like green tea, as you know."], name="b", begin=datetime(2024, 5, 1)))
    assert part(llm.history[0], "known") == ["1. Ann likes green tea."]
    assert texts(store) == ["Ann likes green tea."]
    assert ("I like green tea, as you know.", "already known: “Ann likes green tea.”") in skipped(store)


def test_windows_of_a_later_step_know_the_units_of_earlier_windows(store: DuckStore) -> None:
    texts_said = ["likes tea", *numbered(115), "likes tea as before"]
    llm = ScriptedLlm([read(unit("Ann likes tea.")), read(), read(), read()])
    by_model(store, llm, log(texts_said))
    assert [part(asked, "known") for asked in llm.history] == [[], [], [], ["1. Ann likes tea."]]


def test_a_model_is_not_told_what_was_said_only_later(store: DuckStore) -> None:
    by_model(store, ScriptedLlm([read(unit("Ann likes tea."))]), log(["tea"], begin=datetime(2024, 9, 1)))
    llm = ScriptedLlm([read()])
    by_model(store, llm, log(["likes tea"], name="earlier", begin=datetime(2024, 2, 1)))
    assert part(llm.history[0], "known") == []


def test_by_rule_what_repeats_a_known_memory_is_skipped_and_says_which(store: DuckStore) -> None:
    by_rule(store, log(["owns a brown dog."]))
    by_rule(store, log(["owns a brown dog. owns a red boat."], name="b", begin=datetime(2024, 5, 1)))
    assert texts(store) == ["Ann owns a brown dog", "Ann owns a red boat"]
    assert skipped(store) == [("owns a brown dog.", "already known: “Ann owns a brown dog”")]
    assert store.pending_messages("simplemem", "me") == []


def test_by_rule_a_later_session_of_one_step_knows_the_earlier(store: DuckStore) -> None:
    by_rule(store, log(["owns a brown dog."], ["owns a dog. owns a black dog."]))
    assert texts(store) == ["Ann owns a black dog", "Ann owns a brown dog"]


def test_what_was_said_earlier_is_no_repetition_of_what_was_said_later(store: DuckStore) -> None:
    by_rule(store, log(["owns a brown dog."], begin=datetime(2024, 9, 1)))
    by_rule(store, log(["owns a brown dog."], name="earlier", begin=datetime(2024, 2, 1)))
    assert texts(store) == ["Ann owns a brown dog"] * 2, "as of March it was known"


# ---------------------------------------------------------------- Simple2: synthesis

COFFEE = (
    unit("Ann wants coffee.", 0, keywords=["coffee"], persons=["Ann"]),
    unit("Ann wants coffee with milk.", 2, keywords=["milk"], persons=["Ann"], timestamp="2024-01-08"),
    unit("Ben owns 3 green boats.", 1, persons=["Ben"]),
)
SAID = ["coffee please", "I own 3 green boats", "with milk"]
TOGETHER = "Ann wants coffee and wants it with milk."


def test_related_units_become_one_with_all_their_sources_and_the_fragments_stay_in_the_trace(
    store: DuckStore,
) -> None:
    llm = ScriptedLlm([read(*COFFEE), merges(merge(TOGETHER, 1, 2))])
    report = by_model(store, llm, log(SAID))
    assert calls(llm) == [WINDOW, SYNTHESIS]
    assert part(llm.history[1], "units") == [
        "--- Group 1 ---",
        "1. [2024-01-08T09:00] Ann wants coffee.",
        "2. [2024-01-08T09:02] Ann wants coffee with milk.",
    ], "what is related to nothing is not asked about"
    assert (texts(store), report.memories) == ([TOGETHER, "Ben owns 3 green boats."], 2)
    (found,) = [memory for memory in store.memories("me") if memory.text == TOGETHER]
    first, _, third = store.messages(store.sessions(owner="me")[0].id)
    assert [source.message_id for source in found.sources] == [third.id, first.id]
    assert (found.mentioned_at, found.event_at) == (third.said_at, datetime(2024, 1, 8))
    assert (found.keywords, found.persons) == (("coffee", "milk"), ("Ann",))
    (trace,) = traces(store, "synthesis")
    assert (trace["before"], trace["related"], trace["after"]) == (3, 2, 2)
    (row,) = trace["rows"]
    assert (row["outcome"], row["unit"], row["text"]) == ("merged", found.id, TOGETHER)
    assert [part["text"] for part in row["fragments"]] == ["Ann wants coffee.", "Ann wants coffee with milk."]
    assert store.embeddings(EMBEDDER.model_id, [TOGETHER]).keys() == {TOGETHER}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Ann wants 2 coffees.", "no source says 2"),
        ("Ann wants coffee with Nora.", "no source says Nora"),
        ("Somebody wants coffee with milk.", "the new text does not mention ann"),
    ],
)
def test_a_merge_that_loses_or_invents_something_is_not_done_and_says_why(
    store: DuckStore, text: str, why: str
) -> None:
    by_model(store, ScriptedLlm([read(*COFFEE), merges(merge(text, 1, 2))]), log(SAID))
    assert texts(store) == ["Ann wants coffee with milk.", "Ann wants coffee.", "Ben owns 3 green boats."]
    (row,) = traces(store, "synthesis")[0]["rows"]
    assert (row["outcome"], row["text"]) == ("refused", text)
    assert why in row["reason"]


def test_units_of_different_times_stay_apart(store: DuckStore) -> None:
    units = [
        unit("Ann ran the park loop.", 0, timestamp="2024-01-06"),
        unit("Ann ran the park loop again.", 0, timestamp="2024-01-07"),
    ]
    llm = ScriptedLlm([read(*units), merges(merge("Ann ran the park loop again.", 1, 2))])
    by_model(store, llm, log(["..."]))
    assert len(texts(store)) == 2
    assert traces(store, "synthesis")[0]["rows"][0]["reason"] == "they tell of different times"


def test_a_merge_of_units_that_are_not_there_or_not_related_is_noted(store: DuckStore) -> None:
    boats = unit("Ben owns 3 green boats, old ones.", 1)
    answer = merges(merge("Ann wants coffee.", 1, 9), merge(TOGETHER, 2, 3), merge(TOGETHER, 1))
    by_model(store, ScriptedLlm([read(*COFFEE, boats), answer]), log(SAID))
    assert notes(store, "synthesis") == [
        "units [9] do not exist; merge left out: 'Ann wants coffee.'",
        f"units [2, 3] are not several of one group; left out: {TOGETHER!r}",
        f"units [1] are not several of one group; left out: {TOGETHER!r}",
    ]
    assert len(texts(store)) == 4


def test_a_unit_is_part_of_one_merge_only(store: DuckStore) -> None:
    again = merges(merge(TOGETHER, 1, 2), merge("Ann wants coffee with milk.", 1, 2))
    by_model(store, ScriptedLlm([read(*COFFEE), again]), log(SAID))
    rows = traces(store, "synthesis")[0]["rows"]
    assert [row["outcome"] for row in rows] == ["merged", "refused"]
    assert rows[1]["reason"] == "2 of them were in another merge already"
    assert texts(store) == [TOGETHER, "Ben owns 3 green boats."]


def test_by_rule_of_two_units_that_say_the_same_the_fuller_stays_with_both_sources(store: DuckStore) -> None:
    by_rule(store, log(["owns a dog.", "hm", "owns a brown dog. owns a boat."]))
    assert texts(store) == ["Ann owns a boat", "Ann owns a brown dog"]
    (found,) = [memory for memory in store.memories("me") if "dog" in memory.text]
    first, _, third = store.messages(store.sessions(owner="me")[0].id)
    assert [source.message_id for source in found.sources] == [third.id, first.id]
    (row,) = traces(store, "synthesis")[0]["rows"]
    assert (row["outcome"], row["made_by"]) == ("merged", "rule: refinement")
    assert [fragment["text"] for fragment in row["fragments"]] == ["Ann owns a dog", "Ann owns a brown dog"]


def test_what_was_said_in_full_first_and_repeated_later_holds_from_the_first(store: DuckStore) -> None:
    by_rule(store, log(["owns a brown dog.", "hm", "owns a dog."]))
    (found,) = [memory for memory in store.memories("me") if "dog" in memory.text]
    first, _, third = store.messages(store.sessions(owner="me")[0].id)
    assert (found.text, found.mentioned_at) == ("Ann owns a brown dog", first.said_at)
    assert found.valid_from == first.said_at
    assert [source.message_id for source in found.sources] == [first.id, third.id]


def test_synthesis_stays_within_a_session(store: DuckStore) -> None:
    llm = ScriptedLlm([read(COFFEE[0]), read(COFFEE[1])])
    by_model(store, llm, log(["coffee please"], [".", ".", "with milk"]))
    assert calls(llm) == [WINDOW, WINDOW]
    assert texts(store) == ["Ann wants coffee with milk.", "Ann wants coffee."]


# ---------------------------------------------------------------- Simple2: what is stored already


def two_steps(store: DuckStore) -> ScriptedLlm:
    """A session of two steps whose first and last message give related units."""
    llm = ScriptedLlm([read(COFFEE[0]), read(), read(), read(unit("Ann wants coffee with milk.", 0))])
    llm.enqueue(merges(merge(TOGETHER, 1, 2)))
    by_model(store, llm, log(["coffee please", *numbered(115), "with milk"]))
    return llm


def test_a_merge_with_what_an_earlier_step_stored_is_proposed_and_changes_nothing(store: DuckStore) -> None:
    llm = two_steps(store)
    assert calls(llm) == [WINDOW] * 4 + [SYNTHESIS]
    assert texts(store) == ["Ann wants coffee with milk.", "Ann wants coffee."]
    (proposal,) = store.proposals("me")
    by_id = {memory.id: memory.text for memory in store.memories("me")}
    assert (proposal.operation, proposal.before, proposal.after) == ("merge", "Ann wants coffee.", TOGETHER)
    assert [by_id[i] for i in proposal.target_ids] == ["Ann wants coffee.", "Ann wants coffee with milk."]
    assert proposal.made_by == "scripted (simplemem_synthesis_v1)"
    (row,) = [row for trace in traces(store, "synthesis") for row in trace["rows"]]
    assert (row["outcome"], [f["stored"] for f in row["fragments"]]) == ("proposed", [True, False])


def test_a_long_session_is_not_embedded_again_with_every_step(store: DuckStore) -> None:
    class Counting(HashingEmbedder):
        texts: ClassVar[list[str]] = []

        def embed(self, texts: Sequence[str]) -> Vectors:
            self.texts += texts
            return super().embed(texts)

    embedder = Counting(EMBEDDER.dimension)
    by_rule(store, log([f"owns a{n} b{n} c{n} d{n}." for n in range(300)]), embedder=embedder)
    assert len(store.memories("me")) == 300
    assert len(embedder.texts) < 2 * 300


@pytest.mark.parametrize(
    ("settle", "left"),
    [
        (lambda store, ids: decide.approve(store, EMBEDDER, ids, "person"), [TOGETHER]),
        (
            lambda store, ids: decide.reject(store, ids, "person"),
            ["Ann wants coffee with milk.", "Ann wants coffee."],
        ),
    ],
    ids=["approved", "rejected"],
)
def test_once_approved_it_is_one_unit_and_once_rejected_both_stay(
    store: DuckStore, settle: Callable[[DuckStore, list[str]], Any], left: list[str]
) -> None:
    two_steps(store)
    settle(store, [proposal.id for proposal in store.proposals("me")])
    assert texts(store) == left


# ---------------------------------------------------------------- failures and resuming


def unusable() -> LlmReplyError:
    return LlmReplyError("The answer was nonsense.", "Choose another model.")


def test_a_window_that_fails_waits_alone_and_is_read_again(store: DuckStore) -> None:
    talk = log(numbered(100))
    ends = [unit("Ann opens a shop."), unit("Ben closes a bank.")]
    llm = ScriptedLlm([read(ends[0]), unusable(), read(ends[1])])
    report = by_model(store, llm, talk)
    assert report.errors == ("The answer was nonsense. Choose another model.",)
    assert texts(store) == ["Ann opens a shop.", "Ben closes a bank."]
    assert [m.text for m in store.pending_messages("simplemem", "me")] == numbered(100)[40:78]

    again = ScriptedLlm([read()])
    assert by_model(store, again).errors == ()
    assert lines(again.history[0]) == numbered(100)[40:78]
    assert part(again.history[0], "before")[0].endswith("says 38")
    assert store.pending_messages("simplemem", "me") == []


def test_when_synthesis_fails_nothing_of_the_session_is_stored_and_it_waits(store: DuckStore) -> None:
    answers: list[Answer] = [read(*COFFEE), read(unit("Ann runs far.")), unusable()]
    report = by_model(store, ScriptedLlm(answers), log(SAID, ["I run far."]))
    assert len(report.errors) == 1
    assert texts(store) == ["Ann runs far."]
    assert [message.text for message in store.pending_messages("simplemem", "me")] == SAID
    assert [trace["error"] for trace in traces(store, "extract")] == [report.errors[0], ""]


@pytest.mark.parametrize("answers", [[], [read(*COFFEE)]], ids=["extraction", "synthesis"])
def test_a_server_that_is_down_fails_the_run_and_stores_nothing(
    store: DuckStore, answers: list[Answer]
) -> None:
    down = LlmUnavailableError("Ollama is not there.", "Start it.")
    with pytest.raises(LlmUnavailableError):
        by_model(store, ScriptedLlm([*answers, down]), log(SAID))
    assert (texts(store), len(store.pending_messages("simplemem", "me"))) == ([], 3)


def test_interrupted_and_resumed_is_the_same_as_one_run(store: DuckStore, tmp_path: Any) -> None:
    """Also gating, synthesis and proposals, which look at what earlier steps stored."""
    said = [f"owns a {n % 7} boat." if n % 9 else "hm" for n in range(230)]
    said[0], said[200] = "owns a dog.", "owns a brown dog."
    talk = log(said, ["owns a dog.", "owns a fast boat."], ["owns a fast boat."])
    asked = 0

    def after_the_first_step() -> bool:
        nonlocal asked
        asked += 1
        return asked > 1

    with pipeline.open_with(EMBEDDER, tmp_path / "whole") as whole:
        by_rule(whole, talk)
        at_once = content(whole, recipe="simplemem")
    assert by_rule(store, talk, cancelled=after_the_first_step).state == "cancelled"
    assert 0 < len(store.pending_messages("simplemem", "me")) < 233
    by_rule(store)
    resumed = content(store, recipe="simplemem")
    assert at_once["proposals"], "there is something to propose"
    assert resumed == at_once


# ---------------------------------------------------------------- as a system


def test_it_keeps_no_graph_and_no_summaries(store: DuckStore) -> None:
    by_rule(store, log(["likes tea.", "likes rain."]))
    assert (store.triples("me"), store.entities("me"), store.summaries("me")) == ([], [], [])
    assert [memory.recipe for memory in store.memories("me")] == ["simplemem"] * 2


def test_without_a_model_windows_come_to_the_extractor_and_nothing_is_asked(store: DuckStore) -> None:
    extractor = SayingExtractor()
    report = by_rule(store, log(numbered(50)), extractor=extractor)
    assert [(len(buffer.messages), len(buffer.before)) for buffer in extractor.read] == [(40, 0), (10, 2)]
    assert report.llm["calls"] == 0


def test_a_contradiction_between_sessions_is_left_standing_and_both_are_found_by_date(
    store: DuckStore,
) -> None:
    """SimpleMem ends nothing: what holds now is for the answerer to tell from the dates."""
    january = log(["lives in New York."], begin=datetime(2024, 1, 10))
    march = log(["moved to San Francisco."], name="b", begin=datetime(2024, 3, 10))
    by_rule(store, january, march)
    assert store.proposals("me") == []
    assert [memory.state for memory in store.memories("me", states=None)] == ["active"] * 2

    def as_of(month: int) -> list[str]:
        moment = datetime(2024, month, 1)
        question = Question("Where does Ann live?", recipe="simplemem", as_of=moment)
        return sorted(hit.text for hit in SIMPLEMEM.search(store, SearchTools(EMBEDDER), question).hits)

    assert as_of(2) == ["Ann lives in New York"]
    assert as_of(4) == ["Ann lives in New York", "Ann moved to San Francisco"]
