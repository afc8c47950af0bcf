"""Message pairs: what Mem0 calls (m_{t-1}, m_t) and LiCoMemory a turn, usually a prompt and its reply.

Two neighbouring messages of one session by different speakers. Who speaks first does not matter, so two
friends are paired like a user and an assistant; a message that the same speaker goes on from stands
alone. Knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import Message, Segment, stable_id


def message_pairs(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """One session's messages in pairs, in order; each message is in exactly one.

    >>> from memcore.domain.models import RawRef
    >>> said = [Message(str(i), "s", i, who, "person", "", None, "none", RawRef("", ""))
    ...         for i, who in enumerate("ABBAB")]
    >>> [[message.id for message in pair] for pair in message_pairs(said)]
    [['0', '1'], ['2', '3'], ['4']]
    """
    pairs: list[tuple[Message, ...]] = []
    for message in messages:
        if pairs and len(pairs[-1]) == 1 and pairs[-1][0].speaker != message.speaker:
            pairs[-1] = (*pairs[-1], message)
        else:
            pairs.append((message,))
    return pairs


def as_segment(messages: Sequence[Message], recipe: str, method: str) -> Segment:
    """Neighbouring messages of one session as a recipe's unit of work (a pair, a chunk, a window);
    `method` says why it begins where it does."""
    ids = tuple(message.id for message in messages)
    session_id = messages[0].session_id
    return Segment(
        id=stable_id("seg", recipe, session_id, *ids),
        session_id=session_id,
        message_ids=ids,
        boundary={"method": method},
        recipe=recipe,
    )
