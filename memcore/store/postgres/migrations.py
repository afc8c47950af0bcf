"""The schema, as numbered steps. A store takes the steps it lacks when it is opened.

Each step and the record that it was taken are one transaction. A step that has landed is never edited; a
change of schema is a new step. Dictionaries are `json` (kept as written), structs and lists of them `jsonb`;
texts compare by code point. A table with texts that erasure does not know by name has a `rowid`.
"""

from __future__ import annotations

from memcore.domain.errors import ReadOnlyStoreError, StoreError
from memcore.domain.server_address import ServerAddress
from memcore.store.postgres.connecting import SCHEMA, Connection
from memcore.store.postgres.indexing import Indexing
from memcore.store.postgres.transaction import PostgresTransaction, rows_of

_TEXT = 'text collate "C"'

FIRST_SCHEMA = """
create table store (
    id {text} not null, embedding_model {text} not null, dimension integer not null,
    created_at timestamp not null, generation bigint not null
);
create table written (table_name {text} primary key, generation bigint not null);

create table conversations (
    id {text} primary key, owner {text} not null, source_file {text} not null, format {text} not null,
    title {text} not null, rowid bigint generated always as identity
);
create index on conversations (owner);
create table sessions (
    id {text} primary key, conversation_id {text} not null, position bigint not null,
    started_at timestamp, title {text} not null
);
create index on sessions (conversation_id);
create table messages (
    id {text} primary key, session_id {text} not null, position bigint not null, speaker {text} not null,
    role {text} not null, text {text} not null, said_at timestamp, time_source {text} not null,
    raw_ref jsonb not null, text_hash {text} not null, changed bigint not null
);
create index on messages (session_id, position);
create index on messages (changed);
create table segments (
    id {text} primary key, session_id {text} not null, message_ids text[] collate "C" not null,
    topic {text} not null, boundary json not null, recipe {text} not null
);
create index on segments (session_id);

create table memories (
    id {text} primary key, owner {text} not null, text {text} not null, kind {text} not null,
    recipe {text} not null, run_id {text} not null, sources jsonb not null, category {text} not null,
    subcategory {text} not null, speaker {text} not null, mentioned_at timestamp, event_at timestamp,
    event_end timestamp, segment_id {text}, topic {text} not null, keywords text[] collate "C" not null,
    persons text[] collate "C" not null, entities text[] collate "C" not null, location {text} not null,
    compressed_source {text} not null, valid_from timestamp, valid_to timestamp, superseded_by {text},
    state {text} not null, embedding_model {text} not null, text_hash {text} not null,
    changed bigint not null
);
create index on memories (owner, recipe, state);
create index on memories (changed);
create table entities (
    id {text} primary key, owner {text} not null, name {text} not null, type {text} not null,
    aliases text[] collate "C" not null, first_seen timestamp, last_seen timestamp, merged_into {text},
    recipe {text} not null, changed bigint not null
);
create index on entities (owner, recipe);
create index on entities (changed);
create table triples (
    id {text} primary key, owner {text} not null, subject_id {text} not null, relation {text} not null,
    object_id {text} not null, sources jsonb not null, memory_ids text[] collate "C" not null,
    valid_from timestamp, invalidated_at timestamp, mentions bigint not null, recipe {text} not null,
    changed bigint not null
);
create index on triples (owner, recipe);
create index on triples (changed);
create index on triples (subject_id);
create index on triples (object_id);
create table summaries (
    id {text} primary key, session_id {text} not null, owner {text} not null, text {text} not null,
    keywords text[] collate "C" not null, themes text[] collate "C" not null, started_at timestamp,
    ended_at timestamp, triple_ids text[] collate "C" not null, segment_ids text[] collate "C" not null,
    recipe {text} not null
);
create index on summaries (owner);
create table topic_cuts (
    id {text} primary key, owner {text} not null, session_id {text} not null, recipe {text} not null,
    segment_ids text[] collate "C" not null
);
create table proposals (
    id {text} primary key, owner {text} not null, operation {text} not null,
    target_ids text[] collate "C" not null, candidates jsonb not null, before {text} not null, after {text},
    reason {text} not null, made_by {text} not null, risk {text} not null, state {text} not null,
    created_at timestamp not null, run_id {text} not null, edited_from {text}, decided_at timestamp,
    decided_by {text} not null, recipe {text} not null, sources jsonb not null
);
create index on proposals (owner, state);
create table rule_switches (
    id {text} primary key, owner {text} not null, rule {text} not null, "on" boolean not null
);
create table grants (
    id {text} primary key, person {text} not null, owner {text} not null, role {text}
);
create table curations (
    id {text} primary key, owner {text} not null, object_type {text} not null, object_id {text} not null,
    act {text} not null, actor {text} not null, at timestamp not null, stage {text} not null,
    reason {text} not null, refused text[] collate "C" not null, standing boolean not null,
    recipe {text} not null
);
create index on curations (owner);

create table events (
    seq bigint primary key, id {text} not null unique, at timestamp not null, actor {text} not null,
    kind {text} not null, object_type {text} not null, object_id {text} not null, before json, after json,
    batch {text} not null, run_id {text} not null, undo_of {text}
);
create index on events (object_id);
create index on events (batch);
create index on events (run_id);
create index on events ((coalesce(after->>'owner', before->>'owner', '')), seq);

-- Events are never changed or removed but by erasure, which says so in its own transaction.
create function refuse_change() returns trigger language plpgsql as $$
begin
    if coalesce(current_setting('memscope.erasing', true), '') <> 'on' then
        raise exception 'events are append-only' using errcode = 'raise_exception';
    end if;
    return coalesce(new, old);
end $$;
create trigger append_only before update or delete on events
    for each row execute function refuse_change();
create trigger append_only_whole before truncate on events
    for each statement execute function refuse_change();

create table embeddings (
    text_hash {text} not null, model_id {text} not null, vector vector not null, token_codes bytea,
    changed bigint not null, primary key (text_hash, model_id)
);
create index on embeddings (changed);
create table groundings (
    id {text} primary key, owner {text} not null, kind {text} not null, object_id {text} not null,
    text_hash {text} not null, cited text[] collate "C" not null, verdict {text} not null,
    score double precision not null, reasons jsonb not null, better {text} not null, made_by {text} not null
);
create index on groundings (object_id);

create table runs (
    id {text} primary key, kind {text} not null, owner {text} not null, recipe {text} not null,
    state {text} not null, started_at timestamp not null, finished_at timestamp, settings json not null,
    totals json not null, error {text} not null
);
create index on runs (owner);
create table traces (
    run_id {text} not null, stage {text} not null, unit {text} not null, position bigint not null,
    milliseconds double precision not null, payload json not null,
    rowid bigint generated always as identity primary key
);
create index on traces (run_id);
create index on traces (unit);
create table llm_calls (
    id {text} primary key, run_id {text} not null, stage {text} not null, model {text} not null,
    prompt {text} not null, completion {text} not null, prompt_tokens bigint, completion_tokens bigint,
    milliseconds double precision not null, outcome {text} not null, at timestamp not null,
    prompt_version {text} not null, error {text} not null, request {text} not null
);
create index on llm_calls (run_id);
create table processed (
    recipe {text} not null, message_id {text} not null, run_id {text} not null,
    primary key (recipe, message_id)
);
create index on processed (message_id);
create table questions (
    id {text} primary key, owner {text} not null, recipe {text} not null, text {text} not null,
    asked_at timestamp not null, result_ids text[] collate "C" not null,
    rowid bigint generated always as identity
);
create index on questions (owner);

-- What statements call that every engine runs (memcore.store.sql).
create function cited(sources jsonb) returns text[] language sql immutable parallel safe
    return array(select s.value->>'message_id' from jsonb_array_elements(sources)
                 with ordinality as s(value, place) order by place) collate "C";
create function starts(sources jsonb) returns bigint[] language sql immutable parallel safe
    return array(select (s.value->>'start')::bigint from jsonb_array_elements(sources)
                 with ordinality as s(value, place) order by place);
create function ends(sources jsonb) returns bigint[] language sql immutable parallel safe
    return array(select (s.value->>'end')::bigint from jsonb_array_elements(sources)
                 with ordinality as s(value, place) order by place);
create function compared(candidates jsonb) returns text[] language sql immutable parallel safe
    return array(select c.value->>'memory_id' from jsonb_array_elements(candidates)
                 with ordinality as c(value, place) order by place) collate "C";
create function lowered(said text) returns text language sql immutable parallel safe
    return lower(said collate "{any_script}") collate "C";
create function hashed(said text) returns text language sql immutable parallel safe
    return encode(sha256(convert_to(said, 'UTF8')), 'hex') collate "C";

-- What can be searched, one row an object, as in the embedded engine.
create view documents as
select 'memory' collate "C" as kind, id, owner, recipe, text, text_hash, changed, state = 'deleted' as gone
from memories
union all
select 'message' collate "C", m.id, c.owner, '' collate "C", m.text, m.text_hash, m.changed,
       c.format = 'proposed'
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
union all
select 'triple' collate "C", id, owner, recipe, said, hashed(said), changed, gone
from (select t.id, t.owner, t.recipe, s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name as said,
             greatest(t.changed, s.changed, o.changed) as changed, t.mentions = 0 as gone
      from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id) told
union all
select 'entity' collate "C", id, owner, recipe, name, hashed(name), changed, merged_into is not null
from entities;

-- What can be judged, and what it cites.
create view statements as
select 'memory' collate "C" as kind, id as object_id, owner, recipe, text, text_hash,
       cited(sources) as cited, state = 'deleted' as gone
from memories
union all
select 'triple' collate "C", id, owner, recipe, said, hashed(said), cited(sources), gone
from (select t.id, t.owner, t.recipe, t.sources,
             s.name || ' ' || replace(t.relation, '_', ' ') || ' ' || o.name as said, t.mentions = 0 as gone
      from triples t join entities s on s.id = t.subject_id join entities o on o.id = t.object_id) told
union all
select 'summary' collate "C", id, owner, recipe, text, hashed(text), array[session_id], text = ''
from summaries;
"""

SEARCH_TABLES = """
create table collections (
    number integer generated always as identity primary key, kind {text} not null, owner {text} not null,
    recipe {text} not null, places integer not null default 0, entries integer not null default 0,
    graph boolean not null default false, unique (kind, owner, recipe)
);
create table indexed (
    collection integer not null, id {text} not null, place integer not null, text_hash {text} not null,
    half halfvec, primary key (collection, id)
);
create index on indexed (collection, place);
create index on indexed (text_hash);
create table postings (
    collection integer not null, word {text} not null, chunk integer not null, held bytea not null,
    primary key (collection, word, chunk)
);
alter table postings alter held set storage external;
create table document_lengths (
    collection integer not null, chunk integer not null, lengths bytea not null,
    primary key (collection, chunk)
);
alter table document_lengths alter lengths set storage external;

-- A vector and the codes of a text of usual length are read together with their row.
alter table embeddings set (toast_tuple_target = 4080);

-- What is looked up by a message, an entity or a name.
create index on memories using gin (cited(sources)) with (fastupdate = off);
create index on messages (session_id, position, id);
drop index messages_session_id_position_idx;
create index on entities (merged_into) where merged_into is not null;
create table entity_names (
    entity_id {text} not null, key {text} not null, owner {text} not null, recipe {text} not null,
    primary key (entity_id, key)
);
create index on entity_names (owner, recipe, key);

-- An index is made and dropped by who owns the table, whoever writes to it.
create function make_graph(number integer, dimension integer) returns void
    language plpgsql security definer set search_path from current as $$
begin
    perform set_config('maintenance_work_mem', '512MB', true);
    execute format('create index graph_%s on indexed using hnsw ((half::halfvec(%s)) halfvec_ip_ops) '
                   'where collection = %s', number, dimension, number);
    update collections set graph = true where collections.number = make_graph.number;
end $$;
create function drop_graph(number integer) returns void
    language plpgsql security definer set search_path from current as $$
begin
    execute format('drop index if exists graph_%s', number);
end $$;
"""

LOGINS = """
-- Whose memory the login that asks, or a team that it is in, was granted (empty: everyone's).
create function owners_with(need text) returns text[] language sql stable parallel safe
    return array(
        select g.owner from grants g
        where array_position(array['read', 'review', 'administer'], g.role)
              >= array_position(array['read', 'review', 'administer'], need)
          and exists (select from pg_roles r where g.person = 'postgresql|' || r.rolname
                      and pg_has_role(current_user, r.oid, 'usage'))
    ) collate "C";
-- Events are numbered without a gap, also by who sees only some of them.
create function last_event() returns bigint language sql stable security definer
    return (select coalesce(max(seq), 0) from events);
"""

STEPS: tuple[str, ...] = (FIRST_SCHEMA, SEARCH_TABLES, LOGINS)
"""Step number n is STEPS[n - 1]."""

INDEXED = STEPS.index(SEARCH_TABLES) + 1
"""The step from which a store is indexed."""


def migrate(connection: Connection, taken: int) -> None:
    """Take the steps after `taken`. Whoever calls holds the lock for it."""
    ((any_script,),) = rows_of(
        connection,
        "select collname from pg_collation where collname in ('pg_c_utf8', 'und-x-icu', 'default') "
        "order by array_position(array['pg_c_utf8', 'und-x-icu', 'default'], collname::text) limit 1",
        (),
    )
    for number, step in enumerate(STEPS[taken:], start=taken + 1):
        with connection.transaction():
            sql = step.replace("{text}", _TEXT).replace("{any_script}", str(any_script))
            rows_of(connection, sql, ())
            rows_of(
                connection,
                "insert into migrations values (?, (now() at time zone 'UTC')::timestamp)",
                [number],
            )
    if taken < INDEXED:
        Indexing(PostgresTransaction(connection)).index_all()


def taken_steps(connection: Connection, address: ServerAddress) -> int | None:
    """How many steps the store has; None: there is no store. Raises StoreError when it has steps that this
    program does not know."""
    ((there,),) = rows_of(connection, "select to_regclass(?)", [f"{SCHEMA}.migrations"])
    if there is None:
        return None
    ((taken,),) = rows_of(connection, "select coalesce(max(number), 0) from migrations", ())
    if taken > len(STEPS):
        raise StoreError(
            f"The store {address} has schema {taken}; this program knows schemas up to {len(STEPS)}.",
            "Open it with the newer Memscope that wrote it, or update this one.",
        )
    return int(taken)


def older(address: ServerAddress, taken: int) -> ReadOnlyStoreError:
    """What is said of a store that lacks steps and can only be read."""
    return ReadOnlyStoreError(
        f"The store {address} was made by an earlier Memscope (schema {taken} of {len(STEPS)}). It must be "
        "brought up to date, and can only be read.",
        "Open it once as a user who may change its tables.",
    )
