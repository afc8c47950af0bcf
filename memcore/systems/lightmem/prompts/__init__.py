"""The prompts of LightMem, one file a version."""

from memcore.domain.prompts import prompt_text

LIGHTMEM_FLAT = prompt_text(__name__, "lightmem_flat_v1")
LIGHTMEM_EVENT = prompt_text(__name__, "lightmem_event_v1")
LIGHTMEM_UPDATE = prompt_text(__name__, "lightmem_update_v1")
