"""Recipes: which stages, with which settings, in which order. One module a system.

A new system is one module with a `RECIPE` and one line here.
"""

from typing import Any

from memcore.recipes import fulltext, licomemory, lightmem, mem0, mem0_graph, memscope, naive_rag, simplemem
from memcore.recipes.steps import Recipe

RECIPES: dict[str, Recipe[Any]] = {
    recipe.name: recipe
    for recipe in (
        memscope.RECIPE,
        lightmem.RECIPE,
        simplemem.RECIPE,
        mem0.RECIPE,
        mem0_graph.RECIPE,
        licomemory.RECIPE,
        fulltext.RECIPE,
        naive_rag.RECIPE,
    )
}
