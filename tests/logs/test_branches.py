"""Conversations edited on the way: the current branch is read, another one when a person chooses it."""

import json
from datetime import datetime

import pytest

from memcore.domain.errors import LogError, UsageError
from memcore.logs import Branch, Branching, ReadOptions, branches_of, read_bytes
from tests.logs.reading import SAMPLES, read, read_one, said
from tests.logs.test_chatgpt import START, export, node

GARDEN = "6f0c1a52-garden"


def branching(content, **options):
    return branches_of("log", json.dumps(content).encode(), ReadOptions(**options))


def webui(*messages, current, **more):
    nodes = {
        key: {"id": key, "parentId": parent, "role": role, "content": text, "timestamp": START + at}
        for at, (key, parent, role, text) in enumerate(messages)
    }
    return [{"id": "w", "chat": {"title": "W", "history": {"messages": nodes, "currentId": current}}, **more}]


EDITED = webui(
    ("a", None, "user", "Which tea?"),
    ("b", "a", "assistant", "Green tea."),
    ("c", "a", "assistant", "Black tea."),
    ("d", "b", "user", "Why   green?\nTell me, " + "please " * 30),
    ("e", "b", "user", "Thanks."),
    current="c",
)


def test_the_branches_of_a_conversation_are_listed_the_current_one_first():
    archive = (SAMPLES / "chatgpt_export.zip").read_bytes()
    assert branches_of("export.zip", archive) == (
        Branching(
            GARDEN,
            "Balcony garden",
            (
                Branch(
                    "b6",
                    6,
                    datetime(2024, 3, 16, 16, 6, 20),
                    "What can I grow on a north-facing balcony in Glasgow? I killed three tomato plan…",
                ),
                Branch(
                    "a2",
                    2,
                    datetime(2024, 3, 16, 16, 1, 35),
                    "What can I grow on a balcony that gets no sun?",
                ),
            ),
        ),
    )


def test_first_words_are_those_not_shared_with_the_current_branch():
    (found,) = branching(EDITED)
    assert [(branch.leaf, branch.messages) for branch in found.branches] == [("c", 2), ("d", 3), ("e", 3)]
    current, first, second = (branch.first_words for branch in found.branches)
    assert (current, first, second) == ("Black tea.", "Green tea.", "Green tea.")


def test_the_chosen_branch_is_read_and_shares_its_messages_with_the_others():
    current, chosen = read_one(EDITED), read_one(EDITED, branches={"w": "e"})
    assert said(chosen) == [("User", "Which tea?"), ("Assistant", "Green tea."), ("User", "Thanks.")]
    assert chosen.conversation.id == current.conversation.id
    assert chosen.messages[0].id == current.messages[0].id


@pytest.mark.parametrize("content", [EDITED, export(node("c", "root", "Hi"), node("x", "root", "Ho"))])
def test_every_listed_branch_can_be_read_and_has_as_many_messages_as_it_says(content):
    (found,) = branching(content)
    for branch in found.branches:
        log = read_one(content, branches={found.conversation: branch.leaf})
        assert len(log.messages) == branch.messages
        assert log.messages[-1].said_at == branch.last_at


def test_a_branch_that_does_not_exist_is_reported_and_the_current_one_is_not_read_instead():
    other = webui(("z", None, "user", "Something else"), current="z", id="other")
    found = read([*EDITED, *other], branches={"w": "nowhere"})
    assert [said(log) for log in found.logs] == [[("User", "Something else")]]
    assert found.skipped[0].where == "W"
    assert "'nowhere'" in found.skipped[0].why
    with pytest.raises(LogError, match="nowhere"):
        read(EDITED, branches={"w": "nowhere"})


def test_a_choice_for_a_conversation_of_another_file_changes_nothing():
    assert read_one(EDITED, branches={"elsewhere": "e"}) == read_one(EDITED)


def test_what_was_not_said_makes_no_branch():
    hidden = export(
        node("a", "root", "Hi"),
        node("c", "a", "Hello!", "assistant"),
        node("zero", "a", "never shown", "assistant", weight=0),
        node("thought", "c", "x", "assistant", content={"content_type": "thoughts"}),
    )
    assert branching(hidden) == ()


def test_a_conversation_that_goes_on_behind_the_current_message_has_branches():
    more = webui(("a", None, "user", "One"), ("b", "a", "assistant", "Two"), current="a")
    (found,) = branching(more)
    assert [(branch.leaf, branch.messages, branch.first_words) for branch in found.branches] == [
        ("a", 1, ""),
        ("b", 2, "Two"),
    ]


def test_a_conversation_without_an_id_is_chosen_by_its_place():
    nameless = webui(("a", None, "user", "One"), ("b", None, "user", "Two"), current="a", id="")
    (found,) = branching(nameless)
    assert found.conversation == "record 1"
    assert said(read_one(nameless, branches={"record 1": "b"})) == [("User", "Two")]


def test_claude_branches_by_its_parents():
    root = "00000000-0000-4000-8000-000000000000"
    texts = (("a", root, "Cats?"), ("b", "a", "Yes."), ("c", root, "Dogs?"))
    messages = [
        {
            "uuid": key,
            "parent_message_uuid": parent,
            "sender": "human",
            "text": text,
            "created_at": START + at,
        }
        for at, (key, parent, text) in enumerate(texts)
    ]
    log = {"uuid": "x", "name": "Pets", "chat_messages": messages}
    assert said(read_one([log])) == [("User", "Dogs?")]
    assert said(read_one([{**log, "current_leaf_message_uuid": "b"}])) == [
        ("User", "Cats?"),
        ("User", "Yes."),
    ]
    assert [branch.leaf for branch in branching([log])[0].branches] == ["c", "b"]
    assert said(read_one([log], branches={"x": "b"})) == [("User", "Cats?"), ("User", "Yes.")]


def test_formats_without_branches_have_none():
    assert branching([{"role": "user", "content": "Hi"}]) == ()
    assert branches_of("log", b"once upon a time") == ()
    with pytest.raises(UsageError):
        branching(EDITED, format="carrier pigeon")


# ---------------------------------------------------------------- damaged trees


def parents(content, **changed):
    """The chats with the parents of some messages changed."""
    nodes = content[0]["chat"]["history"]["messages"]
    again = {key: {**node, "parentId": changed.get(key, node["parentId"])} for key, node in nodes.items()}
    chat = {**content[0]["chat"], "history": {"messages": again, "currentId": "c"}}
    return [{**content[0], "chat": chat}]


@pytest.mark.parametrize(
    "changed",
    [{"a": "c"}, {"b": "d"}, {"c": "c"}, {"b": "gone"}, {"a": "gone"}, {"c": 7}, {"a": "b", "b": "a"}],
)
def test_parents_missing_or_in_a_circle_break_neither_the_reading_nor_the_list(changed):
    content = parents(EDITED, **changed)
    assert said(read(content).logs[0])[-1] == ("Assistant", "Black tea.")
    for found in branching(content):
        for branch in found.branches:
            log = read(content, branches={"w": branch.leaf}).logs[0]
            assert len(log.messages) == branch.messages


@pytest.mark.parametrize("lost", ["a", "b"])
@pytest.mark.parametrize("record", [None, "text", {}, {"parentId": [], "role": 5}, 12])
def test_what_came_before_a_damaged_message_is_kept_where_another_names_it_as_its_child(lost, record):
    content = webui(
        ("start", None, "user", "One"),
        ("a", "start", "user", "Two"),
        ("b", "a", "user", "Three"),
        current="end",
    )
    nodes = content[0]["chat"]["history"]["messages"]
    nodes["end"] = {"id": "end", "parentId": "b", "role": "assistant", "content": "Four"}
    for key, child in (("start", "a"), ("a", "b"), ("b", "end")):
        nodes[key]["childrenIds"] = [child]
    nodes[lost] = record
    found = read(content)
    left = [text for _speaker, text in said(found.logs[0])]
    assert left[0] == "One" and left[-1] == "Four" and len(left) == 3
    assert [place.where for place in found.skipped] == [f"W, message {lost}"]


def test_thousands_of_branches_of_a_long_conversation_are_listed():
    """Each branch shares a long way: counting every one from its start would take minutes."""
    trunk = [(str(at), str(at - 1) if at else None, "user", f"m{at}") for at in range(5_000)]
    leaves = [(f"leaf{at}", "4999", "assistant", f"answer {at}") for at in range(2_000)]
    (found,) = branching(webui(*trunk, *leaves, current="leaf0"))
    assert len(found.branches) == 2_000
    assert {branch.messages for branch in found.branches} == {5_001}


def test_what_cannot_be_stored_is_shown_as_such_in_the_list():
    odd = webui(("a", None, "user", "nul \x00"), ("b", None, "user", "half \ud800"), current="a")
    (found,) = branching(odd)
    assert [branch.first_words for branch in found.branches] == ["nul \ufffd", "half \ufffd"]
    assert read_bytes("log", json.dumps(odd).encode()).logs
