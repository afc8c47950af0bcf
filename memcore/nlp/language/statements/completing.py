"""Sentences that lack their subject, completed: "Went hiking" is the speaker's own.

What is told without one in a set phrase is completed before parsing ("Been painting", "Can't wait to ..."),
the rest once it is parsed. Where the subject may be somebody else, the sentence is left as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements.reading import MessageReading
from memcore.nlp.language.syntax.grammar import auxiliaries, root_of, subject_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.time_grammar.periods import MONTHS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_ELIDED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"^(?=(?:just |recently |also |still |actually )?been \w+ing\b)", "I have "),
        (r"^(?=looking forward to )", "I am "),
        (r"^(?=(?:can't|cannot|can not) wait (?:to|for|until|till) )", "I "),
        (r"^(?=been (?:only )?to )", "I have "),
        (
            r"^(?=(?:just |recently |finally |also )?(?:lost|got|had|took|made|went|did|saw|met|found|bought"
            r"|finished|started|joined|tried|left|spent|came|gave|ran|won|visited|moved|paid|sold|booked|ordered"
            r"|adopted|passed|failed|switched)"
            r" (?:my|our|a|an|the|to|lots|loads|tons|plenty"
            r"|some(?! (?:trial|time|effort|work|getting|doing)))\b)",
            "I ",
        ),
        (r"^(?=(?:just |recently |finally |also )?(?:paid|sold|spent|bought|lost|won|ran) \$?\d)", "I "),
        (
            r"^(?=(?:just |recently |finally |also )?got (?:married|engaged|divorced|promoted|hired"
            r"|fired|laid off|accepted"
            r"|approved|pre-approved|back from|home from|into|rid of|sick|lost|stuck)\b)",
            "I ",
        ),
        (r"^(?=(?:hope|need|want|plan|have|used|decided|managed|tried|got|started) to )", "I "),
        (
            r"^(?=(?:(?:flying|driving|travell?ing|moving|heading|staying)"
            r" (?:out|back|home|to|from|in|with|up|down|into|over)"
            r"|(?:thinking|leaning|working) (?:of|about|towards?|on|through|with|at))\b"
            r"(?!.*\b(?:is|was|are|were|has|have|can|will|makes?|helps?|seems?)\b))",
            "I am ",
        ),
        (r"^(?=(?:planning|trying|hoping) to (?!.*\b(?:is|was|has|can)\b))", "I am "),
    )
)
_BEEN_ON_A_DAY = re.compile(
    r"^been (?:only )?to\b(?=.*\b(?:yesterday|last (?:night|week|month|year|weekend|\w+day)|ago)\b)", re.I
)
"""No perfect, once it has a subject: "been to Oslo yesterday"."""
_LIKE_THIS = re.compile(
    r"(\b(?:I|we) (?:have |had |also |once |used to )*(?:had|have|own|owned|got|bought|made|built"
    r"|painted|wore|baked|found) an? (?:[\w-]+ ){0,3}?"
    r"(?!(?:day|time|moment|year|night|week|thing|place|experience)\b)[\w-]+)"
    r" like (?:this|that|these|those|it)(?=\s*[,.!]|\s+(?:and|but|when|at|in|as|once|last)\b|$)",
    re.IGNORECASE,
)
"""What the speaker has or made is told without what it is likened to: "I had a doll like this"."""
_SOME_OF_THESE = re.compile(
    r"(?:(?<=\busing )|(?<=\buse ))(my (?:[\w-]+ ){1,4}?(?:to|for|on|in|with) (?:\w+ )?)"
    r"some of (?:these|those)(?= [a-z])",
    re.IGNORECASE,
)
"""What is used is told, whichever soups are meant: "using my new pot to make some of these soups"."""
_SOME_NAMED = re.compile(
    r"\b(?P<some>some|a few|several|many) of (?:these|those) "
    r"(?=[a-z-]+s(?: already| before| recently)?, (?:including|like|such as|especially) [\"A-Z])"
)
"""Their names count: "I've read some of these books already, including The Silent Patient"."""
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DAY_GIVEN_TWICE = re.compile(
    r"\b(?:last|this|next) (?:\w+day|weekend|week|month), which (?:was|is) (?:on )?"
    rf"(?=(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|{_MONTH} \d)"
)
"""The date counts: "last Saturday, which was on the 17th of June"."""
_REWORDED = (
    (_SOME_OF_THESE, r"\1some"),
    (_SOME_NAMED, r"\g<some> "),
    (_DAY_GIVEN_TWICE, "on "),
    (_BEEN_ON_A_DAY, "went to"),
    (_LIKE_THIS, r"\1"),
)
_BEFORE_COMMENT = re.compile(r"\s*[-\u2013\u2014]+\s*(?:you|that|it|what|how|so)\b", re.IGNORECASE)
"""What follows a thing that is named to be judged: "Taking in a cat - you're so kind!"."""
_MADE = frozenset("make build design animate print publish base inspire locate produce carve".split())
"""What is done to a thing: "Made in Austria" tells of that."""
_BY_WHOM_OR_WHERE = frozenset({"in", "by", "from", "of", "like"})
_OWN = frozenset("i we my our me us yesterday today last ago".split())
_THIRD = re.compile(r"\b(?:he|she|they|it|his|her|their)\b", re.IGNORECASE)


def completed(sentence: Sentence) -> Sentence:
    """The sentence before it is parsed: with the subject that a set phrase lacks, and without what the
    speaker likens a thing of theirs to, or of which ones they mean some."""
    for pattern, new in _REWORDED:
        sentence = replace(sentence, words=sentence.words.sub(pattern, new))
    for pattern, new in _ELIDED:
        if pattern.match(sentence.text):
            return _prefixed(sentence, new)
    return sentence


def _prefixed(sentence: Sentence, subject: str) -> Sentence:
    words = sentence.words
    lowered = words.text[0].lower() + words.text[1:]
    return replace(
        sentence, words=Aligned(subject + lowered, (words.origin[0],) * len(subject) + words.origin)
    )


def filled(sentence: Sentence, doc: Doc, item: MessageReading) -> Sentence | None:
    """The sentence with the speaker as subject, where it has none and needs one."""
    root = root_of(doc)
    if (
        root is None
        or root.pos_ != "VERB"
        or subject_of(root) is not None
        or root.i > 2
        or root.lower_ in lexicon.FEELING | {"compared"}
        or not doc[0].text[0].isalnum()
        or sentence.text.isupper()
        or _is_bare(root)
        or _is_done_to(root)
        or _THIRD.search(item.asked.text)
    ):
        return None
    if any(token.pos_ not in {"ADV", "PART"} for token in doc[: root.i]) or auxiliaries(root):
        return None
    if root.tag_ == "VBD" or (
        root.tag_ == "VBN" and root.i + 1 < len(doc) and not root.lower_.startswith(("been", "gone"))
    ):
        return _prefixed(sentence, "I ")
    alone = not _BEFORE_COMMENT.match(item.message.text[sentence.end :])
    doing = root.tag_ == "VBG" and alone and not (item.asked.text or item.turn.to_assistant)
    if doing and root.lemma_.lower() in lexicon.ONGOING:
        later = doc[root.i + 1 :]
        if not any(
            t.tag_ in {"VBZ", "VBP", "MD", "POS"} or t.lower_ in {"me", "us", "was", "were"} for t in later
        ):
            return _prefixed(sentence, "I am ")
    return None


def _is_done_to(verb: Token) -> bool:
    """ "Made in Austria", "Animated like a menu": no deed of the speaker's."""
    behind = verb.doc[verb.i + 1 :]
    return (
        verb.tag_ == "VBN"
        and verb.lemma_.lower() in _MADE
        and len(behind) > 0
        and behind[0].lower_ in _BY_WHOM_OR_WHERE
        and not any(token.lower_ in _OWN for token in behind)
    )


def _is_bare(verb: Token) -> bool:
    """ "Cast off", "shut up": of whom or what is anybody's guess."""
    return verb.lemma_.lower() in lexicon.SAME_IN_PAST and all(
        child.dep_ in {"prt", "advmod", "punct"} for child in verb.children
    )
