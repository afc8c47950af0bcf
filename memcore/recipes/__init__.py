"""Recipes: which stages, with which settings, in which order. One module a system.

A new system is one module with a `remember(step, tools)` and one line here.
"""

from memcore.recipes import memscope
from memcore.recipes.steps import Recipe

RECIPES: dict[str, Recipe] = {
    memscope.NAME: memscope.remember,
}
