"""How many records one damaged record costs.

A log of 40 messages is written in every format; one message's record is damaged in one place (characters
deleted, inserted, replaced or doubled, quotes and brackets more often than others), and the log is read.
Which records are untouched is known from where the damage was made, not from any reader:

    python -m benchmarks.damaged_logs --damages 3000 [--seed 1] [--format claude] [--show 5]

Counted, a format a line: damages; other records lost or changed (who says what, when, in which session);
damages that cost their own record without a report although the file is no longer what its format allows;
and crashes (anything but messages or a LogError).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memcore.domain.errors import LogError
from memcore.domain.models import LogRead
from memcore.logs import ReadOptions, read_bytes

RECORDS = 40
STRUCTURE = '{}[],:"\\'
_START = datetime(2024, 3, 5, 9, 0)


@dataclass(frozen=True, slots=True)
class Log:
    """A log's text in pieces: every second one, from the second on, is the record of one message."""

    format: str
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole log."""
        return "".join(self.pieces)

    def place(self, record: int) -> tuple[int, int]:
        """Where a record begins and ends."""
        start = sum(map(len, self.pieces[: 2 * record + 1]))
        return start, start + len(self.pieces[2 * record + 1])


def _at(number: int) -> datetime:
    return _START + timedelta(minutes=number)


def _said(number: int) -> str:
    """What message `number` says: marked, and with what confuses readers of brackets and quotes."""
    return f'word{number}x: I said "no {{{number}}}", [twice], in room{number}r'


def _joined(name: str, before: str, records: list[str], between: str, after: str) -> Log:
    pieces = [before]
    for number, record in enumerate(records):
        pieces += [record, between if number < len(records) - 1 else after]
    return Log(name, tuple(pieces))


def _person(number: int) -> str:
    return "Nora" if number % 2 else "Ben"


def _roles(number: int) -> tuple[str, str]:
    return ("assistant", "gpt") if number % 2 else ("user", "human")


def _dump(value: Any, indent: int | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def logs(indent: int | None) -> Iterator[Log]:
    """The log in every format."""
    numbers = range(RECORDS)

    def dump(value: Any) -> str:
        return _dump(value, indent)

    openai = [
        dump({"role": _roles(n)[0], "content": _said(n), "timestamp": _at(n).isoformat()}) for n in numbers
    ]
    yield _joined("openai", "[", openai, ", ", "]")
    yield _joined("openai", '{"id": "c1", "messages": [', openai, ", ", '], "title": "Talk"}')
    parts = [dump({"role": _roles(n)[0], "content": [{"type": "text", "text": _said(n)}]}) for n in numbers]
    yield _joined(
        "openai", '[{"messages": [', parts, ", ", ']}, {"messages": [{"role": "user", "content": "last"}]}]'
    )
    lines = [_dump({"role": _roles(n)[0], "content": _said(n)}, None) for n in numbers]
    yield _joined("openai", "", lines, "\n", "\n")
    yield _joined(
        "sharegpt",
        '[{"id": "a", "conversations": [',
        [dump({"from": _roles(n)[1], "value": _said(n)}) for n in numbers],
        ",",
        ']}, {"id": "b", "conversations": [{"from": "human", "value": "last"}]}]',
    )
    yield _joined(
        "claude",
        '[{"uuid": "u", "name": "Talk", "chat_messages": [',
        [
            dump(
                {
                    "uuid": f"m{n}",
                    "text": _said(n),
                    "content": [{"type": "text", "text": _said(n)}],
                    "sender": ("assistant", "human")[n % 2 == 0],
                    "created_at": _at(n).isoformat(),
                    "attachments": [],
                }
            )
            for n in numbers
        ],
        ", ",
        '], "account": {"uuid": "x"}}, {"uuid": "v", "name": "Next", "chat_messages": []}]',
    )
    yield _joined(
        "chatgpt",
        '[{"title": "Talk", "id": "c", "mapping": {"m-1": {"id": "m-1", "message": null, '
        '"parent": null, "children": ["m0"]}, ',
        [f'"m{n}": ' + dump(_node(n)) for n in numbers],
        ", ",
        f'}}, "current_node": "m{RECORDS - 1}"}}]',
    )
    yield _joined(
        "open-webui",
        '[{"id": "w", "title": "Talk", "chat": {"history": {"messages": {',
        [
            f'"m{n}": '
            + dump(
                {
                    "id": f"m{n}",
                    "parentId": f"m{n - 1}" if n else None,
                    "childrenIds": [f"m{n + 1}"],
                    "role": _roles(n)[0],
                    "content": _said(n),
                    "timestamp": int(_at(n).timestamp()),
                }
            )
            for n in numbers
        ],
        ", ",
        f'}}, "currentId": "m{RECORDS - 1}"}}}}}}]',
    )
    turns = [dump({"role": _roles(n)[0], "content": _said(n)}) for n in numbers]
    half = RECORDS // 2
    longmemeval = _joined(
        "longmemeval",
        '[{"question_id": "q", "haystack_dates": ["2024/03/05 (Tue) 09:00", '
        '"2024/03/06 (Wed) 09:00"], "haystack_sessions": [[',
        turns,
        ", ",
        "]]}]",
    )
    yield _parted(longmemeval, half, "], [")
    locomo = _joined(
        "locomo",
        '[{"sample_id": "s", "conversation": {"speaker_a": "Nora", "speaker_b": "Ben", '
        '"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [',
        [
            dump({"speaker": _person(n), "dia_id": f"D{1 + n // half}:{n % half + 1}", "text": _said(n)})
            for n in numbers
        ],
        ", ",
        '], "session_2_date_time": "1:00 pm on 9 May, 2023"}}]',
    )
    yield _parted(locomo, half, '], "session_2": [')
    yield _joined(
        "telegram",
        '{"chats": {"list": [{"name": "Nora", "id": 7, "messages": [',
        [
            dump(
                {"id": n, "type": "message", "date": _at(n).isoformat(), "from": _person(n), "text": _said(n)}
            )
            for n in numbers
        ],
        ", ",
        ']}, {"name": "Zoe", "id": 8, "messages": []}]}}',
    )
    yield _joined(
        "slack",
        "[",
        [
            dump(
                {
                    "type": "message",
                    "user": _person(n),
                    "username": _person(n),
                    "text": _said(n),
                    "ts": f"{1709629200 + 60 * n}.000100",
                    "reactions": [{"name": "ok", "users": ["U1"]}],
                }
            )
            for n in numbers
        ],
        ", ",
        "]",
    )
    yield _joined(
        "claude-code",
        "",
        [
            _dump(
                {
                    "type": _roles(n)[0],
                    "uuid": f"u{n}",
                    "sessionId": "s",
                    "timestamp": _at(n).isoformat(),
                    "message": {"role": _roles(n)[0], "content": [{"type": "text", "text": _said(n)}]},
                },
                None,
            )
            for n in numbers
        ],
        "\n",
        "\n",
    )
    yield _joined(
        "transcript", "", [f"[{_at(n):%Y-%m-%d %H:%M}] {_person(n)}: {_said(n)}" for n in numbers], "\n", "\n"
    )
    yield _joined(
        "transcript",
        "# Talk\n\n",
        [f"**{_person(n)}** ({_at(n):%H:%M}): {_said(n)}" for n in numbers],
        "\n\n",
        "\n",
    )
    yield _joined(
        "whatsapp", "", [f"{_at(n):%d/%m/%Y, %H:%M} - {_person(n)}: {_said(n)}" for n in numbers], "\n", "\n"
    )
    yield _joined(
        "whatsapp",
        "",
        [f"[{_at(n):%d.%m.%y, %H:%M:%S}] {_person(n)}: {_said(n)}" for n in numbers],
        "\n",
        "\n",
    )
    yield _joined(
        "csv",
        "time,author,message\n",
        [f'{_at(n):%Y-%m-%d %H:%M},{_person(n)},"{_said(n).replace(chr(34), 2 * chr(34))}"' for n in numbers],
        "\n",
        "\n",
    )


def _node(number: int) -> dict[str, Any]:
    message = {
        "id": f"m{number}", "author": {"role": _roles(number)[0], "metadata": {}},
        "create_time": _at(number).timestamp(), "content": {"content_type": "text", "parts": [_said(number)]},
        "weight": 1.0, "metadata": {}, "recipient": "all",
    }  # fmt: skip
    return {
        "id": f"m{number}",
        "message": message,
        "parent": f"m{number - 1}",
        "children": [f"m{number + 1}"],
    }


def _parted(log: Log, half: int, between: str) -> Log:
    """The same with other text between two records in the middle: a second session begins there."""
    pieces = list(log.pieces)
    pieces[2 * half] = between
    return Log(log.format, tuple(pieces))


def damaged(text: str, start: int, end: int, chance: random.Random) -> str:
    """The text with one small damage between these places."""
    at = chance.randrange(start, end)
    if chance.random() < 0.6:  # where it does harm
        marks = [place for place in range(start, end) if text[place] in STRUCTURE + "]-("]
        at = chance.choice(marks) if marks else at
    until = min(end, at + chance.choice((1, 1, 1, 1, 2, 3)))
    piece = "".join(chance.choice(STRUCTURE + "x1 ") for _ in range(until - at))
    deleted, inserted = text[:at] + text[until:], text[:at] + piece + text[at:]
    replaced, doubled = text[:at] + piece + text[until:], text[:until] + text[at:]
    return chance.choice((deleted, inserted, replaced, doubled))


SESSIONS_STATED = ("locomo", "longmemeval")
"""Formats that state their sessions; elsewhere times make them, and a damaged one may part a session."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was read: who says what and when (in which session, where the log states it); and the numbers
    of the messages that are there, by their marked words, of which a damage leaves one."""

    said: frozenset[tuple[object, ...]]
    numbers: frozenset[int]


def heard(found: LogRead) -> Heard:
    """What a log says."""
    said: set[tuple[object, ...]] = set()
    numbers: set[int] = set()
    for log in found.logs:
        sessions = {session.id: session.position for session in log.sessions}
        stated = log.conversation.format in SESSIONS_STATED
        for message in log.messages:
            session = sessions[message.session_id] if stated else 0
            said.add((message.speaker, message.role, message.text, message.said_at, session))
            numbers |= {int(n) for n in re.findall(r"(?<=word)\d+(?=x)|(?<=room)\d+(?=r)", message.text)}
    return Heard(frozenset(said), frozenset(numbers))


def _own(whole: Heard, record: int) -> frozenset[tuple[object, ...]]:
    return frozenset(one for one in whole.said if f"word{record}x" in str(one[2]))


def harm(whole: Heard, record: int, text: str) -> tuple[int, str]:
    """How many other records are lost or changed; and `unreported`, `crash` or nothing."""
    others = whole.said - _own(whole, record)
    try:
        found = read_bytes("log", text.encode("utf-8", "surrogatepass"), ReadOptions(day_first=True))
    except LogError:
        return len(others), ""
    except Exception as error:  # noqa: BLE001 (what is counted)
        return 0, f"crash: {error!r}"
    read = heard(found)
    told = record in read.numbers or found.skipped
    return len(others - read.said), "" if told else "unreported"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How many records one damaged record costs.")
    parser.add_argument("--damages", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="", help="only formats whose name contains this")
    parser.add_argument("--show", type=int, default=0, help="how many harmful damages to print")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    chosen = [log for indent in (None, 1) for log in logs(indent) if asked.format in log.format]
    wholes = [heard(read_bytes("log", log.text.encode(), ReadOptions(day_first=True))) for log in chosen]
    if any(whole.numbers != set(range(RECORDS)) for whole in wholes):
        raise SystemExit("A log that is whole is not read whole.")
    counts: dict[str, Counter[str]] = {log.format: Counter() for log in chosen}
    for number in range(asked.damages):
        log, whole = chosen[number % len(chosen)], wholes[number % len(chosen)]
        record = chance.randrange(RECORDS)
        text = damaged(log.text, *log.place(record), chance)
        others, wrong = harm(whole, record, text)
        count = counts[log.format]
        count.update(damages=1, **({"costly": 1, "others": others} if others else {}))
        count.update([wrong.split(":")[0]] if wrong else [])
        if (others or wrong) and asked.show:
            asked.show -= 1
            _show(log, record, text, others, wrong)
    _print(counts)


def _show(log: Log, record: int, text: str, others: int, wrong: str) -> None:
    at = next((i for i, (a, b) in enumerate(zip(log.text, text, strict=False)) if a != b), 0)
    print(f"{log.format}, record {record}: {wrong} {others} others lost")
    print(f"  was {log.text[max(0, at - 50) : at + 50]!r}\n  is  {text[max(0, at - 50) : at + 50]!r}")


def _print(counts: dict[str, Counter[str]]) -> None:
    names = ("damages", "costly", "others", "unreported", "crash")
    total = sum(counts.values(), Counter[str]())
    print(f"{'format':14}" + "".join(f"{name:>12}" for name in names))
    for name, count in (*counts.items(), ("all", total)):
        print(f"{name:14}" + "".join(f"{count[one]:12}" for one in names))


if __name__ == "__main__":
    main()
