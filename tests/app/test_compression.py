"""The Compression page: what is stored, and what another rate would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memcore.domain.protocols import Compressed, Compressor, WordScore
from memcore.memory import open_memory
from memcore.nlp.encoder.words import word_spans
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from tests.app.conftest import Open, shown
from tests.app.seed import RUN, seed
from ui.shell import opened


class FirstWords:
    """Keeps the first words of every text, as many as the rate allows, and every name if it protects."""

    name = "first words"

    def __init__(self, *, protect: bool) -> None:
        self._protect = protect

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        return [self._one(text, rate) for text in texts]

    def _one(self, text: str, rate: float) -> Compressed:
        spans = word_spans(text)
        words = tuple(
            WordScore(a, b, 0.5, i < rate * len(spans) or forced, forced)
            for i, (a, b) in enumerate(spans)
            for forced in [self._protect and text[a].isupper()]
        )
        kept = [text[w.start : w.end] for w in words if w.kept]
        return Compressed(" ".join(kept), words, len(spans), len(kept))


class FirstWordsBackends(ChosenBackends):
    """Compresses with `FirstWords`."""

    def compressor(self, name: str | None = None, *, protect: bool | None = None) -> Compressor:
        return FirstWords(protect=self.settings.protect_words if protect is None else protect)


@pytest.fixture
def first_words(store: Path) -> None:
    opened.work_with(FirstWordsBackends)


def test_the_slider_stands_at_the_stored_rate_and_shows_what_is_stored(seeded: Path, open_page: Open) -> None:
    app = open_page("2_Compression", session="ses_1")
    assert app.slider(key="bound_rate").value == 100 * Settings().compression_rate
    assert "A trial" not in shown(app)
    assert "embedded (test)" in shown(app)


def test_another_rate_is_tried_on_the_messages_without_storing_anything(
    seeded: Path, open_page: Open, first_words: None
) -> None:
    app = open_page("2_Compression", session="ses_1")
    app.slider(key="bound_rate").set_value(20).run()
    html = shown(app)
    assert "A trial: nothing is stored" in html
    assert "Compressor: first words" in html
    assert "<b>20%</b><span>asked for</span>" in html
    app.button(key="try_reset").click().run()
    assert "embedded (test)" in shown(app)


def test_without_protection_names_may_go(seeded: Path, open_page: Open, first_words: None) -> None:
    app = open_page("2_Compression", session="ses_1")
    app.slider(key="bound_rate").set_value(20).run()
    assert 'class="ms-tag">Lisbon</span>' in shown(app)
    app.toggle(key="bound_protect").set_value(False).run()
    assert "What was protected" not in shown(app)
    assert 'title="keep 0.50">Miso</del>' in shown(app)


def test_only_what_is_kept_shows_the_text_as_the_next_stage_gets_it(
    seeded: Path, open_page: Open, first_words: None
) -> None:
    app = open_page("2_Compression", session="ses_1")
    app.slider(key="bound_rate").set_value(20)
    app.toggle(key="bound_bare").set_value(True).run()
    assert "<del" not in shown(app)
    assert ">I moved to Lisbon The</div>" in shown(app)


@pytest.mark.parametrize("rate", [0.1, 0.33, 0.55, 1.0])
def test_the_slider_stands_at_whatever_rate_is_stored(
    store: Path, open_page: Open, first_words: None, rate: float
) -> None:
    seed(store)
    with open_memory(store) as memory, memory.store.write(actor="test", run_id=RUN) as writer:
        trace = memory.traces.of("ses_1", "compress")[-1]
        writer.add_traces([replace(trace, position=9, payload={**trace.payload, "requested_rate": rate})])
    app = open_page("2_Compression", session="ses_1")
    assert not app.exception
    assert app.slider(key="bound_rate").value == round(100 * rate)
    assert "A trial" not in shown(app)


def test_a_session_of_other_rate_moves_the_slider_and_starts_no_trial(
    store: Path, open_page: Open, first_words: None
) -> None:
    seed(store)
    with open_memory(store) as memory, memory.store.write(actor="test", run_id=RUN) as writer:
        trace = memory.traces.of("ses_2", "compress")[-1]
        writer.add_traces([replace(trace, position=9, payload={**trace.payload, "requested_rate": 0.4})])
    app = open_page("2_Compression", session="ses_1")
    app.query_params["session"] = "ses_2"
    app.run()
    assert app.slider(key="bound_rate").value == 40
    assert "A trial" not in shown(app)


def test_what_is_tried_stands_in_the_address(seeded: Path, open_page: Open, first_words: None) -> None:
    app = open_page("2_Compression", session="ses_1")
    app.slider(key="bound_rate").set_value(20).run()
    app.toggle(key="bound_protect").set_value(False).run()
    app.toggle(key="bound_bare").set_value(True).run()
    again = open_page("2_Compression", **app.query_params)
    assert not again.exception
    assert again.slider(key="bound_rate").value == 20
    assert not again.toggle(key="bound_protect").value
    assert again.toggle(key="bound_bare").value
    assert shown(again) == shown(app)


def test_a_trial_ends_with_the_session_it_was_asked_for(
    seeded: Path, open_page: Open, first_words: None
) -> None:
    app = open_page("2_Compression", session="ses_1", rate="20", protect="false")
    app.selectbox(key="chosen_session").set_value("ses_2").run()
    assert "A trial" not in shown(app)
    assert not {"rate", "protect"} & {*app.query_params}
