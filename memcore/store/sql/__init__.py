"""The store over a database that speaks SQL: statements in the part of it that DuckDB and PostgreSQL share.

What the two say differently is a function of one name in both, which their migrations make: `cited(sources)`,
`starts(sources)` and `ends(sources)`, the messages that sources lie in and from where to where;
`compared(candidates)`, the memories that a proposal compared; `lowered(text)`, in lower case whatever the
script. A `rowid` numbers rows as they came. All texts compare by
code point.
"""
