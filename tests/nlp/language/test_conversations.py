"""What the language pipeline makes of short conversations: one row a rule, in the words of the result.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language.extractor import LanguageExtractor

pytestmark = pytest.mark.models

SAID = datetime(2024, 1, 12, 19, 42)
PEOPLE = ("Ada", "Ben")

FRAMED: list[tuple[list[str], list[str]]] = [
    (["Ada: Remember that I'm a vegan, so no cheese this time."], ["Ada is a vegan."]),
    (["Ada: And you remember I'm diabetic, so leave the cake at home."], ["Ada is diabetic."]),
    (
        ["Ada: You know that my brother Karl lives in Oslo, so he's flying from there."],
        ["Ada's brother Karl lives in Oslo, so he's flying from there."],
    ),
    (["Ada: I've told them twice that I'm allergic to nuts."], ["Ada is allergic to nuts."]),
    (["Ada: I told Tom that I'm allergic to nuts."], ["Ada told Tom that Ada is allergic to nuts."]),
    (["Ada: I have to admit that I sold the piano."], ["Ada sold the piano."]),
    (["Ada: I live in Genoa now, can you believe it?"], ["As of 12 January 2024, Ada lives in Genoa."]),
    (["Ada: I sold my old kayak, remember?"], ["Ada sold their old kayak."]),
    (["Ada: Is the kayak sold, can you believe it?"], []),
    (
        ["Ada: No, perfect, I just got home from a long shift."],
        ["Shortly before 12 January 2024, Ada got home from a long shift."],
    ),
    (["Ada: Plus, I bought a kayak in May."], ["Ada bought a kayak in May 2023."]),
    (["Ada: Now, I work at a bakery."], ["Ada works at a bakery."]),
    (["Ada: My cousin is moving in with Maja, actually."], ["Ada's cousin is moving in with Maja."]),
    (["Ada: One change though: I will skip lunch in Oslo."], ["Ada will skip lunch in Oslo."]),
    (["Ada: I'm afraid of heights, so no cable cars please."], ["Ada is afraid of heights."]),
    (
        ["Ada: Please nothing with hazelnuts, I'm allergic."],
        ["Please nothing with hazelnuts, Ada is allergic."],
    ),
    (["Ada: I work at Smith & Sons in Leeds."], ["Ada works at Smith & Sons in Leeds."]),
    (
        ["Ada: I have no time on Mondays, I look after my son that day."],
        ["Ada has no time on Mondays; they look after their son that day."],
    ),
    (
        ["Ada: The interview is next Thursday and I'm nervous."],
        ["The interview is on 18 January 2024 and Ada is nervous."],
    ),
    (["Ada: I'd been wanting to try yoga in Leeds."], ["Ada had been wanting to try yoga in Leeds."]),
    (["Ada: I retook the aptitude test."], ["Ada retook the aptitude test."]),
    (["Ada: I also regularly read The Atlantic online."], ["Ada also regularly reads The Atlantic online."]),
    (["Ada: I always read comics as a child."], ["Ada always read comics as a child."]),
    (["Ada: I'm lying down."], []),
    (
        ["Ada: I'm on a bus to work, my aunt joined a choir."],
        ["Ada's aunt joined a choir."],
    ),
    (["Ada: I'm waiting for a kidney transplant."], ["Ada is waiting for a kidney transplant."]),
]

BACK: list[tuple[list[str], list[str]]] = [
    (
        ["Ben: What's your dog's name?", "Ada: His name is Max."],
        ['Ben asked Ada: "What\'s your dog\'s name?" Ada answered: "His name is Max."'],
    ),
    (["Ben: Where do Tom and Anna live?", "Ada: He lives in Oslo."], []),
    (["Ben: How's your brother?", "Ada: She broke her leg in May."], []),
    (
        ["Ben: How is Rex?", "Ada: I met Karl at the gym. He turned ten in December."],
        ["Ada met Karl at the gym. He turned ten in December 2023."],
    ),
    (
        ["Ada: I saw a dog in May!", "Ben: What about Rex?", "Ada: Rex lives in Leeds. Her name is Luna."],
        ["Ada saw a dog in May 2023.", "Rex lives in Leeds."],
    ),
    (
        ["Ada: I met a woman at the gym. Her name is Clara."],
        ["Ada met a woman at the gym. Her name is Clara."],
    ),
    (
        ["Ada: Pepper would howl. She hurt her paw on Wednesday."],
        ["Pepper would howl. She hurt her paw on 10 January 2024."],
    ),
    (["Ada: I have done nineteen so far, and then I lay on the kitchen floor."], []),
]

LITERAL: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: Someone signed our guestbook with <script>alert(1)</script> and nothing else."],
        ["Someone signed Ada's guestbook with <script>alert(1)</script> and nothing else."],
    ),
    (
        ["Ada: I set `my_dir = I` in the config of my router last week."],
        ["Ada set `my_dir = I` in the config of their router in the week of 1 January 2024."],
    ),
    (
        ["Ada: I published my thesis at https://example.org/i/my?a=1&b=2 yesterday."],
        ["Ada published their thesis at https://example.org/i/my?a=1&b=2 on 11 January 2024."],
    ),
    (["Ada: I adopted a \U0001f436 named Rex in May."], ["Ada adopted a \U0001f436 named Rex in May 2023."]),
]

IDLE: list[list[str]] = [
    ["Ada: Our cousin Pablo, I'm sure."],
    ["Ada: I have a confession."],
    ["Ada: Maybe I can assist at the shelter as well."],
    ["Ada: I won't say a word to Karl."],
    ["Ada: Rafael Nadal is the man."],
    ["Ada: Max was truly awesome."],
    ["Ada: I'm doing OK, cheers for asking."],
    ["Ada: Winning a tough game must have been such a thrill!"],
    ["Ada: I've got another question about boats in Leeds."],
    ["Ada: The harbour in Sydney is incredible."],
    ["Ada: Now the hard work starts to turn my dream into a reality."],
]


def conversation(lines: list[str]) -> Buffer:
    spoken = [line.split(": ", 1) for line in lines]
    messages = tuple(
        Message(f"m{n}", "s", n, who, "user", text, SAID, "message", RawRef("log", f"line {n}"))
        for n, (who, text) in enumerate(spoken)
    )
    segment = Segment("g", "s", tuple(m.id for m in messages))
    return Buffer("s", (segment,), messages, people=PEOPLE)


def facts(lines: list[str]) -> list[str]:
    return [fact.text for fact in LanguageExtractor().extract([conversation(lines)])[0][0].facts]


def named(rows: list[tuple[list[str], list[str]]]) -> list[str]:
    return [" / ".join(lines)[:80] for lines, _ in rows]


@pytest.mark.parametrize(("lines", "expected"), FRAMED, ids=named(FRAMED))
def test_statement_is_freed_of_what_frames_it(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), BACK, ids=named(BACK))
def test_pronoun_keeps_its_antecedent_or_its_question(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), LITERAL, ids=named(LITERAL))
def test_what_is_literal_is_kept_as_written(lines, expected):
    assert facts(lines) == expected


TOLD_WHOLE = [
    (
        "I have to admit though, I sing more than I paint.",
        "Ada sings more than they paint.",
    ),
    (
        "I got my visa in May, so I am all set on that front.",
        "Ada got their visa in May 2023, so they are all set.",
    ),
    (
        "I was thinking of including some books, toys, and a picture of that boat.",
        "Ada was thinking of including some books and toys.",
    ),
    (
        "I got rid of my old area rug and replaced it with a red one in May.",
        "Ada got rid of their old area rug and replaced it with a red one in May 2023.",
    ),
    (
        "I have a question about my knee, which I broke in 2019.",
        "Ada has a question about their knee, which they broke in 2019.",
    ),
    (
        "I am still working on my boat and things are looking up.",
        "Ada is still working on their boat and things are looking up.",
    ),
    (
        "I drink coffee with my mum every Sunday in Leeds, just the two of us.",
        "Ada drinks coffee with their mum every Sunday in Leeds.",
    ),
    ("Look, I teach history in Leeds.", "Ada teaches history in Leeds."),
    ("I love the podcast This American Life.", "Ada loves the podcast This American Life."),
    (
        "Like last Monday, I woke up at 7:30 am and baked a cake in Leeds.",
        "On 8 January 2024, Ada woke up at 7:30 am and baked a cake in Leeds.",
    ),
    ("Hey we run a bakery in Leeds.", "Ada and others run a bakery in Leeds."),
    (
        "I had a small bet with my aunt on the final in Oslo and I ended up winning $20.",
        "Ada had a small bet with their aunt on the final in Oslo and Ada ended up winning $20.",
    ),
    (
        "I'm thinking of sorting my stamps and need some advice on old albums.",
        "Ada is thinking of sorting their stamps and needs some advice on old albums.",
    ),
    (
        "I think I'll use the eggs in my salad on Monday, and maybe even add some to my soup in Leeds.",
        "Ada thinks they will use the eggs in Ada's salad on 15 January 2024, and maybe even add some to"
        " their soup in Leeds.",
    ),
]


@pytest.mark.parametrize(("said", "told"), TOLD_WHOLE)
def test_a_sentence_is_told_to_its_end(said, told):
    assert facts([f"Ada: {said}"]) == [told]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I'm really enjoying my new job at the bakery. My team has been super encouraging and inspiring.",
            "Ada is really enjoying their new job at the bakery. Ada's team has been super encouraging and"
            " inspiring.",
        ),
        (
            "I drew maps for a magazine in Leeds. It's been awesome to spread my love of maps.",
            "Ada drew maps for a magazine in Leeds. It's been awesome to spread Ada's love of maps.",
        ),
    ],
)
def test_of_which_job_or_deed_stands_before_it(said, told):
    assert facts([f"Ada: {said}"]) == [told]


def test_we_are_the_friend_of_whom_more_is_told():
    lines = ["Ada: I met up with my old friend Emma, who moved back to Leeds. We ate fish in the harbour."]
    assert facts(lines)[-1].endswith("Ada and their old friend Emma ate fish in the harbour.")


@pytest.mark.parametrize("lines", IDLE, ids=[lines[0] for lines in IDLE])
def test_idle_remark_is_skipped(lines):
    assert facts(lines) == []
