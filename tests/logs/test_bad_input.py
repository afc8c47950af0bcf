"""Bad input: a clear message with the place and the fix, good records kept, never another error."""

import io
import json
import lzma
import zipfile

import pytest

from memcore.domain.errors import LogError, UsageError
from memcore.logs import FORMATS, MAX_BYTES, ReadOptions, containers, detect, read_bytes, read_log
from tests.logs.reading import SAMPLES, read, said

GOOD = [{"role": "user", "content": f"message {number}"} for number in range(1, 6)]
TEXTS = [("User", message["content"]) for message in GOOD]


def zipped(entries, **options):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def refusal(data, **options):
    with pytest.raises(LogError) as caught:
        read(data, **options)
    assert caught.value.fix
    assert caught.value.file
    return caught.value


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_named_as_such(data):
    assert "empty" in refusal(data).cause


def test_a_file_that_is_not_there_or_is_a_folder_says_so(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(LogError, match="cannot be read"):
            read_log(path)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(LogError, match=r"at most 200 MiB.*Split it"):
        read_log(path)


def test_an_unknown_format_lists_those_there_are():
    error = refusal("once upon a time")
    assert all(reader.title in error.fix for reader in FORMATS.values())
    assert detect("x", b"once upon a time") is None


def test_a_format_nobody_knows_is_a_usage_error():
    with pytest.raises(UsageError, match="openai"):
        read_bytes("x", b"{}", ReadOptions(format="carrier pigeon"))


def test_a_format_that_does_not_fit_says_so():
    assert "LoCoMo" in refusal(json.dumps(GOOD), format="locomo").cause


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("two_friends.json", "locomo"),
        ("assistant_chat.jsonl", "openai"),
        ("chatgpt_export.zip", "chatgpt"),
        ("transcript.md", "transcript"),
        ("team_notes.csv", "csv"),
        ("no_times.txt", "transcript"),
        ("broken.jsonl", "openai"),
    ],
)
def test_content_decides_the_format_not_the_name(name, format_name):
    assert detect("misleading.csv", (SAMPLES / name).read_bytes()) == format_name


def test_the_start_of_a_file_is_enough_to_detect_it():
    assert detect("x", (SAMPLES / "two_friends.json").read_bytes()[:600]) == "locomo"


# ---------------------------------------------------------------- encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_with_its_mark_is_read(encoding):
    assert said(read("Ana: Grüße 🎈\nBen: Привет\n".encode(encoding)).logs[0]) == [
        ("Ana", "Grüße 🎈"),
        ("Ben", "Привет"),
    ]


def test_another_encoding_is_refused_with_the_byte_and_the_fix():
    error = refusal("Ana: Grüße aus Köln\nBen: schön\n".encode("cp1252"))
    assert error.where == "byte 7"
    assert "UTF-8" in error.fix


def test_utf16_without_a_mark_is_refused():
    assert "byte order mark" in refusal("Ana: hi\nBen: ho\n".encode("utf-16-le")).fix


def test_a_damaged_letter_in_clear_utf8_is_marked_and_reported():
    data = ("Ana: Grüße, schön, Köln, Träume\n" * 4).encode() + b"Ben: caf\xff\n" * 2
    found = read(data)
    assert found.logs[0].messages[-1].text == "caf\ufffd"
    assert found.skipped[0].where.startswith("byte ")


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_that_is_cut_off_keeps_its_whole_records(indent):
    text = json.dumps(GOOD, indent=indent)
    found = read(text[:-10])
    assert said(found.logs[0]) == TEXTS[:-1]
    assert found.skipped[0].where == "record 5"
    assert "line" in found.skipped[0].why and "column" in found.skipped[0].why


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_that_is_cut_off_keeps_its_whole_messages(indent):
    found = read(json.dumps({"id": "x", "messages": GOOD}, indent=indent)[:-12])
    assert said(found.logs[0]) == TEXTS[:-1]
    assert "line" in found.skipped[0].why


def test_a_broken_record_in_an_array_costs_only_itself():
    text = json.dumps(GOOD).replace('"content": "message 3"', '"content": message 3')
    found = read(text)
    assert said(found.logs[0]) == [*TEXTS[:2], *TEXTS[3:]]
    assert [place.where for place in found.skipped] == ["record 3"]


def test_a_missing_comma_between_records_is_reported():
    found = read(json.dumps(GOOD).replace("}, {", "} {", 1))
    assert len(found.logs[0].messages) >= 4
    assert found.skipped


@pytest.mark.parametrize(
    "broken", ['{"role": "user", "cont', "garbage", '{"role": "user", "content": "x",', "[1, 2"]
)
@pytest.mark.parametrize("number", [0, 2, 5])
def test_a_broken_line_costs_only_itself(broken, number):
    lines = [json.dumps(message) for message in GOOD]
    lines.insert(number, broken)
    found = read("\n".join(lines))
    assert said(found.logs[0]) == TEXTS
    assert [place.where for place in found.skipped] == [f"line {number + 1}"]


def test_a_cut_off_turn_does_not_slip_into_another_session():
    sample = {"sample_id": "s"}
    for number in (1, 2):
        sample[f"session_{number}"] = [
            {"speaker": "A", "dia_id": f"D{number}:{turn}", "text": f"{number}.{turn}"} for turn in (1, 2)
        ]
    text = json.dumps([sample]).replace('"text": "1.2"', '"text": 1.2.2')
    log = read(text).logs[0]
    assert [m.text for m in log.messages if m.session_id == log.sessions[0].id] == ["1.1"]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"messages":'])
def test_json_nested_too_deeply_is_refused(opening):
    assert "nested too deeply" in str(refusal(opening * 100_000))


def test_one_record_nested_too_deeply_costs_only_itself():
    deep = '{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    found = read("\n".join([json.dumps(GOOD[0]), deep, json.dumps(GOOD[1])]))
    assert said(found.logs[0]) == TEXTS[:2]
    assert found.skipped[0].where == "line 2"


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1" * 5000, "1e999", "[[[1]]]", "{}", "true"])
@pytest.mark.parametrize("field", ["content", "timestamp", "name", "role"])
def test_odd_values_anywhere_cost_at_most_their_record(field, value):
    odd = f'{{"role": "user", "content": "odd", "{field}": {value}}}'
    found = read("\n".join([json.dumps(GOOD[0]), odd, json.dumps(GOOD[1])]))
    assert [text for _speaker, text in said(found.logs[0]) if text != "odd"] == ["message 1", "message 2"]


def test_of_duplicate_keys_the_last_counts():
    assert said(read('[{"role": "user", "content": "one", "content": "two"}]').logs[0]) == [("User", "two")]


@pytest.mark.parametrize(
    "text", ["[]", "{}", "[1, 2]", '{"messages": []}', "null", '"text"', '[{"role": "user"}]']
)
def test_json_without_messages_is_refused(text):
    refusal(text)


def test_endless_bad_records_are_counted_not_listed():
    lines = [json.dumps(GOOD[0])] * 5000 + ["{broken"] * 3000
    found = read("\n".join(lines))
    assert len(found.skipped) == 1001
    assert found.skipped[-1].where == "2000 more places"


# ---------------------------------------------------------------- archives


@pytest.mark.parametrize(
    "name",
    [
        "/etc/log.json",
        "../log.json",
        "a/../../log.json",
        "C:\\log.json",
        "..\\log.json",
        "\\\\host\\log.json",
    ],
)
def test_entries_with_dangerous_paths_are_skipped_and_reported(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = read(zipped([(name, json.dumps(GOOD)), ("good.json", json.dumps(GOOD[:1]))]))
    assert [said(log) for log in found.logs] == [TEXTS[:1]]
    assert "path" in found.skipped[0].why
    assert not list(tmp_path.iterdir())


def test_messages_from_an_archive_say_which_file_they_are_from():
    found = read_bytes("all.zip", zipped([("a.json", json.dumps(GOOD)), ("b.txt", "Ana: hi\nBen: ho\n")]))
    assert [log.messages[0].raw_ref.file for log in found.logs] == ["all.zip/a.json", "all.zip/b.txt"]


def test_an_archive_that_unpacks_to_far_more_than_it_weighs_is_refused():
    assert "bomb" in refusal(zipped([("log.json", b"[" + b" " * 30_000_000)])).cause


def test_xz_that_unpacks_to_far_more_than_it_weighs_is_refused():
    assert "bomb" in refusal(lzma.compress(b" " * 30_000_000)).cause


def test_all_entries_together_have_a_limit(monkeypatch):
    monkeypatch.setattr(containers, "MAX_UNPACKED", 1000)
    found = read(zipped([("a.json", json.dumps(GOOD)), ("b.json", json.dumps(GOOD * 20))]))
    assert len(found.logs) == 1
    assert "unpacks to more" in found.skipped[0].why


def test_the_size_an_entry_claims_is_not_believed():
    data = bytearray(zipped([("log.json", b"[" + b" " * 30_000_000)]))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (100).to_bytes(4, "little")
    refusal(bytes(data))


def test_an_encrypted_entry_is_reported():
    data = bytearray(zipped([("log.json", json.dumps(GOOD))]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    data[6] |= 1
    assert "encrypted" in refusal(bytes(data)).cause


def test_an_archive_in_an_archive_is_reported_not_opened():
    inner = zipped([("log.json", json.dumps(GOOD))])
    found = read(zipped([("inner.zip", inner), ("good.json", json.dumps(GOOD[:1]))]))
    assert [said(log) for log in found.logs] == [TEXTS[:1]]
    assert "archive in an archive" in found.skipped[0].why


def test_a_damaged_entry_costs_only_itself():
    data = bytearray(zipped([("bad.json", json.dumps(GOOD)), ("good.json", json.dumps(GOOD[:1]))]))
    data[45] ^= 0xFF
    found = read(bytes(data))
    assert [said(log) for log in found.logs] == [TEXTS[:1]]
    assert found.skipped[0].where == "bad.json"


@pytest.mark.parametrize("keep", [4, 30, 100])
def test_a_cut_off_archive_is_refused(keep):
    refusal(zipped([("log.json", json.dumps(GOOD * 9))])[:keep])
    refusal(lzma.compress(json.dumps(GOOD * 9).encode())[: min(keep * 2, 60)])


def test_pictures_in_an_archive_are_left_alone():
    found = read(
        zipped(
            [
                ("cat.png", b"\x89PNG\x00\x00\x00\x00" * 50),
                ("chat.html", "<html>"),
                ("log.json", json.dumps(GOOD)),
            ]
        )
    )
    assert len(found.logs) == 1
    assert not found.skipped
