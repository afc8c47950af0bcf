"""ChatGPT exports: trees of messages, of which one branch was said."""

from datetime import datetime

from tests.logs.reading import read, read_one, said

START = 1_700_000_000


def node(node_id, parent, text, role="user", **message):
    body = {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text] if isinstance(text, str) else text},
        "create_time": START,
        **message,
    }
    return {"id": node_id, "parent": parent, "message": body}


def export(*nodes, current="c", **more):
    mapping = {item["id"]: item for item in ({"id": "root", "parent": None, "message": None}, *nodes)}
    return [{"title": "T", "mapping": mapping, "current_node": current, "conversation_id": "x", **more}]


TALK = (node("a", "root", "Hi"), node("b", "a", "Hello!", "assistant"), node("c", "b", "Bye"))


def test_the_branch_to_current_node_is_read_and_edited_branches_are_not():
    log = read_one(export(*TALK, node("old", "a", "What I first said")))
    assert said(log) == [("User", "Hi"), ("Assistant", "Hello!"), ("User", "Bye")]
    assert log.conversation.title == "T"
    assert log.messages[0].said_at == datetime(2023, 11, 14, 22, 13, 20)


def test_hidden_messages_weight_zero_and_reasoning_were_not_said():
    hidden = (
        node("a", "root", "zero", "system", weight=0.0),
        node("b", "a", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("c", "b", "thinking", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        node("d", "c", "said"),
    )
    assert said(read_one(export(*hidden, current="d"))) == [("User", "said")]


def test_parts_may_be_objects_and_a_picture_alone_is_reported():
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}
    spoken = {"content_type": "audio_transcription", "text": "spoken"}
    found = read(
        export(node("a", "root", [picture, "my cat"]), node("b", "a", [picture]), node("c", "b", [spoken]))
    )
    assert said(found.logs[0]) == [("User", "my cat"), ("User", "spoken")]
    assert [place.where for place in found.skipped] == ["T, message b"]


def test_what_the_assistant_sends_to_a_tool_has_the_role_tool():
    code = node(
        "c", "root", "", "assistant", recipient="python", content={"content_type": "code", "text": "1+1"}
    )
    assert [(m.role, m.text) for m in read_one(export(code)).messages] == [("tool", "1+1")]


def test_without_current_node_the_newest_branch_is_read_and_that_is_said():
    later = node("e", "a", "newer", create_time=START + 99)
    found = read(export(*TALK, later, current=None))
    assert said(found.logs[0]) == [("User", "Hi"), ("User", "newer")]
    assert "current_node" in found.skipped[0].why


def test_parents_in_a_circle_end_the_branch():
    found = read(export(node("a", "c", "one"), node("b", "a", "two"), node("c", "b", "three")))
    assert said(found.logs[0]) == [("User", "one"), ("User", "two"), ("User", "three")]
    assert "circle" in found.skipped[0].why


def test_a_missing_parent_ends_the_branch():
    found = read(export(node("c", "lost", "only me")))
    assert said(found.logs[0]) == [("User", "only me")]
    assert "T, message lost" in found.skipped[0].where


def test_a_message_without_time_has_the_time_of_the_session():
    log = read_one(export(node("c", "root", "x", create_time=None), create_time=START))
    assert (log.messages[0].said_at, log.messages[0].time_source) == (
        datetime(2023, 11, 14, 22, 13, 20),
        "session",
    )


def test_two_conversations_are_told_apart_by_their_own_ids():
    logs = read([*export(*TALK), {**export(*TALK)[0], "conversation_id": "y"}]).logs
    assert len({message.id for log in logs for message in log.messages}) == 6


def test_standing_custom_instructions_are_no_message_and_are_told():
    standing = node(
        "a", "root", "", content={"content_type": "user_editable_context", "user_profile": "Be brief."}
    )
    found = read(export(standing, node("b", "a", "Hi"), node("c", "b", "Hello!", "assistant")))
    assert said(found.logs[0]) == [("User", "Hi"), ("Assistant", "Hello!")]
    assert [place.where for place in found.skipped] == ["T, message a"]
