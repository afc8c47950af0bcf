"""Is the Graph page usable on a large graph? 3,000 entities, 10,000 triples, in headless Chromium.

    python -m benchmarks.graph_page [--store DIR] [--runs 5]

Makes a store (or uses the one it made before in DIR), starts the app on it, and measures from the
address or the choice until the picture is drawn and until the table is there: the first time after
starting the server, in a new tab, and after choosing another entity, a relation, a date and words.
The load of the machine stands beside the figures: two busy cores double them.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from memcore.domain.models import (
    Conversation,
    ConversationLog,
    Entity,
    MemoryEntry,
    Message,
    RawRef,
    Run,
    Segment,
    Session,
    SessionSummary,
    Source,
    Triple,
)
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import open_store
from tools.serving import CHROMIUM, FLAGS, served

ENTITIES, TRIPLES = 3_000, 10_000
SESSIONS, MESSAGES, CHUNK = 80, 50, 10
BEGIN = datetime(2023, 1, 2, 18)
RELATIONS = [f"relation_{number:02}" for number in range(40)]
RECIPE = "memscope"

_DRAWN = """() => {
  const frame = document.querySelector('iframe');
  const page = frame && frame.contentDocument;
  const canvas = page && page.body && !page.documentElement.dataset.seen && page.querySelector('canvas');
  if (!canvas || !canvas.width) return false;
  const small = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  small.drawImage(canvas, 0, 0, 120, 80);
  return small.getImageData(0, 0, 120, 80).data.some((value, place) => place % 4 === 3 && value > 0);
}"""
_LISTED = "() => { const t = document.querySelector('table.ms-triples'); return t && !t.dataset.seen; }"
_FORGET = """() => {
  const frame = document.querySelector('iframe');
  if (frame) frame.contentDocument.documentElement.dataset.seen = 'yes';
  for (const table of document.querySelectorAll('table.ms-triples')) table.dataset.seen = 'yes';
}"""


def make(directory: Path) -> None:
    """The store: two people whom most is about, and names that become rarer, as in real logs."""
    chance = np.random.default_rng(0)
    model_id, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    sessions = tuple(
        Session(f"ses{n}", "conv", n, BEGIN + timedelta(days=9 * n), f"Evening {n + 1}")
        for n in range(SESSIONS)
    )
    messages = tuple(
        Message(
            f"{session.id}m{n}", session.id, n, ("Ann", "Bob")[n % 2], "person",
            f"What was said in place {n} of {session.title}, in a sentence or two of usual length.",
            BEGIN + timedelta(days=9 * session.position, minutes=n), "message", RawRef("log.md", f"line {n}"),
        )
        for session in sessions
        for n in range(MESSAGES)
    )  # fmt: skip
    segments = [
        Segment(f"seg{n}", group[0].session_id, tuple(m.id for m in group), f"Topic {n}", recipe=RECIPE)
        for n, group in enumerate(messages[at : at + CHUNK] for at in range(0, len(messages), CHUNK))
    ]
    kinds = ("PERSON", "PLACE", "ORG", "EVENT", "THING")
    entities = [
        Entity(f"ent{n:04}", "me", name, kinds[n % 5], (f"alias {n}",), BEGIN, BEGIN, recipe=RECIPE)
        for n, name in enumerate(["Ann", "Bob", *(f"thing number {n}" for n in range(2, ENTITIES))])
    ]
    weights = 1.0 / np.arange(1, ENTITIES + 1) ** 0.8
    ends = chance.choice(ENTITIES, size=(TRIPLES, 2), p=weights / weights.sum())
    ends[:ENTITIES, 1] = np.arange(ENTITIES)  # everything is mentioned
    ends[ends[:, 0] == ends[:, 1], 0] += 1
    ends %= ENTITIES
    names = [RELATIONS[min(rank, len(RELATIONS)) - 1] for rank in chance.zipf(1.5, TRIPLES)]
    memories, triples = [], []
    for n, ((subject, object_), relation) in enumerate(zip(ends, names, strict=True)):
        message = messages[int(chance.integers(len(messages)))]
        said = message.said_at
        assert said is not None
        source = (Source(message.id, 0, 13),)
        text = f"{entities[subject].name} {relation} {entities[object_].name}"
        memories.append(
            MemoryEntry(f"mem{n}", "me", text, "fact", RECIPE, "run", source, mentioned_at=said,
                   valid_from=said, embedding_model=model_id)
        )  # fmt: skip
        ended = said + timedelta(days=100) if n % 12 == 0 else None
        ends_of = (entities[subject].id, relation, entities[object_].id)
        triples.append(
            Triple(f"tri{n}", "me", *ends_of, source, (f"mem{n}",), said, ended, 1 + n % 3, RECIPE)
        )
    summaries = [
        SessionSummary(SessionSummary.id_for(s.id, RECIPE), s.id, "me", f"What {s.title} was about.",
                       ("walks", "food"), (), s.started_at, s.started_at, recipe=RECIPE)
        for s in sessions
    ]  # fmt: skip
    with (
        open_store(directory, embedding_model=model_id, dimension=dimension) as store,
        store.write(actor="benchmark") as writer,
    ):
        writer.put_run(Run("run", "ingest", "me", RECIPE, "finished", BEGIN, BEGIN))
        writer.add_log(ConversationLog(Conversation("conv", "me", "log.md", "plain"), sessions, messages))
        writer.add_segments(segments)
        writer.put_memories(memories)
        writer.put_entities(entities)
        writer.put_triples(triples)
        writer.put_summaries(summaries)
        writer.mark_processed(RECIPE, [message.id for message in messages], "run")


def until_drawn(page: Page, act: Callable[[], object]) -> tuple[float, float]:
    """Seconds from an act until the picture is drawn, and until the table is there."""
    begun = time.perf_counter()
    act()
    done: dict[str, float] = {}
    while len(done) < 2:
        for name, seen in (("picture", _DRAWN), ("table", _LISTED)):
            if name not in done and page.evaluate(seen):
                done[name] = time.perf_counter() - begun
        if time.perf_counter() - begun > 60:
            raise TimeoutError(f"only {sorted(done)} after 60 s")
        time.sleep(0.03)
    return done["picture"], done["table"]


def opened(browser: Browser, address: str) -> tuple[Page, tuple[float, float]]:
    """A new browser session that goes to an address, and what that took."""
    page = browser.new_context(viewport={"width": 1360, "height": 1000}).new_page()
    return page, until_drawn(page, lambda: page.goto(address, wait_until="commit"))


def framed(browser: Browser, url: str, runs: int) -> list[float]:
    """Seconds until a page without a graph shows its heading in a new tab: what Streamlit itself takes."""
    taken = []
    for _ in range(runs):
        page = browser.new_context(viewport={"width": 1360, "height": 1000}).new_page()
        begun = time.perf_counter()
        page.goto(f"{url}/Settings", wait_until="commit")
        page.locator("h1").wait_for()
        taken.append(time.perf_counter() - begun)
        page.context.close()
    return taken


def picked(page: Page, label: str, words: str) -> tuple[float, float]:
    """Choose the first option that fits the words in a select box."""
    page.get_by_role("combobox", name=label).click()
    page.keyboard.type(words)
    page.get_by_role("option").first.wait_for()
    page.evaluate(_FORGET)
    return until_drawn(page, lambda: page.keyboard.press("Enter"))


def moved(page: Page, key: str) -> tuple[float, float]:
    """To one end of the time slider."""
    page.get_by_role("slider").focus()
    page.evaluate(_FORGET)
    return until_drawn(page, lambda: page.keyboard.press(key))


def searched(page: Page, words: str) -> tuple[float, float]:
    """Look for words."""
    page.get_by_role("textbox", name="Search").fill(words)
    page.evaluate(_FORGET)
    return until_drawn(page, lambda: page.keyboard.press("Enter"))


def report(what: str, taken: list[tuple[float, float]]) -> None:
    """One line: the median and the worst of several."""
    pictures, tables = zip(*taken, strict=True)
    print(
        f"{what:<34} picture {median(pictures):5.2f} s (worst {max(pictures):5.2f})   "
        f"table {median(tables):5.2f} s (worst {max(tables):5.2f})   load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def measure(browser: Browser, store: Path, runs: int) -> None:
    """Every way to a picture, `runs` times each."""
    cold = []
    for _ in range(min(runs, 3)):
        with served(store) as app:
            page, taken = opened(browser, f"{app.url}/Graph")
            cold.append(taken)
            page.context.close()
    report("first hit after starting", cold)
    with served(store) as app:
        warmed(browser, app.url, runs)


def warmed(browser: Browser, url: str, runs: int) -> None:
    """Every way to a picture, once the first has been drawn."""
    opened(browser, f"{url}/Graph")[0].context.close()
    warm = []
    for _ in range(runs):
        page, taken = opened(browser, f"{url}/Graph")
        warm.append(taken)
        page.context.close()
    report("in a new tab", warm)
    print(f"{'(the frame alone: Settings)':<34} heading {median(framed(browser, url, runs)):5.2f} s")
    page, _ = opened(browser, f"{url}/Graph")
    numbers = range(1_000, 1_000 + runs)
    report("another entity", [picked(page, "Entity", f"thing number {n}") for n in numbers])
    report("the most connected", [picked(page, "Entity", name) for name in ("Ann", "Bob") * (runs // 2)])
    report("another relation", [picked(page, "Relation", f"relation 0{n % 9}") for n in range(runs)])
    page.goto(f"{url}/Graph?as_of=2023-08-15&sessions=true&chunks=true")
    until_drawn(page, lambda: None)
    report("another date, all layers", [moved(page, key) for key in ("End", "Home") * (runs // 2)])
    page.goto(f"{url}/Graph")
    until_drawn(page, lambda: None)
    report("words looked for", [searched(page, f"number {n}") for n in range(50, 50 + runs)])


def main() -> int:
    """Make the store unless it is there, and measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--store", type=Path)
    options.add_argument("--runs", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store: Path = chosen.store or Path(folder) / "store"
        if not store.exists():
            begun = time.perf_counter()
            make(store)
            print(f"{ENTITIES:,} entities, {TRIPLES:,} triples stored in {time.perf_counter() - begun:.0f} s")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            measure(browser, store, chosen.runs)
            browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
