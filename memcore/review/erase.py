"""What goes when a message, a conversation, a person or an owner is erased for good.

The safe reading: a memory goes when, now or ever before, it cited a message that goes, even if it cites
others too, since nobody can tell which of its words came from which; a relation goes when nothing else says
it; a summary with its session; and whatever uses words that only the erased messages have said, or the name
of a speaker or of a conversation that goes. What stays loses its references and the labels that were made
from the erased words. Decides only; a store does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from memcore.domain.errors import NotFoundError, StoreBusyError, UsageError
from memcore.domain.models import Conversation, Event, Message, Segment, Session, stable_id
from memcore.domain.models.erasure import ErasedKind
from memcore.domain.protocols import Store
from memcore.review.erase_words import Wording, telling_name

Snapshot = dict[str, Any]
Key = tuple[str, str]
"""Object type and id."""

_FIXED = frozenset(
    (
        "id owner kind recipe state operation risk run_id embedding_model made_by decided_by type rule "
        "act stage actor person role object_type object_id refused"
    ).split()
)
"""Fields in which the program writes and not a person: never emptied."""
_SAID: dict[str, tuple[str, ...]] = {
    "memory": ("text", "compressed_source"),
    "entity": ("name",),
    "triple": ("relation",),
    "summary": ("text", "keywords", "themes"),
    "proposal": ("before", "after", "reason", "edited_from"),
    "topic_cut": (),
    "rule_switch": (),
    "grant": (),
    "curation": ("reason",),
}
"""An object whose words these are goes with them; further fields of it are only emptied."""


@dataclass(frozen=True)
class Plan:
    """Implements Erasure."""

    what: ErasedKind
    target: str
    owner: str
    gone: Mapping[str, frozenset[str]]
    wording: _Either
    cut_segments: frozenset[str]

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(object_id for ids in self.gone.values() for object_id in ids)

    def is_gone(self, object_id: object) -> bool:
        """Whether this is the id of something that goes."""
        return isinstance(object_id, str) and object_id in self._ids

    def says(self, text: str) -> bool:
        """Whether a text has words of what goes."""
        return self.wording.touches(text)

    def touches(self, text: str) -> bool:
        """Whether a text has words of what goes, or is its id."""
        return self.is_gone(text) or self.wording.touches(text)

    def renamed(self, file: str) -> str:
        """What a file is called from now on: as it was, unless its name has words of what goes."""
        if not self.wording.touches(telling_name(file)):
            return file
        suffix = PurePath(file).suffix
        return "erased" if self.wording.touches(suffix) else f"erased{suffix}"

    def cleaned(self, object_type: str, snapshot: Snapshot) -> Snapshot:
        """The object without references to what goes, and with touched labels empty."""
        found = {
            field: value if field in _FIXED else self._without(value) for field, value in snapshot.items()
        }
        if object_type == "memory" and snapshot.get("segment_id") in self.cut_segments:
            found["topic"] = ""
        if object_type == "segment" and snapshot["id"] in self.cut_segments:
            found |= {"topic": "", "boundary": _method(snapshot["boundary"])}
        return found

    def _without(self, value: Any) -> Any:
        if isinstance(value, str):
            return None if self.is_gone(value) else "" if self.wording.touches(value) else value
        if isinstance(value, dict):
            return {key: self._without(item) for key, item in value.items()}
        if isinstance(value, list):
            return [item for item in value if not self._refers(item)]
        return value

    def _refers(self, item: Any) -> bool:
        if isinstance(item, dict):
            return any(self.is_gone(value) for value in item.values())
        return isinstance(item, str) and self.touches(item)

    def redacted(self, value: Any) -> Any:
        """Any JSON value with touched texts empty."""
        if isinstance(value, str):
            return "" if self.touches(value) else value
        if isinstance(value, dict):
            return {key: self.redacted(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.redacted(item) for item in value if not self.is_gone(item)]
        return value


def plan(store: Store, what: ErasedKind, target: str, owner: str) -> Plan:
    """Decide what goes. Raises NotFoundError when the owner has no such thing."""
    sessions = store.sessions(owner=owner)
    messages = {session.id: store.messages(session.id) for session in sessions}
    said = [message for these in messages.values() for message in these]
    conversation_of = {session.id: session.conversation_id for session in sessions}
    chosen: dict[str, Callable[[Message], bool]] = {
        "message": lambda message: message.id == target,
        "conversation": lambda message: conversation_of[message.session_id] == target,
        "person": lambda message: message.speaker == target,
        "owner": lambda message: True,
    }
    if what not in chosen:
        raise UsageError(f"{what!r} cannot be erased.", f"Choose one of: {', '.join(chosen)}.")
    goes = {message.id for message in said if chosen[what](message)}
    histories = _histories(store.events(), owner)
    if not goes and not (what == "owner" and (histories or owner in store.owners())):
        raise NotFoundError(
            f"There is no {what} {target!r} in the memory of {owner!r}.",
            "Messages and conversations are named by their ids, persons as they are named as speakers.",
        )
    empty = {one.id for one in sessions if all(m.id in goes for m in messages[one.id])}
    left = {one.conversation_id for one in sessions if one.id not in empty}
    evidence = {
        "message": frozenset(goes),
        "session": frozenset(empty),
        "conversation": frozenset(set(conversation_of.values()) - left),
    }
    segments = [s for s in store.segments() if s.session_id in messages]
    names = _names(store.conversations(owner), sessions, evidence)
    return _Deciding(what, target, owner, evidence, histories, segments, names).plan(said)


def require_no_run(store: Store) -> None:
    """Raise StoreBusyError while a run is at work: it holds in memory what is to go, and would bring it
    back."""
    for run in store.runs():
        if run.state == "running" and store.at_work(run.id):
            raise StoreBusyError(
                f"{run.kind} {run.id} is still at work.", "Wait until it has ended, or cancel it; then erase."
            )


class _Deciding:
    """Works out what follows from the evidence that goes."""

    def __init__(
        self,
        what: ErasedKind,
        target: str,
        owner: str,
        evidence: dict[str, frozenset[str]],
        histories: dict[Key, list[Snapshot]],
        segments: Sequence[Segment],
        names: tuple[Sequence[str], Sequence[str]],
    ) -> None:
        self._what, self._target, self._owner = what, target, owner
        self._evidence = evidence
        self._histories = histories
        self._names = names
        self._messages = evidence["message"]
        self._sessions = evidence["session"]
        whole = {s.id for s in segments if all(i in self._messages for i in s.message_ids)}
        self._segments = frozenset(whole)
        self._cut = frozenset(
            s.id for s in segments if s.id not in whole and not self._messages.isdisjoint(s.message_ids)
        )

    def plan(self, said: Sequence[Message]) -> Plan:
        """The whole decision, from everything the owner's conversations hold."""
        goes = [message for message in said if message.id in self._messages]
        kept = [message for message in said if message.id not in self._messages]
        self._sessions = self._evidence["session"] | {message.session_id for message in goes}
        if self._what == "owner":
            gone = set(self._histories)
        else:
            gone = {key for key in self._histories if self._cites(key)}
        texts, remaining = (
            [text for message in these for text in (message.text, message.speaker)] for these in (goes, kept)
        )
        structural = {key for key in self._histories if key[0] == "memory"} - gone
        words = Wording(texts, remaining)
        derived = Wording(self._texts(gone), remaining + self._texts(structural))
        names = Wording(self._names[0], [*self._names[1], *remaining])
        touches = _Either(words, derived, names)
        gone |= {key for key in self._histories if key not in gone and self._says(key, touches)}
        self._follow(gone)
        by_type: dict[str, set[str]] = {}
        for object_type, object_id in gone:
            by_type.setdefault(object_type, set()).add(object_id)
        all_gone = {kind: frozenset(ids) for kind, ids in by_type.items()}
        all_gone |= {**self._evidence, "segment": self._segments}
        return Plan(self._what, self._target, self._owner, all_gone, touches, self._cut)

    def _cites(self, key: Key) -> bool:
        """Whether the object rests on evidence that goes."""
        kind, object_id = key
        snapshots = self._histories[key]
        if kind == "memory":
            return any(s["message_id"] in self._messages for snap in snapshots for s in snap["sources"])
        if kind == "summary":
            return snapshots[-1]["session_id"] in self._sessions
        if kind == "topic_cut":
            return snapshots[-1]["session_id"] in self._evidence["session"]
        if kind == "proposal":
            cited = {s["message_id"] for snap in snapshots for s in snap["sources"]}
            return bool({stable_id("msg", object_id), *cited} & self._messages)
        if kind == "triple":
            return self._unsaid(snapshots[-1], frozenset())
        return kind not in _SAID and any(self._messages & set(_leaves(snap)) for snap in snapshots)

    def _unsaid(self, triple: Snapshot, memories: frozenset[str] | set[str]) -> bool:
        """Whether nothing that stays says it."""
        sources = [source["message_id"] for source in triple["sources"]]
        if sources:
            return all(message in self._messages for message in sources)
        return bool(triple["memory_ids"]) and memories.issuperset(triple["memory_ids"])

    def _texts(self, keys: Iterable[Key]) -> list[str]:
        return [snap["text"] for key in keys if key[0] == "memory" for snap in self._histories[key]]

    def _says(self, key: Key, wording: _Either) -> bool:
        """Whether words of what goes are the object's own, now or earlier."""
        for snapshot in self._histories[key]:
            fields = _SAID.get(key[0])
            said = snapshot if fields is None else [snapshot.get(field) for field in fields]
            if any(wording.touches(text) for text in _leaves(said)):
                return True
        return False

    def _follow(self, gone: set[Key]) -> None:
        """Whatever refers to what goes and cannot stand without it, until nothing more follows."""
        ends: dict[str, list[Key]] = {}
        for key, snapshots in self._histories.items():
            if key[0] == "triple":
                for end in {snapshots[-1]["subject_id"], snapshots[-1]["object_id"]}:
                    ends.setdefault(end, []).append(key)
        number = -1
        while number != len(gone):
            number = len(gone)
            ids = {object_id for _, object_id in gone}
            memories = {object_id for kind, object_id in gone if kind == "memory"}
            for key, snapshots in self._histories.items():
                if key not in gone and self._falls(key, snapshots[-1], ids, memories, gone, ends):
                    gone.add(key)

    def _falls(
        self,
        key: Key,
        now: Snapshot,
        ids: set[str],
        memories: set[str],
        gone: set[Key],
        ends: Mapping[str, list[Key]],
    ) -> bool:
        kind, object_id = key
        if kind == "triple":
            return bool({now["subject_id"], now["object_id"]} & ids) or self._unsaid(now, memories)
        if kind == "entity":
            triples = ends.get(object_id, [])
            return bool(triples) and all(triple in gone for triple in triples)
        if kind == "proposal":
            candidates = {candidate["memory_id"] for candidate in now["candidates"]}
            return bool(ids & (candidates | set(now["target_ids"])))
        return now.get("object_id") in ids  # what a person decided about it


def _names(
    conversations: Sequence[Conversation], sessions: Sequence[Session], evidence: Mapping[str, frozenset[str]]
) -> tuple[list[str], list[str]]:
    """Titles and files' names of what goes, and of what stays."""
    gone: list[str] = []
    kept: list[str] = []
    for one in conversations:
        (gone if one.id in evidence["conversation"] else kept).extend((one.title, one.source_file))
    for session in sessions:
        (gone if session.id in evidence["session"] else kept).append(session.title)
    return [telling_name(name) for name in gone], kept


class _Either:
    """Words of what was said, or of what was remembered of it."""

    def __init__(self, *wordings: Wording) -> None:
        self._wordings = wordings

    def touches(self, text: str) -> bool:
        """Whether a text has words of either."""
        return any(wording.touches(text) for wording in self._wordings)


def _histories(events: Sequence[Event], owner: str) -> dict[Key, list[Snapshot]]:
    """Every state that each of the owner's objects ever had, the present one last."""
    found: dict[Key, list[Snapshot]] = {}
    for event in events:
        for snapshot in (event.before, event.after):
            if snapshot is not None and snapshot.get("owner") == owner:
                found.setdefault((event.object_type, event.object_id), []).append(snapshot)
    return found


def _leaves(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _method(boundary: Mapping[str, Any]) -> dict[str, Any]:
    """Why a segment begins there, without scores and words."""
    return {"method": boundary["method"]} if "method" in boundary else {}
