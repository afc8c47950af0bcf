"""Compare: choosing systems and a log, costs, who missed what, the table, and contexts of a question."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import Run, Source
from memcore.inspection.comparison import LogProgress
from memcore.memory import Memory, open_memory
from memcore.memory.runs import Runs
from memcore.retrieval.results import ModelFailure, without_model
from memcore.runs.ingest import IngestReport
from memcore.systems.registry import SYSTEMS
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT, START, seed
from tests.app.test_kept_evaluations import OVERSIGHT, keep
from tests.store.samples import log
from ui.compare import alignment
from ui.components.recipes import TITLES
from ui.shell.jobs import board

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "10_Compare"
OURS, THEIRS = "memscope", "lightmem"
BOTH = f"{OURS},{THEIRS}"


@pytest.fixture
def read_by_two(seeded: Path) -> Path:
    """The seeded log as LightMem might have read it, too: it missed the cat, and remembers a formula."""
    read_by_lightmem(seeded)
    return seeded


def read_by_lightmem(store: Path) -> None:
    with open_memory(store, backends=LightBackends) as memory:
        kept = [memory.memories.view(f"mem_{n}").memory for n in (1, 5, 6)]
        twins = [replace(m, id=f"light_{m.id}", recipe=THEIRS, run_id="run_light") for m in kept]
        twins[2] = replace(twins[2], text="=1+1 is what Ada said")
        messages = [f"msg_{n}" for n in range(8)]
        run = Run("run_light", "ingest", "me", THEIRS, "finished", START, START + timedelta(seconds=2.5))
        with memory.store.write(actor="test") as writer:
            writer.put_run(run)
            writer.put_memories(twins)
            writer.mark_processed(THEIRS, messages, run.id)


def finish(app: AppTest) -> AppTest:
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.result(timeout=180)
    app.run()
    assert not app.exception
    return app


# --------------------------------------------------------------------------- choosing and running


def test_without_messages_it_says_how_to_begin(store: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert "Nothing is stored yet." in shown(app)
    assert "load_sample" in [button.key for button in app.button]


def test_an_owner_with_one_system_is_offered_a_second(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert app.multiselect(key="chosen_systems").value == [OURS, THEIRS]
    html = shown(app)
    assert "read all 8 messages already: not read again" in html
    assert "<b>LightMem</b> has not read this log." in html
    assert app.button(key="run_systems").label == "Read with LightMem"
    assert "not read yet" in html
    assert "only this one" not in html


def test_what_was_not_run_is_run_on_this_log_alone_with_progress_by_system(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def resume(self: Memory, *, progress: Any, cancelled: Any, **more: Any) -> IngestReport:
        asked.append(more)
        progress("read", 8, 8)
        return IngestReport(
            "run_1", "finished", 8, 0, 1, 3, 4, 0, (), (f"one buffer {SCRIPT}",), {"calls": 0}, 1.5
        )

    monkeypatch.setattr(Memory, "resume", resume)
    app = finish(open_page(PAGE).button(key="run_systems").click().run())
    assert asked == [{"owner": "me", "recipe": THEIRS, "conversation_id": "conv_1"}]
    job = board().get(app.query_params["job"])
    assert job is not None
    assert job.stages == {"LightMem · read": (8, 8)}
    html = shown(app)
    assert "LightMem: 8 messages in 1.5 s" in html
    assert "LightMem: 1 part failed" in html
    assert "<script>window.pwned" not in html


def test_cancelling_keeps_what_is_finished_and_starts_no_further_system(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, asked = threading.Event(), []

    def resume(self: Memory, *, recipe: str, cancelled: Any, **_more: Any) -> IngestReport:
        asked.append(recipe)
        began.set()
        while not cancelled():
            threading.Event().wait(0.01)
        return IngestReport("run_1", "cancelled", 8, 0, 0, 0, 0, 0, (), (), {}, 1.0)

    monkeypatch.setattr(Memory, "resume", resume)
    monkeypatch.setattr(Runs, "progress", lambda *_args, **_more: LogProgress(8, {}))
    app = open_page(PAGE, systems=BOTH).button(key="run_systems").click().run()
    assert began.wait(180)
    job = board().get(app.query_params["job"])
    assert job is not None
    job.stop.set()
    html = shown(finish(app))
    assert asked == [OURS]
    assert "8 messages in 1.0 s, cancelled." in html


def test_one_system_alone_is_no_comparison(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, systems=OURS)
    assert not app.exception
    assert "Choose at least two systems" in shown(app)


def test_choices_stand_in_the_url(read_by_two: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    app.multiselect(key="chosen_systems").set_value([THEIRS]).run()
    assert app.query_params["systems"] == THEIRS
    app.multiselect(key="chosen_systems").set_value([THEIRS, OURS]).run()
    assert app.query_params["systems"] == BOTH
    app.selectbox(key="chosen_missed").set_value(THEIRS).run()
    assert app.query_params["missed"] == THEIRS


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"log": "conv_nowhere"}, "There is no log with the id conv_nowhere."),
        ({"systems": f"{BOTH},{SCRIPT}"}, "There is no system called"),
        ({"caught": "nobody"}, "“nobody” is none of the choices under “Remembered by”."),
        ({"session": "ses_9"}, "“ses_9” is none of the choices under “Session”."),
        ({"job": "gone"}, "This job belonged to an earlier run of the server."),
        ({"view": "A question", "q": "cat", "budget": "-7", "as_of": "yesterday"}, "tokens · "),
    ],
)
def test_a_url_that_cannot_be_followed_is_answered(
    read_by_two: Path, open_page: Open, query: dict[str, str], says: str
) -> None:
    app = open_page(PAGE, **query)
    assert not app.exception
    assert says in unescape(shown(app))
    assert "<script>window.pwned" not in shown(app)


# --------------------------------------------------------------------------- cost


def test_each_system_stands_with_what_it_keeps_and_what_it_took(read_by_two: Path, open_page: Open) -> None:
    html = shown(open_page(PAGE))
    ours = html[html.index(">Memscope’s own</th><td") :].split("</tr>")[0]
    theirs = html[html.index(">LightMem</th><td") :].split("</tr>")[0]
    assert ">6<div" in ours
    assert "1 past" in ours
    assert ">812</td>" in ours
    assert ">95</td>" in ours
    assert ">3</td>" in theirs
    assert ">2.5</a>" in theirs
    assert "none used" in theirs


def test_a_comparison_without_a_language_model_says_so(store: Path, open_page: Open) -> None:
    seed(store, llm=False)
    read_by_lightmem(store)
    assert "No language model was used" in shown(open_page(PAGE))


def test_a_run_over_several_logs_is_not_shared_out(read_by_two: Path, open_page: Open) -> None:
    with (
        open_memory(read_by_two, backends=LightBackends) as memory,
        memory.store.write(actor="test") as writer,
    ):
        writer.add_log(log("Hi", "Ho", "Hu"))
        writer.mark_processed(THEIRS, [f"a-s0-m{n}" for n in range(3)], "run_light")
    html = shown(open_page(PAGE, log="conv_1"))
    assert "worked on 2 logs together: 11 messages, of which this log has 8" in html
    assert "2.5</a> †" in html


# --------------------------------------------------------------------------- message by message


def test_who_missed_what_is_counted_and_leads_to_the_messages(read_by_two: Path, open_page: Open) -> None:
    html = shown(open_page(PAGE))
    assert "LightMem did not remember 3 messages that Memscope’s own remembered." in html
    target = "./Compare?owner=me&log=conv_1&systems=memscope%2Clightmem&missed=lightmem&caught=memscope"
    assert f'<a href="{target.replace("&", "&amp;")}" target="_self">3</a>' in html
    html = shown(open_page(PAGE, systems=BOTH, missed=THEIRS, caught=OURS))
    assert "3 messages. Marked words" in html
    assert "I moved to Lisbon" not in html
    assert "Ada adopted a cat called Miso" in html


def test_what_the_ceiling_caught_is_told_only_where_nothing_else_is(
    read_by_two: Path, open_page: Open
) -> None:
    with open_memory(read_by_two, backends=LightBackends) as memory:
        view = memory.memories.view("mem_1")
        whole = [
            replace(view.memory, id=f"full_{n}", recipe="fulltext", sources=(Source(f"msg_{n}", 0, 2),))
            for n in range(8)
        ]
        with memory.store.write(actor="test") as writer:
            writer.put_memories(whole)
            writer.mark_processed("fulltext", [f"msg_{n}" for n in range(8)], "run_full")
    assert "LightMem did not remember 5 messages that Full text remembered." in shown(
        open_page(PAGE, systems=f"{THEIRS},fulltext")
    )
    html = shown(open_page(PAGE, systems=f"{BOTH},fulltext"))
    assert "LightMem did not remember 3 messages that Memscope’s own remembered." in html
    assert "that Full text remembered" not in html


def test_each_message_stands_beside_what_every_system_remembers(read_by_two: Path, open_page: Open) -> None:
    html = shown(open_page(PAGE, words="Miso"))
    assert '<mark title="Memscope’s own">I adopted a cat called Miso.</mark>' in html
    assert "only this one" in html
    html = shown(open_page(PAGE, words="Lisbon last week"))
    assert '<mark title="Memscope’s own, LightMem">I moved to Lisbon</mark>' in html
    assert "superseded" in html
    html = shown(open_page(PAGE, words="knee is fine"))
    assert html.count("<b>nothing</b>") == 2


def test_words_that_only_some_of_the_catching_systems_quote_are_told_apart(
    read_by_two: Path, open_page: Open
) -> None:
    with open_memory(read_by_two, backends=LightBackends) as memory:
        light = memory.memories.view("light_mem_1").memory
        shorter = replace(light, sources=(replace(light.sources[0], end=light.sources[0].start + 7),))
        with memory.store.write(actor="test") as writer:
            writer.put_memories([shorter], kind="memory.changed")
    html = shown(open_page(PAGE, words="Lisbon last week"))
    assert '<mark title="Memscope’s own, LightMem">I moved</mark>' in html
    assert '<mark class="ms-some" title="Memscope’s own"> to Lisbon</mark>' in html


def test_untrusted_text_stays_text(read_by_two: Path, open_page: Open) -> None:
    for query in ({}, {"view": "A question", "q": "Someone sent me this script"}):
        html = shown(open_page(PAGE, **query))
        assert "<script>window.pwned" not in html
        assert "<script>window.pwned" in unescape(html)


def test_filters_that_leave_nothing_say_so(read_by_two: Path, open_page: Open) -> None:
    assert "No message matches these filters." in shown(open_page(PAGE, words="no such words"))


def test_many_messages_are_paged(read_by_two: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "PAGE_SIZE", 3)
    app = open_page(PAGE)
    assert "I moved to Lisbon" in shown(app)
    assert "my knee still hurts" not in shown(app)
    app.query_params["page"] = "3"
    last = shown(app.run())
    assert "My knee is fine again" in last
    assert "I moved to Lisbon" not in last


@pytest.mark.parametrize("number", ["0", "99", "²", "x"])
def test_an_impossible_page_shows_a_real_one(
    read_by_two: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    monkeypatch.setattr(alignment, "PAGE_SIZE", 3)
    app = open_page(PAGE)
    app.query_params["page"] = number
    app.run()
    assert not app.exception
    assert '<div class="ms-what">' in shown(app)


def test_a_log_from_which_nothing_is_remembered_is_explained(seeded: Path, open_page: Open) -> None:
    run = Run("run_light", "ingest", "me", THEIRS, "finished", START, START + timedelta(seconds=2.5))
    with open_memory(seeded) as memory, memory.store.write(actor="test") as writer:
        writer.put_run(run)
        writer.mark_processed(THEIRS, [f"msg_{n}" for n in range(8)], run.id)
    assert "LightMem has read this log and remembers nothing from it." in shown(open_page(PAGE))


def test_the_same_stands_in_a_table_and_a_file(read_by_two: Path, open_page: Open) -> None:
    app = open_page(PAGE, view="Table", words="Porto")
    assert not app.exception
    (row,) = app.dataframe[0].value.to_dict("records")
    assert (row["session"], row["turn"], row["speaker"]) == ("2", "3", "Ada")
    assert (row[OURS], row[THEIRS]) == ("Ada lives in Porto", "=1+1 is what Ada said")


def test_nothing_in_the_file_is_a_formula(
    read_by_two: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, Callable[[], bytes]] = {}
    monkeypatch.setattr(
        "streamlit.download_button", lambda _, data, name, *_a, **_k: files.update({name: data})
    )
    open_page(PAGE, systems=BOTH)
    made = next(data() for name, data in files.items() if name.endswith(".csv"))
    rows = list(csv.DictReader(io.StringIO(made.decode("utf-8-sig"))))
    assert len(rows) == 8
    assert rows[6][THEIRS] == "'=1+1 is what Ada said"
    assert rows[2][THEIRS] == ""


# --------------------------------------------------------------------------- a question


def test_a_question_shows_each_context_with_what_only_it_found(read_by_two: Path, open_page: Open) -> None:
    app = open_page(PAGE, view="A question")
    app.text_input(key="compared_text").set_value("Where does Ada live now?")
    app.button[-1].click().run()
    assert not app.exception
    assert app.query_params["q"] == "Where does Ada live now?"
    html = shown(app)
    assert "of 1,000 tokens" in html
    assert "No answer is written here" in html
    assert html.count('<div class="ms-system">') == 2
    assert "Ada lives in Porto" in html


def test_a_second_question_is_asked_too_and_the_form_says_what_the_address_asks(
    read_by_two: Path, open_page: Open
) -> None:
    app = open_page(PAGE, view="A question")
    for typed in ("Where does Ada live now?", "What is the cat called?", "Where does Ada live now?"):
        app.text_input(key="compared_text").set_value(typed)
        app.button[-1].click().run()
        assert (app.text_input(key="compared_text").value, app.query_params["q"]) == (typed, typed)
    app.query_params["q"] = "What is the cat called?"  # as the browser's Back does
    app.run()
    assert app.text_input(key="compared_text").value == "What is the cat called?"
    assert "Miso" in shown(app)


def test_a_search_that_did_without_its_model_says_so_and_is_made_again_when_asked_again(
    read_by_two: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = Memory.search, []
    failures = [ModelFailure(f"It answered {SCRIPT}.", "Ask again."), None]

    def search(self: Memory, query: str, *, recipe: str, **more: Any) -> Any:
        found = real(self, query, recipe=recipe, **more)
        if recipe != THEIRS:
            return found
        asked.append(query)
        failure = failures.pop(0)
        return replace(
            found, trace=replace(found.trace, failure=failure, notes=tuple(without_model(failure)))
        )

    monkeypatch.setattr(Memory, "search", search)
    app = open_page(PAGE, view="A question", q="Where does Ada live now?")
    html = shown(app)
    assert "The search did without the chosen language model: It answered" in html
    assert "<script>window.pwned" not in html
    app.run()
    assert len(asked) == 1
    app.button[-1].click().run()
    assert "did without" not in shown(app)


def test_every_system_there_is_can_be_chosen_and_has_words_of_its_own(seeded: Path, open_page: Open) -> None:
    options = open_page(PAGE).multiselect(key="chosen_systems").options
    assert len(options) == len(SYSTEMS) == len(set(TITLES.values()))


def test_a_kept_measurement_of_oversight_stands_below_the_systems(read_by_two: Path, open_page: Open) -> None:
    assert "What oversight is worth" not in shown(open_page("10_Compare"))
    keep(read_by_two, "oversight", OVERSIGHT, recipe="mem0")
    for _ in range(2):
        app = open_page("10_Compare")
        assert not app.exception
        assert "What oversight is worth" in shown(app)
        assert "3 of 4" in shown(app)
