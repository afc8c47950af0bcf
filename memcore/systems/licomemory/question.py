"""The entities of a question as a model names them: the first step down CogniGraph (section 3.2)."""

from __future__ import annotations

from memcore.retrieval.question_entities import QuestionEntities
from memcore.stages.reply_checks import StrictReply
from memcore.systems.licomemory.prompts import LICOMEMORY_QUESTION


class QuestionReply(StrictReply):
    """What the model is asked for."""

    entities: list[str]


ENTITIES = QuestionEntities(LICOMEMORY_QUESTION, QuestionReply, lambda reply: reply.entities)
