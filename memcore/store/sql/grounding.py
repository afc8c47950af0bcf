"""Verdicts on what is stored: reading them, and having them made of whatever a transaction has changed.

A verdict belongs to words and citations, as a vector belongs to a text: an object that is changed back has
its old one again, and none can be out of date. Decides nothing: what is supported says a `Judge`.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import Grounding, Judged, Statement
from memcore.domain.protocols import Judge
from memcore.store.sql.database import Database, Reader, Transaction
from memcore.store.sql.query import Select
from memcore.store.sql.tables import GROUNDINGS

_AS_IT_STANDS = (
    "s.object_id = groundings.object_id and s.text_hash = groundings.text_hash and s.cited = groundings.cited"
)
"""Joins verdicts (groundings) with statements (s) that they are still about."""

_UNJUDGED = """
from statements s
where not s.gone and ($owner::text is null or s.owner = $owner)
  and ($ids::text[] is null or s.object_id in (select unnest($ids::text[])))
  and not exists (
      select 1 from groundings
      where s.object_id = groundings.object_id and s.text_hash = groundings.text_hash
        and s.cited = groundings.cited and ($made_by::text is null or groundings.made_by = $made_by
             or starts_with(groundings.made_by, $made_by || ', ')))
"""


class GroundingReader:
    """The grounding part of the Store protocol."""

    _database: Database
    _judge: Judge | None

    def judge_with(self, judge: Judge | None) -> None:
        """Let this judge what is written from now on; None: nobody does."""
        self._judge = judge

    def judged(self, statements: Sequence[Statement]) -> list[tuple[Statement, Grounding]]:
        """What the judge says of statements that are not stored yet, as far as what they cite is; nothing
        without a judge."""
        if self._judge is None:
            return []
        found = zip(statements, self._judge.judge(statements), strict=True)
        return [(statement, verdict) for statement, verdict in found if verdict is not None]

    def groundings(self, object_ids: Sequence[str], *, owner: str | None = None) -> dict[str, Grounding]:
        """The verdicts on what these objects say now, by id."""
        if not object_ids:
            return {}
        select = Select(GROUNDINGS, f"join statements s on {_AS_IT_STANDS}")
        select.where_in("groundings.object_id", object_ids).where_listed("s.object_id", object_ids)
        if owner is not None:
            select.where("groundings.owner = ?", owner)
        found = select.all(self._database)
        return {judged.object_id: judged.grounding for judged in found}

    def unjudged(self, owner: str | None, made_by: str, *, limit: int | None = None) -> list[Statement]:
        """What these rules have not judged yet as it stands, by what it cites."""
        return _unjudged(self._database, owner=owner, made_by=made_by, limit=limit)

    def verdicts(self, owner: str, *, recipe: str, conversation_id: str | None = None) -> dict[str, int]:
        """Active memories by verdict, `unchecked` among them."""
        rows = self._database.query(
            """
            select coalesce(g.verdict, 'unchecked') as verdict, count(*) from memories m
            left join groundings g on g.object_id = m.id and g.text_hash = m.text_hash
              and g.cited = cited(m.sources)
            where m.owner = $owner and m.recipe = $recipe and m.state = 'active'
              and ($log::text is null or m.id in (
                  select said.id
                  from (select id, unnest(cited(sources)) as message_id from memories
                        where owner = $owner and recipe = $recipe) said
                  join messages w on w.id = said.message_id join sessions s on s.id = w.session_id
                  where s.conversation_id = $log))
            group by verdict order by verdict
            """,
            {"owner": owner, "recipe": recipe, "log": conversation_id},
        )
        return {str(verdict): int(count) for verdict, count in rows}


def judge_changed(transaction: Transaction, judge: Judge, ids: Sequence[str], renamed: Sequence[str]) -> None:
    """Have judged what of these memories, triples and summaries, and of the triples of renamed entities, says
    or cites something new."""
    about = transaction.query(
        "select id from triples where array[subject_id, object_id] && ?::text[]", [list(renamed)]
    )
    statements = _unjudged(transaction, ids=[*ids, *(key for (key,) in about)])
    if statements:
        found = zip(statements, judge.judge(statements), strict=True)
        put_groundings(transaction, [(one, verdict) for one, verdict in found if verdict is not None])


def put_groundings(transaction: Transaction, found: Sequence[tuple[Statement, Grounding]]) -> None:
    """Store verdicts in place of what other rules said of the same words."""
    by_id = {judged.id: judged for judged in (Judged.of(one, verdict) for one, verdict in found)}
    transaction.put(GROUNDINGS, [GROUNDINGS.clean(judged) for judged in by_id.values()], clash="or replace")


def count_unjudged(reader: Reader) -> tuple[int, int]:
    """How many statements nobody has judged, and how many there are."""
    asked = {"owner": None, "ids": None, "made_by": None}
    ((missing,),) = reader.query(" ".join(["select count(*)", _UNJUDGED]), asked)
    ((there,),) = reader.query("select count(*) from statements where not gone")
    return int(missing), int(there)


def _unjudged(
    reader: Reader,
    *,
    owner: str | None = None,
    ids: Sequence[str] | None = None,
    made_by: str | None = None,
    limit: int | None = None,
) -> list[Statement]:
    asked = {"owner": owner, "ids": None if ids is None else list(ids), "made_by": made_by}
    most = "" if limit is None else f"limit {int(limit)}"
    columns = "select s.kind, s.object_id, s.owner, s.text, s.cited"
    rows = reader.query(" ".join([columns, _UNJUDGED, "order by s.cited, s.object_id", most]), asked)
    return [Statement(kind, key, whose, text, tuple(cited)) for kind, key, whose, text, cited in rows]
