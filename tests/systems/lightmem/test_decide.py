"""LightMem's sleep-time decision: its own prompt with the paper's three actions, for its own queues only."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest
from pydantic import ValidationError

from memcore.domain.models import MemoryEntry
from memcore.review.decide_llm import LlmDecider
from memcore.review.decisions import Decision, UpdateQueue
from memcore.review.proposals import to_proposal
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.systems.lightmem import decider
from memcore.systems.lightmem.decide import UpdateReply, update_decider
from memcore.systems.lightmem.prompts import LIGHTMEM_UPDATE
from memcore.systems.lightmem.settings import LightMemSettings
from memcore.systems.registry import SYSTEMS
from tests.fakes import ScriptedLlm

MARCH = datetime(2024, 3, 8)
NY = MemoryEntry(
    "ny", "me", "Ann lives in New York.", "fact", "lightmem", "r", (), mentioned_at=datetime(2024, 1, 8)
)
SF = replace(NY, id="sf", text="Ann moved to San Francisco.", mentioned_at=MARCH)
QUEUE = UpdateQueue(NY, ((SF, 0.8),))


def reply(action: str, because_of: tuple[int, ...] = (1,), new_memory: str | None = None) -> str:
    return json.dumps({"action": action, "new_memory": new_memory, "because_of": because_of, "reason": "so"})


def decide(*answers: str) -> tuple[Decision, ScriptedLlm]:
    llm = ScriptedLlm(list(answers))
    (decision,) = update_decider(llm, 1).decide([QUEUE])
    return decision, llm


def test_the_model_is_asked_with_lightmems_own_prompt() -> None:
    decision, llm = decide(reply("ignore", ()))
    (asked,) = llm.history
    assert (asked.stage, asked.prompt_version) == ("update", "lightmem_update_v1")
    assert asked.system == LIGHTMEM_UPDATE.text
    assert decision.made_by == "scripted (lightmem_update_v1)"


def test_its_prompt_offers_three_actions() -> None:
    offered = [line.split('"')[1] for line in LIGHTMEM_UPDATE.text.splitlines() if line.startswith('  - "')]
    assert offered == ["update", "delete", "ignore"]


@pytest.mark.parametrize(
    ("answer", "operation", "after"),
    [
        (reply("update", new_memory="Ann moved from New York to San Francisco."), "update", True),
        (reply("delete"), "delete", False),
    ],
)
def test_update_and_delete_become_proposals_of_that_name(answer: str, operation: str, after: bool) -> None:
    decision, _ = decide(answer)
    proposal = to_proposal(decision, {"ny": NY, "sf": SF}, run_id="r", at=MARCH)
    assert (proposal.operation, proposal.after is not None) == (operation, after)
    assert (proposal.before, proposal.recipe) == (NY.text, "lightmem")
    assert [candidate.memory_id for candidate in proposal.candidates] == ["sf"]


def test_ignore_proposes_nothing() -> None:
    decision, _ = decide(reply("ignore", ()))
    assert (decision.action, decision.against, decision.error) == ("ignore", (), "")


@pytest.mark.parametrize("action", ["merge", "invalidate"])
def test_an_action_that_the_paper_lacks_is_refused(action: str) -> None:
    with pytest.raises(ValidationError, match="'update', 'delete' or 'ignore'"):
        UpdateReply.model_validate_json(reply(action, new_memory="Ann moved."))


def test_with_no_model_the_rules_decide_as_for_every_system() -> None:
    assert decider(None, LightMemSettings(), 2) is None
    assert ChosenBackends(Settings()).own_deciders(None) == {}


def test_of_all_systems_only_lightmem_has_a_decider_of_its_own() -> None:
    llm = ScriptedLlm([])
    found = ChosenBackends(Settings()).own_deciders(llm)
    assert {name: one.name for name, one in found.items()} == {"lightmem": "scripted (lightmem_update_v1)"}
    assert all(SYSTEMS[name].sleep_time for name in found)
    assert LlmDecider(llm).name == "scripted (decide_v1)", "the others keep theirs"
