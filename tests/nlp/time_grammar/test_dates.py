"""What English time expressions mean, as a table, and what only looks like one."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import UsageError
from memcore.nlp.time_grammar.dates import find_times, parse_when

MONDAY = "2023-05-08T13:56"
SATURDAY = "2023-05-13T10:00"
SUNDAY = "2023-01-01T15:00"
OCTOBER = "2023-10-13T09:00"

# text | said at | begin | until | what replaces the expression
RESOLVED = """
I went there yesterday.                | MONDAY   | 2023-05-07 | 2023-05-08 | on 7 May 2023
Yesterday I went there.                | MONDAY   | 2023-05-07 | 2023-05-08 | On 7 May 2023
Yesterday was great.                   | MONDAY   | 2023-05-07 | 2023-05-08 | 7 May 2023
I'm free today.                        | MONDAY   | 2023-05-08 | 2023-05-09 | on 8 May 2023
See you tomorrow!                      | MONDAY   | 2023-05-09 | 2023-05-10 | on 9 May 2023
We met the day before yesterday.       | MONDAY   | 2023-05-06 | 2023-05-07 | on 6 May 2023
It's the day after tomorrow.           | MONDAY   | 2023-05-10 | 2023-05-11 | on 10 May 2023
They sang last night.                  | MONDAY   | 2023-05-07T18:00 | 2023-05-08 | on the night of 7 May 2023
They sing tonight.                     | MONDAY   | 2023-05-08T18:00 | 2023-05-09 | on the night of 8 May 2023
I ran this morning.| MONDAY   | 2023-05-08T05:00 | 2023-05-08T12:00 | on the morning of 8 May 2023
I ran yesterday afternoon.| MONDAY   | 2023-05-07T12:00 | 2023-05-07T18:00 | on the afternoon of 7 May 2023
They met on Friday night.              | MONDAY   | 2023-05-05T18:00 | 2023-05-06 | on the night of 5 May 2023
I adopted a dog last week.             | MONDAY   | 2023-05-01 | 2023-05-08 | in the week of 1 May 2023
I adopted a dog last week.             | SUNDAY   | 2022-12-19 | 2022-12-26 | in the week of 19 December 2022
Last week was hard.                    | MONDAY   | 2023-05-01 | 2023-05-08 | The week of 1 May 2023
I spent last weekend hiking.           | MONDAY   | 2023-05-06 | 2023-05-08 | the weekend of 6 May 2023
Did you see this week's show?          | MONDAY   | 2023-05-08 | 2023-05-15 | the week of 8 May 2023's
I start next week.                     | MONDAY   | 2023-05-15 | 2023-05-22 | in the week of 15 May 2023
We moved the week before last.         | MONDAY   | 2023-04-24 | 2023-05-01 | in the week of 24 April 2023
We camped last weekend.                | MONDAY   | 2023-05-06 | 2023-05-08 | on the weekend of 6 May 2023
We camped this past weekend.           | MONDAY   | 2023-05-06 | 2023-05-08 | on the weekend of 6 May 2023
We camp this weekend.                  | MONDAY   | 2023-05-13 | 2023-05-15 | on the weekend of 13 May 2023
We camp next weekend.                  | SATURDAY | 2023-05-20 | 2023-05-22 | on the weekend of 20 May 2023
We camped two weekends ago.            | MONDAY   | 2023-04-29 | 2023-05-01 | on the weekend of 29 April 2023
We camped over the weekend.            | MONDAY   | 2023-05-06 | 2023-05-08 | the weekend of 6 May 2023
We are camping over the weekend.       | SATURDAY | 2023-05-13 | 2023-05-15 | the weekend of 13 May 2023
She wed last month.                    | MONDAY   | 2023-04-01 | 2023-05-01 | in April 2023
She wed last month.                    | SUNDAY   | 2022-12-01 | 2023-01-01 | in December 2022
She weds next month.                   | MONDAY   | 2023-06-01 | 2023-07-01 | in June 2023
I painted it last year.                | MONDAY   | 2022-01-01 | 2023-01-01 | in 2022
This year has been kind.               | MONDAY   | 2023-01-01 | 2024-01-01 | 2023
I graduate next year.                  | MONDAY   | 2024-01-01 | 2025-01-01 | in 2024
It was the year before last.           | MONDAY   | 2021-01-01 | 2022-01-01 | in 2021
I passed last Friday.                  | MONDAY   | 2023-05-05 | 2023-05-06 | on 5 May 2023
I passed last Fri.                     | MONDAY   | 2023-05-05 | 2023-05-06 | on 5 May 2023
I passed last Monday.                  | MONDAY   | 2023-05-01 | 2023-05-02 | on 1 May 2023
I leave this Friday.                   | MONDAY   | 2023-05-12 | 2023-05-13 | on 12 May 2023
I leave this coming Friday.            | SATURDAY | 2023-05-19 | 2023-05-20 | on 19 May 2023
I leave next Friday.                   | MONDAY   | 2023-05-19 | 2023-05-20 | on 19 May 2023
I saw her on Friday.                   | MONDAY   | 2023-05-05 | 2023-05-06 | on 5 May 2023
I saw her on Monday.                   | MONDAY   | 2023-05-01 | 2023-05-02 | on 1 May 2023
I met him Friday.                      | MONDAY   | 2023-05-05 | 2023-05-06 | on 5 May 2023
We met Monday of last week.            | MONDAY   | 2023-05-01 | 2023-05-02 | on 1 May 2023
She came two Sundays ago.              | MONDAY   | 2023-04-30 | 2023-05-01 | on 30 April 2023
It was on Easter Sunday.               | MONDAY   | 2023-04-09 | 2023-04-10 | on Easter Sunday 2023
We hiked last Easter.                  | MONDAY   | 2023-04-09 | 2023-04-10 | at Easter 2023
We hiked at Easter this year.          | MONDAY   | 2023-04-09 | 2023-04-10 | at Easter 2023
We hiked at Easter in 2019.            | MONDAY   | 2019-04-21 | 2019-04-22 | at Easter 2019
We fasted on Good Friday.              | MONDAY   | 2023-04-07 | 2023-04-08 | on Good Friday 2023
It was cheap on Black Friday.          | MONDAY   | 2022-11-25 | 2022-11-26 | on Black Friday 2022
She came two weeks ago on Sunday.      | MONDAY   | 2023-04-30 | 2023-05-01 | on 30 April 2023
We went to Rome last summer.           | MONDAY   | 2022-06-01 | 2022-09-01 | in summer 2022
We went to Rome last summer.           | OCTOBER  | 2023-06-01 | 2023-09-01 | in summer 2023
We go to Rome this summer.             | MONDAY   | 2023-06-01 | 2023-09-01 | in summer 2023
We go to Rome next summer.             | OCTOBER  | 2024-06-01 | 2024-09-01 | in summer 2024
It snowed last winter.                 | MONDAY   | 2022-12-01 | 2023-03-01 | in winter 2022
I read a lot over the summer.          | OCTOBER  | 2023-06-01 | 2023-09-01 | summer 2023
It began last June.                    | MONDAY   | 2022-06-01 | 2022-07-01 | in June 2022
It began last August.                  | OCTOBER  | 2023-08-01 | 2023-09-01 | in August 2023
It begins next June.                   | MONDAY   | 2023-06-01 | 2023-07-01 | in June 2023
It began June last year.               | MONDAY   | 2022-06-01 | 2022-07-01 | in June 2022
It began in June.                      | MONDAY   | 2022-06-01 | 2022-07-01 | in June 2022
It began in May.                       | MONDAY   | 2023-05-01 | 2023-06-01 | in May 2023
It began in march.                     | MONDAY   | 2023-03-01 | 2023-04-01 | in March 2023
It began on the 7th.                   | MONDAY   | 2023-05-07 | 2023-05-08 | on 7 May 2023
It began on the 31st.                  | MONDAY   | 2023-03-31 | 2023-04-01 | on 31 March 2023
I left three days ago.                 | MONDAY   | 2023-05-05 | 2023-05-06 | on 5 May 2023
I left 2 weeks ago.                    | MONDAY   | 2023-04-24 | 2023-05-01 | in the week of 24 April 2023
I left a week ago today.               | MONDAY   | 2023-05-01 | 2023-05-02 | on 1 May 2023
I left a month ago.                    | MONDAY   | 2023-04-01 | 2023-05-01 | in April 2023
I left three years ago.                | MONDAY   | 2020-01-01 | 2021-01-01 | in 2020
I left a few days ago.                 | MONDAY   | 2023-05-04 | 2023-05-07 | a few days before 8 May 2023
I left a couple of months ago.         | MONDAY   | 2023-02-01 | 2023-05-01 | around March 2023
I left a few years ago.                | MONDAY   | 2019-01-01 | 2022-01-01 | a few years before 2023
I left about five years ago.           | MONDAY   | 2017-01-01 | 2020-01-01 | around 2018
I left about a year ago.               | MONDAY   | 2022-04-01 | 2022-07-01 | around May 2022
I left ten years ago.                  | MONDAY   | 2012-01-01 | 2015-01-01 | around 2013
I left a year and a half ago.          | MONDAY   | 2021-10-01 | 2022-01-01 | around November 2021
I left half a year ago.                | MONDAY   | 2022-10-01 | 2023-01-01 | around November 2022
I left about a month and a half ago.   | MONDAY   | 2023-02-01 | 2023-05-01 | around March 2023
I left around half a year ago.         | MONDAY   | 2022-10-01 | 2023-01-01 | around November 2022
I left a week and a half ago.          | MONDAY   | 2023-04-27 | 2023-04-30 | around 28 April 2023
I left this time last year.            | MONDAY   | 2022-04-01 | 2022-07-01 | around May 2022
I leave in two weeks.                  | MONDAY   | 2023-05-22 | 2023-05-29 | in the week of 22 May 2023
I leave in a month.                    | MONDAY   | 2023-06-01 | 2023-07-01 | in June 2023
I leave three days from now.           | MONDAY   | 2023-05-11 | 2023-05-12 | on 11 May 2023
I leave a week from Friday.            | MONDAY   | 2023-05-19 | 2023-05-20 | on 19 May 2023
I moved earlier this year.             | MONDAY   | 2023-01-01 | 2023-05-09 | earlier in 2023
I move later this month.               | MONDAY   | 2023-05-08 | 2023-06-01 | later in May 2023
It rained on May 7.                    | MONDAY   | 2023-05-07 | 2023-05-08 | on 7 May 2023
It rained on 7 May.                    | MONDAY   | 2023-05-07 | 2023-05-08 | on 7 May 2023
It rained on the 9th of May.           | MONDAY   | 2022-05-09 | 2022-05-10 | on 9 May 2022
It rained on 29 February.              | MONDAY   | 2020-02-29 | 2020-03-01 | on 29 February 2020
It rains tomorrow at 3pm. | MONDAY   | 2023-05-09T15:00 | 2023-05-09T15:01 | at 15:00 on 9 May 2023
It rains at 9:15 a.m. tomorrow. | MONDAY   | 2023-05-09T09:15 | 2023-05-09T09:16 | at 09:15 on 9 May 2023
It rained on Friday at noon. | MONDAY   | 2023-05-05T12:00 | 2023-05-05T12:01 | at 12:00 on 5 May 2023
It rained last Christmas.              | MONDAY   | 2022-12-25 | 2022-12-26 | at Christmas 2022
It rained on New Year's Eve.           | MONDAY   | 2022-12-31 | 2023-01-01 | on New Year's Eve 2022
It rained on Halloween.                | MONDAY   | 2022-10-31 | 2022-11-01 | on Halloween 2022
It rained on Thanksgiving.             | MONDAY   | 2022-11-24 | 2022-11-25 | on Thanksgiving 2022
It rained on Valentine's Day.          | MONDAY   | 2023-02-14 | 2023-02-15 | on Valentine's Day 2023
It rained on the Fourth of July.       | MONDAY   | 2022-07-04 | 2022-07-05 | on Independence Day 2022
It ends at the end of May.             | MONDAY   | 2023-05-21 | 2023-06-01 | at the end of May 2023
It began in mid-April.                 | MONDAY   | 2023-04-11 | 2023-04-21 | in mid-April 2023
It began early last year.              | MONDAY   | 2022-01-01 | 2022-05-01 | early 2022
We met in the first week of April.     | MONDAY   | 2023-04-01 | 2023-04-08 | in the first week of April 2023
We met the first weekend of April.     | MONDAY   | 2023-04-01 | 2023-04-03 | the weekend of 1 April 2023
I've painted for seven years now.      | OCTOBER  | 2015-01-01 | 2018-01-01 | since around 2016
I've painted for the past three years. | MONDAY   | 2019-01-01 | 2022-01-01 | since around 2020
I've been gone since last week.        | MONDAY   | 2023-05-01 | 2023-05-08 | since the week of 1 May 2023
It must be done by tomorrow.           | MONDAY   | 2023-05-09 | 2023-05-10 | by 9 May 2023
We talked about last week.             | MONDAY   | 2023-05-01 | 2023-05-08 | the week of 1 May 2023
I look forward to next month.          | MONDAY   | 2023-06-01 | 2023-07-01 | June 2023
I checked in yesterday.                | MONDAY   | 2023-05-07 | 2023-05-08 | on 7 May 2023
What did Ana do in May 2023?           | -        | 2023-05-01 | 2023-06-01 | in May 2023
It was in 2022.                        | -        | 2022-01-01 | 2023-01-01 | in 2022
I've painted since 2016.               | -        | 2016-01-01 | 2017-01-01 | since 2016
I worked there from 2016 to 2019.      | -        | 2016-01-01 | 2020-01-01 | from 2016 to 2019
It was big in the 1990s.               | -        | 1990-01-01 | 2000-01-01 | in the 1990s
It was in the summer of 2022.          | -        | 2022-06-01 | 2022-09-01 | in summer 2022
It was in early 2023.                  | -        | 2023-01-01 | 2023-05-01 | in early 2023
It was on May 7th, 2023.               | -        | 2023-05-07 | 2023-05-08 | on 7 May 2023
It was on Tuesday, 9 May 2023.         | -        | 2023-05-09 | 2023-05-10 | on 9 May 2023
It ran 7-9 May 2023.                   | -        | 2023-05-07 | 2023-05-10 | 7–9 May 2023
I turned 30 in May 2023.               | -        | 2023-05-01 | 2023-06-01 | in May 2023
I read chapters 3 to 9 in May 2023.    | -        | 2023-05-01 | 2023-06-01 | in May 2023
It ran from the 7th to the 9th in May 2023. | -   | 2023-05-07 | 2023-05-10 | from 7 to 9 May 2023
I spent a lazy Sunday at home.         | MONDAY   | 2023-05-07 | 2023-05-08 | Sunday, 7 May 2023
It was on 2023-05-07.                  | -        | 2023-05-07 | 2023-05-08 | on 7 May 2023
It was at 2023-05-07T14:00:00Z. | -        | 2023-05-07T14:00 | 2023-05-07T14:01 | at 14:00 on 7 May 2023
It was at 1:56 pm on 8 May, 2023. | -        | 2023-05-08T13:56 | 2023-05-08T13:57 | at 13:56 on 8 May 2023
It was on 5/17/2023.                   | -        | 2023-05-17 | 2023-05-18 | on 17 May 2023
It was on 17.5.2023.                   | -        | 2023-05-17 | 2023-05-18 | on 17 May 2023
It was the Friday before 15 July 2023. | -        | 2023-07-14 | 2023-07-15 | 14 July 2023
It was the week before 9 June 2023.    | -        | 2023-05-29 | 2023-06-05 | the week of 29 May 2023
It was around March 2023.              | -        | 2023-02-01 | 2023-05-01 | around March 2023
It was on Christmas Eve 2022.          | -        | 2022-12-24 | 2022-12-25 | on Christmas Eve 2022
"""

REFERENCES = {
    name: datetime.fromisoformat(globals()[name]) for name in ("MONDAY", "SATURDAY", "SUNDAY", "OCTOBER")
}


def rows():
    for line in RESOLVED.strip().splitlines():
        text, said, begin, until, rendered = (cell.strip() for cell in line.split("|"))
        yield (
            text,
            REFERENCES.get(said),
            datetime.fromisoformat(begin),
            datetime.fromisoformat(until),
            rendered,
        )


@pytest.mark.parametrize(("text", "reference", "begin", "until", "rendered"), list(rows()))
def test_an_expression_means_an_interval_and_has_an_absolute_name(text, reference, begin, until, rendered):
    found = find_times(text, reference)
    assert [(e.begin, e.until, e.rendered, e.recurring) for e in found] == [(begin, until, rendered, False)]
    assert text[found[0].start : found[0].end] == found[0].text


@pytest.mark.parametrize(
    "text",
    [
        "I may go there",
        "this may help",
        "We march on, march 5 steps",
        "May helped me, and June's cake was good",
        "a gift from June",
        "wait a second",
        "the sun sat low, mon ami",
        "spring rolls for everyone",
        "leaves fall and we fall too",
        "1984 is a good book",
        "in 1984 cases",
        "a copy of 1984",
        "open 24/7",
        "call 555-2023 or +49 2022 1234",
        "version 2.2022.1 and 10.12.2022.5",
        "it cost $2023 or 2,022 euros",
        "summer camp and last summer camp",
        "Sunday school, Sunday brunch, a Friday feeling",
        "Black Friday",
        "the Christmas tree at Halloween Horror Nights",
        "for three years",
        "in the last month",
        "over the next few weeks",
        "a year later",
        "the next day, the following Friday",
        "the same week",
        "the other day, recently, lately, soon, a while ago, years ago",
        "it feels like yesterday",
        "I read it in two days",
        "I haven't seen her in a year",
        "I go to bed at 11 pm",
        "05/06/2023",
        "on 31 June 2023 and 30 February",
        "9999 years ago",
        "my last week at work",
        "one day, someday, any day",
    ],
)
def test_what_only_looks_like_a_time_is_left_alone(text):
    assert [(e.text, e.rendered) for e in find_times(text, REFERENCES["MONDAY"])] == []


@pytest.mark.parametrize(
    "text",
    [
        "every Friday",
        "every Tuesday and Thursday",
        "on Saturdays",
        "Mondays",
        "on weekends",
        "each summer",
        "daily",
        "every other week",
        "twice a week",
        "every morning",
        "Monday, Wednesday, and Friday",
        "Monday, Wednesday, Friday",
        "Monday to Friday",
    ],
)
def test_a_habit_is_marked_and_never_rewritten(text):
    sentence = f"We run {text}."
    (found,) = find_times(sentence, REFERENCES["MONDAY"])
    assert found.recurring
    assert found.rendered == found.text == text
    assert find_times(sentence, None) == []


@pytest.mark.parametrize("text", ["It's Monday, so I am home.", "And it is already Monday."])
def test_what_day_it_is_is_today(text):
    reference = REFERENCES["MONDAY"]
    for side in ("past", "future"):
        (found,) = find_times(text, reference, prefer=side)
        assert found.begin.date() == reference.date()


@pytest.mark.parametrize("days", ["Tues and Fri", "Monday, Thursday", "sat & sun", "Wed/Thu"])
def test_days_in_brackets_are_a_habit(days):
    (found,) = find_times(f"I work from home two days ({days}).", REFERENCES["MONDAY"])
    assert found.recurring and found.text == days


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [
        ("on Friday", "on 5 May 2023", "on 12 May 2023"),
        ("in June", "in June 2022", "in June 2023"),
        ("on May 20", "on 20 May 2022", "on 20 May 2023"),
        ("on the 20th", "on 20 April 2023", "on 20 May 2023"),
        ("for Christmas", "Christmas 2022", "Christmas 2023"),
        ("over the weekend", "the weekend of 6 May 2023", "the weekend of 13 May 2023"),
        ("yesterday", "on 7 May 2023", "on 7 May 2023"),
    ],
)
def test_the_preferred_direction_decides_only_what_is_open(text, past, future):
    reference = REFERENCES["MONDAY"]
    assert [e.rendered for e in find_times(text, reference)] == [past]
    assert [e.rendered for e in find_times(text, reference, prefer="future")] == [future]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("since 2016", "from"),
        ("for five years now", "from"),
        ("until tomorrow", "until"),
        ("by next week", "until"),
        ("before last summer", "before"),
        ("the week before last weekend", "before"),
        ("after 7 May 2023", "after"),
        ("in 2016", "during"),
        ("a picture from last night", "during"),
    ],
)
def test_the_relation_tells_a_bound_from_the_time_of_an_event(text, relation):
    assert [e.relation for e in find_times(text, REFERENCES["MONDAY"])] == [relation]


def test_a_day_is_one_of_the_month_that_is_told_before_it():
    for text, *days in (
        ("I'll go in August, around my aunt's birthday on the 15th.", (1, 8), (15, 8)),
        ("I moved in March, and I am free on the 10th.", (1, 3), (10, 5)),
        ("We painted in March and plan to move on the 10th.", (1, 3), (10, 5)),
        ("I ordered it on March 3 and it came on the 10th.", (3, 3), (10, 3)),
        ("I ordered it on March 3 and I'm home on the 10th.", (3, 3), (10, 5)),
        ("My visa expires on March 3, but I applied on the 10th.", (3, 3), (10, 5)),
    ):
        found = find_times(text, REFERENCES["MONDAY"], prefer="future")
        assert [(e.begin.day, e.begin.month) for e in found] == days, text


def test_only_what_counts_from_the_reference_is_relative():
    found = find_times(
        "Last week I read it, in May 2020 I bought it, on June 3 I lost it.", REFERENCES["MONDAY"]
    )
    assert [(e.text, e.relative) for e in found] == [
        ("Last week", True),
        ("in May 2020", False),
        ("on June 3", True),
    ]


def test_replacing_expressions_leaves_grammatical_text():
    text = "Since last week I've slept well; yesterday I ran, and I leave in two months."
    for e in reversed(find_times(text, REFERENCES["MONDAY"])):
        text = text[: e.start] + e.rendered + text[e.end :]
    assert text == (
        "Since the week of 1 May 2023 I've slept well; on 7 May 2023 I ran, and I leave in July 2023."
    )


# --------------------------------------------------------------------------- parse_when


@pytest.mark.parametrize(
    ("text", "begin", "until"),
    [
        ("2023-05-07", "2023-05-07", "2023-05-08"),
        (" 2023-05-07 14:00 ", "2023-05-07T14:00", "2023-05-07T14:01"),
        ("2023-05", "2023-05-01", "2023-06-01"),
        ("2023", "2023-01-01", "2024-01-01"),
        ("7 May 2023", "2023-05-07", "2023-05-08"),
        ("February", "2023-02-01", "2023-03-01"),
        ("last week", "2023-05-01", "2023-05-08"),
        ("13/02/2023", "2023-02-13", "2023-02-14"),
    ],
)
def test_parse_when_reads_what_a_person_types(text, begin, until):
    expected = datetime.fromisoformat(begin), datetime.fromisoformat(until)
    assert parse_when(text, REFERENCES["MONDAY"]) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "2023-02-30", "every Friday", "7 May 2023 or so", "since 2016", "14"]
)
def test_parse_when_refuses_what_is_no_date_and_shows_an_example(text):
    with pytest.raises(UsageError, match="2023-05-07"):
        parse_when(text, REFERENCES["MONDAY"])


def test_parse_when_asks_which_date_an_ambiguous_one_is():
    with pytest.raises(UsageError, match="2023-04-03 or 2023-03-04"):
        parse_when("03/04/2023")


# --------------------------------------------------------------------------- invariants

PHRASES = [
    "yesterday",
    "today",
    "tomorrow",
    "last Friday",
    "next Tuesday",
    "on Sunday",
    "three days ago",
    "last week",
    "two weeks ago",
    "next week",
    "last weekend",
    "two weekends ago",
    "this weekend",
    "last month",
    "five months ago",
    "next month",
    "in June",
    "last August",
    "last year",
    "two years ago",
    "next year",
    "a few weeks ago",
    "a couple of months ago",
    "about a year ago",
    "a few years ago",
    "last night",
    "this morning",
    "tomorrow at 3pm",
    "last summer",
    "last winter",
    "in two weeks",
    "on Thanksgiving",
    "at the end of the month",
    "in early March",
    "since last week",
    "for five years now",
    "on the 7th",
    "the week before last",
]
references = st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2080, 1, 1))
words = st.sampled_from(
    [*PHRASES, "on May 7", "7 May 2023", "in 2022", "every Friday", "since", "May", "the", "at 3pm"]
)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("We met last month on May 15th.", "on 15 May 2023"),
        ("We met last month, on the 2nd.", "on 2 May 2023"),
        ("We met last month, on the 15th of May.", "on 15 May 2023"),
        ("We met on a lazy Sunday, March 12th.", "on a lazy Sunday, 12 March 2023"),
        ("I have lived here for 2 years and 3 months now.", "since around March 2021"),
    ],
)
def test_two_ways_of_saying_one_time_are_one_expression(text, rendered):
    (found,) = find_times(text, datetime(2023, 6, 3, 10))
    assert rendered in text.replace(found.text, found.rendered, 1)


def test_a_class_of_every_saturday_is_no_day():
    assert find_times("I'm tired after my intense Saturday morning class.", datetime(2023, 6, 3)) == []


def test_this_friday_is_ahead_for_whoever_plans_on_a_saturday():
    saturday = datetime(2023, 5, 20, 10)
    assert find_times("dinner this Friday", saturday, prefer="future")[0].rendered == "on 26 May 2023"
    assert find_times("dinner this Friday", saturday, prefer="past")[0].rendered == "on 19 May 2023"


@given(st.sampled_from(PHRASES), references, references, st.sampled_from(["past", "future"]))
def test_a_rendering_means_the_same_to_every_reader(phrase, said, read, prefer):
    (first,) = find_times(f"We meet {phrase}.", said, prefer=prefer)
    rewritten = f"We meet {first.rendered}."
    for reference in (None, read):
        (second,) = find_times(rewritten, reference)
        assert (second.begin, second.until) == (first.begin, first.until)
        assert second.rendered == first.rendered
        assert not second.relative


@given(st.one_of(st.text(), st.lists(words).map(" ".join)), st.none() | st.datetimes())
def test_any_text_at_any_time_gives_ordered_disjoint_spans_and_proper_intervals(text, reference):
    end = 0
    for e in find_times(text, reference):
        assert end <= e.start < e.end <= len(text)
        assert e.text == text[e.start : e.end]
        assert e.begin < e.until
        assert reference is not None or not (e.relative or e.recurring)
        end = e.end


@given(references, st.integers(0, 6))
def test_last_weekday_is_one_to_seven_days_back(reference, weekday):
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[weekday]
    (found,) = find_times(f"last {name}", reference)
    midnight = reference.replace(hour=0, minute=0, second=0, microsecond=0)
    assert found.begin.weekday() == weekday
    assert timedelta(days=1) <= midnight - found.begin <= timedelta(days=7)
