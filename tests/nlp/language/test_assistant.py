"""What is remembered of an assistant's messages: little, in its own words, with what was asked."""

from __future__ import annotations

from datetime import datetime

import pytest

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Kept
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language.extractor import LanguageExtractor

SAID = datetime(2023, 5, 8, 13, 56)
FISH = """Gorgonian corals are a good choice! Here is what they need:

**Lighting:** moderate
**Flow:** strong, 20 times the tank's volume an hour

Some details:

- **Water temperature**: 72-78 F
- **Food**:
    * plankton
    * brine shrimp
- Price: $40 to $80"""


def extract(*turns: str, kept: Kept = "all") -> tuple[Extraction, ExtractionTrace, tuple[Message, ...]]:
    """Turns by Lena and Assistant, Lena first."""
    speakers = (("Lena", "user"), ("Assistant", "assistant"))
    messages = tuple(
        Message(f"m{n}", "s", n, *speakers[n % 2], text, SAID, "message", RawRef("log", f"line {n}"))
        for n, text in enumerate(turns)
    )
    segment = Segment("g", "s", tuple(m.id for m in messages))
    ((extraction, trace),) = LanguageExtractor(kept).extract([Buffer("s", (segment,), messages)])
    return extraction, trace, messages


def told(*turns: str, kept: Kept = "all") -> list[str]:
    """The memories of what the assistant said."""
    return [f.text for f in extract(*turns, kept=kept)[0].facts if f.speaker == "Assistant"]


def test_a_list_is_one_memory_with_its_values_and_what_was_asked():
    (memory,) = told("I want to start an aquarium. What does a Gorgonian coral need?", FISH)
    assert memory == (
        'Assistant told Lena, who asked "What does a Gorgonian coral need?": "Lighting: moderate; Flow: '
        "strong, 20 times the tank's volume an hour. Some details: Water temperature: 72-78 F; "
        'Food: plankton; brine shrimp; Price: $40 to $80."'
    )


def test_sections_keep_their_headings():
    reply = "It depends.\n\n**Pros:**\n\n1. Cheap\n2. Light\n\n**Cons:**\n\n1. Loud\n2. Breaks within 2 years"
    (memory,) = told("Is a Zephyr drone worth its price?", reply)
    assert memory.endswith('"Pros: Cheap; Light. Cons: Loud; Breaks within 2 years."')


def test_a_list_under_numbers_belongs_to_them():
    reply = "Two are good:\n\n**1. Kodak Tri-X**\n\n* ISO 400\n* high grain\n\n**2. Fuji Acros**\n\n* ISO 100"
    (memory,) = told("Which black and white films suit beginners?", reply)
    assert memory.endswith('"Kodak Tri-X: ISO 400; high grain; Fuji Acros: ISO 100."')


def test_rows_of_a_table_are_items():
    reply = "| Day | Shift |\n|---|---|\n| Monday | 8 am |\n| Tuesday | 3 pm |"
    (memory,) = told("Can you show the rotation of the night nurses?", reply)
    assert memory.endswith('"Day: Shift; Monday: 8 am; Tuesday: 3 pm."')


def test_a_long_list_is_shortened_and_what_is_left_out_is_said():
    items = "\n".join(f"{n}. **Shop {n}**: sells spices number {n}." for n in range(1, 31))
    question = "Where can I buy spices?"
    extraction, trace, _ = extract(question, f"For spices I recommend:\n\n{items}\n\nEnjoy your cooking!")
    (memory,) = [f for f in extraction.facts if f.speaker == "Assistant"]
    assert '"Shop 1: sells spices number 1; Shop 2: sells' in memory.text
    assert memory.text.endswith('; and more."')
    assert len(memory.text) < 800
    assert memory.kind == "statement"
    assert any("more than is kept" in p.reason for p in trace.skipped)


def test_a_value_is_cut_at_a_clause_or_left_out_and_never_in_a_word():
    items = "\n".join(
        f"- **Tip {n}**: Look at many shops in the neighbourhood, compare what they ask for and then decide."
        for n in range(1, 13)
    )
    (memory,) = told("What should I mind when buying a used cello?", items)
    assert "Tip 1: Look at many shops in the neighbourhood ...; Tip 2" in memory or "Tip 1; Tip 2" in memory


def test_a_message_leaves_two_memories_at_most():
    prose = " ".join(f"The Hotel Aurora {n} in Oslo opened its doors in 19{n}." for n in range(10, 40))
    lists = "\n".join(f"\nHotels of street {n}:\n- Aurora: {n} rooms\n- Borealis: {n} beds" for n in range(9))
    assert len(told("Which hotels in Oslo are old?", f"{prose}\n{lists}")) == 2


def test_sentences_with_names_and_numbers_are_quoted_together():
    reply = (
        "That's a great question! The oldest part of the palace was built in 1624 by Queen Christina. "
        "It is lovely. As an AI language model, I cannot visit Drottningholm Palace. "
        "The palace garden was laid out by Nicodemus Tessin. Enjoy your visit to Sweden and Stockholm City!"
    )
    (memory,) = told("How old is Drottningholm Palace in Sweden?", reply)
    assert memory == (
        'Assistant told Lena, who asked "How old is Drottningholm Palace in Sweden?": "The oldest part of '
        "the palace was built in 1624 by Queen Christina. The palace garden was laid out by Nicodemus "
        'Tessin."'
    )


REPLY = "- Price: $20\n- Size: 30 inches"


@pytest.mark.parametrize(
    ("turns", "asked"),
    [
        (["I bought a Covercraft cover. Is it on Amazon?"], "I bought a Covercraft cover. Is it on Amazon?"),
        (["I'm planning a trip to Oslo. Any tips?"], "I am planning a trip to Oslo. Any tips?"),
        (
            ["How large is a Covercraft cover?", REPLY, "How much is it?"],
            "How large is a Covercraft cover? [...] How much is it?",
        ),
        (
            ["Write down what a cello costs", REPLY, "continue"],
            "Write down what a cello costs [...] Continue.",
        ),
        (["Do you know of any cello teachers in Leeds?"], "Do you know of any cello teachers in Leeds?"),
    ],
)
def test_the_request_is_quoted_with_what_it_refers_to(turns, asked):
    assert told(*turns, REPLY)[-1].startswith(f'Assistant told Lena, who asked "{asked}": ')


def test_what_was_only_said_is_not_called_asked():
    (memory,) = told("My cello in the attic is old.", REPLY)
    assert memory.startswith('Assistant told Lena, who said "My cello in the attic is old.": ')


def test_a_request_of_a_day_is_dated():
    (memory,) = told("What can I see in Oslo next week?", REPLY)
    assert memory.startswith(
        'On 8 May 2023 Assistant told Lena, who asked "What can I see in Oslo next week?"'
    )


STORY = "The Lighthouse of Arlen\n\n" + " ".join(
    f"On night {n} the keeper Maren Holt lit her lamp and waited for the ships of Captain Brandt."
    for n in range(40)
)


def test_of_a_text_written_on_request_how_it_begins_is_kept():
    extraction, trace, _ = extract("Write a story about a lighthouse for my niece", STORY)
    (memory,) = [f.text for f in extraction.facts if f.speaker == "Assistant"]
    assert memory.startswith(
        'Assistant wrote for Lena, who asked "Write a story about a lighthouse for my niece.": '
        '"The Lighthouse of Arlen. On night 0 the keeper Maren Holt lit her lamp'
    )
    assert len(memory) < 400
    assert {p.reason for p in trace.skipped} >= {"the rest of a text that was written on request"}


def test_advice_on_writing_is_no_text_written_on_request():
    items = "\n".join(
        f"- Rule {n}: keep the letter to {n} pages and name the date of your move" for n in range(9)
    )
    (memory,) = told("Do you have tips on how to write a letter to my landlord?", items)
    assert memory.startswith("Assistant told Lena")


def test_evidence_is_the_assistant_s_words_first_and_then_the_request():
    extraction, _, messages = extract("I want an aquarium. What does a Gorgonian coral need?", FISH)
    by_id = {m.id: m.text for m in messages}
    memory = next(f for f in extraction.facts if f.speaker == "Assistant")
    quotes = [(s.message_id, by_id[s.message_id][s.start : s.end]) for s in memory.sources]
    assert quotes[0][0] == "m1"
    assert quotes[0][1].startswith("Lighting:** moderate")
    assert quotes[0][1].endswith("an hour")
    assert quotes[2][1].endswith("Price: $40 to $80")
    assert quotes[-1] == ("m0", "What does a Gorgonian coral need?")


def test_how_much_of_the_assistant_is_kept_is_a_choice():
    general = "How old is Drottningholm Palace?"
    personal = "How old is my house in Drottningholm?"
    reply = "The house in Drottningholm was built in 1624 by Queen Christina."
    assert [len(told(q, reply)) for q in (general, personal)] == [1, 1]
    assert [len(told(q, reply, kept="personal")) for q in (general, personal)] == [0, 1]
    assert [len(told(q, reply, kept="none")) for q in (general, personal)] == [0, 0]
    _, trace, _ = extract(general, reply, kept="personal")
    assert trace.skipped[-1].reason == "general knowledge, which the settings leave out"


def test_questions_to_the_user_are_no_values():
    reply = "Tell me more:\n- What is your budget?\n- Where do you live?\n- Size: 3/4 cellos are for children"
    (memory,) = told("Which cello should my daughter Ada play?", reply)
    assert "budget" not in memory


def test_without_a_request_the_words_that_lead_to_a_list_say_what_it_is_of():
    text = f"Prices of cellos at Hill's:\n{REPLY}"
    message = Message("m0", "s", 0, "Assistant", "assistant", text, SAID, "message", RawRef("log", "line 1"))
    buffer = Buffer("s", (Segment("g", "s", ("m0",)),), (message,))
    ((extraction, _),) = LanguageExtractor().extract([buffer])
    assert "Prices of cellos at Hill's: Price: $20; Size: 30 inches" in extraction.facts[0].text


def test_headings_one_above_the_other_both_stand():
    reply = "**Zephyr 2**\n\nPros:\n- Cheap\n- Light\n\n**Boreas**\n\nPros:\n- Fast\n- Silent"
    (memory,) = told("How do the Zephyr and the Boreas drones compare?", reply)
    assert memory.endswith('"Zephyr 2, Pros: Cheap; Light. Boreas, Pros: Fast; Silent."')
