"""Mem0 (paper of 2025, section 2.1): memory kept up to date with every new message pair."""

from memcore.domain.extraction import Extractor
from memcore.domain.protocols import Llm
from memcore.retrieval.dense import dense
from memcore.systems.mem0 import drawings
from memcore.systems.mem0.pipeline import BEFORE, NAME, STEP_MESSAGES, read, remember
from memcore.systems.settings import NoSettings
from memcore.systems.steps import About, System


def extractor(llm: Llm | None, own: NoSettings, workers: int) -> Extractor | None:
    """One call a message pair, or the language pipeline."""
    if llm is None:
        return None
    from memcore.systems.mem0.extract import Mem0Extractor

    return Mem0Extractor(llm, workers=workers)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=dense,
    about=About(
        "Mem0",
        "Facts of each new message pair, read with a running summary and the last ten messages, and compared "
        "with the ten most similar memories: added, skipped, or proposed to update or end what is there.",
        "The language pipeline reads the facts of each pair, rules decide about them, and the pipeline’s own "
        "drafts make the summary.",
    ),
    extractor=extractor,
    drawings={"update": drawings.updates, "summary": drawings.refreshes},
    running_summary=True,
    graph=False,
    topics=False,
    step_messages=STEP_MESSAGES,
    before=BEFORE,
    before_in_conversation=True,
)
