"""Update decisions by rule, with no language model: what may be merged, refined or has ended.

Each rule is one function from a pair of statements, the older and the newer, to a finding or None.
A rule speaks up only when the words leave little room: same subject, and the same content but for
what the rule is about. Missing a change costs little, as both statements stay; a wrong proposal
costs a person's time and trust. Statements that merely coexist (two likes, two outings on
different days) are never set against each other.

LightMem section 3.3 asks a model for update, delete or ignore; merge and invalidate say more
exactly what happens to near-duplicates and to what has ceased to hold. English only, but for
literal repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memcore.domain.models import Candidate
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import clauses
from memcore.nlp.language.words.wording import SPOKEN, contains_content, is_subsequence
from memcore.review.changes import (
    changed_value,
    done_instead,
    finished,
    given_up_for_another,
    no_longer_done,
    rescheduled,
)
from memcore.review.come_true import first_done, sought_and_found
from memcore.review.decisions import Decision, UpdateQueue
from memcore.review.endings import broken_diet, denied_habit, ended_state, new_figure, new_value
from memcore.review.firmness import is_of_another, of_one_day, one_stands_for_both, tells_all
from memcore.review.goes_on import begun_anew, goes_on
from memcore.review.new_quantity import new_quantity
from memcore.review.otherwise_now import otherwise_now
from memcore.review.pairs import (
    SAME_TALK,
    Finding,
    Rule,
    Statement,
    is_later,
    leaves_open,
    on,
    one_occasion,
    part,
    same_subject,
    statement,
    times_overlap,
)
from memcore.review.same_plan import firmer_plan, plan_changed, same_plan
from memcore.review.switching import switched_to

VERSION = 12
ALIKE = 0.5
"""Cosine from which the same words of two memories say the same."""
_TOLD_BY_MORE_THAN_WORDS = frozenset({"goes on", "plan carried out"})
RESTATED_WORDS = 4
"""Content words that make a restatement."""
PLAN_HORIZON = timedelta(days=120)
"""A plan without a date counts as carried out only within this time."""
_OTHERWISE = frozenset(map(stem, "other another else instead rather except after before".split()))
"""Added words that turn the same words to something else ("visiting other countries after Japan")."""


class RuleDecider:
    """Decides update queues by `RULES`; needs no model."""

    name = f"rules, version {VERSION}"

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        """A decision for each queue, by the rules alone."""
        return _together([decide_queue(queue) for queue in queues])


def _together(decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions, with memories that one text takes the place of in one of them, the first."""
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    joined = list(decisions)
    for place, decision in enumerate(decisions):
        if decision.action != "update" or decision.new_text is None:
            continue
        lead = first.setdefault((decision.new_text, decision.against), place)
        if lead != place:
            joined[lead] = replace(joined[lead], together=(*joined[lead].together, decision.target.id))
            reason = f"Replaced together with “{decisions[lead].target.text}”: {decision.reason}"
            joined[place] = replace(decision, action="ignore", new_text=None, reason=reason, against=())
    return joined


def decide_queue(queue: UpdateQueue) -> Decision:
    """One decision: that something ended outranks that it is repeated, and that it is refined.

    Of several contradictions and new values the earliest counts (that is when the target ceased to hold), of
    several refinements the fullest; all repetitions are merged together.
    """
    older = statement(queue.target, queue.target.id in queue.of_assistant)
    candidates = tuple(Candidate(memory.id, score) for memory, score in queue.candidates)
    scores = {memory.id: score for memory, score in queue.candidates}
    newer_ones = sorted(
        (statement(m, m.id in queue.of_assistant) for m, _ in queue.candidates),
        key=_age,
    )
    found = [
        (newer, finding)
        for newer in newer_ones
        if (finding := examine(older, newer)) is not None
        and (finding.ends or finding.rule in _TOLD_BY_MORE_THAN_WORDS or scores[newer.memory.id] >= ALIKE)
    ]
    if not found:
        reason = "No rule sees a repetition, a refinement or an end."
        return Decision(queue.target, candidates, "ignore", None, reason, RuleDecider.name, "low")
    ended = [pair for pair in found if pair[1].ends]
    repeated = [pair for pair in found if pair[1].action == "merge"]
    if ended:
        chosen, finding = _told_alike(ended), ended[0][1]
    elif repeated:
        chosen, finding = _with_one_text(older, repeated)
    else:
        chosen = [max(found, key=lambda pair: len(pair[1].text or ""))]
        finding = chosen[0][1]
    return Decision(
        target=queue.target,
        queue=candidates,
        action=finding.action,
        new_text=finding.text,
        reason=finding.reason,
        made_by=f"rule: {finding.rule}",
        risk=finding.risk,
        against=tuple(newer.memory.id for newer, _ in chosen),
    )


def _told_alike(ended: list[tuple[Statement, Finding]]) -> list[tuple[Statement, Finding]]:
    """The first end, and those that tell it, too: in nearly its words, or on its day by the same rule. Said
    twice, it rests on both."""
    first, found = ended[0]
    return [
        pair
        for pair in ended
        if pair[0] is first
        or (_says(first, pair[0]) and _says(pair[0], first))
        or (pair[1].rule == found.rule and of_one_day(first, pair[0]))
    ]


def _with_one_text(
    older: Statement, repeated: list[tuple[Statement, Finding]]
) -> tuple[list[tuple[Statement, Finding]], Finding]:
    """The repetitions that the fullest text tells all of: the others wait for another run."""
    first, finding = max(repeated, key=lambda pair: len(pair[1].text or ""))
    kept = next((n for n, _ in repeated if n.memory.text == finding.text), older)
    return [pair for pair in repeated if pair[0] is first or tells_all(kept, pair[0])], finding


def examine(older: Statement, newer: Statement) -> Finding | None:
    """The first rule's finding on a pair. What an assistant said is no news about anybody: it is only merged
    with itself, word for word."""
    if older.of_assistant or newer.of_assistant:
        repeated = _letters(older.memory.text) == _letters(newer.memory.text)
        return near_duplicate(older, newer) if repeated else None
    found = (finding for rule in RULES if (finding := rule(older, newer)) is not None)
    return next((finding for finding in found if one_stands_for_both(finding, older, newer)), None)


def near_duplicate(older: Statement, newer: Statement) -> Finding | None:
    """The same said twice: equal content words, figures, negation and mood, of one occasion."""
    literal = _letters(older.memory.text) == _letters(newer.memory.text)
    if not (literal or (_says(older, newer) and _says(newer, older))) or not one_occasion(older, newer):
        return None
    text = max(older.memory.text, newer.memory.text, key=lambda text: (len(text), text))
    how = "in the same words" if literal else "in nearly the same words"
    reason = f"The same is said twice {how}{_when(older, newer)}."
    return Finding("near-duplicate", "merge", text, reason, "low")


def shorter_repetition(older: Statement, newer: Statement) -> Finding | None:
    """The newer statement says part of what the older one says, and nothing else."""
    if not (is_later(newer, older) and _says(older, newer) and one_occasion(older, newer)):
        return None
    reason = f"The newer statement repeats part of the older one{_when(older, newer)}; the fuller text stays."
    return Finding("shorter repetition", "merge", older.memory.text, reason, "low")


def refinement(older: Statement, newer: Statement) -> Finding | None:
    """The newer statement says all that the older one says, and more."""
    if not (_says(newer, older) and one_occasion(older, newer)):
        return None
    if older.memory.kind == newer.memory.kind == "statement":
        return None  # quoted, not understood
    if _OTHERWISE & set(newer.said.words) - set(older.said.words) or is_of_another(older, newer):
        return None
    reason = f"The newer statement says the same and adds to it{_when(older, newer)}."
    return Finding("refinement", "update", _with_day(older, newer), reason, "medium")


def _with_day(older: Statement, newer: Statement) -> str:
    """The newer text, with the day before which it was done where only the older tells that."""
    lead, text = SPOKEN.match(older.memory.text), newer.memory.text
    if lead is None or not lead[0].startswith("Shortly before"):
        return text
    return text if newer.memory.event_at is not None or SPOKEN.match(text) else lead[0] + text


def restatement(older: Statement, newer: Statement) -> Finding | None:
    """Said again in another order: the shorter statement's content words all stand in the fuller one, with
    the same negation and mood. The fuller text stays."""
    if not same_subject(older, newer) or not one_occasion(older, newer):
        return None
    if "statement" in (older.memory.kind, newer.memory.kind):
        return None  # quoted, not understood
    a, b = older.said, newer.said
    if a.moods != b.moods or a.negations != b.negations:
        return None
    if _says(older, newer) or _says(newer, older):
        return None  # for the rules above, or for the queue of the other
    fewer, more = sorted((a, b), key=lambda said: len(said.words))
    shared = set(fewer.words)
    if not shared <= set(more.words) or not max(RESTATED_WORDS, len(set(more.words)) / 2) <= len(shared):
        return None
    text = (older if fewer is b else newer).memory.text
    reason = f"The same is said again in other words{_when(older, newer)}; the fuller text stays."
    return Finding("restatement", "merge", text, reason, "medium")


_PLANNING = re.compile(
    r"^(?:(?:is|has|also|now|really|been) )*(?:plan(?:s|ned|ning)? (?:to|on)|wants to|hop(?:es|ing) to|"
    r"intends to|aims to|going to|about to|thinking (?:of|about)|considering|looking forward to|decided to|"
    r"would (?:like|love) to|will|excited (?:to|about)|getting ready to|preparing to)\s+(?P<deed>.+)$",
    re.IGNORECASE,
)


def plan_carried_out(older: Statement, newer: Statement) -> Finding | None:
    """What was planned is later told as done."""
    planned = _PLANNING.match(older.said.rest)
    if planned is None or not is_later(newer, older) or not same_subject(older, newer):
        return None
    deed = part(older, planned["deed"])
    if len(deed.words) < 2 or deed.moods or older.said.negations or not newer.is_plain:
        return None
    done = newer.said.past and is_subsequence(deed.words, newer.said.words)
    if not done or not _within_plan(older, newer):
        return None
    reason = f"What was planned{on(older)} is told as done{on(newer)}."
    return Finding("plan carried out", "update", newer.memory.text, reason, "medium")


RULES: tuple[Rule, ...] = (
    new_value,
    done_instead,
    changed_value,
    given_up_for_another,
    switched_to,
    otherwise_now,
    rescheduled,
    plan_changed,
    new_figure,
    new_quantity,
    begun_anew,
    no_longer_done,
    finished,
    first_done,
    sought_and_found,
    ended_state,
    broken_diet,
    denied_habit,
    plan_carried_out,
    near_duplicate,
    shorter_repetition,
    refinement,
    restatement,
    same_plan,
    firmer_plan,
    goes_on,
)
"""In the order in which they are asked; the first finding counts."""


def _says(whole: Statement, part: Statement) -> bool:
    """Whether the one statement says all the other says (see `contains_content`), or, of a single clause, one
    of its own clauses does, whatever the mood of those beside it."""
    if not part.said.subject or leaves_open(whole, part):
        return False
    said = part.memory.text
    among = clauses(whole.memory.text) if len(clauses(said)) == 1 else ()
    return any(contains_content(text, said) for text in (whole.memory.text, *among))


def _within_plan(plan: Statement, deed: Statement) -> bool:
    if plan.memory.event_at is not None and deed.memory.event_at is not None:
        return times_overlap(plan.memory, deed.memory)
    said, done = plan.memory.mentioned_at, deed.memory.event_at or deed.memory.mentioned_at
    return said is not None and done is not None and said - SAME_TALK <= done <= said + PLAN_HORIZON


def _when(older: Statement, newer: Statement) -> str:
    if older.memory.mentioned_at == newer.memory.mentioned_at:
        return on(older)
    both = [on(s) for s in (older, newer) if s.memory.mentioned_at]
    return ", first" + ", then".join(both) if len(both) == 2 else ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _age(statement: Statement) -> tuple[datetime, str]:
    return statement.memory.mentioned_at or datetime.max, statement.memory.id
