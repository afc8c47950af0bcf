"""The session summary where no model writes it: keep what is said, add what is new, capped."""

from memcore.domain.extraction import SummaryDraft
from memcore.domain.models import MemoryEntry, SessionSummary
from memcore.stages.reply_checks import MAX_SUMMARY
from memcore.systems.licomemory.session_summary import continued


def so_far(text: str = "", *keywords: str, themes: tuple[str, ...] = ()) -> SessionSummary:
    return SessionSummary("sum", "ses", "me", text, keywords, themes)


def memory(*entities: str, category: str = "") -> MemoryEntry:
    return MemoryEntry(
        "-".join(entities), "me", "", "fact", "licomemory", "r", (), entities=entities, category=category
    )


def test_what_is_new_follows_what_was_said() -> None:
    draft = continued(so_far("Ann runs."), SummaryDraft("Ben paints. Ann sings."), [])
    assert draft.text == "Ann runs. Ben paints. Ann sings."


def test_nothing_is_said_twice() -> None:
    assert (
        continued(so_far("Ann runs."), SummaryDraft("Ann runs. Ben paints."), []).text
        == "Ann runs. Ben paints."
    )


def test_a_turn_that_adds_nothing_changes_no_word() -> None:
    assert continued(so_far("Ann runs."), SummaryDraft(""), []).text == "Ann runs."


def test_keywords_and_themes_are_counted_over_the_whole_session() -> None:
    memories = [memory("choir", category="Hobbies"), memory("choir", category="Hobbies"), memory("dog")]
    draft = continued(
        so_far("Ann has a dog.", "dog", themes=("Pets",)),
        SummaryDraft("Ann sings.", ("choir",), ("Hobbies",)),
        memories,
    )
    assert draft.keywords == ("choir", "dog")
    assert draft.themes == ("Hobbies", "Pets")


def test_there_are_five_keywords_at_most() -> None:
    named = [memory(name) for name in "oslo lima cairo quito delhi perth".split()]
    assert len(continued(so_far(), SummaryDraft("Ann travels."), named).keywords) == 5


def test_what_grows_too_long_loses_what_tells_least_and_never_what_was_just_said() -> None:
    telling = "Ann sings in the choir of her church every week."
    filler = [f"It was day {number} and nothing of note went on at all." for number in range(40)]
    text = " ".join((telling, *filler))[:MAX_SUMMARY]
    draft = continued(so_far(text), SummaryDraft("Ann left it."), [memory("choir"), memory("choir")])
    assert len(draft.text) <= MAX_SUMMARY
    assert draft.text.startswith(telling)
    assert draft.text.endswith("Ann left it.")
    assert "day 0 " not in draft.text, "of those that tell nothing the oldest goes first"


def test_it_goes_on_changing_when_it_is_full() -> None:
    summary = so_far()
    seen = set()
    for number in range(60):
        draft = continued(summary, SummaryDraft(f"Ann saw film number {number} with her brother."), [])
        seen.add(draft.text)
        summary = so_far(draft.text, *draft.keywords)
    assert len(seen) == 60
