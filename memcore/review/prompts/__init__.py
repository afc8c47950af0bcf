"""The prompts of consolidation, one file a version."""

from memcore.domain.prompts import prompt_text

DECIDE = prompt_text(__name__, "decide_v1")
