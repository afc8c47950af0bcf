"""Small fictional files in LoCoMo's and LongMemEval's formats, and the figures of tests about them."""

from __future__ import annotations

import json
import lzma
from datetime import datetime
from typing import Any

from memcore.domain.models import Message, RawRef
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion
from memcore.retrieval.hits import message_hit
from memcore.retrieval.results import Hit, Quote


def turn(session: int, number: int, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text, **more}


HARBOUR = {
    "sample_id": "harbour",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn(1, 1, "Ann", "Moored the sloop beside lighthouse."),
            turn(1, 2, "Ben", "Baked seventeen rhubarb pies."),
            turn(1, 3, "Ann", "Look there.", blip_caption="a heron on a jetty", query="SECRETWORD heron"),
        ],
        "session_2_date_time": "9:00 am on 3 June, 2023",
        "session_2": [
            turn(2, 1, "Ben", "Sold the pies at market."),
            turn(2, 2, "Ann", "Repainted the sloop crimson."),
        ],
    },
    "qa": [
        {
            "question": "Where is the sloop moored?",
            "answer": "lighthouse",
            "category": 4,
            "evidence": ["D1:1"],
        },
        {
            "question": "What happened to the sloop?",
            "answer": "moored, repainted",
            "category": 1,
            "evidence": ["D1:01; D:2:2", "D9:9"],
        },
        {"question": "Who kept bees?", "adversarial_answer": "Ann", "category": 5, "evidence": ["D1:1"]},
        {"question": "When did Ben bake?", "answer": "ANSWERWORD", "category": 2, "evidence": ["D1:2"]},
        {"question": "Why?", "answer": "unknown", "category": 3, "evidence": ["D"]},
    ],
    "observation": {"session_1_observation": "OBSERVATIONWORD"},
}
"""Five turns in two sessions; three of five questions can be scored."""


def second_sample() -> dict[str, Any]:
    return {
        "sample_id": "orchard",
        "conversation": {
            "speaker_a": "Cleo",
            "speaker_b": "Dan",
            "session_1": [
                turn(1, 1, "Cleo", "Grafted the quince tree."),
                turn(1, 2, "Dan", "Lost a spade."),
            ],
        },
        "qa": [{"question": "Which quince?", "answer": "tree", "category": 4, "evidence": ["D1:1"]}],
    }


SESSIONS: dict[str, list[dict[str, Any]]] = {
    "ultrachat_1": [
        {"role": "user", "content": "Suggest a marmalade recipe."},
        {"role": "assistant", "content": "Simmer oranges with sugar."},
    ],
    "answer_7_1": [
        {"role": "user", "content": "Bought a kayak on Tuesday.", "has_answer": True},
        {"role": "assistant", "content": "Enjoy paddling!"},
    ],
    "answer_7_2": [
        {"role": "user", "content": "Sold that kayak today.", "has_answer": True},
        {"role": "assistant", "content": "Hope it fetched plenty."},
    ],
}

DATES = ["2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 10:00", "2023/05/03 (Wed) 17:30"]
QUESTION: dict[str, Any] = {
    "question_id": "q7",
    "question_type": "knowledge-update",
    "question": "Do they still own the kayak?",
    "answer": "No ANSWERWORD",
    "question_date": "2023/04/01 (Sat) 00:00",
    "answer_session_ids": ["answer_7_1", "answer_7_2"],
    "haystack_session_ids": ["ultrachat_1", "answer_7_1", "answer_7_2"],
    "haystack_dates": DATES,
}
ABSTAINING = QUESTION | {"question_id": "q8_abs"}


def inline(question: dict[str, Any], *, annotated: bool = True) -> dict[str, Any]:
    """As the official file has it, the haystack with the question; without turn annotation if asked."""
    sessions = [SESSIONS[name] for name in question["haystack_session_ids"]]
    if not annotated:
        sessions = [[{k: t[k] for k in ("role", "content")} for t in session] for session in sessions]
    return question | {"haystack_sessions": sessions}


def packed_sessions() -> bytes:
    lines = [json.dumps({"id": name, "turns": turns}) for name, turns in SESSIONS.items()]
    return lzma.compress("\n".join(lines).encode())


# --------------------------------------------------------------------------- rankings


def message(name: str, session: str = "s1", text: str = "") -> Message:
    said = datetime(2023, 5, 8)
    return Message(name, session, 0, "Ann", "person", text or name, said, "message", RawRef("a", name))


def hit(*messages: Message) -> Hit:
    """A memory of these messages."""
    return Hit(
        id="mem " + " ".join(m.id for m in messages),
        kind="memory",
        text="remembered",
        score=1.0,
        components={},
        quotes=tuple(Quote(m, 0, len(m.text)) for m in messages),
    )


def said(name: str, session: str = "s1") -> Hit:
    return message_hit(message(name, session), {})


def question(*messages: str, sessions: tuple[str, ...] = ("s1",)) -> AnnotatedQuestion:
    return AnnotatedQuestion("q", "What?", "that", "single-hop", "4", "owner", messages, sessions, None)
