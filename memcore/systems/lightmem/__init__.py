"""LightMem: sensory, short-term and long-term memory (paper sections 3.1 to 3.3)."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.review.decisions import Decider
from memcore.systems.lightmem import drawings
from memcore.systems.lightmem.pipeline import NAME, read, remember
from memcore.systems.lightmem.search import lightmem_search
from memcore.systems.lightmem.settings import OLDER, LightMemSettings, tools
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: LightMemSettings, workers: int) -> Extractor | None:
    """One call for everything short-term memory released, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.lightmem.extract import LightMemExtractor

    return LightMemExtractor(llm, own.prompt, workers=workers)


def decider(llm: Llm | None, own: LightMemSettings, workers: int) -> Decider | None:
    """Update, delete or ignore by a model; without one, the rules."""
    if llm is None:
        return None
    from memcore.systems.lightmem.decide import update_decider

    return update_decider(llm, workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=lightmem_search,
    about=About(
        "LightMem",
        "Sensory, short-term and long-term memory as in the paper: a stream of compressed messages divided "
        "into topics, facts extracted when the buffer is full. No graph, no summaries.",
        "The language pipeline reads the facts of each buffer, rules propose the updates.",
        nobody_heard=(
            "LightMem has read none of these messages, so nothing was made from them.",
            "It reads what the user says, and nobody here is the user. Settings says whose messages are read "
            "from the next import on; under Import, Memscope’s own can read what is stored.",
        ),
    ),
    extractor=extractor,
    decider=decider,
    drawings={"sensory": drawings.sensory},
    settings=LightMemSettings,
    tools=tools,
    older_settings=OLDER,
    sleep_time=True,
    graph=False,
    ranking_depends_on_k=True,
)
