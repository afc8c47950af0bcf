"""What is a node of the entity graph: what one would look up again, an individual and not a kind of thing."""

from __future__ import annotations

import pytest

from tests.nlp.language.saying import nodes

pytestmark = pytest.mark.models


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I moved to Bristol in 2019.", "Bristol"),
        ("I work at Google.", "Google"),
        ('I am reading "The Long Field" on the train.', "The Long Field"),
        ("I met an old sailor, Wilfred, in May.", "Wilfred"),
        ("I attended the Harbour Lights festival in May.", "Harbour Lights festival"),
        ("I ordered a Dell laptop in May.", "Dell laptop"),
        ("I saw a cottage in the Oakwood neighborhood in May.", "Oakwood neighborhood"),
    ],
)
def test_what_has_a_name_is_a_node(text: str, name: str) -> None:
    assert name in nodes(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My sister moved to Bristol in May.", "Melanie's sister"),
        ("I took the kids to the Tate in May.", "Melanie's kids"),
        ("I contacted my mentor in May.", "Melanie's mentor"),
        ("I walk my pups every day in Leeds.", "Melanie's dogs"),
        ("I lost my job in May.", "Melanie's job"),
        ("I moved from my home country in May.", "Melanie's home country"),
        ("I danced at my cousin's wedding in May.", "Melanie's cousin's wedding"),
        ("I am working on my dance studio in Leeds.", "Melanie's dance studio"),
    ],
)
def test_what_is_somebodys_and_people_have_one_of_is_a_node(text: str, name: str) -> None:
    assert name in nodes(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I adopted a rabbit in May.", "Melanie's rabbit"),
        ("I got a puppy two weeks ago.", "Melanie's dog"),
        ("I opened an online clothing store in May.", "Melanie's online clothing store"),
        ("I am starting a dance studio in Leeds.", "Melanie's dance studio"),
    ],
)
def test_what_somebody_founds_or_takes_in_is_theirs(text: str, name: str) -> None:
    assert name in nodes(text)


@pytest.mark.parametrize(
    "text", ["I want to adopt a rabbit.", "I didn't open a dance studio.", "I might start a dance studio."]
)
def test_what_is_only_wanted_denied_or_possible_is_nobodys_and_no_node(text: str) -> None:
    assert not nodes(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I signed up for a pottery class in May.", "pottery class"),
        ("I joined a chess club in Leeds.", "chess club"),
        ("I went to a poetry reading on Friday.", "poetry reading"),
        ("I participated in a 5K charity run in Leeds.", "5K charity run"),
        ("I went to a work conference in May.", "work conference"),
        ("I went on a trip to Norway in May.", "trip to Norway"),
        ("I am planning a road trip to Oregon.", "road trip to Oregon"),
        ("I volunteer at a homeless shelter.", "homeless shelter"),
        ("I lost my job at the engineering company.", "engineering company"),
    ],
)
def test_an_event_a_group_or_a_course_is_a_node_where_a_word_says_which(text: str, name: str) -> None:
    assert name in nodes(text)


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("I went to an event in Leeds on Friday.", "event"),
        ("I went on a hiking trip in May.", "hiking trip"),
        ("I had a team meeting on Friday.", "team meeting"),
        ("I looked for a pottery class in Leeds.", "pottery class"),
        ("I never joined a chess club.", "chess club"),
        ("I stopped at a coffee shop on Friday.", "coffee shop"),
        ("I used to compete in dance competitions.", "dance competitions"),
    ],
)
def test_what_one_has_many_of_or_did_not_take_part_in_is_no_node(text: str, noise: str) -> None:
    assert noise not in nodes(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I do yoga on Mondays.", "yoga"),
        ("I have asthma.", "asthma"),
        ("I play the cello.", "cello"),
        ("I love gardening and pottery.", "pottery"),
        ("I collect coins.", "coins"),
        ("I love sushi.", "sushi"),
        ("I work as a nurse in Leeds.", "nurse"),
        ("I am a software engineer.", "software engineer"),
    ],
)
def test_a_kind_is_a_node_where_it_is_what_somebody_does_is_or_suffers_from(text: str, name: str) -> None:
    assert name in nodes(text)


@pytest.mark.parametrize(
    "text",
    [
        "I bought tickets in May.",
        "I met travelers in May.",
        "I baked a pie on Friday.",
        "I eat leafy greens every day.",
        "I enjoy hiking in the mountains.",
        "I mentor a deaf teenager.",
        "I am looking for a toilet brush.",
        "I am considering some dimmer switches.",
        "I do a lot of online shopping.",
        "I liked my trip.",
        "I admire Caroline's courage.",
        "I improved my sleep quality in May.",
        "I use my phone every evening.",
        "I met my customers on Friday.",
        "I have been running farther to de-stress.",
        "I have not tried pottery yet.",
    ],
)
def test_kinds_things_in_passing_and_what_everybody_has_are_no_nodes(text: str) -> None:
    assert nodes(text) <= {"Caroline"}


def test_a_thing_is_a_node_where_several_messages_speak_of_it() -> None:
    assert nodes("I bought a telescope in May.") == set()
    assert nodes("I bought a telescope in May.", "The telescope shows the rings.") == {"Melanie's telescope"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I visited the Star Base: Galaxy Rim area in May.", "Star Base"),
        ("I watched the match at Rachel and Mike's place.", "Rachel"),
        ("I use a Sony FE 24-70mm lens in Leeds.", "Sony FE"),
        ("I saw an exhibition on Women in Art in May.", "Women"),
    ],
)
def test_a_part_of_a_name_is_no_node(text: str, part: str) -> None:
    assert part not in nodes(text)


def test_a_word_that_opens_the_sentence_is_no_name() -> None:
    assert nodes("Networking is a lifesaver for me.") == set()
