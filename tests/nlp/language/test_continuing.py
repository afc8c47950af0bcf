"""What is only understood behind the words before it is told with them; what names something stands alone.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from tests.nlp.language.test_conversations import facts, named
from tests.nlp.language.test_named import told

pytestmark = pytest.mark.models

DEPENDENT_CLAUSES: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I'm reading Dune, and I'm on page 120."],
        ["Ada is reading Dune, and Ada is on page 120."],
    ),
    (
        ["Ada: I had my first choir meeting in Leeds and sang a carol by Holst."],
        ["Ada had their first choir meeting in Leeds and sang a carol by Holst."],
    ),
    (
        ["Ada: I'm planning a trip to Oslo in May and I'll likely need to pack an adapter."],
        ["Ada is planning a trip to Oslo in May 2024 and they will likely need to pack an adapter."],
    ),
    (
        ["Ada: I explored the coast of Norway and hit some cool national parks."],
        ["Ada explored the coast of Norway and hit some cool national parks."],
    ),
    (
        ["Ada: I've been looking at the road conditions in Norway and whether I should rent a van."],
        ["Ada has been looking at the road conditions in Norway and whether Ada should rent a van."],
    ),
]

CLAUSES_THAT_STAND: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I love the hills in Leeds, and I work as a nurse."],
        ["Ada loves the hills in Leeds.", "Ada works as a nurse."],
    ),
    (
        ["Ada: I baked bread in Leeds, and I'm planning a trip to Oslo."],
        ["Ada baked bread in Leeds.", "Ada is planning a trip to Oslo."],
    ),
]

JOINED: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: We camped in Norway in May. We all made wishes."],
        ["Ada and others camped in Norway in May 2023. Ada and others all made wishes."],
    ),
    (
        ["Ada: I went to a fair with Kim in May. I got some possible leads."],
        ["Ada went to a fair with Kim in May 2023. Ada got some possible leads."],
    ),
    (
        ["Ada: I'll try out Krita and Gimp. I've heard great things about both tools."],
        ["Ada will try out Krita and Gimp. Ada has heard great things about both tools."],
    ),
    (
        [
            "Ada: I set up a charity run in our town. It was all for a good cause - to help out veterans. "
            "We raised lots of funds!"
        ],
        [
            "Ada set up a charity run in Ada's town. It was all for a good cause - to help out veterans. "
            "Ada and others raised lots of funds."
        ],
    ),
    (
        ["Ada: My van broke down in Leeds in May. I tried to stay calm and asked for assistance."],
        ["Ada's van broke down in Leeds in May 2023. Ada tried to stay calm and asked for assistance."],
    ),
    (
        ["Ada: We camped in Norway in May. It was so amazing lying there. We all made wishes."],
        ["Ada and others camped in Norway in May 2023. Ada and others all made wishes."],
    ),
    (
        ["Ada: Last weekend our city held a lantern parade. So many people marched waving flags."],
        [
            "On the weekend of 6 January 2024 Ada's city held a lantern parade. "
            "So many people marched waving flags."
        ],
    ),
    (
        ["Ada: On Monday I went to a fair in Leeds, it was great! I got some possible leads."],
        ["On 8 January 2024 Ada went to a fair in Leeds; it was great. Ada got some possible leads."],
    ),
    (
        ["Ben: What's your next move in politics?", "Ada: I'm asking local leaders about my next move."],
        [
            'Ben asked Ada: "What\'s your next move in politics?" '
            "Ada is asking local leaders about Ada's next move."
        ],
    ),
]

APART: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I joined a gym in Leeds. I also have a dog called Rex."],
        ["Ada joined a gym in Leeds.", "Ada also has a dog called Rex."],
    ),
    (
        ["Ada: I joined a gym in Leeds. By the way, I also bake muffins."],
        ["Ada joined a gym in Leeds.", "Ada also bakes muffins."],
    ),
    (
        ["Ada: I sold my kayak in Leeds. I have more patients than my sister Kim."],
        ["Ada sold their kayak in Leeds.", "Ada has more patients than Ada's sister Kim."],
    ),
]

TOLD_TOGETHER: list[tuple[list[str], list[str]]] = [
    (
        ["user: I don't really see the point of guided tours. I prefer to explore on my own."],
        ["User doesn't really see the point of guided tours. User prefers to explore on their own."],
    ),
    (
        ["user: I'm thinking of repainting my boat. I've been looking at brighter colours."],
        ["User is thinking of repainting their boat. User has been looking at brighter colours."],
    ),
]

TOLD_APART: list[tuple[list[str], list[str]]] = [
    # a figure or a day is compared by itself; a thing that was got, or another line, is another matter
    (
        ["user: I own 3 boats. I prefer to sail on my own."],
        ["User owns 3 boats.", "User prefers to sail on their own."],
    ),
    (
        ["user: I sailed on 3 May. I prefer to row on my own."],
        ["User sailed on 3 May 2023.", "User prefers to row on their own."],
    ),
    (["user: I sold my boat. I bought a bike."], ["User sold their boat.", "User bought a bike."]),
    (
        ["user: I don't see the point of guided tours.\nI prefer to explore on my own."],
        ["User doesn't see the point of guided tours.", "User prefers to explore on their own."],
    ),
    # one that does not read well costs itself alone
    (
        [
            "user: My blog is about boats, and my goal is to bring more people to it. I'm interested in "
            "focusing on on-page optimization, as I think it is an area where I can make improvements."
        ],
        ["User's blog is about boats, and user's goal is to bring more people to it."],
    ),
]

PASSED_OVER: list[list[str]] = [
    ["Ada: So many people wanted to buy our jam."],
    ["Ada: I slowly formed connections by listening."],
    ["Ada: I felt so proud."],
    ["Ada: I've been stumped about something."],
    ["Ada: There's something special about the energy and sense of unity."],
]

KEPT: list[tuple[list[str], list[str]]] = [
    (["Ada: I did a lot of research on canoes."], ["Ada did a lot of research on canoes."]),
    (
        ["Ada: I struggled with my asthma, and the support I got was helpful."],
        ["Ada struggled with their asthma, and the support they got was helpful."],
    ),
    (["Ada: I rely on my friends for support."], ["Ada relies on their friends for support."]),
    (
        ["Ada: I was happy when my sister Kim moved to Leeds."],
        ["Ada was happy when their sister Kim moved to Leeds."],
    ),
    (
        ["Ada: I joined a gym in Leeds and the people are awesome."],
        ["Ada joined a gym in Leeds."],
    ),
    (
        ["Ada: I sold my boat in Leeds. I bought a bike."],
        ["Ada sold their boat in Leeds.", "Ada bought a bike."],
    ),
]

LOOSE_TIMES: list[tuple[list[str], list[str]]] = [
    (["Ada: I moved to Leeds a few years ago."], ["Ada moved to Leeds a few years before 2024."]),
    (
        ["Ada: I saw the dentist on January 20th about my tooth."],
        ["Ada saw the dentist on January 20th about Ada's tooth."],
    ),
    (
        ["Ada: I saw the dentist on June 20th about my tooth."],
        ["Ada saw the dentist on 20 June 2023 about Ada's tooth."],
    ),
]


@pytest.mark.parametrize("lines, expected", DEPENDENT_CLAUSES, ids=named(DEPENDENT_CLAUSES))
def test_a_clause_that_names_nothing_is_not_cut_from_the_one_before(
    lines: list[str], expected: list[str]
) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines, expected", CLAUSES_THAT_STAND, ids=named(CLAUSES_THAT_STAND))
def test_clauses_that_stand_by_themselves_are_facts_of_their_own(
    lines: list[str], expected: list[str]
) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines, expected", JOINED, ids=named(JOINED))
def test_what_goes_on_with_the_sentence_before_is_told_with_it(lines: list[str], expected: list[str]) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines, expected", APART, ids=named(APART))
def test_what_names_something_or_begins_another_matter_stands_alone(
    lines: list[str], expected: list[str]
) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines", PASSED_OVER, ids=named([(lines, []) for lines in PASSED_OVER]))
def test_what_says_next_to_nothing_alone_is_passed_over(lines: list[str]) -> None:
    assert facts(lines) == []


@pytest.mark.parametrize("lines, expected", KEPT, ids=named(KEPT))
def test_what_says_of_what_it_tells_is_kept_without_the_rest(lines: list[str], expected: list[str]) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines, expected", LOOSE_TIMES, ids=named(LOOSE_TIMES))
def test_no_year_is_told_that_nobody_said(lines: list[str], expected: list[str]) -> None:
    assert facts(lines) == expected


@pytest.mark.parametrize("lines, expected", TOLD_TOGETHER, ids=named(TOLD_TOGETHER))
def test_what_names_nothing_is_told_to_an_assistant_with_the_sentence_before(
    lines: list[str], expected: list[str]
) -> None:
    assert told(*lines)[0] == expected


@pytest.mark.parametrize("lines, expected", TOLD_APART, ids=named(TOLD_APART))
def test_what_is_compared_by_itself_or_of_another_matter_is_told_apart(
    lines: list[str], expected: list[str]
) -> None:
    assert told(*lines)[0] == expected


def test_people_among_themselves_go_from_one_matter_to_the_next() -> None:
    said = ["Ada: I don't really see the point of guided tours. I prefer to explore on my own."]
    assert facts(said) == [
        "Ada doesn't really see the point of guided tours.",
        "Ada prefers to explore on their own.",
    ]
