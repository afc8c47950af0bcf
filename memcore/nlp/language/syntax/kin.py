"""Kin called as by a name: who tells a program "Dad had a heart attack" means the own father.

It does not know whose kin a name with another word beside it is ("Auntie Jean", "your mum").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token

_CALLED = frozenset(
    "dad daddy mum mummy mom mommy mama papa grandma grandpa granny gran nan nana grandad granddad".split()
)
_PLACES = NOMINAL_SUBJECTS | {"dobj", "pobj", "poss", "dative", "conj"}
_BESIDE = frozenset({"cc", "conj", "case", "punct"})


def is_own_kin(token: Token) -> bool:
    """Whether a word alone may mean kin of whoever speaks: "I rang mum", "Dad's shed burned down"."""
    return (
        token.lower_ in _CALLED
        and token.tag_ in {"NN", "NNP"}
        and token.dep_ in _PLACES
        and all(child.dep_ in _BESIDE for child in token.children)
    )
