"""Ask: a question in, the memories that answer it out, with their words and how they were found."""

from __future__ import annotations

from ui.ask import answer, question, why_not
from ui.components.recipes import not_shown
from ui.curation import state
from ui.shell import opened
from ui.shell.frame import needs_messages, note, page

PURPOSE = (
    "Ask your memory a question. You see which words of which message answer it, and how they were found."
)


with page("Ask", PURPOSE) as memory:
    needs_messages(memory, "Once a conversation is imported, ask here what was said in it.")
    recipes = memory.runs.systems(opened.owner(memory))
    recipes.sort(key=lambda recipe: recipe != "memscope")  # ours is asked first
    asked = question.form(memory, recipes)
    if recipes:
        not_shown(recipes, (asked and asked.recipe) or recipes[0], "has read nothing here")
    if asked:
        owner = opened.owner(memory)
        given, found = question.answered(memory, asked)
        state.told(memory, question=asked.text)
        answer.answer(given)
        if found.hits:
            answer.hits(memory, owner, found)
        else:
            note("No memory matches this question.", "Ask with other words, or for another day.")
        why_not.offer(memory, asked, asked.recipe or memory.default_recipe(owner))
        answer.working(given, found)
