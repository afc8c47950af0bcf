"""`memory.people`: who may do what with whose memory."""

from __future__ import annotations

from collections.abc import Mapping

from memcore.domain.errors import ConflictError, NotFoundError, UsageError
from memcore.domain.models import EVERY_OWNER, Event, Grant, Role
from memcore.domain.models.people import ROLES, login_named, person_named
from memcore.memory.rights import Rights, needs
from memcore.store import SqlStore


class People:
    """Owners are shared by role (`Role`). Every grant, and every one that is taken back, is an event."""

    def __init__(self, store: SqlStore, rights: Rights) -> None:
        self._store = store
        self._rights = rights

    @property
    def me(self) -> str:
        """The name of who is logged in; empty for the operator."""
        return self._rights.person

    def my_roles(self) -> Mapping[str, Role]:
        """By owner (`EVERY_OWNER`: whoever it is), what was granted to who is logged in."""
        return self._rights.roles()

    def may(self, need: Role, owner: str = EVERY_OWNER) -> bool:
        """Whether who is logged in may do this with the owner's memory, or with the whole store."""
        return self._rights.may(need, owner)

    def allowed(self, owner: str = EVERY_OWNER) -> frozenset[Role]:
        """All for which `may` is so."""
        return self._rights.allowed(owner)

    def require(self, need: Role, owner: str = EVERY_OWNER) -> None:
        """Raise NotPermittedError unless `may`."""
        self._rights.require(need, owner)

    def require_operator(self, what: str) -> None:
        """Raise NotPermittedError for whoever has logged in: `what` is the machine's."""
        self._rights.require_operator(what)

    @needs("administer")
    def grants(self, owner: str | None = None) -> list[Grant]:
        """What stands of one owner (`EVERY_OWNER`: everyone's) or (None) all, by person, then owner."""
        return [one for one in self._store.grants() if one.role and owner in (None, one.owner)]

    @needs("administer")
    def grant(self, person: str, role: Role, *, owner: str, actor: str = "person") -> Grant:
        """Let a person do this with the owner's memory (`EVERY_OWNER`: with everyone's), in place of what
        they could before. A login of the store's database server is the person `postgresql|LOGIN`. Raises
        UsageError for what is no role or name of a person, NotFoundError for a login that is not there, and
        as `revoke`."""
        if role not in ROLES:
            raise UsageError(f"There is no role {role!r}.", f"Choose one of: {', '.join(ROLES)}.")
        name = person_named(person)
        if login := login_named(name):
            self._store.require_login(login)
        return self._put(Grant.of(name, owner, role), actor, "grant.given")

    @needs("administer")
    def revoke(self, person: str, *, owner: str, actor: str = "person") -> Grant:
        """Take back what a person may do with the owner's memory (`EVERY_OWNER`: with everyone's). Raises
        NotFoundError where nothing was granted, ConflictError where nobody who logs in would administer the
        store any more."""
        name = person_named(person)
        if not any(one.role for one in self._store.grants(person=name) if one.owner == owner):
            raise NotFoundError(
                f"Nothing is granted to {name} there.",
                "See what is: python -m memcore people list",
            )
        return self._put(Grant.of(name, owner, None), actor, "grant.ended")

    def claim(self) -> bool:
        """Whoever logs in first administers the store, if nobody who logs in was ever granted anything in it:
        whether that is who is logged in. Only for somebody at the machine: the caller looks at that."""
        if self._rights.unlimited or self._store.read_only or self._anybody_granted():
            return False
        with self._store.write(actor=self.me) as writer:
            if self._anybody_granted():  # somebody else was faster
                return False
            writer.put_grants([Grant.of(self.me, EVERY_OWNER, "administer")], kind="grant.claimed")
        return True

    @needs("administer")
    def history(self, owner: str | None = None) -> list[Event]:
        """What was granted and taken back, newest first, of one owner or (None) of all."""
        events = self._store.events(object_type="grant", newest_first=True)
        return [event for event in events if owner in (None, event.owner)]

    def _put(self, grant: Grant, actor: str, kind: str) -> Grant:
        with self._store.write(actor=actor) as writer:
            if not self._rights.unlimited:
                self._require_another_administrator(grant)
            writer.put_grants([grant], kind=kind)
        if login_named(grant.person):
            self._store.admit_logins()
        return grant

    def _anybody_granted(self) -> bool:
        """Whether anything was ever granted to somebody who logs in to the workbench."""
        return any(login_named(one.person) is None for one in self._store.grants())

    def _require_another_administrator(self, changed: Grant) -> None:
        """Whoever logs in may not leave the store to nobody; the operator may."""
        before = {one.id: one for one in self._store.grants()}
        if _administered(before) and not _administered({**before, changed.id: changed}):
            raise ConflictError(
                f"{changed.person} is the last who administers this store.",
                "Let somebody else administer it first.",
            )


def _administered(grants: Mapping[str, Grant]) -> bool:
    return any(
        one.owner == EVERY_OWNER and one.role == "administer" and login_named(one.person) is None
        for one in grants.values()
    )
