"""The prompts of Mem0, one file a version."""

from memcore.domain.prompts import prompt_text

MEM0_EXTRACT = prompt_text(__name__, "mem0_extract_v1")
MEM0_UPDATE = prompt_text(__name__, "mem0_update_v1")
MEM0_SUMMARY = prompt_text(__name__, "mem0_summary_v1")
