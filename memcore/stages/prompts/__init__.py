"""The prompts of shared stages, one file a version."""

from memcore.domain.prompts import prompt_text

ANSWER = prompt_text(__name__, "answer_v2")
GROUND = prompt_text(__name__, "ground_v1")
