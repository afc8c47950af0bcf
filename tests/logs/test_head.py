"""The beginning of a large upload is read at once: what is said first, as the whole says it."""

import io
import json
import zipfile

import pytest

from benchmarks.damaged_logs import RECORDS
from benchmarks.damaged_logs import logs as in_every_format
from memcore import logs
from memcore.domain.errors import LogError
from memcore.logs import ReadOptions, read_bytes, read_head
from tests.logs.reading import OF_EVERY_FORMAT

SLACK = (OF_EVERY_FORMAT / "slack.zip").read_bytes()


def all_said(found):
    return [
        (message.speaker, message.text, message.raw_ref) for log in found.logs for message in log.messages
    ]


def head_of(monkeypatch, text, most, **options):
    monkeypatch.setattr(logs, "HEAD_BYTES", most)
    return read_head("log", text.encode(), ReadOptions(**options))


@pytest.mark.parametrize("log", in_every_format(None), ids=lambda log: log.format)
def test_the_beginning_of_a_log_is_what_the_whole_says_first(log, monkeypatch):
    whole = all_said(read_bytes("log", log.text.encode()))
    first = all_said(head_of(monkeypatch, log.text, len(log.text) // 2))
    assert 6 < len(first) < RECORDS
    assert first[:-1] == whole[: len(first) - 1], "only the last may be cut off"


@pytest.mark.parametrize("path", [p for p in OF_EVERY_FORMAT.iterdir() if ".expected." not in p.name])
def test_a_log_that_is_no_longer_than_a_beginning_is_read_whole(path):
    data = path.read_bytes()
    whole, head = read_bytes(path.name, data), read_head(path.name, data)
    assert head.logs[0] == whole.logs[0]


def test_damage_further_on_does_not_keep_the_beginning_from_being_read(monkeypatch):
    lines = [json.dumps({"role": "user", "content": f"message {n}"}) for n in range(40)]
    lines[30] = lines[30][:-5]
    text = "\n".join(lines)
    head = head_of(monkeypatch, text, len(text) // 2)
    assert not head.skipped
    assert [m.text for m in head.logs[0].messages[:2]] == ["message 0", "message 1"]


def test_what_only_the_rest_tells_is_not_known_at_the_beginning(monkeypatch):
    text = (
        "".join(f"0{n}/05/2024, 21:05 - Ada: line {n}\n" for n in (6, 5, 4)) + "13/05/2024, 21:05 - Ben: Hm\n"
    )
    assert read_bytes("log", text.encode()).logs[0].messages[0].said_at
    assert head_of(monkeypatch, text, 70).logs[0].messages[0].said_at is None


def test_the_beginning_of_an_archive_is_that_of_its_first_log_with_what_is_beside_it(monkeypatch):
    whole = read_bytes("slack.zip", SLACK)
    monkeypatch.setattr(logs, "HEAD_BYTES", 400)
    head = read_head("slack.zip", SLACK)
    assert len(head.logs) == 1
    assert head.logs[0].messages[0].speaker == whole.logs[0].messages[0].speaker
    assert len(head.logs[0].messages) < len(whole.logs[0].messages)


def test_a_letter_is_not_cut_in_two(monkeypatch):
    text = "Ada: café " + "é" * 500 + "\nBen: ö\n"
    for most in range(400, 420):
        assert head_of(monkeypatch, text, most).logs[0].messages[0].text.startswith("café é")
    marked = text.encode("utf-16")
    monkeypatch.setattr(logs, "HEAD_BYTES", 401)
    assert read_head("log", marked).logs[0].messages[0].text.startswith("café é")


def test_what_is_no_log_has_no_beginning():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.md", "no one speaks")
    for data in (buffer.getvalue(), b"no one speaks", b""):
        with pytest.raises(LogError):
            read_head("log", data)
