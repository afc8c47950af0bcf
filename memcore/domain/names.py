"""What makes two spellings one name. The store finds entities by it, stages make them by it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ARTICLE = re.compile(r"^(?:the|a|an|some|any)\s+", re.IGNORECASE)
_EDGES = " \t\n.,;:!?\"'`()[]{}<>“”‘’«»"
MAX_NAME = 200


@lru_cache(maxsize=1 << 16)  # a search by names asks it of every name that is remembered
def entity_key(name: str) -> str:
    """The form under which two spellings are the same entity.

    >>> entity_key("The  LGBTQ Support-Group!") == entity_key("lgbtq support-group")
    True
    """
    folded = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    while (bare := _ARTICLE.sub("", folded.strip(_EDGES))) != folded:
        folded = bare
    return folded


def shown_name(name: str) -> str:
    """A name as its node is called: on one line, without article and surrounding marks.

    >>> shown_name("the LGBTQ  support group,")
    'LGBTQ support group'
    """
    return _ARTICLE.sub("", " ".join(name[:MAX_NAME].split()).strip(_EDGES))
