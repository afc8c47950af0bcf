"""Mem0-graph's two ways into the graph: by the question's entities, and by triples similar to it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest

from memcore.domain.errors import LlmReplyError
from memcore.domain.models import Candidate, Entity, MemoryEntry, Source, Triple, triple_text
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.systems.mem0_graph.search import EDGE_WEIGHT, RELEVANCE, STRATEGY, mem0_graph
from tests.fakes import HashingEmbedder, ScriptedLlm
from tests.pipeline import JANUARY, log
from tests.store.samples import proposal

EMBEDDER = HashingEmbedder(4096)
MARCH = datetime(2024, 3, 1)
TALK = log(["Hello."])


@pytest.fixture
def store(store):
    with store.write(actor="test") as writer:
        writer.add_log(TALK)
    return store


def state(store, *relations: str, owner: str = "me", recipe: str = "mem0_graph", at: datetime = JANUARY):
    """Store relations, "Ann / likes / green tea", as memories, nodes and triples."""
    with store.write(actor="test") as writer:
        for line in relations:
            subject, relation, object_ = line.split(" / ")
            ends = [_entity(name, owner, recipe) for name in (subject, object_)]
            text = triple_text(subject, relation, object_)
            memory = MemoryEntry(
                f"mem {recipe} {owner} {text}",
                owner,
                text,
                "fact",
                recipe,
                "run",
                (Source(TALK.messages[0].id, 0, 5),),
                mentioned_at=at,
                valid_from=at,
            )
            triple = Triple(
                f"tri {recipe} {owner} {text}",
                owner,
                ends[0].id,
                relation,
                ends[1].id,
                memory.sources,
                (memory.id,),
                valid_from=at,
                recipe=recipe,
            )
            words = [text, subject, object_]
            writer.put_memories([memory])
            writer.put_entities(ends)
            writer.put_triples([triple])
            writer.add_embeddings(EMBEDDER.model_id, dict(zip(words, EMBEDDER.embed(words), strict=True)))


def _entity(name: str, owner: str, recipe: str) -> Entity:
    return Entity(f"ent {recipe} {owner} {name}", owner, name, "THING", recipe=recipe)


def ask(store, query: str, llm: ScriptedLlm | None = None, **options):
    return mem0_graph(store, SearchTools(EMBEDDER, llm), Question(query, recipe="mem0_graph", **options))


def texts(report) -> list[str]:
    return [hit.text for hit in report.hits]


def test_an_entity_leads_to_its_out_edges_and_its_in_edges(store):
    state(store, "Ann / likes / green tea", "Ben / visits / Ann", "Ben / plays / chess")
    report = ask(store, "And Ann?")
    assert sorted(texts(report)) == ["Ann likes green tea", "Ben visits Ann"]
    assert all(hit.components["entity"] > 0 for hit in report.hits)


def test_a_node_is_found_by_meaning_where_the_question_names_it_otherwise(store):
    """ "red sports car" and "sports car" are at .77."""
    state(store, "Ann / drives / red sports car", "Ben / plays / chess")
    report = ask(store, "who owns a sports car")
    assert texts(report)[0] == "Ann drives red sports car"
    nodes = {view.view: dict(view.ranking) for view in report.trace.views}["nodes"]
    assert nodes["ent mem0_graph me red sports car"] == pytest.approx(3 / 15**0.5, abs=1e-3)
    assert "sports car" in report.trace.plan.queries


def test_a_similar_triple_is_found_without_any_entity(store):
    state(store, "Ann / adopted a small brown / dog", "Ben / plays / chess")
    report = ask(store, "adopted a small brown one?")
    (hit,) = report.hits
    assert hit.components["entity"] == 0.0
    assert hit.components["triplet"] >= RELEVANCE


def test_below_the_relevance_threshold_nothing_is_found(store):
    state(store, "Ann / adopted a small brown and very friendly / dog")
    assert ask(store, "small penguins in Antarctica and elsewhere").hits == ()


def test_the_two_ways_are_merged_and_the_parts_sum_to_the_score(store):
    state(store, "Ann / likes / green tea", "Ann / plays / chess", "Ben / likes / green tea")
    report = ask(store, "Does Ann likes green tea")
    assert texts(report)[0] == "Ann likes green tea"
    assert [hit.components.keys() for hit in report.hits] == [{"entity", "triplet"}] * 3
    for hit in report.hits:
        assert hit.score == sum(hit.components.values())
    assert [hit.score for hit in report.hits] == sorted((hit.score for hit in report.hits), reverse=True)
    chess = next(hit for hit in report.hits if hit.text == "Ann plays chess")
    assert chess.components["triplet"] == 0.0, "an edge of Ann's, and irrelevant"


def test_an_edge_counts_less_the_more_edges_its_node_has(store):
    state(store, *(f"Ann / sees / thing{n}" for n in range(8)), "Ben / knows / Zoe")
    by_text = {hit.text: hit.components["entity"] for hit in ask(store, "Ann Zoe").hits}
    assert by_text["Ben knows Zoe"] == EDGE_WEIGHT
    assert 0 < by_text["Ann sees thing0"] < EDGE_WEIGHT / 2


def test_what_the_memories_say_is_quoted(store):
    state(store, "Ann / likes / green tea")
    (hit,) = ask(store, "green tea").hits
    assert [(quote.message, quote.text) for quote in hit.quotes] == [(TALK.messages[0], "Hello")]
    assert (hit.kind, hit.mentioned_at) == ("memory", JANUARY)


def test_only_relations_that_held_then(store):
    state(store, "Ann / lives in / Oslo")
    state(store, "Ann / moved to / Rome", at=MARCH)
    old, new = store.memories("me")
    with store.write(actor="test") as writer:
        writer.put_proposals(
            [proposal("p", old.id, operation="invalidate", candidates=(Candidate(new.id, 0.9),))]
        )
    question = "Where is Ann?"
    assert texts(ask(store, question, as_of=datetime(2023, 12, 1))) == []
    assert texts(ask(store, question, as_of=datetime(2024, 2, 1))) == [old.text]
    assert sorted(texts(ask(store, question))) == [old.text, new.text]

    decide.approve(store, EMBEDDER, ["p"], "person")
    assert texts(ask(store, question)) == [new.text]
    assert texts(ask(store, question, as_of=datetime(2024, 2, 1))) == [old.text]
    assert texts(ask(store, question, as_of=MARCH)) == [new.text], "an end is exclusive"


def test_a_relation_ended_by_itself_is_not_found_by_its_memory(store):
    state(store, "Ann / lives in / Oslo")
    (triple,) = store.triples("me")
    with store.write(actor="test") as writer:
        writer.put_triples([replace(triple, invalidated_at=MARCH)])
    assert texts(ask(store, "Ann")) == []
    assert texts(ask(store, "Ann", as_of=datetime(2024, 2, 1))) == ["Ann lives in Oslo"]


def test_edges_of_entities_merged_into_the_one_asked_for_are_its_own(store):
    state(store, "Annie / likes / green tea", "Ann / plays / chess")
    annie, ann = (_entity(name, "me", "mem0_graph") for name in ("Annie", "Ann"))
    with store.write(actor="test") as writer:
        writer.put_entities([replace(annie, merged_into=ann.id), replace(ann, aliases=("Annie",))])
    assert sorted(texts(ask(store, "Ann"))) == ["Ann plays chess", "Annie likes green tea"]
    assert sorted(texts(ask(store, "Annie"))) == ["Ann plays chess", "Annie likes green tea"]


def test_a_chain_of_merges_is_one_node(store):
    state(store, "Anne Miller / likes / green tea", "Ann / plays / chess", "Annie / sees / birds")
    annie, anne, ann = (_entity(name, "me", "mem0_graph") for name in ("Annie", "Anne Miller", "Ann"))
    with store.write(actor="test") as writer:
        writer.put_entities([replace(annie, merged_into=anne.id), replace(anne, merged_into=ann.id)])
        writer.put_entities([replace(ann, aliases=("Anne Miller", "Annie"))])
    hits = ask(store, "Annie").hits
    assert {hit.text for hit in hits} == {
        "Ann plays chess",
        "Anne Miller likes green tea",
        "Annie sees birds",
    }
    assert len({hit.components["entity"] for hit in hits}) == 1


def test_where_the_best_relations_no_longer_hold_others_follow(store, monkeypatch):
    monkeypatch.setattr("memcore.systems.mem0_graph.search.TRIPLES", 2)
    state(store, "Ann / likes / green tea", "Ann / likes / black tea", "Ann / likes / red tea")
    state(store, "Ann / plays / chess", "Ann / sees / birds")
    with store.write(actor="test") as writer:
        ended = [m for m in store.memories("me") if "tea" in m.text]
        writer.put_memories([replace(m, state="invalidated", valid_to=MARCH) for m in ended])
    assert sorted(texts(ask(store, "Ann likes tea", k=2))) == ["Ann plays chess", "Ann sees birds"]


def test_nothing_of_another_owner_or_recipe_is_found(store):
    state(store, "Ann / likes / green tea", owner="you")
    state(store, "Ann / likes / green tea", recipe="licomemory")
    assert ask(store, "Does Ann like green tea?").hits == ()


def test_no_more_than_k_and_the_trace_says_how(store):
    state(store, *(f"Ann / sees / thing{n}" for n in range(9)))
    report = ask(store, "What does Ann see?", k=4, as_of=MARCH)
    assert len(report.hits) == 4
    assert (report.trace.strategy, report.trace.as_of) == (STRATEGY, MARCH)
    assert [view.view for view in report.trace.views] == ["nodes", "semantic triplet", "entity-centric"]
    assert report.trace.notes == ("1 nodes, 9 relations of theirs or similar that hold",)


def test_an_empty_graph_finds_nothing(store):
    assert ask(store, "Where does Ann live?").hits == ()


# ---------------------------------------------------------------- with a model


def named(*names: str) -> ScriptedLlm:
    entities = [{"name": name, "type": "THING"} for name in names]
    return ScriptedLlm([json.dumps({"entities": entities})])


def test_a_chosen_model_names_the_entities_of_the_question(store):
    state(store, "Zoe / paints / birds", "Ben / plays / chess", "Ben / drives / red sports car")
    llm = named("Zoe", "sports car")
    report = ask(store, "What about her and Ben?", llm)
    assert sorted(texts(report)) == ["Ben drives red sports car", "Zoe paints birds"]
    plan = report.trace.plan
    assert (plan.entities, plan.queries) == (("Zoe", "sports car"), ("Zoe", "sports car"))
    assert plan.made_by == "scripted (mem0_graph_question_v1)"
    (asked,) = llm.history
    assert (asked.stage, asked.prompt_version) == ("question", "mem0_graph_question_v1")
    assert "<question>\nWhat about her and Ben?\n</question>" in asked.user
    assert "<people>\nAnn\n</people>" in asked.user


def test_where_a_model_names_no_entity_similar_triples_are_left(store):
    state(store, "Ann / adopted a small brown / dog", "Ann / plays / chess")
    (hit,) = ask(store, "Ann adopted a small brown one?", named()).hits
    assert (hit.text, hit.components["entity"]) == ("Ann adopted a small brown dog", 0.0)


def test_names_that_cannot_be_used_are_noted(store):
    state(store, "Ann / plays / chess")
    report = ask(store, "And Ann?", named("Ann", "x" * 500))
    assert texts(report) == ["Ann plays chess"]
    assert report.trace.notes[0] == "1 entities were left out of 'And Ann?'"


def test_an_unusable_answer_is_an_error_and_no_rule_takes_the_models_place(store):
    state(store, "Ann / plays / chess")
    with pytest.raises(LlmReplyError):
        ask(store, "And Ann?", ScriptedLlm([LlmReplyError("Nonsense.", "Choose another model.")]))
