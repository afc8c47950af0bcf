"""A question whose answer depends on the day it is asked: two purchases, a week apart."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.pipeline import JANUARY, log

QUESTION = "What did Ann buy at the market 10 days ago?"


def purchases(begin: datetime = JANUARY):
    """Apples on the first day, pears a week later."""
    return log(["bought apples at the market."], ["bought pears at the market."], begin=begin)


on_both_days = pytest.mark.parametrize(("day", "bought"), [("2024-01-18", "apples"), ("2024-01-25", "pears")])
"""The day of asking, and what was bought 10 days before it."""
