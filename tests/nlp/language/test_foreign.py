"""Messages in other languages: what of them is kept, and why the rest is not."""

from __future__ import annotations

import pytest

from memcore.nlp.language.extractor import LanguageExtractor
from tests.nlp.language.test_named import to_assistant

KEPT = [
    "上个月搬到了北京，现在在一家银行工作。",
    "我在上海的一所学校当老师呢",
    "Ho comprato una casa. Mio figlio ha cinque anni e va a scuola a Pisa.",
    "Quiero otro gato para mi hija, que vive en Sevilla.",
    "Vorig jaar verhuisd naar Gent met mijn vrouw.",
    "我住在上海。",
    "Tengo dos hijos y vivo en Sevilla desde el año pasado.",
    "Ich habe einen Hund und wohne seit Mai in Bonn.",
    "三年前に京都へ引っ越しました。",
]
SKIPPED = [
    ("请用中文提供几个行程规划功能的描述。", "request or suggestion"),
    ("你能提供所有的功能点吗", "question"),
    ("¿Dónde está la biblioteca de la ciudad?", "question"),
    ("reformula esto como si fueras un niño de 6 años", "request or suggestion"),
    ("traduce el texto al inglés para la escuela", "request or suggestion"),
    ("Está", "nothing specific"),
]


@pytest.mark.parametrize("said", KEPT)
def test_what_is_told_in_another_language_is_kept_as_it_is(said: str) -> None:
    extraction, _ = LanguageExtractor("none").extract([to_assistant(f"user: {said}")])[0]
    assert [fact.text.split(": ", 1)[1] for fact in extraction.facts] == [said]


@pytest.mark.parametrize(("said", "reason"), SKIPPED)
def test_what_is_not_kept_of_it_is_named_with_its_reason(said: str, reason: str) -> None:
    extraction, trace = LanguageExtractor("none").extract([to_assistant(f"user: {said}")])[0]
    assert not extraction.facts
    assert [one.reason for one in trace.skipped] == [reason]


def test_an_english_order_behind_another_language_is_no_part_of_what_is_told() -> None:
    said = (
        "user: 나는 중학생이고 작년부터 서울에서 부모님과 함께 살고 있어. Please write in English language."
    )
    extraction, _ = LanguageExtractor("none").extract([to_assistant(said)])[0]
    assert [fact.text.split(": ", 1)[1] for fact in extraction.facts] == [
        "나는 중학생이고 작년부터 서울에서 부모님과 함께 살고 있어."
    ]
