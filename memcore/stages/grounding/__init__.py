"""Grounding: whether the words that a statement cites carry it, checked without a language model.

Read in this order: `reading` and `polarity` (a text as words, its numbers, times and names, and what stands
negated), `alignment` (which words of the statement are found where), `people` and `checks` (person, names,
numbers, dates, negation), `model` (the few weights that make one probability of them) and `judge`,
which puts them together. Pure: what it needs is handed in.
"""
