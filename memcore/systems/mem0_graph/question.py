"""The entities of a question as a model names them (Mem0-graph's entity-centric retrieval, section 2.2).

The published code gives the question to the same entity extractor as the log; here it has a prompt of its
own, which knows who speaks. Types are asked for as there, and as there only names lead to nodes.
"""

from __future__ import annotations

from memcore.retrieval.question_entities import QuestionEntities
from memcore.systems.mem0_graph.extract import EntitiesReply
from memcore.systems.mem0_graph.prompts import MEM0_GRAPH_QUESTION

ENTITIES = QuestionEntities(
    MEM0_GRAPH_QUESTION, EntitiesReply, lambda reply: (entity.name for entity in reply.entities)
)
