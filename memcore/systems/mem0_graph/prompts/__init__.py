"""The prompts of Mem0-graph, one file a version."""

from memcore.domain.prompts import prompt_text

MEM0_GRAPH_ENTITIES = prompt_text(__name__, "mem0_graph_entities_v1")
MEM0_GRAPH_RELATIONS = prompt_text(__name__, "mem0_graph_relations_v1")
MEM0_GRAPH_CONFLICTS = prompt_text(__name__, "mem0_graph_conflicts_v1")
MEM0_GRAPH_QUESTION = prompt_text(__name__, "mem0_graph_question_v1")
