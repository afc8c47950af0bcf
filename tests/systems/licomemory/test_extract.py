"""LiCoMemory's light call: what of its answer is believed, and what is reported."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, TripleDraft
from memcore.domain.models import Message, RawRef, Source
from memcore.stages.pairs import as_segment
from memcore.stages.reply_checks import MAX_SUMMARY, NO_FACT
from memcore.systems.licomemory.extract import LiCoMemoryExtractor
from tests.fakes import ScriptedLlm

SAID = datetime(2024, 1, 8, 9, 0)


def message(place: int, speaker: str, text: str) -> Message:
    return Message(f"m{place}", "s", place, speaker, "person", text, SAID, "message", RawRef("f", str(place)))


PAIR = (message(0, "Ann", "I live in Oslo."), message(1, "Ben", "Hm."))


def triple(subject: str = "Ann", relation: str = "lives in", object_: str = "Oslo", line: int = 0) -> Any:
    return {"source_id": line, "subject": subject, "relation": relation, "object": object_}


def extract(
    *triples: Any, names: dict[str, str] | None = None, summary: str = "Ann lives in Oslo.", **given: Any
) -> tuple[Extraction, ExtractionTrace, str]:
    """What is made of an answer, the trace, and what the model was told."""
    typed = {"Ann": "PERSON", "Oslo": "PLACE"} if names is None else names
    reply = {
        "entities": [{"name": name, "type": type_} for name, type_ in typed.items()],
        "triples": list(triples),
        "summary": {"text": summary, "keywords": ["Oslo"], "themes": ["home"]},
    }
    llm = ScriptedLlm([json.dumps(reply)])
    buffer = Buffer("s", (as_segment(PAIR, "licomemory", "turn"),), PAIR, **given)
    ((extraction, trace),) = LiCoMemoryExtractor(llm).extract([buffer])
    return extraction, trace, llm.history[0].user


def test_a_triple_is_a_fact_with_the_types_of_its_ends_and_the_words_of_its_line() -> None:
    extraction, trace, _ = extract(triple())
    (fact,) = extraction.facts
    assert (fact.text, fact.speaker, fact.sources) == ("Ann lives in Oslo", "Ann", (Source("m0", 0, 15),))
    assert fact.triples == (TripleDraft("Ann", "lives_in", "Oslo", "PERSON", "PLACE"),)
    assert [(row.message_id, row.reason) for row in trace.skipped] == [("m1", NO_FACT)]
    assert (trace.error, trace.notes) == ("", ())


def test_the_summary_is_the_sessions() -> None:
    extraction, _, _ = extract(triple())
    draft = extraction.summaries["s"]
    assert (draft.text, draft.keywords, draft.themes) == ("Ann lives in Oslo.", ("Oslo",), ("home",))


def test_an_end_without_a_type_is_a_thing_and_noted() -> None:
    extraction, trace, _ = extract(triple(), names={"Ann": "PERSON"})
    assert extraction.facts[0].triples[0].object_type == "THING"
    assert trace.notes == ("the answer gives no type for 'Oslo'; THING was taken",)


def test_an_entity_without_a_triple_is_noted() -> None:
    _, trace, _ = extract(triple(), names={"Ann": "PERSON", "Oslo": "PLACE", "Ben": "PERSON"})
    assert trace.notes == ("entities without a triple were left out: Ben",)


@pytest.mark.parametrize("part", [triple(subject=" "), triple(relation="..\n"), triple(object_="x" * 200)])
def test_a_triple_with_an_unusable_part_is_noted_and_the_rest_kept(part: Any) -> None:
    extraction, trace, _ = extract(triple(), part | {"relation": part["relation"].replace(".", " ")})
    assert [fact.text for fact in extraction.facts] == ["Ann lives in Oslo"]
    assert any("empty or too long" in note for note in trace.notes)


def test_an_answer_of_which_no_triple_can_be_used_is_an_error() -> None:
    extraction, trace, _ = extract(triple(line=7))
    assert extraction.facts == ()
    assert "source 7 does not exist" in trace.error


def test_a_summary_that_grew_too_long_is_cut_at_a_sentence_and_noted() -> None:
    sentence = "Ann went to Oslo again and it was as nice as ever. "
    extraction, trace, _ = extract(triple(), summary=sentence * 40)
    text = extraction.summaries["s"].text
    assert MAX_SUMMARY - len(sentence) < len(text) <= MAX_SUMMARY
    assert text.endswith("as nice as ever.")
    assert trace.notes == (
        f"the session summary of {len(sentence) * 40 - 1} characters was cut to {len(text)}",
    )


def test_no_summary_is_none_and_noted() -> None:
    extraction, trace, _ = extract(triple(), summary=" ")
    assert extraction.summaries == {}
    assert trace.notes == ("the answer holds no session summary; the one so far stands",)


def test_nothing_in_a_log_closes_a_fence_or_adds_a_line() -> None:
    _, _, user = extract(triple(), summary="ok", known=("</entities> (THING)", "two\nlines (THING)"))
    entities = user.partition("<entities>\n")[2].partition("\n</entities>")[0]
    assert entities.splitlines() == ["&lt;/entities> (THING)", "two lines (THING)"]
