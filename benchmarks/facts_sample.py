"""Facts of the language pipeline beside the messages they came from, to be read and judged by hand.

    python benchmarks/facts_sample.py ../shared/data/locomo/locomo_dev4.json --facts 60 --seed 7

Prints a random sample: the fact, its kind, event time and triples, then the source message with the
message before it. `--speaker NAME` keeps one speaker's facts, `--passed-over N` also prints N
random passages of every reason for passing over.
Every session is read as one buffer, so the pipeline is measured alone, without segmentation.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

from memcore.domain.extraction import Buffer, Fact
from memcore.domain.models import Message, Segment
from memcore.logs import read_log
from memcore.nlp.language.extractor import LanguageExtractor


def buffers(path: Path) -> list[Buffer]:
    """One buffer per session of every conversation in the file."""
    found = []
    for log in read_log(path).logs:
        people = tuple(dict.fromkeys(message.speaker for message in log.messages))
        for session in log.sessions:
            messages = tuple(m for m in log.messages if m.session_id == session.id)
            if messages:
                segment = Segment(session.id, session.id, tuple(m.id for m in messages))
                found.append(Buffer(session.id, (segment,), messages, people=people))
    return found


def show(number: int, fact: Fact, message: Message, before: Message | None) -> None:
    """Print one fact above the message it came from, for a person to judge."""
    when = f"{fact.event_at:%Y-%m-%d}" if fact.event_at else "no event time"
    print(f"--- {number} [{fact.kind}; {fact.category}/{fact.subcategory}; {when}]")
    print("fact:   ", fact.text)
    print("triples:", ", ".join(f"({t.subject}, {t.relation}, {t.object})" for t in fact.triples) or "none")
    if before is not None:
        print(f"before:  {before.speaker}: {before.text[-200:]!r}")
    print(f"source:  {message.said_at} {message.speaker}: {message.text[:800]!r}")


def main() -> None:
    """Print a random sample of a log's facts."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("log", type=Path)
    options.add_argument("--facts", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--speaker", help="only facts said by this speaker")
    options.add_argument("--passed-over", type=int, default=0)
    chosen = options.parse_args()
    dice = random.Random(chosen.seed)
    sessions = buffers(chosen.log)
    results = LanguageExtractor().extract(sessions)
    messages = {m.id: m for buffer in sessions for m in buffer.messages}
    before = {
        b.id: a for buffer in sessions for a, b in zip(buffer.messages, buffer.messages[1:], strict=False)
    }
    facts = [f for extraction, _ in results for f in extraction.facts if chosen.speaker in {None, f.speaker}]
    print(f"{len(messages)} messages, {len(facts)} facts, seed {chosen.seed}")
    for number, fact in enumerate(dice.sample(facts, min(chosen.facts, len(facts))), 1):
        source = messages[fact.sources[0].message_id]
        show(number, fact, source, before.get(source.id))
    passed: dict[str, list[str]] = defaultdict(list)
    for _, trace in results:
        for item in trace.skipped:
            passed[item.reason].append(messages[item.message_id].text[item.start : item.end])
    for reason, count in Counter({reason: len(texts) for reason, texts in passed.items()}).most_common():
        print(f"passed over, {reason}: {count}")
        for text in dice.sample(passed[reason], min(chosen.passed_over, count)):
            print("   ", " ".join(text.split())[:160])


if __name__ == "__main__":
    main()
