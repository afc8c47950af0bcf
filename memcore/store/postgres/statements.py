"""Statements of `memcore.store.sql` as psycopg takes them: only the placeholders differ."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from memcore.store.postgres.values import sent
from memcore.store.sql.database import Parameters

_PLACE = re.compile(r"'[^']*'|\"[^\"]*\"|(\?)|\$(\w+)")
_BY_NUMBER = "by_number_"


@lru_cache(maxsize=1_024)
def _translated(sql: str) -> str:
    def placeholder(found: re.Match[str]) -> str:
        if found[1]:
            return "%s"
        if found[2]:
            name = f"{_BY_NUMBER}{found[2]}" if found[2].isdecimal() else found[2]
            return f"%({name})s"
        return found[0]

    return _PLACE.sub(placeholder, sql.replace("%", "%%"))


def prepared(sql: str, parameters: Parameters) -> tuple[str, Any]:
    """The statement and its values, for `cursor.execute`.

    >>> prepared("select ? where '?' = $1", [1])[0]
    "select %s where '?' = %(by_number_1)s"
    """
    if not parameters:
        return sql, None
    values: Any = sent(parameters)
    statement = _translated(sql)
    if not isinstance(values, dict) and f"%({_BY_NUMBER}" in statement:
        values = {f"{_BY_NUMBER}{number}": value for number, value in enumerate(values, start=1)}
    return statement, values
