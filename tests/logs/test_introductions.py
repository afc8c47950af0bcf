"""By which name a log calls the person whom its format only calls the user."""

import io
import json
import zipfile

import pytest

from memcore.logs import read_bytes
from memcore.logs.introductions import stated_name
from tests.logs.reading import read_one, said
from tests.logs.test_assistant_exports import claude
from tests.logs.test_chatgpt import TALK, export, node


def chat(*texts: str) -> list[dict[str, str]]:
    """What a user says, each time answered."""
    return [
        turn
        for text in texts
        for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "Good."})
    ]


def speakers(*texts: str) -> set[str]:
    return {speaker for speaker, _ in said(read_one(chat(*texts)))}


@pytest.mark.parametrize(
    "text",
    [
        "Hi! My name is Lena and I grow tomatoes.",
        "my name's Lena, by the way",
        "I moved to Leeds. Please call me Lena.",
        "Hello, call me Lena",
    ],
)
def test_who_says_a_name_is_called_by_it_from_the_first_message_on(text: str) -> None:
    assert speakers("What grows in the shade?", text) == {"Lena", "Assistant"}


@pytest.mark.parametrize(
    "text",
    [
        "My name is long.",
        "My sister's name is Lena.",
        "My name is Lena. Or rather: my name is Tom.",
        "Let us play a game: my name is Morgan and you are a dragon.",
        "Write a letter: Dear Sir, my name is Lena.",
        "Please call me tomorrow.",
        "My name is Lena. " + "I grow tomatoes. " * 60,
    ],
)
def test_no_name_several_names_a_part_played_and_what_is_pasted_leave_the_user_nameless(text: str) -> None:
    assert speakers(text) == {"User", "Assistant"}


def test_what_an_assistant_says_and_who_already_has_a_name_change_nothing() -> None:
    log = read_one([{"role": "assistant", "content": "My name is Ada."}, {"role": "user", "content": "Hi"}])
    assert said(log) == [("Assistant", "My name is Ada."), ("User", "Hi")]
    named = [{"role": "user", "name": "tom", "content": "My name is Lena."}]
    assert said(read_one(named)) == [("tom", "My name is Lena.")]


def test_the_name_of_somebody_else_in_the_log_is_not_taken() -> None:
    log = read_one([*chat("My name is Ben."), {"role": "user", "name": "Ben", "content": "Mine, too."}])
    assert said(log)[0][0] == "User"


def test_ids_do_not_depend_on_the_name_so_a_grown_log_adds_only_what_is_new() -> None:
    short = read_one(chat("I grow figs.", "They are sweet."))
    grown = read_one(chat("I grow figs.", "They are sweet.", "My name is Lena."))
    assert [m.id for m in grown.messages[:4]] == [m.id for m in short.messages]
    assert [m.speaker for m in grown.messages[:2]] == ["Lena", "Assistant"]


def test_chatgpt_tells_the_name_in_the_custom_instructions() -> None:
    body = {"content_type": "user_editable_context", "user_profile": "Preferred name: Lena\nRole: nurse"}
    standing = node("s", "root", "", content=body)
    assert said(read_one_but_for_instructions(export(standing, *TALK)))[0] == ("Lena", "Hi")


def read_one_but_for_instructions(document: object):
    [log] = read_bytes("log", json.dumps(document).encode()).logs
    return log


def test_claude_tells_the_name_of_the_account_in_a_file_of_its_own() -> None:
    turn = {"uuid": "m", "sender": "human", "text": "Hi", "created_at": "2025-01-01T10:00:00Z"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("conversations.json", json.dumps([claude(turn, account={"uuid": "u1"})]))
        archive.writestr("users.json", json.dumps([{"uuid": "u1", "full_name": "Lena Hart"}]))
    found = read_bytes("export.zip", packed.getvalue())
    assert [said(log) for log in found.logs] == [[("Lena", "Hi")]]
    assert not found.skipped


@pytest.mark.parametrize("profile", ["", "I like brevity.", "Name: lena", "Name: Lena\nName: Tom"])
def test_a_description_without_one_clear_name_states_none(profile: str) -> None:
    assert stated_name(profile) == ""
