"""Whatever is done to a good log, reading it gives messages or LogError, never anything else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.errors import LogError
from memcore.logs import FORMATS, ReadOptions, branches_of, read_bytes
from tests.logs.reading import DATA, OF_EVERY_FORMAT, SAMPLES

FILES = [
    *sorted(path for path in SAMPLES.iterdir() if path.is_file()),
    *sorted(DATA.iterdir()),
    *sorted(path for path in OF_EVERY_FORMAT.iterdir() if not path.name.endswith(".expected.json")),
]
LOGS = [path.read_bytes() for path in FILES]
FORMAT_NAMES = st.sampled_from(["auto", *FORMATS])


def survives(data, format_name="auto"):
    try:
        found = read_bytes("damaged", data, ReadOptions(format=format_name))
    except LogError as error:
        assert error.cause
        assert error.fix
        return
    branches_of("damaged", data, ReadOptions(format=format_name))
    ids = [message.id for log in found.logs for message in log.messages]
    assert ids
    assert len(set(ids)) == len(ids)
    for log in found.logs:
        for message in log.messages:
            message.text.encode()
            assert message.text.strip()
            assert message.speaker


@settings(max_examples=300)
@given(st.sampled_from(LOGS), st.data())
def test_changed_bytes(log, data):
    damaged = bytearray(log)
    for _ in range(data.draw(st.integers(1, 5))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    survives(bytes(damaged))


@settings(max_examples=200)
@given(st.sampled_from(LOGS), st.data(), FORMAT_NAMES)
def test_a_piece_cut_out_and_the_wrong_format_named(log, data, format_name):
    start = data.draw(st.integers(0, len(log)))
    survives(log[:start] + log[data.draw(st.integers(start, len(log))) :] or b"x", format_name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "role content messages mapping current_node message author parts parent text speaker dia_id "
                "session_1 session_1_date_time conversation sample_id haystack_sessions haystack_session_ids "
                "haystack_dates turns id name create_time timestamp tool_calls function weight "
                "blip_caption chat_messages sender uuid parent_message_uuid created_at chat history messages "
                "currentId parentId childrenIds conversations from value model done stream options type "
                "sessionId parentUuid".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@settings(max_examples=300)
@given(JSON, FORMAT_NAMES)
def test_wrong_types_everywhere(value, format_name):
    survives(json.dumps(value).encode(), format_name)


@settings(max_examples=200)
@given(st.sampled_from([log for log in LOGS if log[:1] in b"[{"]), st.data(), JSON)
def test_a_value_of_the_wrong_type_inside_a_good_log(log, data, value):
    try:
        document = json.loads(log)
    except ValueError:
        document = [json.loads(line) for line in log.splitlines() if line.endswith(b"}")]
    at = document
    while isinstance(at, dict | list) and at:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if data.draw(st.booleans()) or not isinstance(at[key], dict | list):
            at[key] = value
            break
        at = at[key]
    survives(json.dumps(document).encode())


@settings(max_examples=200)
@given(st.text(alphabet="Ana:Ben[]()*#-0123456789/ \n\"',;|={}", max_size=200), FORMAT_NAMES)
def test_any_text(text, format_name):
    survives(text.encode() or b" ", format_name)


@pytest.mark.parametrize("byte", [b"\x00", b"\xff", b"[", b"{", b'"', b"<", b"#", b"*", b"- ", b"1", b" "])
def test_a_hundred_thousand_times_the_same_byte(byte):
    survives(byte * 100_000)
    survives(b"Ana: hi\nBen: ho\n" + byte * 100_000)
