"""Answer a question from an assembled context, with citations that are checked.

The model sees numbered memories and nothing else. A citation of a number that is not in the context
is taken out of the answer and reported; whether a true citation supports its sentence is for the
reader, who sees the quoted words beside it. Retrieval and context assembly happen before this.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from memcore.domain.prompts import fenced, one_line, question_place
from memcore.domain.protocols import Llm
from memcore.stages.prompts import ANSWER

STAGE = "answer"
_CITATION = re.compile(r"\s?\[(\d+(?:\s*,\s*\d+)*)\]")


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The answer as shown, the numbers it cites in order of first use, and what was wrong with it."""

    text: str
    cited: tuple[int, ...]
    warnings: tuple[str, ...]


def answer_question(
    llm: Llm, question: str, context: str, numbers: Collection[int], *, asked_at: datetime | None = None
) -> WrittenAnswer:
    """Ask `llm` and check what it cites against `numbers`, the context's own. Raises LlmError."""
    asked_on = f"{asked_at:%A}, {asked_at.day} {asked_at:%B %Y}" if asked_at else "unknown"
    parts = (("memories", context), ("asked_on", asked_on), ("question", one_line(question)))
    user = "\n\n".join(fenced(tag, text) for tag, text in parts)
    text = llm.write(
        stage=STAGE,
        prompt_version=ANSWER.version,
        place=question_place(question),
        system=ANSWER.text,
        user=user,
    )
    return check_citations(text, numbers)


def check_citations(text: str, numbers: Collection[int]) -> WrittenAnswer:
    """Keep citations of `numbers`, take out all others.

    >>> check_citations("On 7 May [2, 9]. She said so [9].", {1, 2}).text
    'On 7 May [2]. She said so.'
    """
    cited: dict[int, None] = {}
    unknown: dict[int, None] = {}

    def keep_known(match: re.Match[str]) -> str:
        found = [int(number) for number in match.group(1).split(",")]
        for number in found:
            (cited if number in numbers else unknown)[number] = None
        known = "".join(f"[{number}]" for number in found if number in numbers)
        blank = match.group()[0] if match.group()[0].isspace() else ""
        return blank + known if known else ""

    checked = _CITATION.sub(keep_known, text).strip()
    warnings = [
        f"the answer cited [{number}], which is not among the memories it was given" for number in unknown
    ]
    if numbers and not cited:
        warnings.append("the answer cites no memory")
    return WrittenAnswer(checked, tuple(cited), tuple(warnings))
