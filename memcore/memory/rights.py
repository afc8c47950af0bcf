"""What whoever a `Memory` was opened for may do, and the one place where that is looked at.

A verb says what it needs (`@needs("review")`); which owner it is about stands in its own arguments. The
grants are read anew at each verb, so that what is taken back is gone at once. For the operator, who has the
files of the store in hand anyway, nothing is looked up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from memcore.domain.errors import NotPermittedError
from memcore.domain.models import EVERY_OWNER, Message, Role
from memcore.domain.models.people import ROLES
from memcore.domain.protocols import Store

Given = ParamSpec("Given")
Gives = TypeVar("Gives")
Owners = Callable[[Mapping[str, Any]], Iterable[str]]
"""The arguments of a verb, by name -> the owners whose memory it is about."""

_DOES: dict[Role, str] = {
    "read": "see",
    "review": "decide about",
    "administer": "administer",
}


class Rights:
    """Of one person, by the name they log in with; empty: the operator, who may do everything."""

    def __init__(self, store: Store, person: str = "") -> None:
        self._store = store
        self.person = person

    @property
    def unlimited(self) -> bool:
        """Whether this is the operator, of whom nothing is asked."""
        return not self.person

    def roles(self) -> dict[str, Role]:
        """What was granted to the person, by owner (`EVERY_OWNER`: whoever it is)."""
        granted = () if self.unlimited else self._store.grants(person=self.person)
        return {grant.owner: grant.role for grant in granted if grant.role is not None}

    def may(self, need: Role, owner: str) -> bool:
        """Whether the person may do this with the owner's memory (`EVERY_OWNER`: with everyone's)."""
        return need in self.allowed(owner)

    def allowed(self, owner: str) -> frozenset[Role]:
        """All that the person may do with the owner's memory (`EVERY_OWNER`: with everyone's)."""
        return frozenset(ROLES) if self.unlimited else _allowed(self.roles(), owner)

    def among(self, owners: Iterable[str], need: Role) -> list[str]:
        """Those of the owners with whose memory the person may do this, in their order."""
        if self.unlimited:
            return list(owners)
        granted = self.roles()
        return [owner for owner in owners if need in _allowed(granted, owner)]

    def require(self, need: Role, owner: str) -> None:
        """Raise NotPermittedError unless `may`; the same whether there is such an owner or not."""
        if not self.may(need, owner):
            raise self._refused(need, owner)

    def require_operator(self, what: str) -> None:
        """Raise NotPermittedError for whoever has logged in: `what` is done on the machine alone."""
        if not self.unlimited:
            raise NotPermittedError(
                f"{what} is done on the machine that Memscope runs on, not by those who log in.",
                "Ask whoever runs it there.",
            )

    def acts_as(self, named: str) -> str:
        """The actor of what is done: who is logged in, whoever was named; for the operator, who was named."""
        return self.person or named

    def _refused(self, need: Role, owner: str) -> NotPermittedError:
        whose = f"the memory of {owner}" if owner != EVERY_OWNER else "this store"
        of = f"--owner {owner!r}" if owner != EVERY_OWNER else "--every-owner"
        return NotPermittedError(
            f"{self.person} may not {_DOES[need]} {whose}.",
            f"Who administers it can share it under Settings; on the machine: "
            f"python -m memcore people grant {self.person} --role {need} {of}",
        )


def _allowed(granted: Mapping[str, Role], owner: str) -> frozenset[Role]:
    """Each role contains the ones before it."""
    roles = (granted[of] for of in (owner, EVERY_OWNER) if of in granted)
    return frozenset(contained for role in roles for contained in ROLES[: ROLES.index(role) + 1])


def the_owner(given: Mapping[str, Any]) -> Iterable[str]:
    """Whom the verb names; where it may name nobody, everyone."""
    return (EVERY_OWNER if given["owner"] is None else given["owner"],)


def everyone(given: Mapping[str, Any]) -> Iterable[str]:
    """A verb of the whole store."""
    return (EVERY_OWNER,)


def sessions_seen(store: Store, rights: Rights, session_ids: Iterable[str]) -> set[str]:
    """Those of the sessions whose owner's memory the person may see; none that is not there."""
    asked = set(session_ids)
    if rights.unlimited or not asked:
        return asked
    conversations = store.conversations()
    owners = set(rights.among({one.owner for one in conversations}, "read"))
    seen = {one.id for one in conversations if one.owner in owners}
    found = (store.session(one) for one in asked)
    return {one.id for one in found if one is not None and one.conversation_id in seen}


def messages_seen(store: Store, rights: Rights, messages: Iterable[Message]) -> list[Message]:
    """Those of the messages whose owner's memory the person may see; the others are as unknown."""
    given = list(messages)
    seen = sessions_seen(store, rights, (one.session_id for one in given))
    return [one for one in given if one.session_id in seen]


def needs(role: Role, of: Owners = the_owner) -> Callable[[Callable[Given, Gives]], Callable[Given, Gives]]:
    """A verb of something that has `_rights`: refused with NotPermittedError to whoever has not this role for
    the owners it is about. Where it takes an actor, that is who is logged in."""

    def decorate(verb: Callable[Given, Gives]) -> Callable[Given, Gives]:
        takes = inspect.signature(verb)

        @wraps(verb)
        def checked(*args: Given.args, **kwargs: Given.kwargs) -> Gives:
            rights: Rights = getattr(args[0], "_rights")  # noqa: B009 - of whatever kind the first argument is
            if rights.unlimited:
                return verb(*args, **kwargs)
            given = takes.bind(*args, **kwargs)
            given.apply_defaults()
            for owner in of(given.arguments):
                rights.require(role, owner)
            if "actor" in given.arguments:
                given.arguments["actor"] = rights.acts_as(given.arguments["actor"])
            return verb(*given.args, **given.kwargs)

        setattr(checked, NEEDED, role)
        return checked

    return decorate


NEEDED = "needed_role"
"""Where a verb that `needs` a role says which."""
