"""The prompts of SimpleMem, one file a version."""

from memcore.domain.prompts import prompt_text

SIMPLEMEM_WINDOW = prompt_text(__name__, "simplemem_window_v1")
SIMPLEMEM_SYNTHESIS = prompt_text(__name__, "simplemem_synthesis_v1")
SIMPLEMEM_PLAN = prompt_text(__name__, "simplemem_plan_v1")
SIMPLEMEM_REFLECT = prompt_text(__name__, "simplemem_reflect_v1")
