"""FullText: the ceiling of every comparison. The whole log is the memory, and the context is the log.

Nothing is read by a model, neither now nor when a question is asked: every message is a memory as it
was said, and search gives the log itself (`retrieval.fulltext`). What people and assistants say counts,
not what systems and tools do. There is no index to find a message by meaning, because nothing is looked
for. It is no ceiling any more once the log exceeds the context: then the newest of it is left.
"""

from __future__ import annotations

from memcore.domain.extraction import Fact
from memcore.domain.models import Message, Source
from memcore.stages.link import FactContext, link
from memcore.systems.baselines.chunk import spoken_line
from memcore.systems.baselines.whole_log import whole_log
from memcore.systems.steps import SPOKEN, About, Known, Step, StepResult, System, Tools, Tracer

NAME = "fulltext"


def read(step: Step, tools: Tools) -> Step:
    """No model reads anything."""
    return step


def remember(step: Step, known: Known[None], tools: Tools) -> StepResult[None]:
    """Every message as it was said."""
    tracer = Tracer(step)
    messages = step.messages
    with tracer.timing("link"):
        said = [(_verbatim(m), _context(m, step)) for m in messages if m.role in SPOKEN]
        linked, trace = link(said, embedding_model="", entities={}, triples={})
    tracer.add("link", step.run_id, trace)
    return StepResult(
        memories=linked.memories,
        embedding_model=tools.embedder.model_id,
        traces=tracer.traces(),
        processed=tuple(message.id for message in messages),
    )


def _verbatim(message: Message) -> Fact:
    return Fact(
        text=spoken_line(message),
        kind="statement",
        sources=(Source(message.id, 0, len(message.text)),),
        speaker=message.speaker,
        persons=(message.speaker,),
    )


def _context(message: Message, step: Step) -> FactContext:
    return FactContext(step.owner, NAME, step.run_id, None, "", "", message)


SYSTEM = System(
    NAME,
    read,
    remember,
    search=whole_log,
    about=About(
        "Full text",
        "Every message as it was said. Nothing is looked for: a question gets the whole log or, where that "
        "does not fit, the newest of it.",
        "No model takes part, none is missed.",
        bound="ceiling",
    ),
    graph=False,
    topics=False,
)
