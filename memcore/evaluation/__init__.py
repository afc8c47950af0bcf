"""Measuring Memscope against annotated data, with plain baselines beside every result.

Readers turn published datasets into frozen values, runners give figures as percentages, and every model
comes through its Protocol. Knows no store, no configuration and no screen.
"""
