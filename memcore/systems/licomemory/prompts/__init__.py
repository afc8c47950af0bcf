"""The prompts of LiCoMemory, one file a version."""

from memcore.domain.prompts import prompt_text

LICOMEMORY_TURN = prompt_text(__name__, "licomemory_turn_v1")
LICOMEMORY_QUESTION = prompt_text(__name__, "licomemory_question_v1")
