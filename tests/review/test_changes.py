"""What takes the place of what: one value at a time, one thing given up for another."""

from __future__ import annotations

import pytest

from memcore.review.pairs import statement
from memcore.review.rules import examine
from tests.review.scenes import JAN, MAR, said


def find(older: str, newer: str, kind: str = "state", newer_kind: str = "") -> str:
    """ "rule → action" for two statements, the second said two months later."""
    a = said("a", older, JAN, kind=kind)
    b = said("b", newer, MAR, kind=newer_kind or kind, message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    return f"{finding.rule} → {finding.action}" if finding else "nothing"


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("Ann takes the bus to work.", "Ann has been cycling to work instead of taking the bus.", "state"),
        ("Ann is thinking of adopting a pug.", "Ann has decided to adopt a poodle instead of a pug.", "plan"),
        ("Ann plans to visit Peru in May.", "Ann has decided to visit Chile instead of Peru in May.", "plan"),
    ],
)  # fmt: skip
def test_what_is_done_or_intended_in_its_stead_takes_its_place(older: str, newer: str, kind: str) -> None:
    assert find(older, newer, kind) == "done instead → update"


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        # one has what one did not choose now, and drinks in the morning what one does not in the evening
        ("Ann has a beagle.", "Ann has decided to adopt a greyhound instead of a beagle.", "state"),
        ("Ann drinks coffee in the morning.", "Ann drinks tea instead of coffee in the evening.", "state"),
        ("Ann takes the bus to work.", "Ann took the train to work instead of the bus.", "state"),
        ("Ann takes the bus to work.", "Ann might cycle to work instead of taking the bus.", "state"),
    ],
)
def test_what_stands_in_for_something_once_or_elsewhere_ends_nothing(
    older: str, newer: str, kind: str
) -> None:
    assert find(older, newer, kind) == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # diet
        ("Ann is a vegetarian.", "Ann is now a pescatarian."),
        ("Ann is a strict vegetarian.", "Ann went vegan in February 2024."),
        ("Ann follows a keto diet.", "Ann has switched to a vegan diet."),
        # what is trained for
        ("Ann is training for a marathon.", "Ann is now training for a half marathon."),
        # where a thing stands
        ("Ann hung Ann's new painting above the sofa.", "Ann moved the painting above the bed."),
        ("Ann keeps Ann's old boots under the bed.", "Ann keeps Ann's old boots in a rack in the closet."),
        (
            'Ann will make sure to leave the "Grey Hopes" painting above the sofa as is.',
            'Ann recently moved the "Grey Hopes" painting by Kim Roe above the bed.',
        ),
        # how far one has come
        ("Ann is finally eligible for Premier Silver status.", "Ann just reached Premier Gold status."),
        ("Ann got Ann's blue belt.", "Ann earned a purple belt."),
        # which make it is
        ("Ann has a Bosch dishwasher.", "Ann got a new Siemens dishwasher."),
        ("Ann's dishwasher is a Bosch.", "Ann bought a new Siemens dishwasher."),
        # who one goes to, and what one uses for something
        ("Ann's dentist is Dr. Lee.", "Ann's new dentist is Dr. Park."),
        ("Ann uses Todoist for to-do lists.", "Ann switched to Notion for to-do lists."),
        # what is read now
        ("Ann is currently reading Dune.", "Ann is currently reading Emma by Austen."),
        ("Ann uses a Canon camera for portraits.", "Ann now uses a Nikon camera for portraits."),
        # which position one has
        ("Ann is a junior developer at Acme.", "Ann was promoted to senior developer at Acme."),
        # when it is done again and again
        ("Ann wakes up at 7 am.", "Ann has been waking up at 6:30 am lately."),
        ("Ann's alarm is set for 7 am.", "Ann's alarm is now set for 6:15 am."),
        ("Ann takes a cocktail class on Thursdays.", "Ann attends the cocktail class on Fridays."),
        ("Ann takes a cocktail class on Thursdays.", "Ann's cocktail class is now on Fridays."),
        ("Ann stops reading mail at 7 pm.", "Ann stops reading mail at 6:30 pm these days."),
        (
            "Ann does Ann's morning yoga at 6:30 am before work.",
            "Ann has shifted Ann's morning yoga to 7:15 am.",
        ),
        # in a place that has no name
        ("Ann keeps Ann's passport in the drawer.", "Ann moved Ann's passport to the safe on 3 March 2024."),
        # what one is for now
        (
            "Ann is currently obsessed with Red Pot chili sauce.",
            "Ann is now obsessed with Old Tom chili sauce.",
        ),
        ("Ann commutes by bus.", "Ann commutes by train now."),
        ("Ann commutes by bus.", "As of 1 March 2024, Ann commutes by train."),
        ("Ann drives a Honda Civic.", "Ann drives a Tesla now."),
        ("Ann drives a Honda Civic.", "Ann now drives a Tesla."),
        # who or what one has instead, found anew
        ("Ann's dentist is Dr. Lee.", "As of 1 March 2024, Ann has a new dentist now, Dr. Park."),
        ("Ann's therapist is Dr. Lee.", "Ann is seeing a new therapist, Dr. Park."),
        ("Ann's favorite bakery is Crumb.", "Ann found a new favorite bakery, Golden Loaf."),
        # on another day, beside a companion told before
        (
            "Ann usually has lunch with Ann's cousin Mo at the pier on Fridays.",
            "As of 1 March 2024, Ann has lunch with Mo on Tuesdays as Mo works from home on Fridays.",
        ),
        # how one gets to work
        ("Ann takes the tram to work.", "Ann has been cycling to work since March."),
        ("Ann usually takes the subway to the office.", "Ann has started walking to the office."),
        # which position or home one has, which model of a thing
        ("Ann works at a bakery.", "Ann has started a new job at a bookshop."),
        ("Ann lives in a studio downtown.", "Ann recently moved to a two-bedroom house in the suburbs."),
        ("Ann has a Pixel 6.", "Ann upgraded to a Pixel 8 Pro."),
        # told of the thing itself
        ("Ann stores the winter coats in the attic.", "Ann's winter coats are now in the hall closet."),
        ("Ann goes to yoga on Tuesdays.", "Ann's yoga classes are now on Mondays and Wednesdays."),
        ("Ann goes to Ann's pottery class on Tuesdays.", "Ann's pottery class has moved to Thursdays."),
        # in whose company
        ("Ann usually goes climbing with Ann's brother.", "Ann has been going climbing alone lately."),
    ],
)
def test_another_value_of_what_there_is_one_of_takes_its_place(older: str, newer: str) -> None:
    assert find(older, newer) == "new value → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has a Bosch drill.", "Ann replaced the Bosch drill with a Makita."),
        ("Ann drinks oat milk.", "Ann switched from oat milk to soy milk."),
        ("Ann drives a Honda Civic.", "Ann traded the Honda Civic for a van in February 2024."),
        ("Ann drives a 2015 Honda Civic.", "Ann traded in Ann's Honda Civic for a van in February 2024."),
        ("Ann's phone is an iPhone 11.", "Ann got a Pixel 8 to replace Ann's iPhone 11."),
    ],
)
def test_what_was_given_up_for_another_is_replaced_by_it(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "given up for another → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann plays the drums.", "Ann used to play the drums, but has not in a while."),
        ("Ann plays the drums in a band.", "Ann hasn't played the drums in years."),
    ],
)
def test_what_one_used_to_do_is_done_no_longer(older: str, newer: str) -> None:
    assert find(older, newer) == "no longer done → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # somebody else's, or something else
        ("Ann is a vegetarian.", "Tom is now a pescatarian."),
        ("Ann's sister is a vegetarian.", "Ann is now a pescatarian."),
        ("Ann hung the painting above the sofa.", "Ann moved the mirror above the bed."),
        ("Ann has a Bosch dishwasher.", "Ann got a new Siemens phone."),
        ("Ann uses Todoist for to-do lists.", "Ann switched to Notion for meeting notes."),
        ("Ann plays the drums.", "Ann used to play the flute."),
        ("Ann drinks oat milk.", "Ann switched from lemonade to water."),
        # both can be
        ("Ann has a Bosch dishwasher.", "Ann likes the Siemens dishwasher at the office."),
        ("Ann takes a cocktail class on Thursdays.", "Ann takes a pottery class on Fridays."),
        ("Ann wakes up at 7 am on Mondays.", "Ann wakes up at 9 am on Sundays."),
        ("Ann uses Todoist for to-do lists.", "Ann uses Notion for to-do lists."),
        ("Ann is a painter.", "Ann is now a mother."),
        # the same
        ("Ann wakes up at 7 am.", "Ann wakes up at 7:00 am every day."),
        ("Ann's dentist is Dr. Lee.", "Ann's dentist is Dr. Lee in Leeds."),
        # not so, not yet, or not known
        ("Ann is a vegetarian.", "Ann is not a pescatarian."),
        ("Ann is a vegetarian.", "Ann might go vegan."),
        ("Ann is training for a marathon.", "Ann would be training for a triathlon."),
        ("Ann plays the drums.", "Ann has not played tennis in years."),
        ("Ann does not play the drums.", "Ann used to play the drums."),
    ],
)
def test_what_is_of_another_or_can_both_be_takes_no_place(older: str, newer: str) -> None:
    assert find(older, newer) in ("nothing", "shorter repetition → merge", "refinement → update")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann's flight to Rome is on 4 May 2024.", "Ann's flight to Rome was moved to 6 May 2024."),
        (
            "Ann has a dentist appointment on 4 May 2024.",
            "Ann rescheduled the dentist appointment to 6 May 2024.",
        ),
        ("Ann visits Japan in April.", "Ann has pushed Ann's trip to Japan back to October."),
    ],
)
def test_what_was_put_off_is_at_its_new_time(older: str, newer: str) -> None:
    assert find(older, newer) == "rescheduled → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann's flight to Rome is on 4 May 2024.", "Ann's boat was moved to the pier on 6 May 2024."),
        ("Ann has a dentist appointment on 4 May 2024.", "Ann rescheduled the job interview to 6 May 2024."),
        ("Ann has a dentist appointment on 4 May 2024.", "Ann moved to Leeds on 6 May 2024."),
        ("Ann visits Japan in April.", "Ann has pushed Ann's trip to Peru back to October."),
    ],
)
def test_what_else_was_put_off_or_moved_changes_no_time(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def test_what_is_intended_instead_takes_the_place_of_the_plan() -> None:
    older, newer = (
        "Ann is planning to run a marathon in the fall.",
        "Ann decided to run the half marathon instead.",
    )
    assert find(older, newer, kind="plan") == "plan changed → update"
    assert find(older, "Ann decided to run the half marathon.", kind="plan") == "nothing"
    assert find(older, "Ann decided to paint the fence instead.", kind="plan") == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann works as a barista at Blue Bottle.", "Ann started a new job as a manager at Kaldi's."),
        ("Ann lives in Leeds.", "Ann just moved to a small flat in Oslo."),
        ("Ann's cousin Rachel lives in Chicago.", "Ann's cousin Rachel moved to Denver."),
    ],
)
def test_a_new_home_or_job_is_seen_in_many_words(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "one value at a time → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            'Ann has the "Grey Hopes" painting above the sofa.',
            'Ann moved the "Red Hills" painting above the bed.',
        ),
        ("Ann will hang the painting above the sofa.", "Ann moved the painting above the bed."),
        ("Ann has Premier Gold status.", "Ann got Diamond Elite status."),
    ],
)
def test_another_thing_of_the_same_kind_has_its_own_value(older: str, newer: str) -> None:
    kind = "plan" if "will" in older else "state"
    assert find(older, newer, kind=kind, newer_kind="event") == "nothing"


@pytest.mark.parametrize(
    "older",
    [
        'Ann is reading "Dune" by Frank Herbert.',
        'Ann has been meaning to get back to "Dune", which Ann put down in May.',
        'Ann is halfway through the book "Dune".',
    ],
)
def test_what_was_under_way_ends_as_it_is_finished(older: str) -> None:
    newer = 'Ann also recently finished "Dune", which was amazing.'
    assert find(older, newer, newer_kind="event") == "finished → invalidate"


@pytest.mark.parametrize(
    "newer",
    ['Ann finished "Emma".', 'Ann has not finished "Dune".', 'Ann hopes to have finished "Dune" by May.'],
)
def test_what_is_not_finished_goes_on(newer: str) -> None:
    assert find('Ann is reading "Dune".', newer, newer_kind="event") == "nothing"


def test_what_was_sold_is_gone_whatever_was_bought() -> None:
    newer = "Ann sold the Honda Civic and bought a Tesla."
    assert find("Ann has a Honda Civic.", newer, newer_kind="event") == "ended state → invalidate"
    assert find("Ann has a Tesla.", newer, newer_kind="event") == "nothing"


def test_what_a_conversation_was_about_gives_nothing_a_value() -> None:
    laptop = "Ann uses a Lenovo laptop at work."
    assert find(laptop, "Ann bought a new Dell laptop.") != "nothing"
    assert find(laptop, "Ann's budget is $900. (In a conversation about a new Dell laptop.)") == "nothing"


def test_a_plan_to_change_has_changed_nothing() -> None:
    assert find("Ann is a vegetarian.", "Ann goes vegan.", newer_kind="plan") == "nothing"


def test_one_stays_in_one_place_on_one_trip() -> None:
    plan = "Ann plans to stay on Oahu for the birthday trip to Hawaii."
    assert find(plan, "Ann is planning to stay on Kauai for the birthday trip to Hawaii.", "plan") == (
        "plan changed → update"
    )
    assert find(plan, "Ann plans to stay on Maui for the wedding of Tom.", "plan") == "nothing"
    assert find("Ann plans to visit Rome with Tom.", "Ann plans to visit Oslo with Tom.", "plan") == "nothing"


def test_two_friends_live_and_work_in_two_places() -> None:
    home = "Ann's friend Mia lives in Leeds."
    assert find(home, "Ann's friend Tom lives in York.") == "nothing"
    assert find(home, "Ann's friend Mia is currently living in York.") == "one value at a time → invalidate"


def test_sentences_of_the_older_text_that_did_not_change_are_kept() -> None:
    older = said("a", "Ann is a vegetarian. Ann grows leeks behind the house.", JAN, kind="state")
    newer = said("b", "Ann is now a pescatarian", MAR, kind="state", message="a-s0-m2")
    finding = examine(statement(older), statement(newer))
    assert finding is not None
    assert finding.text == "Ann is now a pescatarian. Ann grows leeks behind the house."
    assert finding.ends


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # another way elsewhere, or once
        ("Ann takes the tram to work.", "Ann has been cycling to the lake lately."),
        ("Ann takes the tram to work.", "Ann took a taxi to work."),
        # beside the position one has, or told of no new one
        ("Ann works at a bakery.", "Ann has started a new course at a college."),
        ("Ann works on Ann's novel.", "Ann has started a new job at a bookshop."),
        ("Ann has a Pixel 6.", "Tom upgraded to a Pixel 8."),
        ("Ann has a Pixel 6.", "Ann upgraded to a Kindle 8."),
        # neither the day nor the number of trips is a place
        ("Ann has switched to yoga classes at the lido.", "Ann's yoga classes are now on Mondays."),
        ("Ann has taken Ann's bike on four trips.", "Ann has moved Ann's bike to the basement."),
        ("Ann's sister is in the garden.", "Ann's sister is now in the kitchen."),
        ("Ann's pottery class is on Mondays.", "Ann's chess class is now on Fridays."),
    ],
)
def test_what_is_of_another_kind_or_of_others_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann's friend Tom lives in Leeds.", "Tom recently moved to Oslo."),
        ("Tom lives in Leeds.", "Ann's friend Tom recently moved to Oslo."),
    ],
)
def test_who_is_told_with_or_without_whose_friend_it_is_is_one(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "one value at a time → invalidate"
    assert find(older, newer.replace("Tom", "Tim"), newer_kind="event") == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann subscribes to Netflix.", "Ann canceled Ann's Netflix subscription."),
        ("Ann is a member of the climbing gym.", "Ann canceled Ann's membership at the climbing gym."),
        ("Ann is taking a Spanish class.", "Ann dropped the Spanish class."),
        ("Ann's brother is studying at MIT.", "Ann's brother graduated from MIT."),
    ],
)
def test_what_was_given_up_or_left_has_ended(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "ended state → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann subscribes to Netflix.", "Ann canceled Ann's gym membership."),
        ("Ann is a member of the climbing gym.", "Ann canceled Ann's subscription to a magazine."),
        ("Ann is taking a Spanish class.", "Ann dropped the French class."),
    ],
)
def test_what_was_given_up_is_another(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "nothing"
