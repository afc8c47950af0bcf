"""Import: previewed before anything is stored; each bad file is named, the good ones are kept."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import LogRead
from memcore.logs import ReadOptions, read_bytes
from memcore.memory import Memory, open_memory
from memcore.memory.runs import Runs
from memcore.runs.ingest import IngestReport
from memcore.systems.steps import About
from tests.app.conftest import Open, shown
from ui.importing import one_file, reading
from ui.shell import opened
from ui.shell.jobs import board
from ui.shell.text import label

GOOD = b"[2024-03-01 10:00] Ada: I moved to Lisbon.\n[2024-03-01 10:01] Ben: Lovely!\n"


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    kinds = {"csv": "text/csv", "zip": "application/zip", "json": "application/json"}
    app.file_uploader(key="files").set_value(
        [(name, data, kinds.get(name.rsplit(".", 1)[-1], "text/plain")) for name, data in files]
    )
    return app.run()


def stored(directory: Path) -> int:
    opened.close()
    with open_memory(directory) as memory:
        return memory.evidence.stats()["messages"]


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_a_log_is_previewed_and_nothing_is_stored_yet(store: Path, open_page: Open) -> None:
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    html = shown(app)
    assert "plain or Markdown transcript · 1 conversation · 1 session · 2 messages · 2 speakers" in html
    assert "I moved to Lisbon." in html
    assert "line 1" in html
    assert app.button(key="start_import").label == "Import 2 messages"
    assert stored(store) == 0


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.json", b"", "empty.json is empty."),
        ("cut.json", b'[{"role": "user", "content": "Hel', "cut.json"),
        ("image.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 600, "image.png is not text"),
        (
            "latin1.txt",
            ("Ada: caf\xe9 \xe0 la cr\xe8me \xfc\xe4\xf6\n" * 300).encode("latin-1"),
            "latin1.txt",
        ),
        ("bad.zip", zipped(**{"../../etc/evil.md": "Ada: hello\n"}), "bad.zip"),
        ("<img src=x>.md", b"", "&lt;img src=x&gt;.md is empty."),
    ],
)
def test_a_bad_file_is_named_with_a_fix_and_the_good_ones_are_kept(
    store: Path, open_page: Open, name: str, data: bytes, says: str
) -> None:
    app = upload(open_page("1_Import"), (name, data), ("chat.md", GOOD))
    assert not app.exception
    assert 'role="alert"' in shown(app)
    assert says in shown(app)
    assert app.button(key="start_import").label == "Import 2 messages"


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("empty.json", b"", "0 bytes"),
        ("blank.json", b" \n \n", "only white space"),
        ("sky.json", b'{"sky": "blue", "clouds": [1, 2]}', "record 1"),
        ("sky.jsonl", b'\n{"sky": "blue"}\n{"sea": "grey"}\n', "line 2"),
        ("list.json", b"[1, 2]", "record 1"),
        ("words.json", b"\nnothing of JSON", "line 2"),
        ("cut.json", b'{"sky": 1,\n "clouds": [1,\n', "line 3"),
    ],
)
def test_a_file_of_nonsense_is_named_with_the_place_and_what_to_do(
    store: Path, open_page: Open, name: str, data: bytes, place: str
) -> None:
    app = upload(open_page("1_Import"), (name, data))
    html = shown(app)
    assert not app.exception
    assert html.count('role="alert"') == 1
    assert f'<p class="ms-meta">{name} · {place}</p>' in html
    assert "Give one of: " in html or "Export the log again" in html
    assert "start_import" not in [button.key for button in app.button]


def test_the_result_names_the_files_that_could_not_be_read_beside_the_records_that_were_skipped(
    store: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ingest(self: Memory, logs: LogRead, **_: Any) -> IngestReport:
        return IngestReport("run_1", "finished", 3, 3, 1, 3, 4, 0, logs.skipped, (), {"calls": 0}, 1.5)

    monkeypatch.setattr(Memory, "ingest", ingest)
    broken = b'{"role": "user", "content": "one"}\n{"role": "user", "content": \n'
    files = (("chat.md", GOOD), ("log.jsonl", broken), ("empty.json", b""), ("sky.json", b'{"sky": "blue"}'))
    app = upload(open_page("1_Import"), *files)
    app.button(key="start_import").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.result(timeout=180)
    for page in (app.run(), open_page("1_Import", job=job.id)):
        html = unescape(shown(page))
        assert [one.label for one in page.expander] == ["2 files could not be read, 1 record skipped"]
        for place in ("empty.json", "0 bytes", "sky.json", "record 1", "log.jsonl", "line 2"):
            assert f"<td>{place}</td>" in html
        assert "Record 1 is an object with the names 'sky'. Give one of: " in html


def test_one_broken_record_is_listed_with_its_place_and_the_rest_is_kept(
    store: Path, open_page: Open
) -> None:
    lines = [
        '{"role": "user", "content": "one"}',
        '{"role": "user", "content": ',
        '{"role": "user", "content": "two"}',
    ]
    app = upload(open_page("1_Import"), ("log.jsonl", "\n".join(lines).encode()))
    assert app.button(key="start_import").label == "Import 2 messages"
    assert "<td>line 2</td>" in shown(app)


def test_what_is_told_together_is_counted_one_by_one(store: Path, open_page: Open) -> None:
    photos = "".join(f"[13.04.24, 21:00:{n:02}] Ben: \u200eimage omitted\n" for n in range(8))
    chat = f"[13.04.24, 20:59:00] Ana: Look!\n{photos}"
    app = upload(open_page("1_Import"), ("chat.txt", chat.encode()))
    assert [one.label for one in app.expander if "skipped" in one.label] == ["8 records skipped"]


def test_ids_of_messages_are_previewed_by_their_beginning(store: Path, open_page: Open) -> None:
    uuid = "0a1b2c3d-1111-4222-8333-444455556666"
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    chat = {"title": "Talk", "mapping": {uuid: {"parent": None, "message": message}}, "current_node": uuid}
    app = upload(open_page("1_Import"), ("chat.json", json.dumps([chat]).encode()))
    assert "Talk, message 0a1b2c3d…" in shown(app)
    assert uuid not in shown(app)


def test_a_script_in_a_message_is_previewed_as_text(store: Path, open_page: Open) -> None:
    app = upload(open_page("1_Import"), ("x.md", b"Ada: <script>alert(1)</script>\nBen: hm\n"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown(app)


def test_a_very_long_message_is_capped_with_a_way_to_see_all(store: Path, open_page: Open) -> None:
    messages = [{"role": "user", "content": "word " * 20_000}]
    app = upload(open_page("1_Import"), ("long.json", json.dumps(messages).encode()))
    assert "Show all 100,000 characters" in shown(app) or "Show all 99,999 characters" in shown(app)


def test_a_base_date_is_asked_when_times_are_missing_and_then_used(store: Path, open_page: Open) -> None:
    from datetime import date

    app = upload(open_page("1_Import"), ("undated.md", b"Ada: I moved.\nBen: Lovely!\n"))
    assert "2 messages without a time." in shown(app)
    app.date_input[0].set_value(date(2024, 5, 7)).run()
    assert "without a time" not in shown(app)
    assert "7 May 2024" in shown(app)


def test_a_file_name_cannot_format_or_load_anything(store: Path, open_page: Open) -> None:
    name = "![x](http://example.com/x.png).md"
    app = upload(open_page("1_Import"), (name, b"Ada: I moved.\nBen: Oh!\n"))
    assert app.date_input[0].label.startswith(label(name))


def test_a_logs_own_times_are_not_asked_for(store: Path, open_page: Open) -> None:
    assert len(upload(open_page("1_Import"), ("chat.md", GOOD)).date_input) == 0


def test_csv_columns_with_unusual_names_are_mapped_on_screen(store: Path, open_page: Open) -> None:
    table = b"wann,wer,was\n2024-03-01 10:00,Ada,I moved.\n2024-03-01 10:02,Ben,Lovely!\n"
    app = upload(open_page("1_Import"), ("chat.csv", table))
    assert 'role="alert"' in shown(app)
    for use, column in (("text", "was"), ("speaker", "wer"), ("time", "wann")):
        next(s for s in app.selectbox if s.key.startswith(f"column_{use}_")).set_value(column)
    app.run()
    assert app.button(key="start_import").label == "Import 2 messages"
    assert "1 Mar 2024, 10:02" in shown(app)


def test_an_import_runs_in_the_background_and_ends_in_a_report_with_links(
    store: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[LogRead] = []

    def ingest(
        self: Memory, logs: LogRead, *, owner: str, recipe: str, progress: Any, cancelled: Any
    ) -> IngestReport:
        asked.append(logs)
        progress("remember", 2, 2)
        return IngestReport("run_1", "finished", 2, 2, 1, 3, 4, 0, (), (), {"calls": 0}, 1.5)

    monkeypatch.setattr(Memory, "ingest", ingest)
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    app.text_input(key="import_owner").set_value("ada").run()
    app.button(key="start_import").click().run()
    job_id = app.query_params["job"]
    job = board().get(job_id)
    assert job is not None
    job.future.result(timeout=180)
    app.run()
    assert asked[0].logs[0].conversation.owner == "ada"
    assert "Finished in 1.5 s" in shown(app)
    assert "topic segments" in shown(app)


def test_a_failed_import_shows_what_failed_and_keeps_the_page(
    store: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ingest(self: Memory, logs: LogRead, **_: Any) -> IngestReport:
        raise RuntimeError("<b>boom</b>")

    monkeypatch.setattr(Memory, "ingest", ingest)
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    app.button(key="start_import").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    assert isinstance(job.future.exception(timeout=180), RuntimeError)
    app.run()
    assert not app.exception
    assert "RuntimeError: &lt;b&gt;boom&lt;/b&gt;" in shown(app)


def test_unfinished_work_can_be_resumed(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runs, "unfinished", lambda self, owner: {"memscope": 5})
    app = open_page("1_Import")
    assert "5 messages stored, but not read by Memscope’s own yet." in shown(app)
    assert app.button(key="resume_memscope").label == "Resume"


def test_what_is_stored_can_be_read_with_another_system(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def resume(self: Memory, *, owner: str, recipe: str, progress: Any, cancelled: Any) -> IngestReport:
        asked.append(recipe)
        return IngestReport("run_1", "finished", 2, 0, 1, 3, 0, 0, (), (), {"calls": 0}, 1.5)

    monkeypatch.setattr(Memory, "resume", resume)
    monkeypatch.setattr("ui.components.recipes.TITLES", {"memscope": "Ours", "another": "Theirs"})
    monkeypatch.setattr(
        "ui.components.recipes.ABOUT", {"another": About("Theirs", "What they do.", "Rules.")}
    )
    app = open_page("1_Import")
    app.button(key="read_stored").click().run()
    assert not app.exception
    assert asked == ["another"]


def finished(app: AppTest) -> AppTest:
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.result(timeout=180)
    return app.run()


@pytest.mark.usefixtures("light_embedder")
def test_reading_what_is_stored_with_another_system_is_not_called_nothing(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = IngestReport("run_seed", "finished", 8, 0, 3, 7, 0, 0, (), (), {}, 1.0)
    monkeypatch.setattr(Memory, "resume", lambda *_args, **_more: report)
    html = shown(finished(open_page("1_Import").button(key="read_stored").click().run()))
    assert "<b>7</b><span>memories</span>" in html
    assert "nothing was added" not in html


@pytest.mark.usefixtures("light_embedder")
@pytest.mark.parametrize(("recipe", "place"), [("memscope", "Topics"), ("mem0", "Buffers")])
def test_what_became_of_messages_without_a_memory_is_told_and_where_it_stands(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch, recipe: str, place: str
) -> None:
    memory = opened.opened()
    with memory.store.write(actor="test") as writer:
        writer.put_run(replace(memory.runs.all()[0], recipe=recipe))
    report = IngestReport(
        "run_seed", "finished", 8, 0, 3, 7, 0, 0, (), (), {"calls": 0}, 1.0, read=8, cited=3
    )
    monkeypatch.setattr(Memory, "resume", lambda *_args, **_more: report)
    html = shown(finished(open_page("1_Import").button(key="read_stored").click().run()))
    assert "Of 8 messages read, 3 are cited by a memory." in html
    assert f"{place} lists the sentences that were skipped, and why." in html


@pytest.mark.usefixtures("light_embedder")
def test_a_log_that_lightmem_does_not_listen_to_is_explained(store: Path, open_page: Open) -> None:
    log = json.dumps([{"role": "assistant", "content": "Hello, how can I help?"}]).encode()
    app = upload(open_page("1_Import"), ("bot.json", log))
    app.selectbox(key="recipe").set_value("lightmem").run()
    app = finished(app.button(key="start_import").click().run())
    assert "LightMem has read none of these messages" in shown(app)
    for page in ("2_Compression", "3_Topics", "4_Buffers"):
        html = shown(open_page(page))
        assert "LightMem has read none of these messages" in html
        assert "Finish the import" not in html


AMBIGUOUS = b"03/04/2024, 21:05 - Ada: I moved.\n04/04/2024, 10:00 - Ben: Lovely!\n"
SAMPLES = Path(__file__).parents[1] / "logs" / "samples"


def test_day_and_month_are_asked_for_by_what_they_would_mean_and_the_answer_dates_the_messages(
    store: Path, open_page: Open
) -> None:
    app = upload(open_page("1_Import"), ("chat.txt", AMBIGUOUS))
    (asked,) = app.radio
    assert asked.value is None
    assert [option.replace("\\", "") for option in asked.options] == [
        "Day first: 03/04/2024, 21:05 is 3 Apr 2024",
        "Month first: 03/04/2024, 21:05 is 4 Mar 2024",
    ]
    assert "2 messages without a time." in shown(app)
    assert not app.date_input
    asked.set_value(asked.options[1]).run()
    assert "4 Mar 2024, 21:05" in shown(app)
    assert "without a time" not in shown(app)
    assert app.button(key="start_import").label == "Import 2 messages"


def test_a_file_that_shows_its_order_of_day_and_month_is_not_asked_about(
    store: Path, open_page: Open
) -> None:
    app = upload(open_page("1_Import"), ("chat.txt", AMBIGUOUS.replace(b"04/04", b"14/04")))
    assert not app.radio
    assert "3 Apr 2024, 21:05" in shown(app)


def test_a_wrongly_detected_format_is_corrected_on_screen(store: Path, open_page: Open) -> None:
    text = b"[2024-03-01, 10:00:05] Ada: I moved.\n\n## 2 March 2024\n\n[2024-03-02, 09:00:00] Ben: Lovely!\n"
    app = upload(open_page("1_Import"), ("chat.txt", text))
    assert "I moved.\n\n## 2 March 2024" in shown(app)
    (chosen,) = (box for box in app.selectbox if box.key.startswith("format_"))
    assert chosen.options[0] == "Detected: WhatsApp chat"
    chosen.set_value("transcript").run()
    html = shown(app)
    assert "plain or Markdown transcript · 1 conversation" in html
    assert '<td class="ms-text">I moved.</td>' in html


def test_a_format_the_file_does_not_have_is_refused_and_the_detected_one_can_be_had_back(
    store: Path, open_page: Open
) -> None:
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    (chosen,) = (box for box in app.selectbox if box.key.startswith("format_"))
    chosen.set_value("telegram").run()
    assert 'role="alert"' in shown(app)
    assert not [button for button in app.button if button.key == "start_import"]
    app.selectbox(key=chosen.key).set_value("auto").run()
    assert app.button(key="start_import").label == "Import 2 messages"


def test_several_files_and_archives_are_previewed_each_and_imported_together(
    store: Path, open_page: Open
) -> None:
    slack = (SAMPLES / "slack.zip").read_bytes()
    pair = zipped(
        **{"a.md": GOOD.decode(), "b.md": "[2024-03-02 09:00] Cem: Hi\n[2024-03-02 09:01] Dee: Ho\n"}
    )
    app = upload(open_page("1_Import"), ("slack.zip", slack), ("pair.zip", pair), ("broken.json", b"[{"))
    html = shown(app)
    assert "Slack export (ZIP) · 2 conversations · 3 sessions · 6 messages · 3 speakers" in html
    assert "boat/2024-02-05.json, record 2" in html
    assert "plain or Markdown transcript · 2 conversations" in html
    assert html.count('role="alert"') == 1
    assert app.button(key="start_import").label == "Import 10 messages"


def test_the_same_messages_in_two_files_are_counted_once(store: Path, open_page: Open) -> None:
    app = upload(open_page("1_Import"), ("chat.md", GOOD), ("copy.md", GOOD))
    assert "2 are in more than one of these files: nothing is added twice." in shown(app)
    assert app.button(key="start_import").label == "Import 2 new messages"


@pytest.mark.usefixtures("light_embedder")
def test_what_is_stored_already_is_said_before_importing_and_nothing_is_added_twice(
    store: Path, open_page: Open
) -> None:
    log = GOOD + b"[2024-03-01 10:02] Ada: It is by the sea.\n"
    app = upload(open_page("1_Import"), ("chat.md", log))
    finished(app.button(key="start_import").click().run())
    app = upload(open_page("1_Import"), ("renamed.md", log))
    assert "3 of 3 messages are already stored: nothing is added twice." in shown(app)
    assert app.button(key="start_import").label == "Nothing new to import"
    assert app.button(key="start_import").disabled
    app.selectbox(key="recipe").set_value("naive_rag").run()
    assert app.button(key="start_import").label == "Read with Naive RAG"
    grown = log + b"[2024-03-01 10:03] Ben: Lucky you.\n"
    app = upload(open_page("1_Import"), ("grown.md", grown))
    assert "3 of 4 messages are already stored" in shown(app)
    finished(
        app.button(
            key="start_import",
        )
        .click()
        .run()
    )
    assert stored(store) == 4


def test_the_branch_of_an_edited_conversation_is_chosen_before_it_is_stored(
    store: Path, open_page: Open
) -> None:
    app = upload(open_page("1_Import"), ("chatgpt.json", (SAMPLES / "chatgpt.json").read_bytes()))
    (branch,) = app.radio
    current, other = branch.options
    words = other.replace("\\", "")
    assert f'<td class="ms-text">{words}</td>' not in shown(app)
    branch.set_value(branch.options[1]).run()
    assert f'<td class="ms-text">{words}</td>' in shown(app)
    assert f'<td class="ms-text">{current}</td>'.replace("\\", "") not in shown(app)


def test_a_branch_chosen_for_one_conversation_stays_chosen_while_another_is_looked_at(
    store: Path, open_page: Open
) -> None:
    first = json.loads((SAMPLES / "chatgpt.json").read_text("utf-8"))[0]
    key = "conversation_id" if "conversation_id" in first else "id"
    both = [first, {**first, key: "another", "title": "Another"}]
    app = upload(open_page("1_Import"), ("chatgpt.json", json.dumps(both).encode()))
    assert "are read by another branch" not in shown(app)
    app.radio[0].set_value(app.radio[0].options[1]).run()
    (conversation,) = (box for box in app.selectbox if box.key.startswith("branched_"))
    conversation.set_value("another").run()
    assert app.radio[0].index == 0
    assert "1 of 2 is read by another branch than the current one." in shown(app)


class Rest:
    """The rest of large files, which is read when a test says so."""

    def __init__(self) -> None:
        self.may_be_read = threading.Event()
        self.begun: list[tuple[str, ReadOptions]] = []

    def read(self, name: str, data: bytes, options: ReadOptions) -> LogRead:
        self.begun.append((name, options))
        assert self.may_be_read.wait(60)
        return read_bytes(name, data, options)

    def is_read(self, app: AppTest) -> AppTest:
        """The page as it draws itself once everything has been read."""
        self.finish()
        return app.run()

    def finish(self) -> None:
        """Let everything be read to its end."""
        self.may_be_read.set()
        for thread in threading.enumerate():
            if thread.name.startswith("reading-"):
                thread.join(60)


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rest]:
    """Every file is a large one."""
    later = Rest()
    monkeypatch.setattr(reading, "AT_ONCE", 0)
    monkeypatch.setattr(reading, "read_bytes", later.read)
    yield later
    later.may_be_read.set()


def offered(app: AppTest) -> list[str]:
    return [button.label for button in app.button if button.key == "start_import"]


def test_of_a_large_file_the_beginning_is_shown_while_the_rest_is_read(
    store: Path, open_page: Open, rest: Rest
) -> None:
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    assert "plain or Markdown transcript · the beginning of 0.1 kB" in shown(app)
    assert "I moved to Lisbon." in shown(app)
    assert "2 messages" not in shown(app)
    assert "1 file still being read. Then you can import." in shown(app)
    assert offered(app) == []
    app = rest.is_read(app)
    assert "1 conversation · 1 session · 2 messages · 2 speakers" in shown(app)
    assert "the beginning of" not in shown(app)
    assert offered(app) == ["Import 2 messages"]
    assert offered(app.run()) == ["Import 2 messages"]
    assert len(rest.begun) == 1


def test_a_file_that_has_been_read_while_its_beginning_was_drawn_can_be_imported_at_once(
    store: Path, open_page: Open, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw_head = one_file.upload.draw_head

    def slowly(one: reading.Upload, begins: LogRead | None) -> None:
        drawn.append(one.name)
        draw_head(one, begins)
        rest.finish()

    monkeypatch.setattr(one_file.upload, "draw_head", slowly)
    app = upload(open_page("1_Import"), ("chat.md", GOOD))
    assert offered(app) == ["Import 2 messages"]
    assert drawn == ["chat.md"]
    assert len(rest.begun) == 1


def test_a_large_file_that_becomes_bad_further_on_is_named_and_the_other_one_kept(
    store: Path, open_page: Open, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcore.logs.HEAD_BYTES", 80)
    bad = GOOD + "Ada: caf\xe9 \xe0 la cr\xe8me \xfc\xe4\xf6\n".encode("latin-1") * 300
    app = upload(open_page("1_Import"), ("bad.txt", bad), ("chat.md", GOOD))
    assert shown(app).count("the beginning of") == 2
    assert 'role="alert"' not in shown(app)
    app = rest.is_read(app)
    assert "bad.txt is not UTF-8: byte 83" in shown(app)
    assert offered(app) == ["Import 2 messages"]


def test_what_was_answered_stays_while_a_large_file_is_read_again(
    store: Path, open_page: Open, rest: Rest
) -> None:
    app = rest.is_read(upload(open_page("1_Import"), ("chat.txt", AMBIGUOUS)))
    (asked,) = app.radio
    app = rest.is_read(asked.set_value(asked.options[1]).run())
    assert "4 Mar 2024, 21:05" in shown(app)
    rest.may_be_read.clear()
    app.text_input(key="import_owner").set_value("ada").run()
    assert "the beginning of" in shown(app)
    app = rest.is_read(app)
    assert "4 Mar 2024, 21:05" in shown(app)
    assert offered(app) == ["Import 2 messages"]
    assert rest.begun[-1][1].owner == "ada"


def test_the_rest_of_a_file_that_was_taken_away_is_not_waited_for(
    store: Path, open_page: Open, rest: Rest
) -> None:
    app = upload(open_page("1_Import"), ("long.md", GOOD))
    app = upload(app)
    assert "being read" not in shown(app)
    app = upload(app, ("chat.md", GOOD))
    assert "chat.md" in shown(app)
    assert offered(rest.is_read(app)) == ["Import 2 messages"]


def test_a_table_is_read_once_when_its_columns_are_what_their_names_say(
    store: Path, open_page: Open, rest: Rest
) -> None:
    table = b"time,speaker,text\n2024-03-01 10:00,Ada,I moved.\n2024-03-01 10:02,Ben,Lovely!\n"
    app = rest.is_read(upload(open_page("1_Import"), ("chat.csv", table)))
    assert offered(app) == ["Import 2 messages"]
    assert len(rest.begun) == 1
    next(box for box in app.selectbox if box.key.startswith("column_speaker_")).set_value("text")
    app = rest.is_read(app.run())
    assert rest.begun[-1][1].columns == {"text": "text", "speaker": "text", "time": "time"}
    assert "I moved. </td>" not in shown(app)
