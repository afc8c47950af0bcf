"""The embedded language pipeline: English conversation to standalone statements, with no LLM.

Read in this order: `prose` (a raw message to sentences, and which of them are worth remembering), `syntax`
(what a parse says: clauses, open references, names, triples), `statements` (first and second person to names,
times to dates, sentences joined where one needs the other) and `words` (the lexicon all of them share). It
knows grammar and word lists; it does not know the world.
"""
