"""What is kept of a sentence that asks, refers back or lacks a subject; and of images.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from memcore.domain.extraction import Extraction, ExtractionTrace
from memcore.nlp.language.extractor import LanguageExtractor
from tests.nlp.language.test_conversations import conversation, facts, named
from tests.nlp.language.test_named import told

pytestmark = pytest.mark.models

ASKING: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I've been using my Zephyr watch for 6 months now… do you have any tips?"],
        ["Ada has been using their Zephyr watch since around July 2023."],
    ),
    (
        ["Ada: I'm cutting my morning coffee to two cups, do you think that's too much?"],
        ["Ada is cutting their morning coffee to two cups."],
    ),
    (
        ["Ada: I'm planning a trip to Norway and I was wondering if you could recommend some fjords."],
        ["Ada is planning a trip to Norway."],
    ),
    (
        ["Ada: Remember when I got pre-approved for $400,000 from the Harbour Bank?"],
        ["Ada got pre-approved for $400,000 from the Harbour Bank."],
    ),
    (
        ["Ada: Can you check the fees, remember when I sold my kayak for $300?"],
        ["Ada sold their kayak for $300."],
    ),
    (
        ["Ada: I've been learning the harp, which is a lot of work - do you think I can play by June?"],
        ["Ada has been learning the harp, which is a lot of work."],
    ),
    (["Ada: I see, thanks. I see Dr. Roe every week."], ["Ada sees Dr. Roe every week."]),
    (["Ada: Did I tell you that I moved to Leeds in May?"], ["Ada moved to Leeds in May 2023."]),
    (["Ada: Can you help? (No rush. I sold my kayak in May.)"], ["Ada sold their kayak in May 2023."]),
    (["Ada: I will then respond as the customer of the bank."], []),
    (["Ada: I feel drawn to nursing the old in this way."], ["Ada feels drawn to nursing the old."]),
    (
        ["Ada: We will have a great big party for my aunt in Leeds on 20 May."],
        ["Ada and others will have a great big party for Ada's aunt in Leeds on 20 May 2024."],
    ),
    (["Ada: I'm sure Tom will sell the flat in Kent."], ["Ada is sure Tom will sell the flat in Kent."]),
    (["Ada: I will make sure to have a safe trip."], []),
    (["Ada: We can keep doing great stuff and making a difference."], []),
    (["Ada: I'm so hungry."], []),
    (
        ["Ada: I moved to Leeds in December. It's been a month now, and I've made two friends."],
        [
            "Ada moved to Leeds in December 2023. "
            "It's been so since around December 2023, and Ada has made two friends."
        ],
    ),
    (
        ["Ada: I had a tough time in my class in Kent. Did an analysis on this play and it went ok!"],
        ["Ada had a tough time in their class in Kent. Ada did an analysis on a play and it went ok."],
    ),
    (
        ["Ada: I note the fuel for my road trips, and I got 28 miles a gallon on my first trip."],
        ["Ada notes the fuel for their road trips, and Ada got 28 miles a gallon on Ada's first trip."],
    ),
    # a question of any kind behind a comma
    (
        ["Ada: I've been going bouldering alone lately, is that safe?"],
        ["As of 12 January 2024, Ada has been going bouldering alone."],
    ),
    (
        ["Ada: I've cut down to two cups of coffee a day, are headaches normal?"],
        ["Ada has cut down to two cups of coffee a day."],
    ),
    (
        ["Ada: I have three ferns on my balcony, how often should I water them?"],
        ["Ada has three ferns on Ada's balcony."],
    ),
    # what an apposition tells of something of the speaker's, and no present that is somebody
    (["Ada: Can you suggest a gift for my sister, a nurse?"], ["Ada's sister is a nurse."]),
    (
        ["Ada: I'm looking for tips on varnish for my current project, a cedar canoe."],
        ["Ada's current project is a cedar canoe."],
    ),
    (["Ada: What should I get, for my sister, a nice card?"], []),
    (["Ada: Any names for my dog, a bit of a rascal?"], []),
    # and the reason for asking
    (["Ada: Since I'm allergic to nuts, can you suggest a cake?"], ["Ada is allergic to nuts."]),
    (["Ada: Now that I have a puppy, what food should I buy?"], ["Ada has a puppy."]),
    # how often, how long: of what was just spoken of
    (
        ["Ada: I have a lesson with Dr. Roe coming up - it's every two weeks."],
        ["Ada has a lesson with Dr. Roe coming up. It's every two weeks."],
    ),
    (
        ["Ada: I'm proud of sticking to my garden routine - it's already been 3 weeks!"],
        ["Ada is proud of sticking to their garden routine. It's already been 3 weeks."],
    ),
    # "ones" that the question names
    (
        ["Ada: Have you tried any good noodle bars here? I've tried four different ones so far."],
        ["Ada has tried four different noodle bars so far."],
    ),
    # helping verbs, hours and places that are no pronouns, verbs or durations
    (
        ['Ada: I\'ve been meaning to get back to "Emma" by Austen.'],
        ['Ada has been meaning to get back to "Emma" by Austen.'],
    ),
    (["Ada: My parents live with me in the US."], ["Ada's parents live with Ada in the US."]),
    (["Ada: I've shifted my yoga to 7:15 am."], ["Ada has shifted their yoga to 7:15 am."]),
    (
        ["Ada: My film subscription is $19 a month now."],
        ["As of 12 January 2024, Ada's film subscription is $19 a month."],
    ),
    (["Ada: If I sell the kayak, do you think that my brother minds?"], []),
    (["Ada: How often does one water a fern and should I repot it?"], []),
    (["Ada: I asked Karl what should I do in Rome."], ["Ada asked Karl what should Ada do in Rome."]),
]

BACK: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I just ran the 'Walk for Bread' on January 2nd, so I'm looking for something similar."],
        ["Ada just ran the 'Walk for Bread' on 2 January 2024."],
    ),
    (
        ["Ada: I attended a party at my colleague's house in May, and they had an amazing sauce."],
        ["Ada attended a party at their colleague's house in May 2023."],
    ),
    (
        ["Ada: I'm not happy with it, but I bought a cello in May."],
        ["Ada bought a cello in May 2023."],
    ),
    (
        ["Ada: Do you know of offers at Harbour Foods? I joined their rewards club on Monday."],
        [
            'On 12 January 2024 Ada said to Ben: "Do you know of offers at Harbour Foods? I joined their '
            'rewards club on Monday."'
        ],
    ),
    (["Ada: I sold my boat. Do you think so? I bought it there yesterday."], ["Ada sold their boat."]),
    (["Ada: If it rains, I will stay in Leeds."], ["If it rains, Ada will stay in Leeds."]),
    (
        ["Ada: I'm trying to get back into painting and reading more."],
        ["Ada is trying to get back into painting and reading more."],
    ),
    (
        ["Ada: I listen to this one playlist that I made, called Harbour Songs."],
        ["Ada listens to one playlist that they made, called Harbour Songs."],
    ),
]

SUBJECTS: list[tuple[list[str], list[str]]] = [
    (["Ada: got married last week"], ["Ada got married in the week of 1 January 2024."]),
    (["Ada: Got promoted to head nurse yesterday!"], ["Ada got promoted to head nurse on 11 January 2024."]),
    (["Ada: Taking in stray cats - you're so kind!"], []),
    (
        ["Ada: Met lots of sailors in Oslo, had so much fun!"],
        ["Ada met lots of sailors in Oslo and had so much fun."],
    ),
    (["Ada: Made in Austria, circa 1930."], ['Ada said to Ben: "Made in Austria, circa 1930."']),
    (["Ada: Animated like a loading menu."], []),
    (
        ["Ada: Built with Lego with my son on Sunday."],
        ["Ada built with Lego with Ada's son on 7 January 2024."],
    ),
    (
        ["Ada: Speaking of weddings, my friend Rachel got engaged in May."],
        ["Ada's friend Rachel got engaged in May 2023."],
    ),
    (
        ["Ada: I've had Luna for 6 months now, and I've been meaning to get her a collar."],
        ["Ada has had Luna since around July 2023, and Ada has been meaning to get her a collar."],
    ),
]

FIGURES: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: My sales: May 6th, Harbour Market, $350; May 13th, Tower Fair, $200."],
        [
            'On 12 January 2024 Ada said to Ben: "My sales: May 6th, Harbour Market, $350; '
            'May 13th, Tower Fair, $200."'
        ],
    ),
    (
        [
            "Ben: What did you earn at the markets?",
            "Ada: May 6th, Harbour Market, $350; May 13th, Tower Fair, $200.",
        ],
        [
            'Ben asked Ada: "What did you earn at the markets?" Ada answered: "May 6th, Harbour Market, '
            '$350; May 13th, Tower Fair, $200."'
        ],
    ),
]

IMAGES: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: We went camping in the forest near Leeds.\n[shared image: a man camping]"],
        ["Ada and others went camping in the forest near Leeds. Ada shared an image: a man camping."],
    ),
    (
        ["Ada: We went camping in the forest near Leeds.\n[shared image: a clock]"],
        ["Ada and others went camping in the forest near Leeds."],
    ),
    (
        ["Ada: I sold my boat. I adopted a dog from the shelter.\n[shared image: a photo of a boat]"],
        [
            "Ada sold their boat. Ada shared an image: a photo of a boat.",
            "Ada adopted a dog from the shelter.",
        ],
    ),
    (
        ["Ada: I work at a bakery. Here's one I made last week.\n[shared image: a painting of a lake]"],
        [
            "Ada works at a bakery.",
            "On 12 January 2024 Ada shared an image: a painting of a lake, "
            'saying "Here\'s one I made last week".',
        ],
    ),
    (
        ["Ben: Do you have any paintings to show?", "Ada: Sure!\n[shared image: a painting of a lake]"],
        ['Ben asked Ada: "Do you have any paintings to show?" Ada shared an image: a painting of a lake.'],
    ),
    (["Ada: [shared image: a painting of a lake]"], []),
    (
        ["Ada: Here's a photo of our rowers who are excited about this.\n[shared image: rowers in a boat]"],
        ['Ada shared an image: rowers in a boat, saying "Here\'s a photo of our rowers".'],
    ),
    (
        ["Ada: So many people there admiring my boats.\n[shared image: people by some boats]"],
        ['Ada shared an image: people by some boats, saying "So many people admiring my boats".'],
    ),
    (["Ada: I saw boats of that kind there first.\n[shared image: people by some boats]"], []),
    (
        ["Ada: As silly as when I fed a horse a carrot.\n[shared image: a horse with a carrot]"],
        ['Ada shared an image: a horse with a carrot, saying "I fed a horse a carrot".'],
    ),
    (
        ["Ada: They loved the boats of Leeds.\n[shared image: two children by boats]"],
        ['Ada shared an image: two children by boats, saying "They loved the boats of Leeds".'],
    ),
    (["Ada: Thanks so much!\n[shared image: a clock]"], []),
]


@pytest.mark.parametrize(("lines", "expected"), ASKING, ids=named(ASKING))
def test_a_statement_is_kept_beside_what_it_asks(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), BACK, ids=named(BACK))
def test_what_refers_to_nothing_is_kept_of_a_sentence_that_refers_back(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), SUBJECTS, ids=named(SUBJECTS))
def test_a_dropped_subject_is_the_speaker(lines, expected):
    assert facts(lines) == expected


def test_what_is_shared_with_others_is_not_shared_with_the_assistant():
    quarrel = "I quarrelled with my best friend Kim in May, but it made our friendship stronger."
    assert "Assistant" not in told(f"user: {quarrel}")[0][0]


def test_what_is_only_supposed_before_a_question_is_no_fact():
    asked = "So if we were to guess animals, and we use a tree with 3 branches, how many layers are there?"
    assert told(f"user: {asked}")[0] == []


def test_a_form_a_draft_and_a_pasted_answer_are_nobodys():
    form = "[Task]: Find the owl.\n[Observation]: I see a clay owl and two boats in Leeds.\n[Action]:"
    draft = "I mended the boat of a client in Leeds last week\n\nplease rephrase it"
    answer = "I bought a boat in Leeds in May.\nassistant: I see. I'll add your boat to the sheet."
    assert told(f"user: {form}")[0] == []
    assert told(f"user: {draft}")[0] == []
    assert told(f"user: {answer}")[0] == ["User bought a boat in Leeds in May 2023."]


@pytest.mark.parametrize(("lines", "expected"), FIGURES, ids=named(FIGURES))
def test_a_list_of_figures_is_quoted_with_what_it_answers(lines, expected):
    assert facts(lines) == expected


def test_a_table_that_is_pasted_to_an_assistant_is_nobodys():
    pasted = "Mill Lane Hall, 3 Mill Lane\nSt Anne Church, 12 Main Street"
    own = "My deliveries: 3 loaves for Mill Lane Hall;\n12 rolls for St Anne Church"
    assert told(f"user: {pasted}")[0] == []
    assert len(told(f"user: {own}")[0]) == 1


@pytest.mark.parametrize(("lines", "expected"), IMAGES, ids=named(IMAGES))
def test_an_image_joins_what_the_message_says_of_it(lines, expected):
    assert facts(lines) == expected


def extract(line: str) -> tuple[Extraction, ExtractionTrace]:
    return LanguageExtractor().extract([conversation([line])])[0]


def test_evidence_is_the_part_that_is_kept_and_the_rest_is_skipped_with_a_reason():
    text = "I ran the Harbour Marathon in May, so I'm looking for something similar."
    extraction, trace = extract(f"Ada: {text}")
    (fact,) = extraction.facts
    assert [text[s.start : s.end] for s in fact.sources] == ["I ran the Harbour Marathon in May"]
    assert [text[p.start : p.end] for p in trace.skipped] == [", so I'm looking for something similar."]


def test_an_image_is_evidence_beside_the_words_that_it_joins():
    text = "I adopted a puppy from the shelter.\n[shared image: a brown puppy]"
    extraction, _ = extract(f"Ada: {text}")
    spans = [text[s.start : s.end] for s in extraction.facts[0].sources]
    assert spans == ["I adopted a puppy from the shelter.", "[shared image: a brown puppy]"]


def test_an_image_that_no_words_tell_of_is_skipped_with_a_reason():
    _, trace = extract("Ada: Thanks so much!\n[shared image: a clock]")
    assert trace.skipped[-1].reason == "an image that no words of the message tell of"


def test_a_bracket_that_an_earlier_sentence_opened_leaves_the_evidence_right():
    said = "(Well, a lot happened. I moved to Oslo in May.)"
    ((extraction, _),) = LanguageExtractor().extract([conversation([f"Ada: {said}"])])
    quoted = [(f.text, [said[s.start : s.end] for s in f.sources]) for f in extraction.facts]
    assert quoted == [("Ada moved to Oslo in May 2023.", ["I moved to Oslo in May.)"])]
