"""The command line: one JSON document on stdout, everything else on stderr, exit codes 0, 1, 2."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.models import DEFAULT_OWNER
from memcore.logs import MAX_BYTES
from tests.asking import QUESTION, on_both_days
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer
from tests.fakes import HashingEmbedder
from tests.pipeline import FakeBackends

ROOT = Path(__file__).parents[2]
MOVES = """
[2024-01-10 09:00] Ann: lives in New York.
[2024-01-10 09:01] Ben: likes tea.
[2024-03-10 09:00] Ann: moved to San Francisco.
[2024-03-10 09:01] Ben: likes rain.
"""
PURCHASES = """
[2024-01-08 09:00] Ann: bought apples at the market.
[2024-01-15 09:00] Ann: bought pears at the market.
"""
RESULT = {
    "id",
    "kind",
    "text",
    "score",
    "grounding",
    "mentioned_at",
    "event_at",
    "event_end",
    "state",
    "sources",
    "components",
}
SOURCE = {"message", "file", "where", "speaker", "said_at", "quote", "start", "end"}


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def made(store):
    """An empty store in the test's directory."""
    with open_memory(store, backends=FakeBackends):
        return store


@pytest.fixture
def cli(capsys, store):
    """Runs a command with --json on the test's store: (exit code, document, stderr)."""

    def run(*arguments, code=0, backends=FakeBackends):
        assert main([*map(str, arguments), "--store", str(store), "--json"], backends) == code
        out, err = capsys.readouterr()
        assert out.count("\n") == 1, "one document, one line"
        assert out.isascii()
        return json.loads(out), err

    return run


@pytest.fixture
def plain(capsys, store):
    """Runs a command for a person: (stdout, stderr)."""

    def run(*arguments, code=0):
        assert main([*map(str, arguments), "--store", str(store)], FakeBackends) == code
        return capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path):
    def write(content, name="log.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def moved(cli, file, store):
    """The worked contradiction, taken in and consolidated."""
    store.mkdir()
    (store / "settings.json").write_text('{"queue_threshold": 0.0}')
    cli("ingest", file(MOVES))
    cli("consolidate")
    return store


# ---------------------------------------------------------------- each command's document


def test_ingest_tells_what_became_of_the_log(cli, file):
    document, err = cli("ingest", file(MOVES), "--recipe", "memscope", "--llm", "none")

    assert document.pop("seconds") >= 0
    assert document.pop("run").startswith("run_")
    segments = document.pop("segments")
    assert 0 < segments <= 4
    statistics = document["llm"].pop("statistics")
    assert statistics["summary"]["total_llm_calls"] == 0
    assert statistics["summary"]["total_embedding_calls"] == statistics["embedding"]["total_calls"] > 4
    assert document == {
        "state": "finished",
        "messages": 4,
        "new_messages": 4,
        "read": 4,
        "cited": 4,
        "memories": 4,
        "triples": 4,
        "skipped": [],
        "errors": [],
        "llm": {"backend": "none", "model": "", "calls": 0, "prompt_tokens": 0, "completion_tokens": 0},
    }
    assert "remember: 4/4" in err


def test_ingest_again_adds_nothing(cli, file):
    path = file(MOVES)
    cli("ingest", path)
    document, _ = cli("ingest", path)
    assert [document[name] for name in ("messages", "new_messages", "memories", "triples")] == [4, 0, 0, 0]


def test_ingest_takes_several_files_and_owners(cli, file):
    first, second = file(MOVES), file("Cy: likes maths.\nDi: likes rome.\n", "other.txt")
    assert cli("ingest", first, second)[0]["messages"] == 6
    assert cli("ingest", second, "--owner", "you")[0]["new_messages"] == 2
    owners = {o: cli("search", "maths", "--owner", o)[0]["results"] for o in (DEFAULT_OWNER, "you", "nobody")}
    assert [len(found) > 0 for found in owners.values()] == [True, True, False]


def test_search_has_text_score_parts_and_quoted_sources(cli, file):
    cli("ingest", file(MOVES))

    document, _ = cli("search", "New York", "-k", "3")

    assert len(document["results"]) == 3
    best = document["results"][0]
    assert set(best) == RESULT
    assert (best["text"], best["kind"], best["mentioned_at"]) == (
        "Ann lives in New York",
        "memory",
        "2024-01-10T09:00:00",
    )
    assert sum(best["components"].values()) == pytest.approx(best["score"], abs=1e-3)
    (source,) = best["sources"]
    assert set(source) == SOURCE
    assert (source["file"], source["where"], source["quote"]) == ("log.txt", "line 2", "lives in New York.")
    assert "explain" not in document


def test_search_explains_itself_when_asked(cli, file):
    cli("ingest", file(MOVES))
    explain = cli("search", "When did Ann move?", "--explain")[0]["explain"]
    assert set(explain) == {"strategy", "notes", "plan", "weights", "views", "milliseconds"}
    assert (explain["plan"]["persons"], explain["plan"]["asks_when"]) == (["Ann"], True)
    assert {"semantic memory", "lexical memory", "graph"} <= {view["view"] for view in explain["views"]}


def test_ask_gives_context_citations_and_no_answer_without_a_model(cli, file):
    cli("ingest", file(MOVES))
    document, _ = cli("ask", "New York", "--budget", "60")
    assert document["answer"] is None
    assert document["context"].startswith("[1] (10 Jan 2024) Ann lives in New York")
    assert document["context_tokens"] <= 60
    assert document["citations"][0]["number"] == 1
    assert set(document["citations"][0]) == {"number", *RESULT}


def test_consolidate_counts_its_proposals(cli, file, store):
    store.mkdir()
    (store / "settings.json").write_text('{"queue_threshold": 0.0}')
    cli("ingest", file(MOVES))
    document, _ = cli("consolidate")
    assert (document["proposals"], document["by_operation"]) == (1, {"invalidate": 1})


def test_review_from_list_to_undo(cli, moved):
    (proposal,) = cli("review", "list")[0]["proposals"]
    assert (proposal["operation"], proposal["before"]) == ("invalidate", "Ann lives in New York")
    shown = cli("review", "show", proposal["id"])[0]["proposal"]
    assert shown["proposal"] == proposal
    assert shown["targets"][0]["text"] == "Ann lives in New York"

    approved, _ = cli("review", "approve", proposal["id"], "--actor", "lee")
    assert approved["results"] == [
        {"proposal": proposal["id"], "state": "applied", "memory": None, "conflict": ""}
    ]
    assert cli("review", "list")[0]["proposals"] == []
    assert [p["state"] for p in cli("review", "list", "--state", "all")[0]["proposals"]] == ["applied"]

    undone, _ = cli("review", "undo", approved["event"])
    assert undone["objects"] >= 2
    assert [p["id"] for p in cli("review", "list")[0]["proposals"]] == [proposal["id"]]
    (rejected,) = cli("review", "reject", proposal["id"])[0]["results"]
    assert rejected["state"] == "rejected"


def test_as_of_answers_from_what_was_valid_then(cli, moved):
    (proposal,) = cli("review", "list")[0]["proposals"]
    cli("review", "approve", proposal["id"])

    def found(*options):
        return {r["text"] for r in cli("search", "Where does Ann live?", *options)[0]["results"]}

    old, new = "Ann lives in New York", "Ann moved to San Francisco"
    assert old not in found() and new in found()
    assert old in found("--as-of", "2024-02-01") and new not in found("--as-of", "2024-02-01")
    assert old in found("--as-of", "2024-02")
    assert new in found("--as-of", "2024-03"), "a month means its end"
    assert new in found("--as-of", "2024-03-10"), "a day means its end"
    context = cli("ask", "Where does Ann live?", "--as-of", "2024-02-01")[0]["context"]
    assert "New York" in context and "San Francisco" not in context


@on_both_days
def test_the_same_question_on_another_day_finds_another_message(cli, plain, file, day, bought):
    cli("ingest", file(PURCHASES))
    document, _ = cli("search", QUESTION, "--asked-at", day)
    assert bought in document["results"][0]["text"]
    assert document["asked"]["origin"] == "given" and document["asked"]["at"].startswith(day)
    answer, _ = cli("ask", QUESTION, "--asked-at", day)
    assert bought in answer["context"].splitlines()[0]
    assert answer["asked"] == document["asked"]
    assert document["asked"]["said"] in plain("search", QUESTION, "--asked-at", day).out


def test_a_search_says_from_when_times_count_if_nobody_says_when(cli, plain, file):
    cli("ingest", file(PURCHASES))
    said = "15 Jan 2024, when the newest message was said"
    assert cli("search", QUESTION)[0]["asked"] == {
        "at": "2024-01-15T09:00:00",
        "origin": "newest message",
        "said": said,
    }
    assert f"asked: {said}" in plain("search", QUESTION).out
    assert f"asked: {said}" in plain("ask", QUESTION).out


def test_a_time_of_asking_that_is_none_is_a_usage_error(plain, made):
    assert "'soon' is no date." in plain("search", QUESTION, "--asked-at", "soon", code=2).err


def test_editing_what_writes_no_text_is_a_usage_error(cli, moved):
    (proposal,) = cli("review", "list")[0]["proposals"]
    document, _ = cli("review", "edit", proposal["id"], "--text", "x", code=2)
    assert set(document) == {"error", "fix"}


def test_history_is_oldest_first_and_can_be_of_one_object(cli, moved):
    events = cli("history")[0]["events"]
    assert [e["seq"] for e in events] == sorted(e["seq"] for e in events)
    assert set(events[0]) >= {"id", "at", "actor", "kind", "object_type", "object_id", "before", "after"}
    (proposal,) = cli("review", "list")[0]["proposals"]
    assert [e["kind"] for e in cli("history", proposal["id"])[0]["events"]] == ["proposal.made"]
    assert cli("history", "--limit", "3")[0]["events"] == events[-3:]
    assert cli("history", "nobody")[0] == {"events": []}


def test_export_imports_back_without_loss(cli, moved, tmp_path, capsys):
    exported, _ = cli("export", "--to", tmp_path / "all.jsonl")
    assert exported == {"file": str(tmp_path / "all.jsonl"), "format": "jsonl", "rows": exported["rows"]}
    events = cli("history")[0]

    other = ["--store", str(tmp_path / "copy"), "--json"]
    assert main(["import", str(tmp_path / "all.jsonl"), *other], FakeBackends) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == exported["rows"]
    assert main(["history", *other], FakeBackends) == 0
    assert json.loads(capsys.readouterr().out) == events


def test_doctor_checks_what_is_installed_active_and_stored(cli, moved):
    document, _ = cli("doctor")
    assert document["ok"] is True
    names = {check["name"] for check in document["checks"]}
    assert {"Python", "package duckdb", "active encoder", "model encoder", "language model"} <= names
    assert any(name.startswith("store ") for name in names)
    assert all(set(check) == {"name", "state", "what", "fix"} for check in document["checks"])


def test_doctor_fails_with_the_fix_when_the_chosen_model_is_not_there(cli, monkeypatch):
    monkeypatch.setenv("MEMSCOPE_LLM", "ollama")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    document, _ = cli("doctor", code=1)
    (failed,) = [check for check in document["checks"] if check["state"] == "fail"]
    assert failed["name"] == "language model"
    assert "127.0.0.1:9" in failed["what"] and failed["fix"]


def test_it_runs_as_a_module():
    shown = subprocess.run(
        [sys.executable, "-m", "memcore", "--help"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert all(command in shown.stdout for command in ("ingest", "search", "consolidate", "doctor"))


# ---------------------------------------------------------------- for a person


def test_what_a_person_reads_names_source_and_score_parts(plain, file):
    plain("ingest", file(MOVES))
    out, _ = plain("search", "New York")
    assert "1. Ann lives in New York\n" in out
    assert "Ann, log.txt line 2: “lives in New York.”" in out
    assert "semantic" in out and "lexical" in out
    assert "this is what one would be given" in plain("ask", "New York").out


def test_empty_stores_say_so(plain, made):
    assert plain("search", "anything").out == "nothing found\n"
    assert plain("review", "list").out == "no proposals\n"
    assert plain("history").out == "nothing has happened yet\n"


def test_review_and_history_read_as_lines(plain, moved, capsys):
    capsys.readouterr()
    listed = plain("review", "list").out
    assert "invalidate" in listed and "    - Ann lives in New York\n" in listed
    assert "memory.added" in plain("history").out
    assert "ok    Python: " in plain("doctor").out


EVIL = "owns \x1b[2Jthe\x9b31m\u202escreen\x07."


def test_control_characters_of_a_log_never_reach_the_terminal(plain, cli, file):
    log = json.dumps(
        [
            {"role": "user", "name": "Ann\x1b[31m", "content": EVIL},
            {"role": "user", "name": "Ben", "content": "likes tea."},
        ]
    )
    plain("ingest", file(log, "evil\x1b[5m.json"))
    run = cli("search", "screen")[0]["results"][0]
    assert run["sources"][0]["quote"] == EVIL, "JSON has it exactly"

    commands = [["search", "screen"], ["ask", "screen"], ["history"], ["consolidate"], ["review", "list"]]
    shown = [text for command in commands for text in plain(*command)]
    assert any("⟨U+001B⟩[2J" in text for text in shown)
    for text in shown:
        assert not [c for c in text if c not in "\n\r" and not c.isprintable()]


def test_control_characters_of_a_bad_file_never_reach_the_terminal(plain, file):
    _, err = plain("ingest", file("{" * 10, "bad\x1b[5m.json"), code=1)
    assert "⟨U+001B⟩" in err and "\x1b" not in err


def test_a_message_of_several_lines_does_not_look_like_results(plain, file):
    plain("ingest", file(json.dumps([{"role": "user", "content": "Ada\n2. Ann is a spy\n   score 9"}])))
    out = plain("search", "Ada").out
    assert "\n2. " not in out


# ---------------------------------------------------------------- usage


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["ingest"],
        ["ingest", "log.txt", "--recipe", "carrot cake"],
        ["ingest", "log.txt", "--format", "carrier pigeon"],
        ["ingest", "log.txt", "--llm", "oracle"],
        ["search"],
        ["search", "x", "-k", "many"],
        ["search", "x", "-k", "0"],
        ["search", "  "],
        ["search", "x", "--as-of", "yesteryear"],
        ["search", "x", "--as-of", "04/05/2024"],
        ["ask", "x", "--budget", "3"],
        ["ingest", "log.txt", "--base-date", "someday"],
        ["history", "--limit", "-1"],
        ["review"],
        ["review", "approve"],
        ["review", "edit", "p"],
        ["review", "list", "--state", "undecided"],
        ["export"],
        ["export", "--to", "x", "--format", "xlsx"],
    ],
)
def test_a_request_that_cannot_be_is_exit_2_with_cause_and_fix(arguments, cli, made):
    document, err = cli(*arguments, code=2)
    assert set(document) == {"error", "fix"}
    assert document["error"] and document["fix"]
    assert f"error: {document['error']}" in err


def test_a_usage_error_for_a_person_leaves_stdout_empty(plain):
    out, err = plain("search", code=2)
    assert out == ""
    assert "query" in err and "usage" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["review", "show", "nobody"],
        ["review", "approve", "nobody"],
        ["review", "reject", "nobody"],
        ["review", "edit", "nobody", "--text", "x"],
        ["review", "undo", "nobody"],
        ["import", "/nowhere/all.jsonl"],
        ["export", "--to", "/nowhere/all.jsonl"],
    ],
)
def test_what_is_not_there_is_exit_1_with_cause_and_fix(arguments, cli, made):
    document, _ = cli(*arguments, code=1)
    assert set(document) == {"error", "fix"}
    assert "nobody" in document["error"] or "/nowhere" in document["error"]


@pytest.mark.parametrize(
    "arguments", [["search", "x"], ["ask", "x"], ["consolidate"], ["review", "list"], ["history"]]
)
def test_looking_for_a_store_does_not_make_one(arguments, cli, store):
    document, _ = cli(*arguments, code=1)
    assert str(store) in document["error"]
    assert not store.exists()


def test_doctor_speaks_also_of_a_store_that_is_not_there(cli, store):
    document, _ = cli("doctor")
    (check,) = [c for c in document["checks"] if c["name"] == "store"]
    assert (check["state"], document["ok"]) == ("warn", True)
    assert not store.exists()


def test_doctor_speaks_also_of_a_store_that_cannot_be_opened(cli, store):
    store.mkdir()
    (store / "memscope.duckdb").write_bytes(b"this is no database" * 1000)
    document, _ = cli("doctor", code=1)
    (check,) = [c for c in document["checks"] if c["name"] == "store"]
    assert check["state"] == "fail"
    assert check["fix"]


def test_stopping_it_is_no_crash(cli, file, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("memcore.memory.Memory.ingest", interrupted)
    document, _ = cli("ingest", file(MOVES), code=1)
    assert document == {"error": "Stopped.", "fix": "Finished steps are kept; run it again to continue."}


# ---------------------------------------------------------------- bad input


def zipped(**entries):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("__", "/"), content)
    return data.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        ("Ana: Grüße aus Köln\nBen: schön\n".encode("cp1252"), "byte 7"),
        (b'{"messages": [{"role": "us', "line 1"),
        (b"once upon a time", "known format"),
        (b"PK\x03\x04 cut off", "ZIP"),
        (zipped(bomb=b"0" * (300 << 20)), "bomb"),
        (zipped(**{"..__..__etc__passwd": b"Ana: hi\nBen: ho\n"}), "etc/passwd"),
    ],
    ids=["empty", "encoding", "cut off", "no log", "damaged ZIP", "ZIP bomb", "ZIP traversal"],
)
def test_a_file_that_is_no_log_is_named_with_place_and_fix(content, says, cli, file):
    document, _ = cli("ingest", file(content, "upload.bin"), code=1)
    assert "upload.bin" in document["error"]
    assert says in document["error"] + document["fix"]
    assert document["fix"]


def test_a_file_over_the_limit_is_refused(cli, file):
    path = file(b"", "huge.jsonl")
    with path.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 1)
    document, _ = cli("ingest", path, code=1)
    assert "huge.jsonl" in document["error"] and "Split it" in document["fix"]


def test_a_file_that_is_not_there_is_named(cli, tmp_path):
    assert "none.txt" in cli("ingest", tmp_path / "none.txt", code=1)[0]["error"]


def test_of_several_files_the_good_ones_are_kept_and_the_bad_reported(cli, file, tmp_path):
    document, err = cli("ingest", file(MOVES), file(b"", "empty.txt"), tmp_path / "none.txt")
    assert document["messages"] == 4
    assert {skipped["file"] for skipped in document["skipped"]} == {"empty.txt", "none.txt"}
    assert all(skipped["why"] for skipped in document["skipped"])
    assert "skipped empty.txt" in err


def test_one_broken_record_costs_one_record(cli):
    document, err = cli("ingest", ROOT / "sample_data" / "broken.jsonl")
    assert document["new_messages"] > 0
    assert document["skipped"]
    for skipped in document["skipped"]:
        assert skipped["file"] == "broken.jsonl" and skipped["where"] and skipped["why"]
        assert f"skipped broken.jsonl {skipped['where']}" in err


def test_messages_without_a_time_are_kept_in_order_and_the_date_is_asked_for(cli, file, tmp_path):
    timeless = file("Ann: likes tea.\nBen: likes rain.\n")
    document, err = cli("ingest", timeless)
    assert document["new_messages"] == 2
    assert "2 messages state no time; --base-date" in err
    assert cli("search", "tea")[0]["results"][0]["mentioned_at"] is None

    _, err = cli("ingest", timeless, "--owner", "you", "--base-date", "2024-05-08")
    assert "--base-date" not in err
    best = cli("search", "tea", "--owner", "you")[0]["results"][0]
    assert best["mentioned_at"] == "2024-05-08T00:00:00"


def test_a_very_long_message_is_kept_whole(cli, file):
    text = "likes tea. " + "word " * 20_000
    cli("ingest", file(json.dumps([{"role": "user", "content": text}])))
    (best,) = cli("search", "tea")[0]["results"][:1]
    assert best["sources"][0]["quote"] == "likes tea."


def test_html_and_script_are_only_text(cli, file):
    script = "<script>alert('x')</script><img src=x onerror=alert(1)>"
    cli("ingest", file(json.dumps([{"role": "user", "content": script}])))
    assert cli("search", "script alert")[0]["results"][0]["sources"][0]["quote"] == script


def test_a_store_that_is_no_store_is_refused_with_the_fix(cli, store):
    store.mkdir()
    (store / "memscope.duckdb").write_bytes(b"not a database" * 1000)
    document, _ = cli("search", "x", code=1)
    assert "not a DuckDB database" in document["error"]
    assert "backup" in document["fix"]


def test_a_damaged_settings_file_is_refused_with_its_place(cli, store):
    store.mkdir()
    (store / "settings.json").write_text("{")
    document, _ = cli("search", "x", code=2)
    assert "settings.json" in document["error"]


def test_a_store_of_another_embedding_model_is_refused_and_its_fix_works(cli, file, store):
    cli("ingest", file(MOVES))
    other = partial(FakeBackends, embedder=HashingEmbedder(32))

    document, _ = cli("search", "New York", code=1, backends=other)
    assert "hashing-64 (64 dimensions)" in document["error"]
    assert f"python -m memcore reembed --store {store}" in document["fix"]

    assert cli("reembed", backends=other)[0]["texts"] > 0
    assert cli("search", "New York", backends=other)[0]["results"][0]["text"] == "Ann lives in New York"


def test_a_store_open_elsewhere_names_the_holder(cli, store):
    holds = (
        "import sys, pathlib; from memcore.store import open_store;"
        "store = open_store(pathlib.Path(sys.argv[1]), embedding_model='x', dimension=8);"
        "print('open', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", holds, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert holder.stdout.readline() == "open\n"
        document, _ = cli("search", "x", code=1)
    finally:
        holder.communicate("")
    assert f"process {holder.pid}" in document["error"]
    assert document["fix"].startswith("Close")


# ---------------------------------------------------------------- Ollama


@pytest.fixture
def ollama(monkeypatch):
    """The double, chosen by environment."""
    monkeypatch.setenv("MEMSCOPE_OLLAMA_MODEL", "testdouble")
    with OllamaDouble() as double:
        monkeypatch.setenv("OLLAMA_HOST", double.host)
        yield double


def test_an_ollama_that_is_down_stops_before_anything_is_stored(cli, file, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    document, _ = cli("ingest", file(MOVES), "--llm", "ollama", code=1)
    assert "127.0.0.1:9" in document["error"]
    assert "ollama serve" in document["fix"]
    assert cli("search", "New York")[0]["results"] == []


def test_an_ollama_without_the_model_says_how_to_get_it(cli, file, ollama, monkeypatch):
    monkeypatch.setenv("MEMSCOPE_OLLAMA_MODEL", "qwen3:8b")
    document, _ = cli("ingest", file(MOVES), "--llm", "ollama", code=1)
    assert "qwen3:8b" in document["error"]
    assert "ollama pull qwen3:8b" in document["fix"]


def test_an_ollama_that_answers_nonsense_leaves_the_messages_for_later(cli, file, ollama):
    path = file(MOVES)
    for _ in range(8):
        ollama.answer(ScriptedAnswer("I'd rather talk about the weather."))

    document, err = cli("ingest", path, "--llm", "ollama", code=1)

    assert (document["state"], document["new_messages"], document["memories"]) == ("finished", 4, 0)
    assert document["errors"] and "cannot be used" in document["errors"][0]
    assert "failed: " in err
    assert document["llm"]["calls"] == len(ollama.sent()) > 0
    failed_attempts = document["llm"]["statistics"]["llm"]["add_memory"]
    assert failed_attempts["calls"] == len(ollama.sent())
    assert failed_attempts["total_tokens"] > 0
    found = cli("search", "New York")[0]["results"]
    assert found[0]["kind"] == "message", "what was said is kept, and found"

    ollama.script.clear()
    healed, _ = cli("ingest", path, "--llm", "ollama")
    assert (healed["errors"], healed["new_messages"]) == ([], 0)
