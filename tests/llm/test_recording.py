"""Recorded replies: one line a reply, found by the hash of what was asked, never by anything near it."""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memcore.domain.errors import LlmReplyError, UsageError
from memcore.llm.chat import ChatCompletion, ChatRequest, UnansweredError
from memcore.llm.conversation import CheckedLlm
from memcore.llm.recorded import RecordedServer, RecordingServer
from memcore.llm.recording import Recorder, read_recording
from memcore.llm.tool_calls import ToolCall
from tests.fakes import ListLedger

DAY = date(2026, 11, 24)


class Fact(BaseModel):
    """A fact."""

    text: str


class QueueServer:
    """Gives its answers in order."""

    model_id = "live-1"

    def __init__(self, *answers: ChatCompletion) -> None:
        self.answers = list(answers)

    def send(self, request: ChatRequest) -> ChatCompletion:
        return self.answers.pop(0)


def said(text: str, **more: object) -> ChatCompletion:
    return ChatCompletion(text, 10, 2, **more)  # type: ignore[arg-type]


def asked(user: str = "Hi", prompt: str = "extract_v2", **more: object) -> ChatRequest:
    return ChatRequest("Be exact.", user, None, 100, prompt_version=prompt, **more)  # type: ignore[arg-type]


def recorded(file: Path, *pairs: tuple[ChatRequest, ChatCompletion]) -> Path:
    server = RecordingServer(
        QueueServer(*(completion for _, completion in pairs)), Recorder(file), today=lambda: DAY
    )
    for request, _ in pairs:
        server.send(request)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "talk.jsonl"


# ---------------------------------------------------------------- what is recorded is what is replayed


def test_a_reply_is_given_again_with_its_cost_and_the_models_name(file: Path) -> None:
    recorded(file, (asked(), said("Hello.")))
    again = RecordedServer(read_recording(file)).send(asked())
    assert (again.text, again.prompt_tokens, again.completion_tokens) == ("Hello.", 10, 2)
    assert again.model == "recorded: live-1 (2026-11-24)"
    assert again.milliseconds == json.loads(file.read_text())["milliseconds"]


def test_a_line_says_all_that_was_asked_and_answered(file: Path) -> None:
    request = ChatRequest("S", "U", {"type": "object"}, 100, (), "extract_v2", "a.txt, line 1")
    recorded(file, (request, said("{}")))
    line = json.loads(file.read_text())
    assert line.pop("milliseconds") >= 0
    assert line == {
        "request": request.digest,
        "prompt": "extract_v2",
        "place": "a.txt, line 1",
        "system": "S",
        "user": "U",
        "schema": {"type": "object"},
        "tools": [],
        "reply": "{}",
        "model": "live-1",
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "date": "2026-11-24",
    }


def as_decoded(text: str) -> str:
    """As JSON, UTF-8 and UTF-16 give texts: two halves of a surrogate pair are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


LONE_HALVES = st.text(st.characters(min_codepoint=0xD700, max_codepoint=0xE100), max_size=4)
TEXT = st.text(max_size=60) | LONE_HALVES.map(as_decoded)


@given(system=TEXT, user=TEXT, reply=TEXT, arguments=TEXT)
def test_any_text_comes_back_as_it_was(system: str, user: str, reply: str, arguments: str) -> None:
    completion = said(reply, calls=(ToolCall("ADD", arguments),))
    request = ChatRequest(system, user, None, 1)
    with tempfile.TemporaryDirectory() as directory:
        file = recorded(Path(directory) / "talk.jsonl", (request, completion), (asked(), said("next")))
        read = read_recording(file)
    again = read.replies[request.digest]
    assert [(one.text, one.calls) for one in again] == [(reply, completion.calls)]
    assert read.damaged == ()


def test_what_does_not_change_the_question_does_not_change_its_hash(file: Path) -> None:
    recorded(file, (asked(place="here"), said("Hello.")))
    other = ChatRequest("Be exact.", "Hi", None, 999, prompt_version="renamed_v1", place="there")
    assert RecordedServer(read_recording(file)).send(other).text == "Hello."


@pytest.mark.parametrize(
    "other",
    [
        ChatRequest("Be brief.", "Hi", None, 100),
        ChatRequest("Be exact.", "Hi ", None, 100),
        ChatRequest("Be exact.", "Hi", {"type": "object"}, 100),
        ChatRequest("Be exact.", "Hi", None, 100, ({"type": "function"},)),
    ],
)
def test_what_changes_the_question_is_not_answered(file: Path, other: ChatRequest) -> None:
    recorded(file, (asked(), said("Hello.")))
    with pytest.raises(UnansweredError):
        RecordedServer(read_recording(file)).send(other)


def test_one_request_answered_twice_has_its_replies_in_order_and_then_the_last(file: Path) -> None:
    recorded(file, (asked(), said("one")), (asked("Other"), said("other")), (asked(), said("two")))
    server = RecordedServer(read_recording(file))
    assert [server.send(asked()).text for _ in range(4)] == ["one", "two", "two", "two"]
    assert RecordedServer(read_recording(file)).send(asked()).text == "one", "each run begins anew"


def test_threads_get_the_reply_to_their_own_request_whoever_asks_first(file: Path) -> None:
    questions = [asked(f"Question {number}") for number in range(40)]
    recorded(file, *((question, said(f"to {question.user}")) for question in questions))
    server = RecordedServer(read_recording(file))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(server.send, reversed(questions)))
    assert [reply.text for reply in replies] == [f"to {q.user}" for q in reversed(questions)]


def test_threads_record_whole_lines(file: Path) -> None:
    recorder = Recorder(file)

    def one(number: int) -> None:
        RecordingServer(QueueServer(said("long " * 5000)), recorder).send(asked(f"Question {number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(40)))
    read = read_recording(file)
    assert (len(read.replies), read.damaged) == (40, ())


# ---------------------------------------------------------------- retries


def ask(server: object, ledger: ListLedger) -> str:
    llm = CheckedLlm(server, ledger, "run", pause_s=0)  # type: ignore[arg-type]
    reply = llm.ask(stage="s", prompt_version="extract_v2", system="S", user="U", schema=Fact, place="a.txt")
    return reply.data.text


def costs(ledger: ListLedger) -> list[tuple[str, str, int | None, int | None, float]]:
    return [
        (call.outcome, call.completion, call.prompt_tokens, call.completion_tokens, call.milliseconds)
        for call in ledger.calls
    ]


def test_replies_that_were_cut_off_or_broke_the_schema_are_replayed_with_their_retries(file: Path) -> None:
    live, replayed = ListLedger(), ListLedger()
    answers = said('{"text": "An', cut="answer"), said('{"fact": 1}'), said('{"text": "Ann."}')
    server = RecordingServer(QueueServer(*answers), Recorder(file))
    assert ask(server, live) == "Ann."
    assert ask(RecordedServer(read_recording(file)), replayed) == "Ann."
    assert [call.outcome for call in live.calls] == ["truncated", "invalid_json", "ok"]
    assert costs(replayed) == costs(live)
    assert len(read_recording(file).replies) == 2, "the same question with more room has the same hash"


def test_a_miss_names_prompt_version_place_and_hash_and_keeps_the_whole_request(file: Path) -> None:
    recorded(file, (asked(prompt="extract_v1"), said("Hello.")))
    ledger = ListLedger()
    with pytest.raises(LlmReplyError) as missed:
        ask(RecordedServer(read_recording(file)), ledger)
    assert "talk.jsonl is recorded for extract_v1, asked is extract_v2" in missed.value.cause
    assert "for a.txt" in missed.value.cause
    (call,) = ledger.calls
    assert (call.outcome, call.completion, call.prompt_tokens) == ("unanswered", "", None)
    document = json.loads(call.request)
    assert document["request"][:12] in missed.value.cause
    assert (document["system"], document["user"], document["schema"]["title"]) == ("S", "U", "Fact")


def test_a_miss_says_whether_the_prompt_is_known_at_all(file: Path) -> None:
    recorded(file, (asked(), said("Hello.")))
    read = read_recording(file)
    assert "1 replies to this prompt, all to other requests" in read.why_not("extract_v2")
    assert "has no reply to this prompt" in read.why_not("decide_v1")


# ---------------------------------------------------------------- damaged files


def test_a_damaged_line_costs_itself_alone_and_is_named(file: Path) -> None:
    recorded(file, *((asked(f"{n}"), said(f"reply {n}")) for n in range(4)))
    lines = file.read_text().splitlines()
    lines[1] = lines[1][:40]
    lines[2] = lines[2].replace('"user": "2"', '"user": "3"')
    file.write_text("\n".join([*lines, "[1, 2]", "", '{"request": "x"}']))
    read = read_recording(file)
    assert [one.number for one in read.damaged] == [2, 3, 5, 7]
    assert "cut off" in read.damaged[0].why
    assert "hash" in read.damaged[1].why
    assert {reply.text for replies in read.replies.values() for reply in replies} == {"reply 0", "reply 3"}


def test_what_follows_a_line_that_was_cut_off_is_not_lost(file: Path) -> None:
    recorded(file, (asked("1"), said("one")), (asked("2"), said("two")))
    file.write_bytes(file.read_bytes()[:-20])
    recorded(file, (asked("3"), said("three")))
    read = read_recording(file)
    assert [one.number for one in read.damaged] == [2]
    assert RecordedServer(read).send(asked("3")).text == "three"


@pytest.mark.parametrize("content", ['{"role": "user", "content": "Hi"}\n', "Dear diary\n", "\xff\xfe\x00"])
def test_a_file_of_something_else_is_refused_and_never_written_to(file: Path, content: str) -> None:
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=r"is no file of recorded replies: line 1"):
        read_recording(file)
    with pytest.raises(UsageError):
        Recorder(file)
    assert file.read_bytes() == content.encode("latin-1")


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        read_recording(tmp_path / "missing.jsonl")
    with pytest.raises(UsageError, match="There is no file"):
        read_recording(tmp_path)


def test_an_empty_file_answers_nothing(file: Path) -> None:
    file.touch()
    read = read_recording(file)
    assert (read.replies, read.damaged, read.name) == ({}, (), "recorded: no replies yet")


def test_a_note_is_for_people(file: Path) -> None:
    file.write_text('{"about": "Answered by hand, unedited."}\n')
    recorded(file, (asked(), said("Hello.")))
    read = read_recording(file)
    assert (len(read.replies), read.damaged) == (1, ())


def test_the_name_tells_models_and_days_and_hides_nothing(file: Path) -> None:
    recorder = Recorder(file)
    for number, model in enumerate(["a", "b\u202e", "c\nd", "e"]):
        recorder.append(
            asked(str(number)), said("x"), model=model, milliseconds=None, date=f"2026-11-2{number}"
        )
    assert read_recording(file).name == "recorded: a, b, c d and 1 more (2026-11-20 to 2026-11-23)"


@pytest.mark.parametrize(
    "odd",
    [
        {"prompt_tokens": -1},
        {"prompt_tokens": 10**30},
        {"milliseconds": float("nan")},
        {"date": "../../etc"},
        {"model": ""},
        {"model": "x" * 1000},
        {"calls": [{"name": "ADD", "arguments": {}}]},
        {"reply": ["Hello."]},
    ],
)
def test_impossible_values_are_damage(file: Path, odd: dict[str, object]) -> None:
    recorded(file, (asked("1"), said("one")), (asked("2"), said("two")))
    first, second = file.read_text().splitlines()
    file.write_text(f"{first}\n{json.dumps(json.loads(second) | odd)}\n")
    assert [one.number for one in read_recording(file).damaged] == [2]


def test_lines_and_files_have_a_largest_size(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcore.llm import recording, requests

    recorded(file, (asked("1"), said("one")))
    monkeypatch.setattr(recording, "MOST_OF_A_LINE", 1000)
    monkeypatch.setattr(requests, "MOST_OF_A_LINE", 1000)
    with pytest.raises(UsageError, match="does not fit"):
        recorded(file, (asked("2"), said("two " * 1000)))
    with file.open("ab") as written:
        written.write(b'{"request": "' + b"x" * 5000 + b'"}\n')
    recorded(file, (asked("3"), said("three")))
    read = read_recording(file)
    assert [(one.number, "longer than" in one.why) for one in read.damaged] == [(2, True)]
    assert len(read.replies) == 2
    monkeypatch.setattr(requests, "MOST_BYTES", 1000)
    with pytest.raises(UsageError, match="at most"):
        read_recording(file.rename(file.with_name("other.jsonl")))


def test_a_recording_is_its_owners_alone(file: Path) -> None:
    recorded(file, (asked(), said("Hello.")))
    assert file.stat().st_mode & 0o777 == 0o600
