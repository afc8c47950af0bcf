"""What is stored is judged against the sessions that it cites, whatever made it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memcore.domain.models import Grounding, LogRead, SessionSummary, Source, Statement
from memcore.memory import Memory
from memcore.review.additions import Addition
from memcore.review.curate import acts
from memcore.runs.grounding import SessionJudge, ground
from memcore.store import DuckStore
from memcore.systems.registry import OURS
from tests.fakes import EMBEDDER, Answer, ScriptedLlm
from tests.pipeline import FakeBackends, log
from tests.store.samples import log as said_log
from tests.store.samples import memory as stored
from tests.store.samples import put

LIKES = log(["likes tea.", "has a dog called Rex."])


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.ingest(LogRead((LIKES,)))
    return memory


def unjudged(memory: Memory) -> list[str]:
    version = SessionJudge(memory.store, EMBEDDER).version
    return [statement.text for statement in memory.store.unjudged(None, version)]


def verdict(memory: Memory, object_id: str) -> str:
    return memory.store.groundings([object_id])[object_id].verdict


@pytest.mark.parametrize("recipe", [system.name for system in OURS])
def test_whatever_a_system_stores_has_a_verdict(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((LIKES,)), recipe=recipe)
    assert memory.memories.find(recipe=recipe)
    assert unjudged(memory) == []


class _Writing(SessionJudge):
    """Judges where others may write, which the thread that writes may not."""

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        if any(statement.kind == "memory" for statement in statements):
            with self._store.write(actor="test"):
                pass
        return super().judge(statements)


def test_others_may_write_while_a_run_judges_its_memories(memory: Memory) -> None:
    memory.store.judge_with(_Writing(memory.store, EMBEDDER))
    memory.ingest(LogRead((LIKES,)))
    assert unjudged(memory) == []


def test_what_a_person_changes_is_judged_again(filled: Memory) -> None:
    tea = filled.memories.find(contains="tea")[0]
    assert verdict(filled, tea.id) == "supported"
    done = filled.curation.do(acts.EditMemories((tea.id,), "Ann sells nine trumpets in Lisbon"))
    assert verdict(filled, tea.id) != "supported"
    words = {reason.words for reason in filled.store.groundings([tea.id])[tea.id].reasons}
    assert {"nine", "Lisbon"} <= words
    filled.undo(done.event_id)
    assert verdict(filled, tea.id) == "supported"


def test_a_name_of_an_earlier_session_may_stand_in_a_memory_of_a_later_one(memory: Memory) -> None:
    memory.ingest(
        LogRead((log(["My sister Ines marries in Porto."], ["likes tea."], ["My cake is ready."]),))
    )
    cake = memory.memories.find(contains="cake")[0]
    for text, named in (("Ann's cake for Ines is ready", True), ("Ann's cake for Ruth is ready", False)):
        memory.curation.do(acts.EditMemories((cake.id,), text))
        reasons = memory.store.groundings([cake.id])[cake.id].reasons
        assert any(reason.kind == "name" for reason in reasons) is not named


def test_a_summary_may_go_on_telling_of_earlier_sessions(memory: Memory) -> None:
    earlier, later = "My sister Ines marries in Porto.", "I like tea."
    memory.ingest(LogRead((log([earlier], [later]),)))
    session = memory.store.messages_by_id([memory.memories.find(contains="tea")[0].sources[0].message_id])
    (at,) = {message.session_id for message in session.values()}
    told = [
        Statement("summary", f"s{n}", "me", text, (at,))
        for n, text in enumerate(
            ("Ann's sister Ines marries in Porto. Ann likes tea.", "Ann's sister Ruth sails.")
        )
    ]
    whole, invented = SessionJudge(memory.store, EMBEDDER).judge(told)
    assert whole is not None and invented is not None
    assert (whole.verdict, invented.verdict) == ("supported", "unsupported")


def test_a_session_that_goes_on_is_read_again(store: DuckStore) -> None:
    judge = SessionJudge(store, EMBEDDER)
    for said in (["I like tea."], ["I like tea.", "I have a dog."]):
        with store.write(actor="ingest") as writer:
            writer.add_log(said_log(*said))
        last = Statement("memory", "m", "me", said[-1], (f"a-s0-m{len(said) - 1}",))
        (found,) = judge.judge([last])
        assert found is not None
        assert found.verdict == "supported"


def test_what_cites_nothing_is_judged_too(filled: Memory) -> None:
    nothing = Statement("triple", "t1", "me", "Ann knows Ben", ())
    (found,) = SessionJudge(filled.store, EMBEDDER).judge([nothing])
    assert found is not None
    assert found.verdict == "unsupported"


def test_what_a_person_adds_merges_or_cites_is_judged(filled: Memory) -> None:
    tea, rex = filled.memories.find()
    (made,) = filled.curation.do(acts.MergeMemories((tea.id, rex.id), "Ann likes tea and has Rex")).made
    assert verdict(filled, made) == "supported"
    add = acts.AddMemory("Ann has a dog called Rex", (tea.sources[0],), "memscope")
    (added,) = filled.curation.do(add).made
    assert verdict(filled, added) == "unsupported"
    message = rex.sources[0].message_id
    said = filled.store.messages_by_id([message])[message].text
    filled.curation.do(acts.CiteWords(added, (Source(message, 0, len(said)),)))
    assert unjudged(filled) == []


def test_what_is_approved_is_judged(filled: Memory) -> None:
    proposal = filled.review.propose(Addition("Ann likes jazz", "another program"))
    approved = filled.approve([proposal.id])
    made = approved.outcomes[0].memory_id
    assert made is not None
    assert verdict(filled, made) == "supported"  # by the words in which it was proposed


def test_a_renamed_entity_is_judged_in_its_triples(filled: Memory) -> None:
    (tea,) = [entity for entity in filled.graph.entities() if "tea" in entity.name]
    (triple,) = filled.graph.triples(entity_ids=[tea.id])
    assert verdict(filled, triple.id) == "supported"
    filled.curation.do(acts.RenameEntity(tea.id, "gunpowder"))
    assert verdict(filled, triple.id) != "supported"


def test_gaps_are_filled_once(filled: Memory, store: DuckStore) -> None:
    filled.store.judge_with(None)
    put(filled.store, stored("m1", "Ann likes tea", sources=filled.memories.find()[0].sources))
    put(filled.store, stored("m2", "Ann knows", sources=(Source("no such message", 0, 1),)))
    told: list[tuple[str, int, int]] = []
    assert filled.ground(progress=lambda *step: told.append(step)) == 1
    assert told == [("check", 2, 2)]
    assert verdict(filled, "m1") == "supported"
    assert unjudged(filled) == ["Ann knows"]
    assert filled.ground(owner="you") == 0
    assert ground(filled.store, SessionJudge(filled.store, EMBEDDER), cancelled=lambda: True) == 0


def test_a_summary_is_as_good_as_its_worst_sentence(filled: Memory) -> None:
    (session,) = filled.store.sessions()
    invented = "She sold nine trumpets in Lisbon."
    summary = SessionSummary("sum1", session.id, "me", f"Ann likes tea. {invented}")
    with filled.store.write(actor="test") as writer:
        writer.put_summaries([summary])
    found = filled.store.groundings(["sum1"])["sum1"]
    assert found.verdict in ("partly", "contradicted")
    assert found.reasons
    assert all(reason.words and reason.words in invented for reason in found.reasons)


DOUBTED = "Ann sells nine trumpets in Lisbon"


def asked(memory: Memory, *answers: Answer) -> ScriptedLlm:
    """A model that is chosen, and asked about what the rules leave in doubt."""
    llm = ScriptedLlm(answers)
    assert isinstance(memory.backends, FakeBackends)
    memory.backends.ask_from_now_on(llm)
    memory.backends.settings = memory.backends.settings.changed(ground_method="model")
    memory.backends.llm = lambda ledger, run_id: llm  # type: ignore[method-assign]
    return llm


def doubted(memory: Memory) -> str:
    tea = memory.memories.find(contains="tea")[0]
    memory.curation.do(acts.EditMemories((tea.id,), DOUBTED))
    return tea.id


def test_a_model_is_asked_only_where_the_settings_say_so(filled: Memory) -> None:
    doubted(filled)
    llm = asked(filled)
    filled.backends.settings = filled.backends.settings.changed(ground_method="rules")
    filled.ground()
    assert llm.history == []


def test_what_a_model_says_stands_and_is_not_asked_again(filled: Memory) -> None:
    key = doubted(filled)
    reply = '{"verdict": "partly", "reason": "No trumpets.", "unsupported_words": ["nine trumpets"]}'
    llm = asked(filled, reply)
    filled.ground()
    found = filled.store.groundings([key])[key]
    assert (found.verdict, found.reasons[0].words) == ("partly", "nine trumpets")
    assert found.made_by.endswith(", scripted (ground_v1)")
    assert filled.ground() == 0
    assert len(llm.history) == 1
    assert unjudged(filled) == []
    (run,) = [run for run in filled.runs.all() if run.kind == "ground"]
    assert run.totals == {"memories": 1, "judged": 1}


def test_a_reply_of_no_use_leaves_the_verdict_without_a_model(filled: Memory) -> None:
    key = doubted(filled)
    before = filled.store.groundings([key])[key]
    asked(filled, '{"verdict": "partly", "reason": "No.", "unsupported_words": ["zebra"]}')
    filled.ground()
    assert filled.store.groundings([key])[key] == before
    (run,) = [run for run in filled.runs.all() if run.kind == "ground"]
    assert run.state == "finished"
    assert "zebra" in run.error
