"""Stores in which a marker word stands everywhere, and a look for it in every byte and every cell.

`python -m tests.store.erasing DIRECTORY` erases one conversation after another, to be killed meanwhile.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb

from memcore.domain.models import (
    Candidate,
    Grounding,
    LlmCall,
    Proposal,
    Reason,
    Run,
    Segment,
    SessionSummary,
    Source,
    StageTrace,
    Statement,
    TopicCut,
)
from memcore.review.erase import plan
from memcore.store import DuckStore, open_store
from tests.fakes import EMBEDDER
from tests.store.samples import MAY_8, entity, log, memory, triple

CONVERSATIONS = 12


def opened(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


def marker(name: str) -> str:
    """A word that only conversation `name` says."""
    return f"zanzibar{name}word"


def fill(store: DuckStore, name: str, owner: str = "me") -> None:
    """Conversation `name`: its first message has the marker, its second does not; and everything that a
    system, a model and a person make of it."""
    word = marker(name)
    secret, plain = f"My aunt keeps her {word} in the attic", f"Ben went swimming in river {name}"
    run = f"run-{name}"
    conversation = log(secret, plain, name=name, owner=owner)
    first, second = conversation.messages
    of_first, of_second = (Source(m.id, 0, len(m.text)) for m in (first, second))
    session = first.session_id
    store.record(
        LlmCall(
            f"call-{name}",
            run,
            "add_memory",
            "m",
            f"Read: {secret}",
            f"aunt {word}",
            1,
            1,
            0.0,
            "ok",
            MAY_8,
            request=f'{{"user": "Read: {secret}"}}',
        )
    )
    with store.write(actor="ingest", run_id=run) as writer:
        writer.put_run(Run(run, "ingest", owner, "memscope", "finished", MAY_8, totals={"last": word}))
        writer.add_log(conversation)
        writer.add_segments(
            [
                Segment(
                    f"seg-{name}",
                    session,
                    (first.id, second.id),
                    f"{word} things",
                    {"method": "m", "w": word},
                )
            ]
        )
        writer.put_memories(
            [
                memory(f"mem-{name}", f"The aunt has a {word}", owner=owner, sources=(of_first,)),
                memory(f"both-{name}", "Ann and Bob spoke", owner=owner, sources=(of_first, of_second)),
                memory(
                    f"ben-{name}",
                    plain,
                    owner=owner,
                    sources=(of_second,),
                    segment_id=f"seg-{name}",
                    topic=f"{word} things",
                    keywords=("river", word),
                ),
                memory(f"leak-{name}", f"Ben likes {word} too", owner=owner, sources=(of_second,)),
            ]
        )
        writer.put_entities(
            [
                entity(f"aunt-{name}", f"aunt {name}", owner=owner),
                entity(f"thing-{name}", word, owner=owner),
                entity(f"ben-e-{name}", f"Ben {name}", aliases=(word, "Benny"), owner=owner),
                entity(f"river-{name}", f"river {name}", owner=owner),
            ]
        )
        writer.put_triples(
            [
                triple(
                    f"t1-{name}", f"aunt-{name}", "keep", f"thing-{name}", sources=(of_first,), owner=owner
                ),
                triple(
                    f"t2-{name}",
                    f"ben-e-{name}",
                    "swim_in",
                    f"river-{name}",
                    sources=(of_first, of_second),
                    memory_ids=(f"ben-{name}", f"both-{name}"),
                    owner=owner,
                ),
            ]
        )
        summary = SessionSummary(
            f"sum-{name}", session, owner, f"About {word}", (word,), triple_ids=(f"t1-{name}",)
        )
        writer.put_summaries([summary])
        writer.put_topic_cuts([TopicCut(f"cut-{name}", owner, session, "memscope", (f"seg-{name}",))])
        writer.put_proposals([_proposal(f"p1-{name}", f"mem-{name}", f"drop {word}", owner)])
        writer.put_proposals([_proposal(f"p2-{name}", f"ben-{name}", "drop it", owner)])
        texts = [secret, plain, f"The aunt has a {word}", "Ann and Bob spoke", f"Ben likes {word} too"]
        writer.add_embeddings(EMBEDDER.model_id, dict(zip(texts, EMBEDDER.embed(texts), strict=True)))
        writer.add_traces([StageTrace(run, "compress", session, 0, 1.0, {"words": ["my", "aunt", word]})])
        writer.add_traces([StageTrace(run, "extract", "0", 1, 1.0, {"messages": [first.id], "said": "aunt"})])
        writer.mark_processed("memscope", [first.id, second.id], run)
        judged = Statement("memory", f"ben-{name}", owner, plain, (second.id,))
        reason = Reason("content", "", f"{word} not said there.", first.id)
        writer.put_groundings([(judged, Grounding("partly", 0.6, (reason,), first.id, "rules"))])


def _proposal(key: str, target: str, reason: str, owner: str) -> Proposal:
    return Proposal(
        key,
        owner,
        "delete",
        (target,),
        (Candidate(target, 0.5),),
        "before",
        None,
        reason,
        "rule",
        "low",
        "pending",
        MAY_8,
    )


def files_with(directory: Path, word: str) -> list[str]:
    """The files whose bytes have a word, in UTF-8 or UTF-16."""
    wanted = (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
    files = [path for path in directory.rglob("*") if path.is_file()]
    return sorted({path.name for path in files for one in wanted if one in path.read_bytes()})


_HOLDS = 'select count(*) from "{table}" where contains("{column}"::varchar, ?)'


def cells_with(directory: Path, word: str) -> list[str]:
    """The columns that have a word in any row, however DuckDB stores it."""
    with duckdb.connect(str(directory / "memscope.duckdb"), read_only=True) as connection:
        columns = connection.execute(
            "select table_name, column_name from duckdb_columns() where not internal"
        ).fetchall()
        return [
            f"{table}.{column}"
            for table, column in columns
            if connection.execute(_HOLDS.format(table=table, column=column), [word]).fetchall() != [(0,)]
        ]


def content(store: DuckStore, owner: str) -> dict[str, Any]:
    """Everything of one owner that there is a way to read."""
    sessions = store.sessions(owner=owner)
    return {
        "conversations": store.conversations(owner),
        "messages": [store.messages(session.id) for session in sessions],
        "segments": [s for s in store.segments() if s.session_id in {one.id for one in sessions}],
        "memories": store.memories(owner, states=None),
        "entities": store.entities(owner),
        "triples": store.triples(owner),
        "proposals": store.proposals(owner, states=None),
        "events": [
            e
            for e in store.events()
            if owner in ((e.before or {}).get("owner"), (e.after or {}).get("owner"))
        ],
        "calls": [store.llm_calls(run_id=run.id) for run in store.runs() if run.owner == owner],
        "traces": [store.traces(run_id=run.id) for run in store.runs() if run.owner == owner],
    }


def main(directory: Path) -> None:
    with opened(directory) as store:
        for conversation in store.conversations("me"):
            store.erase(plan(store, "conversation", conversation.id, "me"), actor="ann", keep=True)
            sys.stdout.write("erased\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
