"""Direct curation: a person edits, ends, removes, adds, merges and splits what is remembered."""
