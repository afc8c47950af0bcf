"""Claude.ai, Claude Code, ShareGPT, Ollama, Open WebUI: what each writes in its own way. What their files
usually look like is in samples/."""

import json

import pytest

from memcore.logs import detect
from tests.logs.reading import read, read_one, said
from tests.logs.test_branches import webui

ASKED = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Hello!"}


def lines(*records):
    return "\n".join(json.dumps(record) for record in records)


def claude(*messages, **more):
    return {"uuid": "c", "name": "C", "chat_messages": list(messages), **more}


def event(text, role="user", **more):
    return {"type": role, "sessionId": "s", "message": {"role": role, "content": text}, **more}


def response(text, **more):
    message = {"role": "assistant", "content": text}
    return {"model": "m", "created_at": "2025-01-01T10:00:00Z", "message": message, "done": True, **more}


# ---------------------------------------------------------------- telling them apart


@pytest.mark.parametrize(
    ("record", "format_name"),
    [
        ({"model": "m", "messages": [ASKED], "stream": False}, "ollama"),
        ({"model": "m", "messages": [ASKED], "options": {"temperature": 0}}, "ollama"),
        ({"model": "m", "messages": [ASKED], "keep_alive": "5m"}, "ollama"),
        (response("Hello!"), "ollama"),
        ({"model": "gpt-4o", "messages": [ASKED]}, "openai"),
        ({"model": "gpt-4o", "messages": [ASKED], "stream": True, "temperature": 0}, "openai"),
        ({"messages": [ASKED, ANSWER], "options": {}}, "openai"),
        ({**ASKED, "created_at": "2025-01-01", "model": "m"}, "openai"),
        (event("Hi"), "claude-code"),
        ({"type": "summary", "summary": "S", "leafUuid": "x"}, "claude-code"),
        ({"type": "message", **ASKED}, "openai"),
        (claude(), "claude"),
        ({"conversations": [{"from": "human", "value": "Hi"}]}, "sharegpt"),
        ({"history": {"messages": {}}}, "open-webui"),
    ],
)
def test_nearly_alike_records_are_told_apart(record, format_name):
    for text in (json.dumps(record), json.dumps([record]), lines(record, record)):
        assert detect("x", text.encode()) == format_name


# ---------------------------------------------------------------- Claude.ai


def test_claude_parents_that_are_lost_go_on_after_the_message_before():
    said_by = [("a", None, "One"), ("b", "a", "Two"), ("c", "gone", "Three")]
    messages = [
        {"uuid": key, "sender": "human", "text": text, "parent_message_uuid": parent}
        for key, parent, text in said_by
    ]
    found = read([claude(*messages)])
    assert [text for _speaker, text in said(found.logs[0])] == ["One", "Two", "Three"]
    assert [place.where for place in found.skipped] == ["C, message 3"]


def test_claude_documents_were_attached_but_not_said():
    attached = [
        {"file_name": "thesis.pdf", "extracted_content": "long"},
        {"file_name": "paste.txt", "extracted_content": "my list"},
        "damaged",
    ]
    message = {"sender": "human", "content": [{"type": "text", "text": "See"}], "attachments": attached}
    assert said(read_one([claude(message)])) == [("User", "See\nmy list")]


def test_claude_placeholders_in_the_whole_text_are_not_read_where_there_are_blocks():
    blocks = [{"type": "tool_use", "name": "web_search"}]
    message = {"sender": "assistant", "text": "This block is not supported", "content": blocks}
    assert said(read_one([claude({"sender": "human", "text": "Hi"}, message)])) == [("User", "Hi")]


# ---------------------------------------------------------------- Claude Code


@pytest.mark.parametrize("mark", ["isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage"])
def test_lines_nobody_said_are_skipped(mark):
    assert said(read_one(lines(event("Hi"), event("x", **{mark: True})))) == [("User", "Hi")]


def test_commands_and_their_output_were_not_said():
    texts = ("<command-name>/clear</command-name>", "<local-command-stdout></local-command-stdout>")
    assert said(read_one(lines(event("Hi"), *(event(text) for text in texts)))) == [("User", "Hi")]


def test_an_image_alone_is_reported_and_a_tool_result_alone_is_not():
    picture, result = [{"type": "image", "source": {}}], [{"type": "tool_result", "content": "x"}]
    found = read(lines(event("Hi"), event(picture), event(result), event(None)))
    assert [place.where for place in found.skipped] == ["line 2", "line 4"]


def test_sessions_in_one_file_are_conversations_of_their_own_and_copied_lines_count_once():
    first = event("Hi", uuid="1")
    log = read(lines(first, first, event("Ho", uuid="2", sessionId="t"), event("Hu", uuid="3")))
    assert [said(one) for one in log.logs] == [[("User", "Hi"), ("User", "Hu")], [("User", "Ho")]]


def test_the_summary_of_a_session_is_its_title_when_it_is_of_this_session():
    other = {"type": "summary", "summary": "Elsewhere", "leafUuid": "x"}
    own = {"type": "summary", "summary": "Greetings", "leafUuid": "1"}
    assert read_one(lines(other, own, event("Hi", uuid="1"))).conversation.title == "Greetings"


# ---------------------------------------------------------------- Ollama


def test_an_answer_that_breaks_off_is_kept_and_reported():
    piece = response("Hel", done=False)
    found = read(
        lines({"model": "m", "messages": [ASKED], "stream": True}, piece, response("lo", done=False))
    )
    assert said(found.logs[0]) == [("User", "Hi"), ("Assistant", "Hello")]
    assert [place.where for place in found.skipped] == ["line 2"]


def test_requests_that_take_turns_go_on_with_the_conversations_they_repeat():
    def request(*messages):
        return {"model": "m", "messages": list(messages), "stream": False}

    def user(text):
        return {"role": "user", "content": text}

    one, two = user("About cats"), user("About dogs")
    found = read(
        lines(
            request(one), response("Hello!"), request(two), response("Hello!"),
            request(one, ANSWER, user("Do they purr?")), request(two, ANSWER, user("Do they bark?")),
        )
    )  # fmt: skip
    assert [[text for _speaker, text in said(log)] for log in found.logs] == [
        ["About cats", "Hello!", "Do they purr?"],
        ["About dogs", "Hello!", "Do they bark?"],
    ]


def test_an_error_of_the_server_is_reported_with_what_it_said():
    found = read(lines(response("Hello!"), {"error": "model not found"}))
    assert "model not found" in found.skipped[0].why


def test_only_what_an_answer_answers_has_its_time():
    earlier = {"model": "m", "messages": [ASKED, ANSWER, {"role": "user", "content": "Now?"}], "options": {}}
    log = read_one(lines(earlier, response("Yes.")))
    assert [message.time_source for message in log.messages] == ["session", "session", "message", "message"]


# ---------------------------------------------------------------- Open WebUI


def test_reasoning_is_left_out_and_an_open_fold_is_text():
    fold = '<details type="reasoning" done="true">x</details>\n'
    chat = webui(
        ("a", None, "assistant", fold + "One " + fold + "two"),
        ("b", "a", "assistant", '<details type="reasoning">y'),
        current="b",
    )
    assert [text for _speaker, text in said(read_one(chat))] == ["One \ntwo", '<details type="reasoning">y']


def test_a_chat_without_the_record_around_it_is_read():
    assert said(read_one(webui(("a", None, "user", "Hi"), current="a")[0]["chat"])) == [("User", "Hi")]


# ---------------------------------------------------------------- every one of them

NUL = "nul \x00 and half \ud800"


@pytest.mark.parametrize(
    "log",
    [
        [claude({"sender": "human", "text": NUL})],
        [event(NUL)],
        [{"conversations": [{"from": "human", "value": NUL}]}],
        [response(NUL, created_at=None)],
        webui(("a", None, "user", NUL), current="a"),
        [claude({"sender": "human", "content": [{"type": "text", "text": NUL}, {"type": "image"}, None, 3]})],
        webui(("a", None, "user", [{"type": "text", "text": NUL}, {"type": "image_url"}]), current="a"),
    ],
)
def test_nul_lone_surrogates_parts_and_missing_times_break_nothing(log):
    (message,) = read(log).logs[0].messages
    assert message.text == "nul \ufffd and half \ufffd"


def test_a_broken_conversation_in_an_array_does_not_cost_those_after_it():
    for broken in ('"text": "Tw', '"text": }', '"text": "Two" "x"'):
        logs = [claude({"sender": "human", "text": text}, {"sender": "human", "text": "and"}, uuid=text)
                for text in ("One", "Two", "Three")]  # fmt: skip
        found = read(json.dumps(logs, indent=1).replace('"text": "Two"', broken))
        texts = [message.text for log in found.logs for message in log.messages]
        assert "Two" not in texts
        assert (texts[:2], texts[-2:]) == (["One", "and"], ["Three", "and"])
        assert found.skipped[0].where == "record 2"
