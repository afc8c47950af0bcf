"""How English names a time: tables of patterns, each with the reading of what it matched.

A rule sees the core of an expression ("last week", "7 May", "two years ago"); the preposition, clock
time and part of the day around it are the business of `dates`. Within a table, and from
`unresolved` over `DISTANCES` to the rest, earlier rules claim characters before later ones.
"""
