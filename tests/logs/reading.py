"""Short ways to read a log in these tests."""

import json
from pathlib import Path

from memcore.domain.models import ConversationLog, LogRead
from memcore.logs import ReadOptions, read_bytes

DATA = Path(__file__).parent / "data"
OF_EVERY_FORMAT = Path(__file__).parent / "samples"
SAMPLES = Path(__file__).parents[2] / "sample_data"


def read(content: object, **options) -> LogRead:
    """Read text or bytes as they are, and anything else as a JSON document."""
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    data = text.encode() if isinstance(text, str) else text
    return read_bytes("log", data, ReadOptions(**options))


def read_one(content: object, **options) -> ConversationLog:
    """The only conversation of a log in which nothing is wrong."""
    found = read(content, **options)
    assert not found.skipped
    assert len(found.logs) == 1
    return found.logs[0]


def said(log: ConversationLog) -> list[tuple[str, str]]:
    return [(message.speaker, message.text) for message in log.messages]
