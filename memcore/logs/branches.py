"""Conversations that are trees: a message edited or answered anew starts another branch.

Formats that keep such trees (ChatGPT, Claude.ai, Open WebUI) read them into a `MessageTree`; which branch
of it becomes the conversation, and what the branches are, is the same for all of them. Parents that are
missing or go round in a circle end a branch, reported; they never break the reading. Knows no format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.logs.assemble import clean
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import shown

FIRST_WORDS = 80
"""How many characters of a message say where a branch parts from the current one."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way through a conversation: the id of its last message (`leaf`), how many messages were said
    on it, when the last one was, and the first words that are not on the current branch (of the current
    branch itself: that are not on all others; empty when it only ends earlier)."""

    leaf: str
    messages: int
    last_at: datetime | None
    first_words: str


@dataclass(frozen=True, slots=True)
class Branching:
    """A conversation with several branches, the current one first, the others as the log lists them.
    `conversation` is what `ReadOptions.branches` calls it."""

    conversation: str
    title: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class MessageTree:
    """The messages of one conversation by id, each with its parent (None: it is a first message).

    `current` is the message the log ends in (None: it has no messages). `turn` gives the message of an id
    as a turn, or None when it was not said or (reported) cannot be read. `where` is the conversation's
    place in the file, in words; `user_name` what the export says the user is called.
    """

    native_id: str
    title: str
    where: str
    started_at: datetime | None
    parents: Mapping[str, str | None]
    current: str | None
    turn: Callable[[str], MessageDraft | None]
    user_name: str = ""

    @property
    def key(self) -> str:
        """The name by which a branch of it is chosen: its own id, or its place when it has none."""
        return self.native_id or self.where

    @property
    def place(self) -> str:
        """How a report names it."""
        return self.title or self.key

    def draft(self, content: Content, options: ReadOptions) -> ConversationDraft | None:
        """The conversation as it was on the chosen branch, else on the current one. None (reported) when
        the chosen branch does not exist: another one was not asked for."""
        leaf = options.branches.get(self.key, self.current)
        if leaf is not None and leaf not in self.parents:
            content.skip(
                self.place,
                f"the chosen branch ends in message {shown(leaf)}, which this conversation ({self.key}) does "
                "not have; choose one of its branches, or none to read the current one",
            )
            return None
        path = self._path(leaf, _without_circles(self.parents, self.current), content)
        turns = [turn for node in path if (turn := self.turn(node))]
        session = SessionDraft(turns, self.started_at)
        return ConversationDraft(
            [session], self.native_id, self.title, split_at_gaps=True, user_name=self.user_name
        )

    def branching(self, content: Content) -> Branching | None:
        """Its branches; None when it has only one."""
        parents = _without_circles(self.parents, self.current)
        answered = set(parents.values())
        if [node for node in parents if node not in answered] == [self.current]:
            return None
        ways = _Ways(self, parents, self._path(self.current, parents, content))
        branches = tuple(ways.branches())
        return Branching(self.key, clean(self.title), branches) if len(branches) > 1 else None

    def _path(self, leaf: str | None, parents: Mapping[str, str | None], content: Content) -> list[str]:
        """The ids from the first message to this one; where the chain of parents ends before one without
        a parent is reported."""
        path: list[str] = []
        node = leaf
        while node is not None and node in parents:
            path.append(node)
            node = parents[node]
        if path and (lost := self.parents[path[-1]]) is not None:
            fault = "runs in a circle" if lost in self.parents else "is broken"
            content.skip(f"{self.place}, message {lost}", f"the chain of parents {fault}; read from here on")
        return path[::-1]


def _without_circles(parents: Mapping[str, str | None], current: str | None) -> dict[str, str | None]:
    """The parents, with each circle opened: of one that the current branch runs into, what is furthest
    from its end becomes the first message."""
    opened = dict(parents)
    followed: set[str] = set()
    for start in (current, *parents):
        node, way = start, set[str]()
        while node is not None and node in opened and node not in followed:
            followed.add(node)
            way.add(node)
            if opened[node] in way:
                opened[node] = None
            node = opened[node]
    return opened


@dataclass(frozen=True, slots=True)
class _Way:
    """How a conversation came to a message: what was said up to it. `parted_at` is how many messages of
    the current branch it shares, `parted` the first one it does not."""

    messages: int = 0
    last: str | None = None
    last_at: datetime | None = None
    parted_at: int = 0
    parted: MessageDraft | None = None


class _Ways:
    """The way to each message of a tree, found in one pass however many branches there are."""

    def __init__(self, tree: MessageTree, parents: Mapping[str, str | None], current: list[str]) -> None:
        self._tree = tree
        self._on_current = set(current)
        self._ways: dict[str, _Way] = {}
        self._current_turns: list[MessageDraft] = []
        self._continued: set[str] = set()
        """Said messages after which something else was said."""
        children: dict[str, list[str]] = {}
        waiting: list[tuple[str, _Way]] = []
        for node, parent in parents.items():
            if parent is not None and parent in parents:
                children.setdefault(parent, []).append(node)
            else:
                waiting.append((node, _Way()))
        while waiting:
            node, before = waiting.pop()
            way = self._visit(node, before)
            waiting.extend((child, way) for child in children.get(node, ()))

    def _visit(self, node: str, before: _Way) -> _Way:
        turn = self._tree.turn(node)
        way = before
        if turn:
            if before.last is not None:
                self._continued.add(before.last)
            shared = node in self._on_current
            if shared:
                self._current_turns.append(turn)
            way = _Way(
                messages=before.messages + 1,
                last=node,
                last_at=turn.said_at or before.last_at,
                parted_at=before.parted_at + shared,
                parted=before.parted or (None if shared else turn),
            )
        self._ways[node] = way
        return way

    def branches(self) -> Iterator[Branch]:
        """The current branch, then each other message after which nothing more was said."""
        current = self._ways.get(self._tree.current or "", _Way())
        others = [
            way
            for node in self._tree.parents
            if (way := self._ways.get(node, _Way())).last == node
            and node not in self._continued
            and node != current.last
        ]
        if not others:
            return
        shared = min(way.parted_at for way in others)
        own = self._current_turns[shared:]
        yield _branch(self._tree.current or "", current, own[0] if own else None)
        for way in others:
            yield _branch(way.last or "", way, way.parted)


def _branch(leaf: str, way: _Way, parted: MessageDraft | None) -> Branch:
    return Branch(leaf, way.messages, way.last_at, _first_words(parted.text) if parted else "")


def _first_words(text: str) -> str:
    words = " ".join(clean(text[: 4 * FIRST_WORDS]).split())
    return words if len(words) <= FIRST_WORDS else f"{words[:FIRST_WORDS].rstrip()}…"


def parents_of(nodes: Mapping[str, Any], parent: str, children: str) -> dict[str, str | None]:
    """The parent of each message, from its record's member `parent`. Of a message whose record does not
    say, is damaged or missing, or says one that does not have it among its `children`, it is the one that
    does, so that what came before is not lost."""
    records = {key: node for key, node in nodes.items() if isinstance(node, dict)}
    stated = {key: above for key, node in records.items() if isinstance(above := node.get(parent), str)}
    listed_by: dict[str, str] = {}
    listed: set[tuple[str, str]] = set()
    for key, node in records.items():
        children_of = node.get(children)
        for child in children_of if isinstance(children_of, list) else ():
            if isinstance(child, str):
                listed_by.setdefault(child, key)
                listed.add((key, child))
    return {
        key: above
        if (above := stated.get(key)) and ((above, key) in listed or key not in listed_by)
        else listed_by.get(key)
        for key in (*records, *listed_by)
    }


def newest_leaf(parents: Mapping[str, str | None], times: Mapping[str, datetime | None]) -> str | None:
    """Of the messages in `times`, the newest that nobody answered; when there is none (all in a circle),
    the newest. Where times are missing or equal, the last."""
    answered = {parents.get(key) for key in times}
    leaves = [key for key in times if key not in answered] or list(times)
    newest = max(enumerate(leaves), key=lambda item: (times[item[1]] or datetime.min, item[0]), default=None)
    return newest[1] if newest else None
