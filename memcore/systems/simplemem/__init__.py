"""SimpleMem: semantic structured compression, online synthesis, intent-aware retrieval planning."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.systems.settings import NoSettings
from memcore.systems.simplemem import drawings
from memcore.systems.simplemem.pipeline import NAME, OVERLAP, STEP_MESSAGES, read, remember
from memcore.systems.simplemem.search import simplemem
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: NoSettings, workers: int) -> Extractor | None:
    """One call a window, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.simplemem.extract import SimpleMemExtractor

    return SimpleMemExtractor(llm, workers=workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=simplemem,
    about=About(
        "SimpleMem",
        "Windows of 40 messages become self-contained memory units: what is known is skipped, related "
        "units of a session merge into one. Search plans how deep to look, in three views, and reflects on "
        "what it found. No graph, no summaries.",
        "The language pipeline reads the units, rules gate, merge and plan.",
    ),
    extractor=extractor,
    drawings={"synthesis": drawings.synthesis},
    graph=False,
    topics=False,
    search_uses_llm=True,
    ranking_depends_on_k=True,
    step_messages=STEP_MESSAGES,
    before=OVERLAP,
)
