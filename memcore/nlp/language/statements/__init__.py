"""Sentences to standalone statements: read, joined, put in the third person, dated."""
