"""What a parsed sentence says: its clauses, references, names, relations and tense."""
