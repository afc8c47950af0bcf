"""memscope, our own system and the default."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.systems.memscope.pipeline import NAME, read, remember
from memcore.systems.memscope.search import hybrid
from memcore.systems.settings import NoSettings
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: NoSettings, workers: int) -> Extractor | None:
    """One call a buffer for everything, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.memscope.extract import LlmExtractor

    return LlmExtractor(llm, workers=workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=hybrid,
    about=About(
        "Memscope’s own",
        "The best of each in one pass: compression, topics, facts, triples and summaries together.",
        "The language pipeline reads the facts, rules propose the updates.",
    ),
    extractor=extractor,
    sleep_time=True,
)
