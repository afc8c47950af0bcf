"""Every page in the states a newcomer, a user and an unlucky person meet."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from memcore.runtime.config import Settings
from memcore.store import open_store
from tests.app.conftest import ROOT, Open, shown
from tests.app.seed import SCRIPT
from ui.shell import links
from ui.shell.frame import GROUPS, TITLES

PAGES = (
    "app.py",
    "1_Import",
    "2_Compression",
    "3_Topics",
    "5_Memories",
    "6_Graph",
    "8_Review",
    "9_Ask",
    "11_Evaluate",
    "12_Runs_and_cost",
    "13_Settings",
    "4_Buffers",
)
SEEDED = {
    "app.py": "What changed lately",
    "1_Import": "Reads: ",
    "2_Compression": 'class="ms-dropped"',
    "3_Topics": "TextTiling depth",
    "5_Memories": "<mark>I moved to Lisbon last week.</mark>",
    "6_Graph": "5 entities, 4 relations",
    "8_Review": "1 of 3",
    "9_Ask": "which words of which message",
    "11_Evaluate": "It works in a store of its own",
    "12_Runs_and_cost": "model tokens",
    "13_Settings": "Cosine below which",
    "4_Buffers": "Moving to Lisbon",
}


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_store_is_explained_and_offers_the_sample(open_page: Open, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    if page != "13_Settings":
        assert "Load sample" in [button.label for button in app.button]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_is_stored(seeded: Path, open_page: Open, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert SEEDED[page] in shown(app)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_lets_stored_text_be_html(seeded: Path, open_page: Open, page: str) -> None:
    query = {"session": "ses_2"} if page in ("2_Compression", "3_Topics", "4_Buffers") else {}
    html = shown(open_page(page, **query))
    assert "<script" not in html
    assert "<img" not in html
    assert "\u202e" not in html


def test_text_from_logs_is_shown_exactly(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("5_Memories"))
    assert f"Ben was sent {SCRIPT}" in unescape(html)
    assert "pay⟨U+202E⟩pal" in html


@pytest.mark.parametrize("page", PAGES)
def test_a_broken_store_is_named_with_the_way_out(store: Path, open_page: Open, page: str) -> None:
    _break(store)
    app = open_page(page)
    assert not app.exception
    assert 'role="alert"' in shown(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_store_of_another_embedding_model_is_refused_in_words(
    store: Path, open_page: Open, page: str
) -> None:
    open_store(store, embedding_model="someone/else@1", dimension=8).close()
    app = open_page(page)
    assert not app.exception
    assert "someone/else@1" in shown(app)


def test_settings_can_be_changed_while_the_store_cannot_be_opened(store: Path, open_page: Open) -> None:
    open_store(store, embedding_model="someone/else@1", dimension=8).close()
    app = open_page("13_Settings")
    assert app.text_input(key="set_embedder").value == Settings().embedder


def test_a_store_that_another_process_holds_can_be_tried_again(seeded: Path, open_page: Open) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(seeded)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        app = open_page("5_Memories")
        assert not app.exception
        assert 'role="alert"' in shown(app)
    finally:
        holder.terminate()
        holder.wait()
    app.button(key="retry_open").click().run()
    assert "Ada adopted a cat" in shown(app)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("2_Compression", {"session": "nope"}),
        ("4_Buffers", {"session": "nope"}),
        ("5_Memories", {"memory": "nope"}),
        ("6_Graph", {"entity": "nope"}),
        ("8_Review", {"proposal": "nope"}),
        ("12_Runs_and_cost", {"run": "nope"}),
        ("1_Import", {"job": "nope"}),
        ("11_Evaluate", {"job": "nope"}),
    ],
)
def test_a_link_to_something_unknown_is_explained(
    seeded: Path, open_page: Open, page: str, query: dict[str, str]
) -> None:
    app = open_page(page, **query)
    assert not app.exception
    assert 'class="ms-note' in shown(app)


def test_a_memory_shows_its_words_its_triples_and_what_it_replaced(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("5_Memories", memory="mem_1"))
    assert "<mark>I moved to Lisbon last week.</mark>" in html
    assert "friends.md, line 1" in html
    assert "<td>live in</td>" in html
    assert "Ada is in Lisbon" in html
    assert "26 Feb 2024 to 3 Mar 2024" in html


def test_what_extraction_skipped_is_listed_with_the_reason(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("3_Topics", session="ses_1"))
    assert "How exciting" in html
    assert "<td>a question</td>" in html


def test_filters_come_from_the_url(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("5_Memories", person="Ben", kind="plan"))
    assert "1 memory" in html
    assert "can&#x27;t visit before May" in html


def test_an_ended_relation_is_counted_as_ended(seeded: Path, open_page: Open) -> None:
    assert "1 ended (dashed)" in shown(open_page("6_Graph", entity="ent_1"))


def test_a_run_shows_its_calls_with_their_texts_escaped(seeded: Path, open_page: Open) -> None:
    html = shown(open_page("12_Runs_and_cost", run="run_seed"))
    assert "the prompt &lt;script&gt;" in html
    assert "812" in html


@pytest.mark.parametrize("query", [{}, {"run": "run_seed"}], ids=["all runs", "one run"])
def test_what_models_cost_is_shown_by_stage_and_can_be_downloaded(
    seeded: Path, open_page: Open, query: dict[str, str]
) -> None:
    app = open_page("12_Runs_and_cost", **query)
    cells = re.findall(r"<tr><th scope=\"row\">(\w+)</th>((?:<td[^>]*>[^<]*</td>)+)</tr>", shown(app))
    by_stage = {stage: re.findall(r">([^<]*)</td>", rest) for stage, rest in cells}
    assert by_stage == {
        "add_memory": ["1", "812", "95", "907", "0"],
        "update": ["0", "0", "0", "0", "0"],
    }
    assert "Download as JSON" in [button.proto.label for button in app.get("download_button")]


def test_every_setting_is_offered_and_explained() -> None:
    from dataclasses import fields as fields_of

    from memcore.systems.registry import SYSTEMS
    from memcore.systems.settings import described
    from ui.settings.fields import groups

    offered = [field for group in groups().values() for field in group]
    elsewhere = {"store_dir", "database", "openai_api_key", "permitted_servers", "systems"}
    elsewhere |= {"permitted_recordings", "record_to"}
    own = {f"{one.name}_{name}" for one in SYSTEMS.values() for name in described(one.settings)}
    assert own
    assert {f.name for f in offered} == ({f.name for f in fields_of(Settings)} - elsewhere) | own
    assert all(f.does for f in offered)


def test_a_saved_setting_is_used_and_the_environment_is_not_written_to_the_file(
    store: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_OLLAMA_MODEL", "from-the-environment")
    app = open_page("13_Settings")
    assert app.text_input(key="set_ollama_model").disabled
    assert "MEMSCOPE_OLLAMA_MODEL" in shown(app)
    app.number_input(key="set_compression_rate").set_value(0.5)
    next(b for b in app.button if b.label == "Save").click()
    app.run()
    assert not app.exception
    saved = (store / "settings.json").read_text(encoding="utf-8")
    assert '"compression_rate": 0.5' in saved
    assert "from-the-environment" not in saved


def test_an_impossible_setting_is_refused_with_the_reason(store: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.number_input(key="set_queue_keep").set_value(999)
    next(b for b in app.button if b.label == "Save").click()
    app.run()
    assert "Set queue_keep to from 1 to queue_top_k." in shown(app)
    assert not (store / "settings.json").exists()


def test_an_absent_model_server_is_told_when_asked(
    store: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_LLM", "ollama")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    app = open_page("13_Settings")
    assert not app.exception
    assert "Ollama is not running" not in shown(app)
    app.button(key="check_server").click().run()
    assert not app.exception
    assert "Ollama is not running at http://127.0.0.1:9." in shown(app)


def _break(store: Path) -> None:
    open_store(store, embedding_model="m@1", dimension=8).close()
    for file in store.glob("*.duckdb"):
        file.write_bytes(b"this is no database" * 1000)


_HOLD = """
import sys
import time
from pathlib import Path
from memcore.memory import open_memory
memory = open_memory(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(60)
"""


def test_the_sidebar_lists_every_page_in_the_order_of_its_number(open_page: Open) -> None:
    project, *listed = [one.proto.label for one in open_page().sidebar.get("page_link")]
    assert project == "Project: store"
    numbers = [label.split("\u2002")[0] for label in listed[1:]]
    assert listed[0] == "Home"
    assert numbers == [str(number) for number in range(1, 14)]
    assert listed == [
        links.numbered(page, title)
        for page, title in ((name, TITLES.get(name, name)) for group in GROUPS for name in group[1])
    ]
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert all(f"\n| {label.replace(chr(0x2002), ' ')} |" in readme for label in listed[1:])


def test_every_page_is_titled_as_the_sidebar_names_it(seeded: Path, open_page: Open) -> None:
    for name, file in links.PAGES.items():
        (title,) = open_page(Path(file).stem if name != "Home" else file).title
        assert title.value == TITLES.get(name, name)
