"""Records are read as they were appended, from memory and from either file, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memcore.store import record_file
from memcore.store.record_file import DamagedRecordError, RecordFile, word_sum
from memcore.store.record_table import RecordTable

RECORDS = [bytes([number]) * (number % 7) for number in range(60)]


@pytest.fixture(autouse=True)
def little_waits_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "FRESH", 20)


def test_records_are_the_same_before_and_after_each_saving(tmp_path: Path) -> None:
    records = RecordFile()
    for number, record in enumerate(RECORDS):
        records.append(record)
        assert records.read(range(number + 1)) == RECORDS[: number + 1]
        if number % 25 == 24:
            columns = records.save(tmp_path / f"records{number}")
            assert records.read(range(number + 1)) == RECORDS[: number + 1]
            assert RecordFile.load(tmp_path / f"records{number}", columns).read([number, 0, 7]) == [
                record,
                RECORDS[0],
                RECORDS[7],
            ]


def test_a_changed_or_shortened_record_is_not_given(tmp_path: Path) -> None:
    records = RecordFile()
    for record in RECORDS:
        records.append(record)
    path = tmp_path / "records"
    records.save(path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    last = max(number for number, record in enumerate(RECORDS) if record)
    assert records.read([1, 2]) == RECORDS[1:3]
    with pytest.raises(DamagedRecordError):
        records.read([1, last])
    path.write_bytes(content[:5])
    with pytest.raises(DamagedRecordError):
        records.read([last])


def test_rows_are_the_same_wherever_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "ROWS_MAPPED", 5)
    matrix = np.arange(120, dtype=np.uint32).reshape(40, 3) * 2_000_000_011
    records = RecordFile(word_sum)
    for number, row in enumerate(matrix):
        records.append(row.tobytes())
        if number % 15 == 14:
            records.save(tmp_path / f"rows{number}")
        asked = np.array([number, 0, number // 2])
        assert np.array_equal(records.rows(asked, 3), matrix[asked])
    path = tmp_path / "rows29"
    content = bytearray(path.read_bytes())
    content[12 * 7], content[12 * 7 + 4] = content[12 * 7 + 4], content[12 * 7]
    path.write_bytes(content)
    assert np.array_equal(records.rows(np.array([6, 8]), 3), matrix[[6, 8]])
    with pytest.raises(DamagedRecordError):
        records.rows(np.array([6, 7]), 3)
    path.write_bytes(content[:50])
    with pytest.raises(DamagedRecordError):
        records.rows(np.array([6, 8]), 3)


def test_a_file_of_another_length_is_refused(tmp_path: Path) -> None:
    records = RecordFile()
    records.append(b"abc")
    columns = records.save(tmp_path / "records")
    (tmp_path / "records").write_bytes(b"abcd")
    with pytest.raises(ValueError):
        RecordFile.load(tmp_path / "records", columns)


def test_a_table_gives_the_newest_record_of_an_id(tmp_path: Path) -> None:
    table = RecordTable()
    table.put({"a": b"one", "b": b"two"})
    table.put({"a": b"three"})
    table.remove(["b", "nobody"])
    files = {part: tmp_path / part for part in ("table", "records")}
    loaded = RecordTable.load(files, table.save(files.__getitem__))
    for each in (table, loaded):
        assert each.of(["b", "a", "nobody"]) == {"a": b"three"}
        each.put({"c": b""})
        assert (len(each), each.of(["c", "a"])) == (2, {"c": b"", "a": b"three"})
