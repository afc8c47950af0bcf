"""The prompts of memscope, one file a version."""

from memcore.domain.prompts import prompt_text

EXTRACT = prompt_text(__name__, "extract_v3")
