"""LiCoMemory's search: sessions by summary, triples in them, R to the digit, and what is handed out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.cli import main
from memcore.domain.errors import LlmReplyError
from memcore.domain.models import ConversationLog, LogRead
from memcore.domain.protocols import Vectors
from memcore.memory import open_memory
from memcore.retrieval.context import assemble
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Hit, SearchReport
from memcore.store import DuckStore
from memcore.systems.licomemory.extract import LiCoMemoryExtractor
from memcore.systems.licomemory.search import TOP_SESSIONS, gap_days, median_gap, temporal_weight, top_down
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.fakes import ScriptedLlm
from tests.pipeline import FakeBackends, log, run_ingest

ASKED = "What is asked?"
FEBRUARY = datetime(2024, 2, 1, 9, 0)
EIGHTH, FIFTEENTH, TWENTY_SECOND = (datetime(2024, 1, day, 9, 0) for day in (8, 15, 22))


class Near:
    """An `Embedder` by which each text has a given cosine to the question; 0 to any other text's."""

    model_id, dimension = "near", 2

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self.cosines = cosines

    def embed(self, texts: Sequence[str]) -> Vectors:
        near = [1.0 if text == ASKED else self.cosines.get(text, 0.0) for text in texts]
        return np.array([(c, (1 - c * c) ** 0.5) for c in near], dtype=np.float32).reshape(len(texts), 2)


COSINES = {
    "About running.": 0.6,
    "About painting.": 0.4,
    "About tea.": 0.2,
    "Ann likes running": 0.5,
    "Ann likes painting": 0.5,
    "Ann likes tea": 0.7,
}
"""Ss of three sessions a week apart, and St of the one triple of each."""


def talk(begin: datetime | None = EIGHTH) -> ConversationLog:
    return log(["I run.", "Where?"], ["I paint.", "What?"], ["I drink tea.", "Green?"], begin=begin)


def told(summary: str, *objects: str, line: int = 0, relation: str = "likes") -> str:
    ends = ("Ann", *objects)
    return json.dumps(
        {
            "entities": [{"name": n, "type": "PERSON" if n == "Ann" else "THING"} for n in ends],
            "triples": [
                {"source_id": line, "subject": "Ann", "relation": relation, "object": o} for o in objects
            ],
            "summary": {"text": summary, "keywords": [], "themes": []},
        }
    )


THREE = [told("About running.", "running"), told("About painting.", "painting"), told("About tea.", "tea")]


@pytest.fixture
def near(tmp_path) -> Iterator[DuckStore]:
    with pipeline.open_with(Near(COSINES), tmp_path / "store") as opened:
        yield opened


def remember(store: DuckStore, said: ConversationLog, answers: Sequence[str], **options: Any) -> None:
    llm = ScriptedLlm(answers)
    options = {"embedder": Near(COSINES)} | options
    report = run_ingest(
        store, said, recipe=SYSTEMS["licomemory"], llm=llm, extractor=LiCoMemoryExtractor(llm), **options
    )
    assert (report.errors, llm.answers) == ((), [])


def ask(
    store: DuckStore,
    text: str = ASKED,
    embedder: Any = None,
    llm: ScriptedLlm | None = None,
    **options: Any,
) -> SearchReport:
    tools = SearchTools(embedder or Near(COSINES), llm)
    return top_down(store, tools, Question(text, recipe="licomemory", **options))


def of(report: SearchReport) -> dict[str, Hit]:
    return {hit.text: hit for hit in report.hits}


# ---------------------------------------------------------------- the formula


def test_R_is_the_weighted_sum_of_Ss_and_St_decayed_by_the_gap_over_its_median(near) -> None:
    """Gaps of 24, 17 and 10 days: τ̂ = 17; exp(−(24/17)^0.1) = 0.355196 and so on."""
    remember(near, talk(), THREE)
    report = ask(near, as_of=FEBRUARY)
    hits = of(report)
    expected = {
        "Ann likes running": (0.6, 0.5, 24.0, 0.3551960, 0.0426235, 0.1420784),
        "Ann likes painting": (0.4, 0.5, 17.0, 0.3678794, 0.0294304, 0.1471518),
        "Ann likes tea": (0.2, 0.7, 10.0, 0.3873911, 0.0154956, 0.2169390),
    }
    for text, (ss, st_, gap, weight, summary_part, triple_part) in expected.items():
        assert hits[text].detail == pytest.approx(
            {"Ss": ss, "St": st_, "gap_days": gap, "weight": weight}, abs=1e-6
        )
        assert hits[text].components == pytest.approx(
            {"summary": summary_part, "triple": triple_part}, abs=1e-6
        )
        assert hits[text].score == pytest.approx(summary_part + triple_part, abs=1e-6)
    assert report.trace.weights == {"Ss": 0.2, "St": 0.8, "k": 0.1, "median gap, days": 17.0}
    assert report.trace.strategy == "licomemory"


def test_without_as_of_the_moment_of_the_question_is_that_of_the_newest_message(near) -> None:
    remember(near, talk(), THREE)
    gaps = {text: hit.detail["gap_days"] for text, hit in of(ask(near)).items() if hit.kind == "memory"}
    minute = 1 / 1440  # the reply came a minute later
    assert gaps == pytest.approx(
        {"Ann likes running": 14 + minute, "Ann likes painting": 7 + minute, "Ann likes tea": minute}
    )


def test_the_median_gap_is_at_least_a_day() -> None:
    assert median_gap([0.0, 0.0, 40.0]) == 1.0
    assert median_gap([10.0, 30.0]) == 20.0
    assert median_gap([None, 30.0]) == 30.0
    assert median_gap([None]) is None


def test_a_gap_is_never_negative() -> None:
    assert gap_days(FEBRUARY, EIGHTH) == 0.0
    assert gap_days(EIGHTH, EIGHTH + timedelta(hours=36)) == 1.5


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.floats(1, 1e4))
def test_of_two_gaps_the_longer_never_weighs_more(one: float, other: float, tau: float) -> None:
    shorter, longer = sorted((one, other))
    assert 1.0 >= temporal_weight(shorter, tau) >= temporal_weight(longer, tau) > 0.0


# ---------------------------------------------------------------- missing times


def undated(said: ConversationLog, *sessions: int) -> ConversationLog:
    ids = {said.sessions[n].id for n in sessions}
    return replace(
        said,
        messages=tuple(replace(m, said_at=None) if m.session_id in ids else m for m in said.messages),
    )


def test_a_missing_time_is_neither_now_nor_long_ago_and_is_told(near) -> None:
    """It weighs what the median gap weighs, and takes no part in that median."""
    remember(near, undated(talk(), 1), THREE)
    report = ask(near, as_of=FEBRUARY)
    hit = of(report)["Ann likes painting"]
    assert hit.detail == pytest.approx({"Ss": 0.4, "St": 0.5, "gap_days": None, "weight": exp(-1)}, abs=1e-6)
    assert hit.score == pytest.approx((0.2 * 0.4 + 0.8 * 0.5) * exp(-1), abs=1e-6)
    assert report.trace.weights["median gap, days"] == 17.0, "of 24 and 10"
    assert report.trace.notes == (
        "1 of the results have no time; each is weighted like the median gap (0.37), neither as new nor as "
        "old",
    )


def test_where_nothing_has_a_time_nothing_is_weighted_by_it(near) -> None:
    remember(near, talk(begin=None), THREE)
    report = ask(near)
    assert {hit.detail["weight"] for hit in report.hits if hit.kind == "memory"} == {exp(-1)}
    assert report.trace.notes == ("no message has a time, so nothing is weighted by time",)
    assert "median gap, days" not in report.trace.weights


# ---------------------------------------------------------------- assembly


def test_the_best_sessions_summary_leads_then_triples_by_R_each_with_its_whole_turn(near) -> None:
    remember(near, talk(), THREE)
    report = ask(near, as_of=FEBRUARY)
    assert [(hit.kind, hit.text) for hit in report.hits] == [
        ("summary", "About running."),
        ("memory", "Ann likes tea"),
        ("memory", "Ann likes running"),
        ("memory", "Ann likes painting"),
    ]
    lead, best, *_ = report.hits
    assert (lead.quotes, lead.mentioned_at) == ((), EIGHTH)
    assert lead.detail == pytest.approx({"Ss": 0.6})
    assert lead.score == sum(lead.components.values()) == pytest.approx(0.6)
    assert [(q.message.speaker, q.text) for q in best.quotes] == [("Ann", "I drink tea."), ("Ben", "Green?")]


def test_k_counts_the_summary_and_one_result_is_the_best_triple(near) -> None:
    remember(near, talk(), THREE)
    assert [hit.kind for hit in ask(near, k=2).hits] == ["summary", "memory"]
    assert [hit.text for hit in ask(near, k=1, as_of=FEBRUARY).hits] == ["Ann likes tea"]


def test_two_triples_of_one_turn_both_come_with_it(near) -> None:
    remember(near, log(["I run and drink tea.", "Oh."]), [told("About running.", "running", "tea")])
    hits = [hit for hit in ask(near).hits if hit.kind == "memory"]
    assert len(hits) == 2
    assert hits[0].quotes == hits[1].quotes


def test_a_store_without_anything_answers_with_nothing(near) -> None:
    assert ask(near).hits == ()


def test_only_the_best_sessions_are_ranked_and_those_that_know_an_entity_of_the_question(tmp_path) -> None:
    many = TOP_SESSIONS + 5
    cosines = {f"About {n}.": (many - n) / 100 for n in range(many)}
    cosines |= {f"Ann likes thing{n}": 0.5 for n in range(many)}
    embedder = Near(cosines)
    with pipeline.open_with(embedder, tmp_path) as store:
        said = log(*[[f"I like thing{n}.", "Oh."] for n in range(many)])
        remember(store, said, [told(f"About {n}.", f"thing{n}") for n in range(many)], embedder=embedder)
        report = ask(store, embedder=embedder, k=50)
        assert {hit.text for hit in report.hits if hit.kind == "memory"} == {
            f"Ann likes thing{n}" for n in range(TOP_SESSIONS)
        }
        assert report.trace.notes == (f"the triples of {TOP_SESSIONS} of {many} sessions were ranked",)
        last = f"thing{many - 1}"
        named = ask(store, f"What of {last}?", embedder=embedder, k=50)
        assert f"Ann likes {last}" in of(named)
        assert named.trace.plan.entities == (last,)


# ---------------------------------------------------------------- as of a day


def test_what_was_not_yet_said_is_not_seen(near) -> None:
    remember(near, talk(), THREE)
    report = ask(near, as_of=FIFTEENTH)
    assert [hit.text for hit in report.hits] == [
        "About running.",
        *sorted(("Ann likes painting", "Ann likes running"), key=lambda t: -of(report)[t].score),
    ]
    assert ask(near, as_of=EIGHTH - timedelta(days=1)).hits == ()


def test_a_summary_is_that_of_the_moment(near) -> None:
    """One session of three turns; asked as of its second, the third is not told."""
    said = log(["I run.", "Where?", "I paint.", "What?", "I drink tea.", "Green?"])
    remember(near, said, THREE)
    asked = [ask(near, as_of=EIGHTH + timedelta(minutes=n)).hits[0] for n in (1, 3, 4, 9)]
    assert [hit.text for hit in asked] == [
        "About running.",
        "About painting.",
        "About painting.",
        "About tea.",
    ]
    during_the_first = ask(near, as_of=EIGHTH)
    assert [(hit.kind, hit.text) for hit in during_the_first.hits] == [("memory", "Ann likes running")]
    assert during_the_first.hits[0].detail["Ss"] is None, "there was no summary yet"


MOVED = datetime(2024, 3, 11, 9, 0)


def test_a_contradiction_is_answered_by_date(near) -> None:
    """New York in January, San Francisco in March: both stay, and time puts the later one first."""
    said = log(["I live in New York.", "Nice."], ["I moved to San Francisco.", "Oh."])
    said = replace(
        said,
        messages=(
            *said.messages[:2],
            *(replace(m, said_at=MOVED + timedelta(minutes=m.position)) for m in said.messages[2:]),
        ),
    )
    equally_near = {"Ann lives in New York": 0.6, "Ann lives in San Francisco": 0.6, "Home.": 0.5}
    embedder = Near(equally_near)
    answers = [told("Home.", city, relation="lives in") for city in ("New York", "San Francisco")]
    remember(near, said, answers, embedder=embedder)

    def answered(moment: datetime) -> list[str]:
        hits = ask(near, embedder=embedder, as_of=moment).hits
        return [hit.text.removeprefix("Ann lives in ") for hit in hits if hit.kind == "memory"]

    assert answered(datetime(2024, 4, 15)) == ["San Francisco", "New York"]
    assert answered(datetime(2024, 2, 15)) == ["New York"]
    assert near.proposals("me", states=None) == []
    assert {m.state for m in near.memories("me", states=None)} == {"active"}


# ---------------------------------------------------------------- context and command line


def test_in_a_context_a_summary_is_called_one_and_a_chunk_says_who_said_what(near) -> None:
    remember(near, talk(), THREE)
    context = assemble(ask(near, k=2, as_of=FEBRUARY).hits, 200, lambda text: len(text.split()))
    assert context.text.splitlines() == [
        "[1] (08 Jan 2024) Summary of the session: About running.",
        '[2] (22 Jan 2024) Ann likes tea — Ann: "I drink tea." Ben: "Green?"',
    ]
    assert [citation.hit.kind for citation in context.citations] == ["summary", "memory"]


def test_the_command_line_shows_summary_detail_and_notes(tmp_path, capsys) -> None:
    store = tmp_path / "store"
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(LogRead((log(["likes tea.", "likes rain."], begin=None),)), recipe="licomemory")

    def cli(*arguments: str) -> dict[str, Any]:
        assert (
            main([*arguments, "--store", str(store), "--recipe", "licomemory", "--json"], FakeBackends) == 0
        )
        return json.loads(capsys.readouterr().out)

    found = cli("search", "Who likes tea?", "--explain")
    lead, best, *_ = found["results"]
    assert (lead["kind"], lead["text"], lead["sources"]) == ("summary", "likes tea. likes rain.", [])
    assert (best["kind"], best["text"], best["detail"]["gap_days"]) == ("memory", "Ann likes tea", None)
    assert [source["quote"] for source in best["sources"]] == ["likes tea.", "likes rain."]
    assert sum(best["components"].values()) == pytest.approx(best["score"], abs=2e-4)
    assert found["explain"]["strategy"] == "licomemory"
    assert found["explain"]["notes"] == ["no message has a time, so nothing is weighted by time"]
    assert cli("ask", "Who likes tea?")["context"].startswith("[1] Summary of the session: likes tea.")
    assert main(["search", "tea", "--store", str(store), "--recipe", "licomemory"], FakeBackends) == 0
    assert "likes tea. likes rain." in capsys.readouterr().out


# ---------------------------------------------------------------- the entities of the question, by a model


def test_a_chosen_model_names_the_entities_that_widen_what_is_ranked(near, monkeypatch) -> None:
    monkeypatch.setattr("memcore.systems.licomemory.search.TOP_SESSIONS", 1)
    remember(near, talk(), THREE)
    assert "Ann likes tea" not in of(ask(near))
    llm = ScriptedLlm([json.dumps({"entities": ["Tea", "nobody"]})])
    report = ask(near, llm=llm)
    assert {"Ann likes running", "Ann likes tea"} <= of(report).keys()
    assert "Ann likes painting" not in of(report)
    assert report.trace.plan.entities == ("Tea", "nobody")
    assert report.trace.plan.made_by == "scripted (licomemory_question_v1)"
    (asked,) = llm.history
    assert (asked.stage, asked.prompt_version) == ("question", "licomemory_question_v1")
    assert f"<question>\n{ASKED}\n</question>" in asked.user
    assert "<people>\nAnn, Ben\n</people>" in asked.user


def test_an_unusable_answer_is_an_error_and_no_rule_takes_the_models_place(near) -> None:
    remember(near, talk(), THREE)
    with pytest.raises(LlmReplyError):
        ask(near, llm=ScriptedLlm([LlmReplyError("Nonsense.", "Choose another model.")]))


# ---------------------------------------------------------------- equal names of different types


def likes(summary: str, name: str, type_: str) -> str:
    return json.dumps(
        {
            "entities": [{"name": "Ann", "type": "PERSON"}, {"name": name, "type": type_}],
            "triples": [{"source_id": 0, "subject": "Ann", "relation": "likes", "object": name}],
            "summary": {"text": summary, "keywords": [], "themes": []},
        }
    )


def test_equal_names_of_two_types_are_two_entities_and_both_are_found(near, monkeypatch) -> None:
    monkeypatch.setattr("memcore.systems.licomemory.search.TOP_SESSIONS", 2)
    answers = [
        likes("About running.", "chess", "THING"),
        likes("About painting.", "draughts", "THING"),
        likes("About tea.", "Jordan", "PERSON"),
        likes("About coffee.", "Jordan", "PLACE"),
    ]
    remember(near, log(*[["Listen.", "Yes?"]] * 4), answers)
    jordans = {entity.id: entity.type for entity in near.entities("me") if entity.name == "Jordan"}
    assert sorted(jordans.values()) == ["PERSON", "PLACE"]
    assert jordans.keys() <= {triple.object_id for triple in near.triples("me")}
    llm = ScriptedLlm([json.dumps({"entities": ["Jordan"]})])
    found = [hit.text for hit in ask(near, llm=llm).hits]
    assert found.count("Ann likes Jordan") == 2, "both sessions are ranked for the entities alone"
    found = [hit.text for hit in ask(near, "And Jordan?", Near(COSINES | {"And Jordan?": 1.0})).hits]
    assert found.count("Ann likes Jordan") == 2, "without a model, too"
