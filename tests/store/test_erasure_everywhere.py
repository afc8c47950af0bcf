"""A word of its own in every place that can hold what was said: after erasing, none of them is anywhere."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memcore.domain.models import (
    AskedQuestion,
    Candidate,
    Conversation,
    ConversationLog,
    LlmCall,
    Message,
    Proposal,
    RawRef,
    Run,
    Segment,
    Session,
    SessionSummary,
    Source,
    StageTrace,
    text_hash,
)
from memcore.domain.models.erasure import ErasedKind
from memcore.evaluation.records import Evaluations
from memcore.review.curate.acts import EditMemories, MarkWrong
from memcore.review.curate.perform import do
from memcore.review.erase import plan
from memcore.store import DuckStore
from memcore.store.duckdb import search
from tests.fakes import EMBEDDER
from tests.store.erasing import files_with, fill, opened
from tests.store.samples import MAY_8, entity, log, memory, triple

SECRET = "markersaid"
SPEAKER = "Markerspeaker"
TITLE, SESSION_TITLE, FILE = "markertitle", "markersession", "markerfile"
FIRST = Source("sea-m0", 0, 10)
OTHERS = "c"
"""The conversation of another owner."""


def voyage() -> ConversationLog:
    """A conversation of which the first speaker, the title and the file each have a word of their own."""
    said = (
        (SPEAKER, f"My aunt keeps her {SECRET} in the attic"),
        ("Ben", "Ben went swimming in the river"),
    )
    messages = tuple(
        Message(f"sea-m{n}", "sea-s", n, who, "user", text, MAY_8, "message", RawRef(f"{FILE}.txt", f"{n}"))
        for n, (who, text) in enumerate(said)
    )
    return ConversationLog(
        Conversation("sea", "me", f"{FILE}.txt", "plain", f"Voyage of {TITLE}"),
        (Session("sea-s", "sea", 0, MAY_8, f"Day of {SESSION_TITLE}"),),
        messages,
    )


def staying() -> ConversationLog:
    """A conversation that stays, although its title and its file's name say who is erased."""
    kept = log("Ann likes rowing", "Ben likes rowing too", name="land")
    named = replace(
        kept.conversation, title=f"Chat with {SPEAKER}", source_file=f"Chat with {SPEAKER}, {SECRET}.txt"
    )
    ref = RawRef(named.source_file, "line 1")
    return replace(kept, conversation=named, messages=tuple(replace(m, raw_ref=ref) for m in kept.messages))


def made(store: DuckStore) -> None:
    """Whatever systems, models and a person make of the first message; each place has its own word."""
    store.record(call("call-read", "run-sea", f"Read: {SECRET}", "{}"))
    store.record(call("call-ask", "run-ask", f"Say who: {SPEAKER}", "markercompletion"))
    store.record(call("call-no-run", "", "Look at", f"{SECRET} of no run"))
    with store.write(actor="ingest", run_id="run-sea") as writer:
        totals = {"last": SECRET, "file": f"{FILE}.txt", "title": f"Voyage of {TITLE}", "messages": 2}
        for key, error in (("run-sea", f"cannot read {SECRET}"), ("run-ask", "")):
            writer.put_run(
                Run(key, "ingest", "me", "memscope", "finished", MAY_8, totals=totals, error=error)
            )
        writer.add_log(voyage())
        writer.add_log(staying())
        writer.add_segments(
            [Segment("seg", "sea-s", ("sea-m0", "sea-m1"), f"{SECRET} things", {"method": "m", "w": SECRET})]
        )
        writer.put_memories(
            [
                memory(
                    "mem",
                    "The aunt has a markerearlier",
                    sources=(FIRST,),
                    speaker=SPEAKER,
                    topic="markertopic",
                    keywords=("markerkeyword",),
                    persons=("Markerperson",),
                    entities=("Markerentity",),
                    location="Markerlocation",
                    compressed_source="aunt keeps markercompressed",
                    category="markercategory",
                ),
                memory("wrong", "The aunt is a markerwrong", sources=(FIRST,)),
                memory("stays", "Ben went swimming", sources=(Source("sea-m1", 0, 5),), persons=(SPEAKER,)),
            ]
        )
        writer.put_entities(
            [
                entity("aunt", "markername", aliases=("markeralias",)),
                entity("speaker", SPEAKER),
                entity("ben", "Ben", aliases=(SPEAKER,)),
            ]
        )
        writer.put_triples(
            [
                triple("keeps", "speaker", "markerrelation", "aunt", sources=(FIRST,)),
                triple("knows", "ben", "knows", "ben", sources=(Source("sea-m1", 0, 5),)),
            ]
        )
        writer.put_summaries(
            [SessionSummary("sum", "sea-s", "me", "markersummary", ("markersumword",), ("markertheme",))]
        )
        texts = [m.text for one in (voyage(), staying()) for m in one.messages]
        texts += ["The aunt has a markerearlier", "Ben went swimming", "a fact that nobody keeps: markerfact"]
        writer.add_embeddings(EMBEDDER.model_id, dict(zip(texts, EMBEDDER.embed(texts), strict=True)))
        writer.add_traces(
            [
                StageTrace("run-sea", "compress", "sea-s", 0, 1.0, {"words": ["my", "aunt", SECRET]}),
                StageTrace("run-ask", "plan", "0", 0, 1.0, {"who": SPEAKER}),
                StageTrace("", "plan", "0", 0, 1.0, {"asked": SECRET}),
            ]
        )
        writer.mark_processed("memscope", ["sea-m0", "sea-m1"], "run-sea")
    with store.write(actor="memscope") as writer:
        writer.put_proposals([proposed()])
    with store.write(actor="person") as writer:
        writer.put_proposals(
            [replace(proposed(), after="has a markerretyped", edited_from=proposed().after)],
            kind="proposal.edited",
        )
        asked = AskedQuestion("q1", "me", "memscope", "Who has a markeredited?", MAY_8, ("mem", "stays"))
        writer.add_question(asked, keep=50)
    edited = EditMemories(("mem",), "The aunt has a markeredited", reason="because of markerreason")
    for act in (edited, MarkWrong(("wrong",), "extraction", "it says markerwhy")):
        do(store, EMBEDDER, act, owner="me", actor="ann")


def call(key: str, run: str, prompt: str, completion: str) -> LlmCall:
    error = f"{completion} is no answer"
    return LlmCall(key, run, "ask", "m", prompt, completion, 1, 1, 0.0, "ok", MAY_8, error=error)


def proposed() -> Proposal:
    return Proposal(
        id="prop",
        owner="me",
        operation="update",
        target_ids=("mem",),
        candidates=(Candidate("stays", 0.5),),
        before="markerbefore",
        after="has a markerafter",
        reason="markerproposed",
        made_by="rule",
        risk="low",
        state="pending",
        created_at=MAY_8,
    )


def left_beside(directory: Path) -> None:
    """What other work, finished or killed, leaves beside the database."""
    kept = Evaluations(directory).directory
    kept.mkdir()
    (kept / "0123456789ab.json").write_text(json.dumps({"id": "0123456789ab", "missed": [SECRET]}))
    (kept / "0123456789ab.questions.gz").write_bytes(gzip.compress(json.dumps([SECRET, "tea"]).encode()))
    (kept / ".killed.part").write_text(f'{{"missed": ["{SECRET}')
    (directory / "all.jsonl.1234abcd.new").write_text(f"{SECRET} markercompletion")
    (directory / "memscope.duckdb.1234abcd.trial" / "index").mkdir(parents=True)
    (directory / "memscope.duckdb.1234abcd.trial" / "index" / "words").write_text(SECRET)


OF_THE_MESSAGE = [
    *(SECRET, "markerearlier", "markertopic", "markerkeyword", "Markerperson", "Markerentity"),
    *("Markerlocation", "markercompressed", "markercategory", "markerwrong", "markername", "markeralias"),
    *("markerrelation", "markersummary", "markersumword", "markertheme", "markerbefore", "markerafter"),
    *("markerproposed", "markerretyped", "markeredited", "markerreason", "markerwhy", "markercompletion"),
    SPEAKER,
]
OF_THE_CONVERSATION = [*OF_THE_MESSAGE, TITLE, SESSION_TITLE, FILE]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store, whose latest changes are in its write-ahead log and whose indexes are in files."""
    monkeypatch.setattr(search, "LARGE", 1)
    with opened(tmp_path) as store:
        fill(store, OTHERS, "you")
        made(store)
        store.semantic("me", EMBEDDER.embed(["aunt"])[0], 3, kind="memory")
        for kind in ("memory", "message"):
            store.lexical("me", "aunt", 3, kind=kind)  # type: ignore[arg-type]
    assert missing(all_cells(tmp_path), OF_THE_CONVERSATION) == []
    assert [name for name in files_with(tmp_path, SECRET) if name != "memscope.duckdb"], "and in the indexes"
    return tmp_path


def all_cells(directory: Path) -> str:
    """Every cell of every table as text, however DuckDB stores it."""
    with duckdb.connect(str(directory / "memscope.duckdb"), read_only=True) as connection:
        tables = connection.execute("select table_name from duckdb_tables() where not internal").fetchall()
        return "\n".join(str(connection.table(name).fetchall()) for (name,) in tables)


def all_bytes(directory: Path) -> str:
    """Every byte of every file, the packed ones unpacked as well, as characters."""
    files = [path.read_bytes() for path in directory.rglob("*") if path.is_file()]
    unpacked = [gzip.decompress(data) for data in files if data.startswith(b"\x1f\x8b")]
    return b"\n".join(files + unpacked).decode("latin-1")


def missing(text: str, words: list[str]) -> list[str]:
    return [word for word in words if word not in text]


def exported(store: DuckStore) -> list[bytes]:
    file = io.BytesIO()
    store.export_jsonl(file)
    return file.getvalue().splitlines()[1:-1]


def of_the_other(lines: list[bytes]) -> list[bytes]:
    """The lines of an export that are about the other owner's; ids of it end with its name."""
    found = [json.loads(line) for line in lines]
    texts = {value["text"] for value in (row["value"] for row in found) if _is_the_others(value)}
    hashes = {text_hash(text) for text in texts}
    return [
        line
        for line, row in zip(lines, found, strict=True)
        if _names_the_other(row["value"]) or row["value"].get("text_hash") in hashes
    ]


def _is_the_others(value: dict[str, Any]) -> bool:
    return "text" in value and _names_the_other(value)


def _names_the_other(value: dict[str, Any]) -> bool:
    named = (value.get(key) for key in ("id", "object_id", "run_id", "session_id", "message_id"))
    return value.get("owner") == "you" or any(f"-{OTHERS}-" in f"-{one}-" for one in named if one)


@pytest.mark.parametrize(
    ("what", "target", "words"),
    [
        ("message", "sea-m0", OF_THE_MESSAGE),
        ("conversation", "sea", OF_THE_CONVERSATION),
        ("person", SPEAKER, OF_THE_MESSAGE),
        ("owner", "me", OF_THE_CONVERSATION),
    ],
    ids=["message", "conversation", "person", "owner"],
)
def test_no_word_of_it_is_anywhere_and_the_other_owners_export_is_the_same_to_the_byte(
    directory: Path, what: ErasedKind, target: str, words: list[str]
) -> None:
    with opened(directory) as store:
        store.record(call("call-late", "run-sea", "late", f"late {SECRET}"))
        assert "memscope.duckdb.wal" in files_with(directory, SECRET), "its latest words are in the log alone"
        before = of_the_other(exported(store))
        assert len(before) > 30
        left_beside(directory)
        store.erase(plan(store, what, target, "me"), actor="ann", keep=True)
        after = exported(store)
        assert of_the_other(after) == before
        assert [word for word in words if any(word.encode() in line for line in after)] == []
        assert [finding for finding in store.check() if not finding.sound] == []
    assert missing(all_bytes(directory), words) == words
    cells = all_cells(directory)
    assert missing(cells, words) == words
    assert "zanzibarcword" in cells, "the other owner's is still there"


def test_vectors_stay_of_texts_that_stay_alone(directory: Path) -> None:
    with opened(directory) as store:
        store.erase(plan(store, "message", "sea-m0", "me"), actor="ann", keep=True)
        kept = {json.loads(line)["value"]["text_hash"] for line in exported(store) if b'"embedding"' in line}
    assert text_hash("a fact that nobody keeps: markerfact") not in kept
    assert text_hash("Ann likes rowing") in kept


def test_what_stays_keeps_its_words_and_where_it_stands_is_still_told(directory: Path) -> None:
    with opened(directory) as store:
        store.erase(plan(store, "person", SPEAKER, "me"), actor="ann", keep=True)
        (stays,) = [m for m in store.memories("me") if m.id == "stays"]
        assert (stays.text, stays.persons) == ("Ben went swimming", ())
        by_id = {one.id: one for one in store.conversations("me")}
        assert (by_id["sea"].title, by_id["sea"].source_file) == (f"Voyage of {TITLE}", f"{FILE}.txt")
        assert by_id["land"].title == ""
        assert by_id["land"].source_file == "erased.txt"
        said = store.messages("land-s0")
        assert {(m.raw_ref.file, m.raw_ref.where) for m in said} == {("erased.txt", "line 1")}
        assert [m.text for m in said] == ["Ann likes rowing", "Ben likes rowing too"]
        (ben,) = [one for one in store.entities("me") if one.id == "ben"]
        assert ben.aliases == ()
        assert [one.id for one in store.triples("me")] == ["knows"]
