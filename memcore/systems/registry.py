"""Recipes: which stages, with which settings, in which order. One module a system.

A new system is one module with a `RECIPE` and one line here.
"""

from typing import Any

from memcore.systems.baselines import fulltext, naive_rag
from memcore.systems.licomemory import pipeline as licomemory
from memcore.systems.lightmem import pipeline as lightmem
from memcore.systems.mem0 import pipeline as mem0
from memcore.systems.mem0_graph import pipeline as mem0_graph
from memcore.systems.memscope import pipeline as memscope
from memcore.systems.simplemem import pipeline as simplemem
from memcore.systems.steps import Recipe

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
