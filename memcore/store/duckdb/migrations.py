"""The schema, as numbered steps. A store runs the steps it lacks when it is opened.

Each step and the record that it was taken are one transaction, as in sqlite-utils' migrations, so a
crash leaves a store before or after a step, never inside one. A step that has landed is never
edited; a change of schema is a new step.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from memcore.domain.errors import ReadOnlyStoreError, StoreError

FIRST_SCHEMA = """
create table store (
    id varchar not null, embedding_model varchar not null, dimension integer not null,
    created_at timestamp not null, generation bigint not null
);

create table conversations (
    id varchar primary key, owner varchar not null, source_file varchar not null,
    format varchar not null, title varchar not null
);
create table sessions (
    id varchar primary key, conversation_id varchar not null, position bigint not null,
    started_at timestamp, title varchar not null
);
create table messages (
    id varchar primary key, session_id varchar not null, position bigint not null,
    speaker varchar not null, role varchar not null, text varchar not null, said_at timestamp,
    time_source varchar not null, raw_ref struct(file varchar, "where" varchar) not null,
    text_hash varchar not null, changed bigint not null
);
create table segments (
    id varchar primary key, session_id varchar not null, message_ids varchar[] not null,
    topic varchar not null, boundary json not null
);

create table memories (
    id varchar primary key, owner varchar not null, text varchar not null, kind varchar not null,
    recipe varchar not null, run_id varchar not null,
    sources struct(message_id varchar, "start" bigint, "end" bigint)[] not null,
    category varchar not null, subcategory varchar not null, speaker varchar not null,
    mentioned_at timestamp, event_at timestamp, event_end timestamp, segment_id varchar,
    topic varchar not null, keywords varchar[] not null, persons varchar[] not null,
    entities varchar[] not null, location varchar not null, compressed_source varchar not null,
    valid_from timestamp, valid_to timestamp, superseded_by varchar, state varchar not null,
    embedding_model varchar not null, text_hash varchar not null, changed bigint not null
);
create table entities (
    id varchar primary key, owner varchar not null, name varchar not null, type varchar not null,
    aliases varchar[] not null, first_seen timestamp, last_seen timestamp, merged_into varchar,
    changed bigint not null
);
create table triples (
    id varchar primary key, owner varchar not null, subject_id varchar not null,
    relation varchar not null, object_id varchar not null,
    sources struct(message_id varchar, "start" bigint, "end" bigint)[] not null,
    memory_ids varchar[] not null, valid_from timestamp, invalidated_at timestamp,
    mentions bigint not null, changed bigint not null
);
create table summaries (
    session_id varchar primary key, owner varchar not null, text varchar not null,
    keywords varchar[] not null, themes varchar[] not null, started_at timestamp,
    ended_at timestamp, triple_ids varchar[] not null, segment_ids varchar[] not null
);
create table proposals (
    id varchar primary key, owner varchar not null, operation varchar not null,
    target_ids varchar[] not null, candidates struct(memory_id varchar, score double)[] not null,
    "before" varchar not null, "after" varchar, reason varchar not null, made_by varchar not null,
    risk varchar not null, state varchar not null, created_at timestamp not null,
    run_id varchar not null, edited_from varchar, decided_at timestamp, decided_by varchar not null
);
create table events (
    seq bigint primary key, id varchar not null unique, "at" timestamp not null,
    actor varchar not null, kind varchar not null, object_type varchar not null,
    object_id varchar not null, "before" json, "after" json, batch varchar not null,
    run_id varchar not null, undo_of varchar
);

create table embeddings (
    text_hash varchar not null, model_id varchar not null, vector float[] not null,
    changed bigint not null, primary key (text_hash, model_id)
);

create table runs (
    id varchar primary key, kind varchar not null, owner varchar not null, recipe varchar not null,
    state varchar not null, started_at timestamp not null, finished_at timestamp,
    settings json not null, totals json not null, error varchar not null
);
create table traces (
    run_id varchar not null, stage varchar not null, unit varchar not null,
    position bigint not null, milliseconds double not null, payload json not null
);
create table llm_calls (
    id varchar primary key, run_id varchar not null, stage varchar not null, model varchar not null,
    prompt varchar not null, completion varchar not null, prompt_tokens bigint,
    completion_tokens bigint, milliseconds double not null, outcome varchar not null,
    "at" timestamp not null, prompt_version varchar not null, error varchar not null
);
create table processed (
    recipe varchar not null, message_id varchar not null, run_id varchar not null,
    primary key (recipe, message_id)
);

-- What can be searched, one row an object. `changed` is the newest generation that touched the
-- object or a name in its text (a triple's is `models.triple_text` in SQL); `gone` objects are
-- tombstones, which no index holds.
create view documents as
select 'memory' as kind, id, owner, text, text_hash, changed, state = 'deleted' as gone from memories
union all
select 'message', m.id, c.owner, m.text, m.text_hash, m.changed, false
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
union all
select 'triple', t.id, t.owner, s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name as said,
       sha256(said),
       greatest(t.changed, s.changed, o.changed), t.mentions = 0
from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id;
"""

SEGMENTS_BY_RECIPE = """
alter table segments add column recipe varchar default 'memscope';
"""

TOPIC_CUTS = """
create table topic_cuts (
    id varchar primary key, owner varchar not null, session_id varchar not null,
    recipe varchar not null, segment_ids varchar[] not null
);
"""

GRAPHS_BY_RECIPE = """
-- Snapshots in events are completed as the rows are, so that state stays what the events say.
alter table entities add column recipe varchar default 'memscope';
alter table triples add column recipe varchar default 'memscope';

-- A session has a summary a recipe, so its own id; those there keep the id their events know them by.
create table summaries_by_recipe (
    id varchar primary key, session_id varchar not null, owner varchar not null, text varchar not null,
    keywords varchar[] not null, themes varchar[] not null, started_at timestamp,
    ended_at timestamp, triple_ids varchar[] not null, segment_ids varchar[] not null,
    recipe varchar not null
);
insert into summaries_by_recipe by name select session_id as id, *, 'memscope' as recipe from summaries;
drop table summaries;
alter table summaries_by_recipe rename to summaries;
alter table proposals add column recipe varchar default 'memscope';
update proposals set recipe = coalesce(
    (select m.recipe from memories m where m.id = proposals.target_ids[1]), 'memscope');
update events set "before" = json_merge_patch(events."before", json_object('recipe', p.recipe))
from proposals p where p.id = events.object_id and events."before" is not null;
update events set "after" = json_merge_patch(events."after", json_object('recipe', p.recipe))
from proposals p where p.id = events.object_id and events."after" is not null;

update events set "before" = json_merge_patch("before", json_object('id', object_id))
where object_type = 'summary' and "before" is not null;
update events set "after" = json_merge_patch("after", json_object('id', object_id))
where object_type = 'summary' and "after" is not null;
update events set "before" = json_merge_patch("before", '{"recipe": "memscope"}')
where object_type in ('entity', 'triple', 'summary') and "before" is not null;
update events set "after" = json_merge_patch("after", '{"recipe": "memscope"}')
where object_type in ('entity', 'triple', 'summary') and "after" is not null;

create or replace view documents as
select 'memory' as kind, id, owner, recipe, text, text_hash, changed, state = 'deleted' as gone
from memories
union all
select 'message', m.id, c.owner, '', m.text, m.text_hash, m.changed, false
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
union all
select 'triple', t.id, t.owner, t.recipe, s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name
       as said,
       sha256(said),
       greatest(t.changed, s.changed, o.changed), t.mentions = 0
from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id
union all
select 'entity', id, owner, recipe, name, sha256(name), changed, merged_into is not null from entities;
"""

CODES_OF_TOKENS = """
alter table embeddings add column token_codes blob;
"""
"""The word pieces of a text, beside its vector (`protocols.TokenCodes`); null where nobody gave them."""

PROPOSED_WORDS = """
-- Words that a program proposed to remember (models.PROPOSED) are evidence and found by no search.
create or replace view documents as
select 'memory' as kind, id, owner, recipe, text, text_hash, changed, state = 'deleted' as gone
from memories
union all
select 'message', m.id, c.owner, '', m.text, m.text_hash, m.changed, c.format = 'proposed'
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
union all
select 'triple', t.id, t.owner, t.recipe, s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name
       as said,
       sha256(said),
       greatest(t.changed, s.changed, o.changed), t.mentions = 0
from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id
union all
select 'entity', id, owner, recipe, name, sha256(name), changed, merged_into is not null from entities;
"""

RULE_SWITCHES = """
create table rule_switches (
    id varchar primary key, owner varchar not null, rule varchar not null, "on" boolean not null
);
"""

VOCABULARY = """
-- An unescaped quote ends a JSON string, so this can only be the key, wherever in the text it stands.
update traces set payload = replace(payload::varchar, '"passed_over":', '"skipped":')
where stage = 'extract';
update runs set kind = 'resegment' where kind = 'recut';
"""
"""Names of the glossary (docs/glossary.md). `older_exports.from_format_2` renames these in an
import, and those of the next step."""

DEFERRED = """
-- As above; no text can hold it with quotes that are not escaped.
update traces set payload = replace(payload::varchar, '"outcome":"gave way"', '"outcome":"deferred"')
where stage = 'decide';
"""
"""What became of a decided queue that had to wait for another proposal."""

CURATION = """
create table curations (
    id varchar primary key, owner varchar not null, object_type varchar not null, object_id varchar not null,
    act varchar not null, actor varchar not null, "at" timestamp not null, stage varchar not null,
    reason varchar not null, refused varchar[] not null, standing boolean not null, recipe varchar not null
);
create table questions (
    id varchar primary key, owner varchar not null, recipe varchar not null, text varchar not null,
    asked_at timestamp not null, result_ids varchar[] not null
);
"""
"""What people decided by hand, and what they asked lately."""

UNANSWERED = """
alter table llm_calls add column request varchar default '';
"""
"""Requests that a recording had no reply to, whole."""

GROUNDING = """
create table groundings (
    id varchar primary key, owner varchar not null, kind varchar not null, object_id varchar not null,
    text_hash varchar not null, cited varchar[] not null, verdict varchar not null, score double not null,
    reasons struct(kind varchar, words varchar, why varchar, message_id varchar, contradicts boolean)[]
    not null,
    better varchar not null, made_by varchar not null
);

-- What can be judged, and what it cites (models.Statement).
create view statements as
select 'memory' as kind, id as object_id, owner, recipe, text, text_hash,
       [s.message_id for s in sources] as cited, state = 'deleted' as gone
from memories
union all
select 'triple', t.id, t.owner, t.recipe, s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name
       as said,
       sha256(said), [w.message_id for w in t.sources], t.mentions = 0
from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id
union all
select 'summary', id, owner, recipe, text, sha256(text), [session_id], text = '' from summaries;
"""
"""Whether the words that something cites carry it. What is there already is not checked yet."""

CITATIONS = """
alter table proposals add column sources struct(message_id varchar, "start" bigint, "end" bigint)[]
    default [];
update events set "before" = json_merge_patch("before", '{"sources": []}')
where object_type = 'proposal' and "before" is not null;
update events set "after" = json_merge_patch("after", '{"sources": []}')
where object_type = 'proposal' and "after" is not null;
"""
"""What a proposal would have a memory cite. `older_exports.from_format_3` completes an import so."""

GRANTS = """
create table grants (
    id varchar primary key, person varchar not null, owner varchar not null, role varchar
);
"""
"""What persons may do with whose memory. Older exports have none."""

FUNCTIONS = """
-- What statements call that every engine runs (memcore.store.sql).
create macro cited(sources) as [s.message_id for s in sources];
create macro starts(sources) as [s."start" for s in sources];
create macro ends(sources) as [s."end" for s in sources];
create macro compared(candidates) as [c.memory_id for c in candidates];
create macro lowered(said) as lower(said);
"""

STEPS: tuple[str, ...] = (
    FIRST_SCHEMA,
    SEGMENTS_BY_RECIPE,
    TOPIC_CUTS,
    GRAPHS_BY_RECIPE,
    CODES_OF_TOKENS,
    PROPOSED_WORDS,
    RULE_SWITCHES,
    VOCABULARY,
    DEFERRED,
    CURATION,
    UNANSWERED,
    GROUNDING,
    CITATIONS,
    GRANTS,
    FUNCTIONS,
)
"""Step number n is STEPS[n - 1]."""


def migrate(connection: duckdb.DuckDBPyConnection) -> int:
    """Take the steps the store lacks and return the schema's number. Raises StoreError when the
    store has steps this program does not know."""
    connection.execute(
        "create table if not exists migrations (number integer primary key, taken_at timestamp not null)"
    )
    taken = _taken(connection)
    for number in range(taken + 1, len(STEPS) + 1):
        connection.execute("begin transaction")
        try:
            connection.execute(STEPS[number - 1])
            connection.execute(
                "insert into migrations values (?, (now() at time zone 'UTC')::timestamp)", [number]
            )
            connection.execute("commit")
        except duckdb.Error:
            connection.execute("rollback")
            raise
    return len(STEPS)


def require_newest(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Raise ReadOnlyStoreError when a store that can only be read lacks steps, StoreError as `migrate`."""
    taken = _taken(connection)
    if taken < len(STEPS):
        raise ReadOnlyStoreError(
            f"The store {directory} was made by an earlier Memscope (schema {taken} of {len(STEPS)}). It "
            "must be brought up to date, and can only be read.",
            "Copy the directory to where you may write and name the copy as --store; the original stays.",
        )


def _taken(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.execute("select coalesce(max(number), 0) from migrations").fetchone()
    taken = int(row[0]) if row else 0
    if taken > len(STEPS):
        raise StoreError(
            f"This store has schema {taken}; this program knows schemas up to {len(STEPS)}.",
            "Open it with the newer Memscope that wrote it, or update this one.",
        )
    return taken
