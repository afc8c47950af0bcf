"""memcore: the long-term memory of LLM assistants as something one can see, check and correct.

>>> from memcore import RECIPES
>>> "memscope" in RECIPES
True
"""

from memcore.memory import Memory, open_memory
from memcore.systems.registry import RECIPES

__all__ = ["RECIPES", "Memory", "open_memory"]
