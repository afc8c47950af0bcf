"""Who may do what with whose memory: persons by the name they log in with, and what was granted to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memcore.domain.errors import UsageError
from memcore.domain.models.identity import stable_id, text_hash

Role = Literal["read", "review", "administer"]
"""Each contains the ones before it. `read`: see, search, ask, export. `review`: decide, correct, add,
consolidate. `administer`: erase, switch automatic rules, share with others; of everyone's memory also the
store itself."""
ROLES: tuple[Role, ...] = get_args(Role)
EVERY_OWNER = ""
"""`Grant.owner` of a grant that holds for everyone's memory, also of owners to come."""

LONGEST_NAME = 320
"""Characters of a person's name: the longest e-mail address there can be (RFC 3696, erratum 1690)."""
_EMAIL = re.compile(r"[^\s@|:]+@[^\s@|:]+")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person may do with an owner's memory (`EVERY_OWNER`: everyone's). None: nothing any more."""

    id: str
    person: str
    owner: str
    role: Role | None

    @staticmethod
    def of(person: str, owner: str, role: Role | None) -> Grant:
        """The one grant that a person has for an owner, as it is from now on."""
        return Grant(stable_id("grant", person, owner), person, owner, role)


def person_named(name: str) -> str:
    """The name under which grants are kept: an e-mail address in lower case, else as it was given. Raises
    UsageError for what can be no person's name."""
    name = name.strip()
    if not _writable(name):
        raise UsageError(
            "This is no name that a person logs in with.",
            "Write the e-mail address, or the issuer and subject as the workbench shows them in the sidebar.",
        )
    return name.lower() if _EMAIL.fullmatch(name) else name


def login_named(person: str) -> str | None:
    """The login of the store's database server that a person's name stands for; None where it stands for
    somebody who logs in to the workbench.

    >>> login_named("postgresql|ann"), login_named("ann@example.org")
    ('ann', None)
    """
    issuer, _, login = person.partition("|")
    return login or None if issuer == "postgresql" else None


def logged_in_as(claims: Mapping[str, object]) -> str:
    """The stable name of who logged in, from the claims of an OpenID Connect identity token: the e-mail
    address where the provider says that it is verified, else issuer and subject, which alone never change
    hands (OpenID Connect Core 5.7). Raises UsageError for claims that name nobody.

    >>> told = {"email": "Ann@example.org", "iss": "https://id.example", "sub": "7"}
    >>> logged_in_as({**told, "email_verified": True}), logged_in_as(told)
    ('ann@example.org', 'https://id.example|7')
    """
    email, issuer, subject = claims.get("email"), claims.get("iss"), claims.get("sub")
    if claims.get("email_verified") in (True, "true") and isinstance(email, str):
        name = email.strip()
        if _writable(name) and _EMAIL.fullmatch(name):
            return name.lower()
    if not (isinstance(issuer, str) and isinstance(subject, str) and issuer and subject):
        raise UsageError(
            "The login names nobody: it has neither a verified e-mail address nor an issuer with a subject.",
            "Log out and in again; if it stays so, ask whoever runs the login for the scope “openid email”.",
        )
    name = f"{issuer}|{subject}"
    return name if _writable(name) else f"unwritable name|{text_hash(name)[:32]}"


def _writable(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()
