"""Memories that another program proposes: an assistant that was told something and wants it remembered.

Its words are kept at once as what they are, evidence of what that program wrote: one message of the program
in a session of its own, in a conversation of the format `models.PROPOSED`. Whom the program names as having
said it, and when, is told beside them and never taken for a message of that person. Nothing else happens
until a person approves: no recipe reads these words and no search finds them. The approved memory cites them
(`apply.addition_changes`); undoing the approval leaves the words, and again nothing that counts.

It does not judge whether the words are true, new or worth keeping, and compares them with no memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memcore.domain.errors import UsageError
from memcore.domain.models import (
    PROPOSED,
    Conversation,
    ConversationLog,
    Message,
    Proposal,
    RawRef,
    Run,
    Session,
    now,
    stable_id,
)
from memcore.domain.protocols import Store
from memcore.review.proposals import enqueue

LONGEST_TEXT = 2_000
"""Characters of a proposed memory: one statement, not a document."""
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Addition:
    """What a program asks to be remembered. `client` is the program; `speaker` whom it names as having said
    this (empty: nobody) and `said_at` when (naive; None: now). Raises UsageError for a text that cannot be a
    memory."""

    text: str
    client: str
    speaker: str = ""
    said_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.replace("\x00", "\ufffd").strip())
        object.__setattr__(self, "client", one_line(self.client) or "unnamed program")
        object.__setattr__(self, "speaker", one_line(self.speaker))
        if not self.text:
            raise UsageError("A memory needs a text.", "Write one statement that stands on its own.")
        if len(self.text) > LONGEST_TEXT:
            raise UsageError(
                f"{len(self.text):,} characters are too long for a memory.",
                f"Write one statement of at most {LONGEST_TEXT:,} characters, "
                "or import the text as a log: python -m memcore ingest FILE.",
            )

    def proposal_id(self, owner: str, recipe: str) -> str:
        """The same whoever asks for the same: what a person turned down is not proposed again."""
        return stable_id("prop", "add", owner, recipe, self.text, self.speaker, self.said_at)


def one_line(name: str) -> str:
    """A name from outside as one short line of printable characters.

    >>> one_line(" Desk\\ntop\\u202e  app ")
    'Desk top app'
    """
    printable = "".join(c if c.isprintable() else " " for c in name)
    return " ".join(printable.split())[:LONGEST_NAME].strip()


def propose_addition(store: Store, run: Run, addition: Addition) -> Proposal:
    """Let an addition to `run.recipe`'s memory of `run.owner` wait for a person. What was proposed before is
    returned as it has become since, and not proposed again."""
    proposal_id = addition.proposal_id(run.owner, run.recipe)
    with store.write(actor=addition.client, run_id=run.id) as writer:
        if known := store.proposal(proposal_id):
            return known
        proposal = _proposal(addition, proposal_id, run)
        writer.add_log(_words(store, addition, proposal))
        enqueue(store, writer, run.owner, [proposal])
    return proposal


def _proposal(addition: Addition, proposal_id: str, run: Run) -> Proposal:
    return Proposal(
        id=proposal_id,
        owner=run.owner,
        operation="add",
        target_ids=(),
        candidates=(),
        before="",
        after=addition.text,
        reason=f"{addition.client} proposes to remember this{_claim(addition)}. "
        "The words are the program's own; nothing was compared with them.",
        made_by=addition.client,
        risk="medium",
        state="pending",
        created_at=now(),
        run_id=run.id,
        recipe=run.recipe,
    )


def _words(store: Store, addition: Addition, proposal: Proposal) -> ConversationLog:
    """The program's words, in a session of their own: nothing said before or after leads to them."""
    conversation = Conversation(
        id=stable_id("conv", PROPOSED, proposal.owner, addition.client),
        owner=proposal.owner,
        source_file=addition.client,
        format=PROPOSED,
        title=f"Proposed by {addition.client}",
    )
    told_at = addition.said_at or proposal.created_at
    place = len(store.sessions(conversation_id=conversation.id))
    session = Session(stable_id("ses", proposal.id), conversation.id, place, told_at)
    message = Message(
        id=proposal.words_id,
        session_id=session.id,
        position=0,
        speaker=addition.client,
        role="assistant",
        text=addition.text,
        said_at=told_at,
        time_source="message",
        raw_ref=RawRef(
            addition.client, f"proposed {proposal.created_at:%Y-%m-%d %H:%M} UTC{_claim(addition)}"
        ),
    )
    return ConversationLog(conversation, (session,), (message,))


def _claim(addition: Addition) -> str:
    """What the program says of the source, as its claim."""
    said = f" as said by {addition.speaker}" if addition.speaker else ""
    when = f" on {addition.said_at:%Y-%m-%d}" if addition.said_at else ""
    return f",{said or ' as said'}{when}" if said or when else ""
