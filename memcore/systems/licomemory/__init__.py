"""LiCoMemory: CogniGraph and a search that goes down its layers."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.systems.licomemory import drawings
from memcore.systems.licomemory.pipeline import NAME, STEP_MESSAGES, read, remember
from memcore.systems.licomemory.search import top_down
from memcore.systems.settings import NoSettings
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: NoSettings, workers: int) -> Extractor | None:
    """One call a turn, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.licomemory.extract import LiCoMemoryExtractor

    return LiCoMemoryExtractor(llm, workers=workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=top_down,
    about=About(
        "LiCoMemory",
        "CogniGraph as in the paper: after each turn one call updates the session’s summary and the graph of "
        "entities and relations. Search goes from sessions to triples to the turns they came from, weighted "
        "by time.",
        "The language pipeline reads the relations of each turn, and its sentences continue the summary by "
        "rule.",
    ),
    extractor=extractor,
    drawings={"dedupe": drawings.dedupes, "summarize": drawings.versions},
    topics=False,
    finds_unlinked_memories=False,
    search_uses_llm=True,
    step_messages=STEP_MESSAGES,
)
