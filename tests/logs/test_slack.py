"""Slack exports: a channel is one conversation, however many files it is in."""

import json
from datetime import datetime
from io import BytesIO
from zipfile import ZipFile

import pytest

from memcore.logs import detect, read_bytes, read_log
from tests.logs.reading import said

USERS = [
    {"id": "U1", "name": "nora.l", "profile": {"real_name": "Nora Lind", "display_name": "nora"}},
    {"id": "U2", "name": "ben", "real_name": "", "profile": {"real_name": "", "display_name": "Ben"}},
    {"id": "U9", "name": "gardenbot", "is_bot": True},
]
CHANNELS = [{"id": "C1", "name": "garden"}, {"id": "C2", "name": "random"}]


def message(ts, user, text, **more):
    return {"type": "message", "user": user, "text": text, "ts": ts, **more}


def export(days, users=USERS, channels=CHANNELS, **files):
    """A ZIP as Slack makes it; `days` by path, and further files by path."""
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        if channels is not None:
            archive.writestr("channels.json", json.dumps(channels))
        for path, content in {**days, **files}.items():
            archive.writestr(path, content if isinstance(content, str | bytes) else json.dumps(content))
        archive.writestr("integration_logs.json", "[]")
        if users is not None:
            archive.writestr("users.json", json.dumps(users))
    return data.getvalue()


def read(days, **more):
    return read_bytes("acme.zip", export(days, **more))


DAYS = {
    "garden/2024-01-02.json": [message("1704189600.000100", "U1", "The beans are in.")],
    "garden/2024-01-03.json": [message("1704276000.000200", "U2", "Mine froze.")],
    "random/2024-01-02.json": [message("1704189700.000100", "U2", "Lunch?")],
}


def test_a_channel_is_one_conversation_and_each_message_names_its_file():
    found = read(DAYS)
    assert found.skipped == ()
    assert [(log.conversation.title, said(log)) for log in found.logs] == [
        ("#garden", [("Nora Lind", "The beans are in."), ("Ben", "Mine froze.")]),
        ("#random", [("Ben", "Lunch?")]),
    ]
    garden = found.logs[0]
    assert garden.conversation.format == "slack"
    assert [(m.raw_ref.file, m.raw_ref.where) for m in garden.messages] == [
        ("acme.zip/garden/2024-01-02.json", "record 1"),
        ("acme.zip/garden/2024-01-03.json", "record 1"),
    ]
    assert [m.said_at for m in garden.messages] == [
        datetime(2024, 1, 2, 10, 0, 0, 100),
        datetime(2024, 1, 3, 10, 0, 0, 200),
    ]
    assert len(garden.sessions) == 2


def test_an_archive_on_disk_is_read_as_an_upload_is(tmp_path):
    (tmp_path / "acme.zip").write_bytes(export(DAYS))
    assert read_log(tmp_path / "acme.zip") == read(DAYS)
    assert detect("acme.zip", export(DAYS)) == "slack"


def test_an_export_in_a_folder_of_its_own_is_the_same():
    inside = {f"Acme [2024]/{path}": day for path, day in DAYS.items()}
    assert [said(log) for log in read(inside).logs] == [said(log) for log in read(DAYS).logs]


def test_a_later_export_keeps_the_ids_of_the_messages_it_shares():
    def ids(days):
        return {m.id for log in read(days).logs for m in log.messages}

    later = {path: day for path, day in DAYS.items() if path != "garden/2024-01-02.json"}
    later["garden/2024-01-04.json"] = [message("1704362400.000100", "U1", "Sow again.")]
    assert len(ids(later) & ids(DAYS)) == 2
    assert len(ids(later) - ids(DAYS)) == 1


def test_a_reply_in_a_thread_stands_where_it_was_said():
    day = [
        message("1704189600.000100", "U1", "first", thread_ts="1704189600.000100"),
        message("1704189800.000100", "U2", "third", thread_ts="1704189600.000100"),
        message("1704189700.000100", "U2", "second"),
    ]
    (log,) = read({"garden/2024-01-02.json": day}).logs
    assert [text for _who, text in said(log)] == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<@U1> and <@U2|benny>: look", "Nora Lind and Ben: look"),
        ("<@U77|guest> left", "guest left"),
        ("<@U77> left", "@U77 left"),
        ("see <#C2|random> <!here> <!subteam^S1|@growers>", "see #random @here @growers"),
        ("<https://a.org/?a=1&amp;b=2|the plan>", "the plan (https://a.org/?a=1&b=2)"),
        ("<https://a.org> <mailto:n@a.org|n@a.org>", "https://a.org n@a.org"),
        ("2 &lt; 3 &amp;&amp; 4 &gt; 3, not &amp;lt;", "2 < 3 && 4 > 3, not &lt;"),
        ("a < b > c", "a < b > c"),
    ],
)
def test_markup_is_read_as_slack_shows_it(written, shown):
    (log,) = read({"garden/2024-01-02.json": [message("1704189600.000100", "U1", written)]}).logs
    assert said(log) == [("Nora Lind", shown)]


def test_what_was_not_said_is_left_out_and_files_are_counted():
    day = [
        message("1704189600.000100", "U1", "<@U1> has joined the channel", subtype="channel_join"),
        message("1704189601.000100", "U1", "set the topic: frost", subtype="channel_topic"),
        message("1704189602.000100", None, "Build 12 passed", subtype="bot_message", username="CI"),
        message("1704189603.000100", "U1", "", files=[{"name": "bed.jpg"}]),
        message("1704189604.000100", "U1", "the new bed", subtype="file_share"),
        message("1704189605.000100", "U1", "", files=[{"name": "hedge.jpg"}]),
        message("1704189606.000100", "U9", "It will freeze tonight.", bot_id="B9"),
    ]
    found = read({"garden/2024-01-02.json": day})
    assert [(m.speaker, m.role, m.text) for m in found.logs[0].messages] == [
        ("Nora Lind", "person", "the new bed"),
        ("gardenbot", "assistant", "It will freeze tonight."),
    ]
    assert [(place.where, place.why) for place in found.skipped] == [
        ("record 4 and 1 more", "without text (a file)")
    ]


def test_one_damaged_record_costs_one_record_and_one_damaged_file_one_day():
    found = read(
        {
            **DAYS,
            "garden/2024-01-04.json": [{"type": "message", "text": "when?"}, *DAYS["random/2024-01-02.json"]],
            "garden/2024-01-05.json": '[{"type": "mess',
            "garden/2024-01-06.json": b"",
        }
    )
    assert [len(log.messages) for log in found.logs] == [3, 1]
    assert [(place.file.removeprefix("acme.zip/garden/"), place.where) for place in found.skipped] == [
        ("2024-01-04.json", "record 1"),
        ("2024-01-05.json", "record 1"),
        ("2024-01-06.json", "0 bytes"),
    ]


def test_without_a_list_of_users_the_names_that_messages_carry_are_used():
    profile = {"real_name": "Nora Lind", "name": "nora.l"}
    day = [
        message("1704189600.000100", "U1", "Hello", user_profile=profile),
        message("1704189601.000100", "U5", "Hi"),
    ]
    (log,) = read({"garden/2024-01-02.json": day}, users=None).logs
    assert said(log) == [("Nora Lind", "Hello"), ("U5", "Hi")]
    (alone,) = read_bytes("2024-01-02.json", json.dumps(day).encode()).logs
    assert said(alone) == said(log)
