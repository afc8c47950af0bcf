"""Datasets with known topic shifts, as streams of turns: TIAGE, DialSeg711, LongMemEval.

The format is found from the content. Of a turn only its text is read: speakers, times and session marks
are hidden from what is measured. A LongMemEval haystack is a stream of its sessions in the order listed,
whose seams are the shifts; `has_answer` is not looked at, and session ids only join files.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from memcore.domain.errors import LogError, UsageError
from memcore.evaluation.dataset_files import DatasetFile, damaged, json_records, read_text
from memcore.evaluation.haystacks import SESSION_FILES, has, haystack_sessions
from memcore.logs.tolerant_json.records import Record

STREAM_TURNS = 60
"""How many turns of a LongMemEval haystack are evaluated."""

_SEPARATOR = re.compile(r"={8,}")
_NUMBERED = re.compile(r"(\d+)\s(.*)")


@dataclass(frozen=True, slots=True)
class Stream:
    """Turns one after the other, and the positions of those that start a new topic (never 0)."""

    turns: tuple[str, ...]
    shifts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicDataset:
    """The streams of one file (or directory of texts), and what they are."""

    name: str
    file: str
    streams: tuple[Stream, ...]


def read_topic_datasets(
    paths: Sequence[Path], *, turns: int = STREAM_TURNS, limit: int | None = None
) -> list[TopicDataset]:
    """One dataset per file, in order; a directory stands for the JSON files in it or, if there are none,
    for its texts together. LongMemEval's session files belong to the questions files beside them.

    `turns` cuts LongMemEval's streams, `limit` keeps the first streams of each dataset, identical ones
    counted once. Raises LogError for what is damaged, unknown or empty.
    """
    files = list(itertools.chain.from_iterable(map(_files_of, paths)))
    sessions = [path for path in files if fnmatch(path.name, SESSION_FILES)]
    datasets = [_read(path, sessions, turns, limit) for path in files if path not in sessions]
    if not datasets:
        raise UsageError(
            f"{', '.join(map(str, paths))}: sessions without the haystacks that they are in.",
            "Give the questions file (it lists `haystack_session_ids`).",
        )
    return datasets


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = sorted(file for file in path.iterdir() if file.is_file())
    if found := [file for file in inside if ".json" in file.suffixes or ".jsonl" in file.suffixes]:
        return found
    if any(file.suffix == ".txt" for file in inside):
        return [path]
    raise LogError(
        f"{path} holds no dataset: neither JSON nor text files.", "Give the files.", file=path.name
    )


def _read(path: Path, sessions: Sequence[Path], turns: int, limit: int | None) -> TopicDataset:
    if path.is_dir():
        name, streams = "dialseg711", _texts_of(path)
    else:
        name, streams = _streams_of(path, sessions, turns)
    kept = tuple(itertools.islice(_distinct(streams), limit))
    if not any(len(stream.turns) > 1 for stream in kept):
        raise LogError(
            f"{path} holds no stream of two turns or more.", "Give a file with dialogues.", file=path.name
        )
    return TopicDataset(name, str(path), kept)


def _distinct(streams: Iterable[Stream]) -> Iterator[Stream]:
    seen: set[Stream] = set()
    for stream in streams:
        if stream not in seen:
            seen.add(stream)
            yield stream


def _streams_of(path: Path, sessions: Sequence[Path], turns: int) -> tuple[str, Iterator[Stream]]:
    """What the file is, from its first record, and its streams as they are read."""
    text = read_text(path)
    records = json_records(path, text)
    first = next(records, None)
    if first is None:
        return "dialseg711", _plain_text(path, text)
    records = itertools.chain([first], records)
    value = first.value
    if has(value, haystack_sessions=list) or has(value, haystack_session_ids=list):
        return "longmemeval", _longmemeval(path, records, sessions, turns)
    if has(value, utterances=list):
        return "dialseg711", _dialseg(path, ((record.where, record.value) for record in records))
    if isinstance(value, dict) and value:
        match next(iter(value.values())):
            case {"utterances": [*_]}:
                return "dialseg711", _dialseg(path, value.items())
            case [[*_], *_]:
                return "tiage", _tiage(path, value)
    raise _unknown(path)


def _unknown(path: Path) -> LogError:
    return LogError(
        f"{path} is of no format with known topic shifts.",
        "Give TIAGE ({id: [[utterance, label]]}), DialSeg711 ([{utterances, segments}], or its texts) or "
        "LongMemEval (haystacks of sessions).",
        file=path.name,
    )


# --------------------------------------------------------------------------- TIAGE


def _tiage(path: Path, dialogues: Mapping[str, Any]) -> Iterator[Stream]:
    """Xie et al. 2021: `{id: [[utterance, label]]}`, label 1 where a topic starts, -1 on the first turn."""
    for key, turns in dialogues.items():
        if not isinstance(turns, list):
            raise damaged(path, f"dialogue {key}", "it should be a list of [utterance, label]")
        texts, shifts = [], []
        for position, turn in enumerate(turns):
            match turn:
                case [str(text), str() | int() as label] if str(label) in ("-1", "0", "1"):
                    texts.append(text)
                    if position and str(label) == "1":
                        shifts.append(position)
                case _:
                    raise damaged(
                        path, f"dialogue {key} turn {position + 1}", "it should be [utterance, -1, 0 or 1]"
                    )
        yield Stream(tuple(texts), tuple(shifts))


# --------------------------------------------------------------------------- DialSeg711


def _dialseg(path: Path, dialogues: Iterable[tuple[str, Any]]) -> Iterator[Stream]:
    """Xu et al. 2021, as JSON: `utterances`, and in `segments` how many of them each topic has."""
    for where, value in dialogues:
        match value:
            case {"utterances": [*turns], "segments": [*sizes]} if (
                all(isinstance(turn, str) for turn in turns)
                and all(isinstance(size, int) and size > 0 for size in sizes)
                and sum(sizes) == len(turns)
            ):
                yield Stream(tuple(turns), _seams(sizes))
            case _:
                raise damaged(
                    path, where, "it needs `utterances` (texts) and `segments` (sizes that add up to them)"
                )


def _texts_of(directory: Path) -> Iterator[Stream]:
    for path in sorted(directory.glob("*.txt")):
        yield from _plain_text(path, read_text(path))


def _plain_text(path: Path, text: str) -> Iterator[Stream]:
    """DialSeg711 as text: a turn a line, either `TOPIC utterance` under `call_id_N` lines, or one
    dialogue whose topics are parted by lines of equals signs."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if lines[0][1].startswith("call_id"):
        yield from _numbered_topics(path, lines)
    elif any(_SEPARATOR.fullmatch(line) for _, line in lines):
        parts = itertools.groupby(lines, key=lambda line: bool(_SEPARATOR.fullmatch(line[1])))
        yield _joined([[line for _, line in part] for separates, part in parts if not separates])
    else:
        raise _unknown(path)


def _numbered_topics(path: Path, lines: Sequence[tuple[int, str]]) -> Iterator[Stream]:
    dialogue: list[tuple[str, str]] = []
    for number, line in (*lines, (0, "call_id end")):
        if line.startswith("call_id"):
            if dialogue:
                topics = itertools.groupby(dialogue, key=lambda turn: turn[0])
                yield _joined([[text for _, text in turns] for _, turns in topics])
            dialogue = []
        elif found := _NUMBERED.fullmatch(line):
            dialogue.append((found[1], found[2]))
        else:
            raise damaged(path, f"line {number}", "it should be a topic's number and an utterance")


# --------------------------------------------------------------------------- LongMemEval


def _longmemeval(
    path: Path, records: Iterable[Record], session_files: Sequence[Path], turns: int
) -> Iterator[Stream]:
    """Wu et al. 2025: haystacks with their sessions, or with ids of sessions in other files."""
    beside: dict[str, tuple[str, ...]] = {}
    for record in records:
        if has(record.value, haystack_sessions=list):
            sessions = [
                _turn_texts(path, f"{record.where} session {number}", session)
                for number, session in enumerate(record.value["haystack_sessions"], 1)
            ]
        elif has(record.value, haystack_session_ids=list):
            beside = beside or _sessions_by_id(path, session_files)
            sessions = [
                _joined_session(path, f"{record.where} session {number}", beside, session_id)
                for number, session_id in enumerate(record.value["haystack_session_ids"], 1)
            ]
        else:
            raise damaged(path, record.where, "it has no `haystack_sessions` and no `haystack_session_ids`")
        yield _cut(_joined([session for session in sessions if session]), turns)


def _sessions_by_id(path: Path, given: Sequence[Path]) -> dict[str, tuple[str, ...]]:
    return {one.id: _turn_texts(one.file, one.where, one.turns) for one in haystack_sessions(path, given)}


def _joined_session(
    path: Path, where: str, sessions: Mapping[str, tuple[str, ...]], session_id: Any
) -> tuple[str, ...]:
    if session_id not in sessions:
        raise damaged(path, where, f"no {SESSION_FILES} file has the session {session_id!r}")
    return sessions[session_id]


def _turn_texts(path: DatasetFile, where: str, turns: Any) -> tuple[str, ...]:
    """The texts of a session's turns; those without text are no turns."""
    if not isinstance(turns, list):
        raise damaged(path, where, "its turns are missing")
    for number, turn in enumerate(turns, 1):
        if not has(turn, content=str):
            raise damaged(path, f"{where} turn {number}", "it has no `content`")
    return tuple(turn["content"] for turn in turns if turn["content"].strip())


# --------------------------------------------------------------------------- streams


def _joined(topics: Sequence[Sequence[str]]) -> Stream:
    return Stream(tuple(itertools.chain.from_iterable(topics)), _seams([len(topic) for topic in topics]))


def _seams(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(itertools.accumulate(sizes))[:-1]


def _cut(stream: Stream, turns: int) -> Stream:
    return Stream(stream.turns[:turns], tuple(shift for shift in stream.shifts if shift < turns))
