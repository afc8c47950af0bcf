"""WhatsApp: what Android and iOS write, in the ways of several countries."""

from datetime import datetime
from io import BytesIO
from zipfile import ZipFile

import pytest

from tests.logs.reading import read, read_one, said

TALK = [("Nora", "I moved."), ("Ben", "Where to?")]
EVENING, LATER = datetime(2024, 4, 13, 21, 5), datetime(2024, 4, 13, 21, 6)


def times(log):
    return [m.said_at and m.said_at.replace(second=0) for m in log.messages]


@pytest.mark.parametrize(
    "text",
    [
        "13/04/2024, 21:05 - Nora: I moved.\n13/04/2024, 21:06 - Ben: Where to?\n",
        "13.04.24, 21:05 - Nora: I moved.\r\n13.04.24, 21:06 - Ben: Where to?\r\n",
        "4/13/24, 9:05 PM - Nora: I moved.\n4/13/24, 9:06 PM - Ben: Where to?",
        "4/13/24, 9:05\u202fPM - Nora: I moved.\n4/13/24, 9:06\u202fPM - Ben: Where to?",
        "13/4/24, 9:05\u00a0p.\u00a0m. - Nora: I moved.\n13/4/24, 9:06\u00a0p.\u00a0m. - Ben: Where to?",
        "13/04/2024 à 21:05 - Nora: I moved.\n13/04/2024 à 21:06 - Ben: Where to?",
        "13/04/24 21.05 - Nora: I moved.\n13/04/24 21.06 - Ben: Where to?",
        "[13.04.24, 21:05:11] Nora: I moved.\n[13.04.24, 21:06:01] Ben: Where to?",
        "\u200e[13/04/2024, 21:05:11] Nora: I moved.\n[13/04/2024, 21:06:01] ~\u202fBen: Where to?",
        "[4/13/24, 9:05:11\u202fPM] \u202aNora\u202c: I moved.\n[4/13/24, 9:06:01\u202fPM] Ben: Where to?",
        "[2024-04-13, 21:05:11] Nora: I moved.\n[2024-04-13, 21:06:01] Ben: Where to?",
        "\ufeff[13/04/2024 21:05:11] Nora: I moved.\n[13/04/2024 21:06:01] Ben: Where to?",
    ],
)
def test_each_phones_way_of_writing_is_read(text):
    log = read_one(text)
    assert log.conversation.format == "whatsapp"
    assert said(log) == TALK
    assert times(log) == [EVENING, LATER]


@pytest.mark.parametrize(("clock", "hour"), [("12:05 AM", 0), ("12:05 pm", 12), ("1:05 p. m.", 13)])
def test_twelve_is_midnight_or_noon(clock, hour):
    log = read_one(f"13/04/2024, {clock} - Nora: I moved.")
    assert times(log) == [datetime(2024, 4, 13, hour, 5)]


def test_a_message_goes_on_over_its_lines():
    log = read_one(
        "13/04/2024, 21:05 - Nora: The list:\n- beans: 3\n\n12:30 at the gate\nNote: bring 12/05 forms\n"
        "13/04/2024, 21:06 - Ben: ok"
    )
    assert said(log) == [
        ("Nora", "The list:\n- beans: 3\n\n12:30 at the gate\nNote: bring 12/05 forms"),
        ("Ben", "ok"),
    ]
    assert [m.raw_ref.where for m in log.messages] == ["line 1", "line 6"]


def test_androids_own_lines_have_no_speaker_and_are_left_out_with_what_follows_them():
    log = read_one(
        "13/04/2024, 21:00 - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
        '13/04/2024, 21:01 - Nora changed the group name from “Beans: all” to "Peas: all"\n'
        "13/04/2024, 21:02 - Ben changed the group description\nA second line of it: here\n"
        "13/04/2024, 21:05 - Nora: I moved.\n13/04/2024, 21:06 - Ben: Where to?"
    )
    assert said(log) == TALK


def test_what_ios_marks_as_its_own_is_left_out_and_told():
    found = read(
        "[13.04.24, 21:00:00] Garden: \u200eMessages and calls are end-to-end encrypted.\n"
        "[13.04.24, 21:05:11] Nora: I moved.\n[13.04.24, 21:05:30] Ben: \u200eMissed voice call\n"
        "[13.04.24, 21:06:01] Ben: Where to? \u200e<This message was edited>"
    )
    assert said(found.logs[0]) == TALK
    assert [(place.where, place.records) for place in found.skipped] == [("line 1 and 1 more", 2)]


@pytest.mark.parametrize(
    "nothing",
    [
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "\u200eimage omitted",
        "image omitted",
        "\u200e<attached: 00000012-PHOTO-2024-04-13.jpg>",
        "IMG-20240413-WA0001.jpg (file attached)",
        "This message was deleted",
        "null",
    ],
)
def test_media_and_deleted_messages_have_no_text_and_are_counted(nothing):
    found = read(
        f"[13.04.24, 21:05:11] Nora: I moved.\n[13.04.24, 21:05:20] Nora: {nothing}\n"
        f"[13.04.24, 21:05:30] Nora: {nothing}\n[13.04.24, 21:06:01] Ben: Where to?"
    )
    assert said(found.logs[0]) == TALK
    assert [place.where for place in found.skipped] == ["line 2 and 1 more"]


@pytest.mark.parametrize(
    "with_caption",
    [
        "plan 2.pdf (file attached)\nThe new bed",
        "The new bed \u200e<attached: 00000012-PHOTO-2024-04-13.jpg>",
        "\u200e<attached: 00000012-PHOTO-2024-04-13.jpg>\nThe new bed",
    ],
)
def test_captions_are_kept(with_caption):
    log = read_one(f"[13.04.24, 21:05:11] Nora: {with_caption}\n[13.04.24, 21:06:01] Ben: Where to?")
    assert said(log)[0] == ("Nora", "The new bed")


@pytest.mark.parametrize(
    "text", ["<grin>", "see notes.txt (the draft)", "He said: <Media omitted>?", "null and void"]
)
def test_words_that_look_like_media_are_kept(text):
    assert said(read_one(f"13/04/2024, 21:05 - Nora: {text}")) == [("Nora", text)]


def test_a_mention_is_a_name():
    assert said(read_one("13/04/2024, 21:05 - Nora: ask @\u2068Ben Ode\u2069")) == [("Nora", "ask @Ben Ode")]


def test_the_order_of_day_and_month_shows_in_the_order_of_the_messages():
    european = "11/04/2024, 10:00 - Nora: a\n12/04/2024, 10:00 - Ben: b\n02/05/2024, 10:00 - Nora: c"
    american = "4/11/24, 10:00 AM - Nora: a\n4/12/24, 10:00 AM - Ben: b\n5/2/24, 10:00 AM - Nora: c"
    days = [datetime(2024, 4, 11, 10), datetime(2024, 4, 12, 10), datetime(2024, 5, 2, 10)]
    assert times(read_one(european)) == days
    assert times(read_one(american)) == days


AMBIGUOUS = "03/04/2024, 21:05 - Nora: a\n04/04/2024, 10:00 - Ben: b\n05/05/2024, 10:00 - Nora: c"


def test_an_order_that_does_not_show_is_asked_for_and_no_time_is_guessed():
    found = read(AMBIGUOUS)
    assert times(found.logs[0]) == [None] * 3
    assert {m.time_source for m in found.logs[0].messages} == {"none"}
    assert found.unclear_dates == ("03/04/2024, 21:05",)
    assert [place.where for place in found.skipped] == ["line 1"]
    assert "say which" in found.skipped[0].why


@pytest.mark.parametrize(
    ("day_first", "first"), [(True, datetime(2024, 4, 3)), (False, datetime(2024, 3, 4))]
)
def test_the_answer_dates_all_messages(day_first, first):
    found = read(AMBIGUOUS, day_first=day_first)
    assert not found.skipped
    assert not found.unclear_dates
    assert found.logs[0].messages[0].said_at == first.replace(hour=21, minute=5)


def test_a_message_whose_time_is_damaged_is_lost_alone_and_its_place_is_named():
    found = read(
        "[13.04.24, 21:05:11] Nora: I moved.\n[13.04.24, 21:0] Ben: Pardon?\nand a second line\n"
        "[13.04.24, 21:06:01] Ben: Where to?"
    )
    assert said(found.logs[0]) == TALK
    assert [place.where for place in found.skipped] == ["line 2"]


def test_a_time_that_never_was_is_reported_and_decides_nothing_about_the_others():
    found = read("14/13/2024, 21:05 - Nora: I moved.\n13/04/2024, 21:06 - Ben: Where to?")
    assert said(found.logs[0]) == TALK
    assert found.logs[0].messages[1].said_at == LATER
    assert [place.where for place in found.skipped] == ["line 1"]


def test_a_transcript_with_iso_times_stays_a_transcript():
    for text in (
        "[2024-03-05 18:30:11] Ana: hi\n[2024-03-05 18:31:12] Ben: ho",
        "2024-03-05 18:30 - Ana: hi",
    ):
        assert read_one(text).conversation.format == "transcript"


def test_the_chat_is_read_from_its_zip_and_the_photos_beside_it_are_skipped():
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        archive.writestr("00000012-PHOTO-2024-04-13.jpg", b"\xff\xd8\xff\xe0" + bytes(range(1, 256)) * 9)
        archive.writestr(
            "_chat.txt", "[13.04.24, 21:05:11] Nora: I moved.\n[13.04.24, 21:06:01] Ben: Where to?"
        )
    assert said(read_one(data.getvalue())) == TALK
