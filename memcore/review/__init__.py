"""Consolidation that only proposes, and a person's decisions: queues, rules, proposals, undo, audit."""
