"""The embedded language pipeline: English conversation to standalone statements, with no LLM.

Read in this order: `text` and `sentences` (raw message to sentences), `screening` (what is worth
remembering), `coreference` (what a sentence needs from its neighbours), `rewrite` (first and second
person to names, times to dates), `discourse` (sentences to standalone statements), `relations`
(triples) and `keywords`. It knows grammar and word lists; it does not know the world.
"""
