"""A small fictional file of every format, with the messages it must give, written out by hand.

Beside each file lies NAME.expected.json: `file`, its `format`, its `messages` as (speaker, role, said at,
text, where), and `damage`, one record made unreadable: `replace` some text `by` other (in an archive: of
one `entry`), the place `where` it must be reported, and which messages are `lost` (by position) or
`changed` by it; all others must still be there.
"""

import io
import json
import zipfile
from contextlib import closing

import pytest

from memcore.domain.models import LogRead
from memcore.logs import FORMATS, detect, read_bytes
from memcore.runs.ingest import store_logs
from memcore.store import open_store
from tests.logs.reading import OF_EVERY_FORMAT

SAMPLES = sorted(OF_EVERY_FORMAT.glob("*.expected.json"))
EACH = pytest.mark.parametrize("expected", SAMPLES, ids=lambda path: path.name.removesuffix(".expected.json"))


def load(expected):
    facts = json.loads(expected.read_text("utf-8"))
    return facts, (OF_EVERY_FORMAT / facts["file"]).read_bytes()


def damaged(data, damage):
    """The file with the one change, made exactly once."""
    if not damage.get("entry"):
        old, new = damage["replace"].encode(), damage["by"].encode()
        assert data.count(old) == 1
        return data.replace(old, new)
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(changed, "w") as copy:
        for name in archive.namelist():
            own = archive.read(name)
            copy.writestr(name, damaged(own, {**damage, "entry": ""}) if name == damage["entry"] else own)
    return changed.getvalue()


def messages(found: LogRead):
    return [
        [m.speaker, m.role, m.said_at and m.said_at.isoformat(), m.text, m.raw_ref.where]
        for log in found.logs
        for m in log.messages
    ]


def test_every_format_has_a_sample():
    assert {load(expected)[0]["format"] for expected in SAMPLES} == set(FORMATS)


@EACH
def test_a_sample_is_detected_and_gives_exactly_its_messages(expected):
    facts, data = load(expected)
    assert detect("some name", data) == facts["format"]
    found = read_bytes("some name", data)
    assert messages(found) == facts["messages"]
    assert {log.conversation.format for log in found.logs} == {facts["format"]}
    told = ("no conversation log", "WhatsApp's own words", "custom instructions")
    assert [place.where for place in found.skipped if not any(why in place.why for why in told)] == []


@EACH
def test_one_damaged_record_costs_only_itself_and_is_named(expected):
    facts, data = load(expected)
    damage = facts["damage"]
    found = read_bytes("some name", damaged(data, damage))
    changed = {int(position): message for position, message in damage.get("changed", {}).items()}
    assert messages(found) == [
        changed.get(position, message)
        for position, message in enumerate(facts["messages"])
        if position not in damage["lost"]
    ]
    assert damage["where"] in [place.where for place in found.skipped]


@EACH
def test_storing_a_sample_twice_adds_nothing_the_second_time(expected, tmp_path):
    facts, data = load(expected)
    with closing(open_store(tmp_path, embedding_model="fake", dimension=4)) as store:
        stored = [store_logs(store, read_bytes(name, data), "run") for name in ("first name", "second name")]
    assert stored == [len(facts["messages"]), 0]
