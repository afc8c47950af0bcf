"""Mem0-graph (paper of 2025, section 2.2): a graph of entities and relations."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.systems.mem0_graph import drawings
from memcore.systems.mem0_graph.pipeline import BEFORE, NAME, STEP_MESSAGES, read, remember
from memcore.systems.mem0_graph.search import mem0_graph
from memcore.systems.settings import NoSettings
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: NoSettings, workers: int) -> Extractor | None:
    """Two calls a message pair, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.mem0_graph.extract import GraphExtractor

    return GraphExtractor(llm, workers=workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=mem0_graph,
    about=About(
        "Mem0-graph",
        "For each message pair its entities, then the relations between them: a graph whose nodes are "
        "matched by similarity. What a new relation contradicts is proposed to end, and stays visible.",
        "The language pipeline reads the relations, rules say which of them a new one contradicts.",
    ),
    extractor=extractor,
    drawings={"match": drawings.matches, "conflicts": drawings.conflicts},
    topics=False,
    finds_unlinked_memories=False,
    search_uses_llm=True,
    step_messages=STEP_MESSAGES,
    before=BEFORE,
)
