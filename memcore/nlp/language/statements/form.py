"""The form of finished statements: what is said beside the matter is taken off, what is no sentence is found.

The last check before a statement becomes a memory. It reads the words as they will be read: full sentences
with a subject and a finite verb, no word twice, no quotation left open, nothing that ends in a joint.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.nlp.language import pipeline
from memcore.nlp.language.statements.statement import Read, Statement
from memcore.nlp.language.syntax.grammar import SUBJECTS, auxiliaries, is_finite, is_verb
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Doc, Token

    from memcore.nlp.language.statements.reading import MessageReading

ILL_FORMED = "not a well-formed sentence once it is told by itself"
_JUDGED = "|".join(
    sorted(
        map(re.escape, lexicon.EVALUATIVE | {"plus", "relief", "win", "help", "refreshing", "promising"}),
        key=len,
        reverse=True,
    )
)
_COMMENT = re.compile(
    r"\s*[,;\u2013\u2014-]+\s*(?:(?:but|so|and|which|though) )?"
    r"(?:(?:that|it|this)(?:'s| is| was| has been|'s been| sounds| looks| seems)|is|was)"
    r"(?: (?:a|an|the|so|really|just|such|been|pretty|very|super|quite|definitely|all|kind of|also))*"
    rf" (?:(?:{_JUDGED})(?: (?:{_JUDGED}|tip|point|idea|one|surprise|time|experience|feeling"
    r"|and))*"
    r"|different story)[.!]?$",
    re.IGNORECASE,
)
"""What is said last, in judgement: "I sold the boat, so that's a plus"."""
_PRAISE_BESIDE = re.compile(
    r",? and the (?:people|folks|staff|crowd|atmosphere|vibe|vibes|energy|food|view|views|weather|place)"
    r" (?:is|are|was|were|has been|have been)(?: (?:so|really|just|very|super|all|always|pretty))*"
    rf" (?:{_JUDGED})[.!]?$",
    re.IGNORECASE,
)
"""Praise of what nothing before names: "I joined a gym, and the people are awesome"."""
_GIVES_A_START = re.compile(
    r",? (?:and|so|but) (?:this|that|it) (?:gives?|gave|will give|should give) (?:them|me|us|[A-Z]\w+)"
    r" an? (?:\w+ )?(?:start|starting point|idea|boost)[.]?$"
)
"""Of what somebody else said: "I want to row again, and this gives me a good starting point"."""
_LEFT_OPEN = re.compile(
    r",? (?:and|but|so)(?: also)? (?:now that|since|if|because|although|even though|while|when) [^,;.]*[.]?$",
    re.IGNORECASE,
)
"""A clause that leads to one which is gone: "I sold the boat, and now that it is spring"."""
_TOO = re.compile(r",? (?:too|as well|though)(?=[.]?$)")
_ORDER_BESIDE = re.compile(
    r",? (?:but|so|and) (?:please )?(?:don't|do not|never) (?:tell|say|ask|worry|panic|forget|let|get|be"
    r"|judge|laugh|quote)\b[^.]*[.]?$",
    re.IGNORECASE,
)
"""Said to the listener behind a statement: "I'm moving to Oslo, but don't tell Mum yet"."""
_DANGLING = re.compile(
    r"\b(?:and|but|or|because|the|a|an|my|their|which|if|when|than|(?-i:plus))[.!]?$"
    r"|(?<!\blistening )(?<!\blisten )(?<!\bbeen )(?<!\bwent )(?<!\bgo )(?<!\bsubscribed )\bto[.!]?$"
    r"|(?:\b(?:and|but|yet)|[,;]) at the same time[.!]?$"
    r"|^(?:(?!\b(?:and|also|both|all|two)\b).)* at the same time[.!]?$"
    r"|[,;:&/-][.!]?$",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"(?:considering|given|regarding|including|despite)\b[^,]*$"
    r"|(?:which|how|why|back to|speaking of|what \d)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(
    r"\b(?!(?:had|that|very|so|really|many|much|more|far|ha|bye|is|do)\b)([a-z']+) \1\b", re.IGNORECASE
)
_INTERJECTION = re.compile(r"\b(?:yeah|yep|nope|haha\w*|lol|omg|umm*|hmm+|gosh|ugh)\b", re.IGNORECASE)
_DISAGREES = re.compile(r"\bthey (?:is|was|has|does|doesn't|hasn't|isn't|wants|needs)\b|\w-s\b")
_DAY = r"(?:In|On|Over|As of|Since|Shortly before)\b[^,.]{1,40}\b\d{4},? "
_FRONTED = r"(?:For|At|In|On|During|After|Before|With) [^,.;]{3,60}, "
_FEWEST_WORDS = 3
_ABBREVIATED = "Dr Mr Ms St Mrs Sgt Lt Capt Prof [A-Z]".split()
_ENDS = re.compile("".join(rf"(?<!\b{one}\.)" for one in _ABBREVIATED) + r"(?<=[.!?])\s+(?=[A-Z])")


def without_comment(text: str) -> str:
    """A statement without the judgement or the open clause at its end, where enough is left before it."""
    bare = text
    for beside in (_ORDER_BESIDE, _GIVES_A_START, _COMMENT, _PRAISE_BESIDE, _LEFT_OPEN, _TOO):
        bare = beside.sub("", bare)
    if bare == text or len(bare.split()) < 5 or text.count('"') % 2:
        return text
    return bare if bare.endswith((".", "?")) else f"{bare}."


def in_form(read: Sequence[tuple[MessageReading, Read]]) -> list[tuple[MessageReading, Read]]:
    """What messages yielded, with statements `without_comment`. Of what people told in English, those that do
    not read as full sentences are passed over; of one that joins sentences which do without each other, each
    is told alone, where it does."""
    told = [(item, [_bare(one) for one in result.statements]) for item, result in read]
    formed = _formed([(item, statements) for item, statements in told if item.parsed])
    formed |= _formed([(item, _apart(statements, formed)) for item, statements in told if item.parsed])
    found = []
    for (item, result), (_, statements) in zip(read, told, strict=True):
        out = Read(passed=list(result.passed))
        for statement in statements:
            fit = formed.get(statement.text, True)
            for one in [statement] if fit else _apart([statement], formed) or [statement]:
                if formed.get(one.text, True):
                    out.statements.append(one)
                else:
                    out.skip(one, ILL_FORMED)
        found.append((item, out))
    return found


def _bare(statement: Statement) -> Statement:
    return replace(statement, text=without_comment(statement.text))


def _apart(statements: Sequence[Statement], formed: dict[str, bool]) -> list[Statement]:
    """What the sentences of ill-formed statements tell alone."""
    return [_bare(one) for statement in statements if not formed[statement.text] for one in statement.apart]


def _formed(told: Sequence[tuple[MessageReading, Sequence[Statement]]]) -> dict[str, bool]:
    """Whether each statement reads as full sentences, by its text."""
    texts = {one.text: item.turn.participants for item, statements in told for one in statements}
    docs = pipeline.parse(list(texts))
    return {
        text: is_well_formed(text, doc, people)
        for (text, people), doc in zip(texts.items(), docs, strict=True)
    }


def is_well_formed(text: str, doc: Doc, speakers: Sequence[str]) -> bool:
    """Whether a finished statement is made of full sentences. Of one that quotes, only its marks are read."""
    if text.count('"') % 2 or text.count("(") != text.count(")"):
        return False
    if '"' in text or "shared an image" in text or "shared images" in text:
        return True
    words = text.rstrip()
    if (
        _LEADS_ON.match(words)
        or _DANGLING.search(words)
        or any(map(_is_slip, _TWICE.finditer(words)))
        or _INTERJECTION.search(words)
        or _DISAGREES.search(words)
    ):
        return False
    doubled = any(
        re.search(rf"\b{re.escape(name)} and {re.escape(name)}\b", text) for name in speakers if name
    )
    if doubled:
        return False
    begun = re.compile(  # a name, or a day or occasion and a name: the parser is surer before
        rf"(?:{_DAY}|{_FRONTED})?(?:{'|'.join(map(re.escape, filter(None, speakers))) or '$^'})"
    )
    return all(begun.match(text[a:b]) or _is_sentence(doc, a, b) for a, b in _sentences(text))


def _is_slip(twice: re.Match[str]) -> bool:
    """Whether a word stands twice that is no part of a name: "Buy Buy Baby"."""
    return not all(word[0].isupper() for word in twice.group().split())


def _sentences(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(match.end() for match in _ENDS.finditer(text)), len(text)]
    return list(itertools.pairwise(cuts))


def _is_sentence(doc: Doc, start: int, end: int) -> bool:
    """Whether these characters hold a subject with a finite verb that depends on nothing else."""
    tokens = [token for token in doc if start <= token.idx < end]
    if len(tokens) <= _FEWEST_WORDS:
        return False
    if any(t.dep_ == "ROOT" and t.tag_ == "VBG" and not auxiliaries(t) for t in tokens):
        return False
    return any(token.dep_ in SUBJECTS and is_verb(token.head) and _tells(token.head) for token in tokens)


def _tells(verb: Token) -> bool:
    return verb.dep_ not in {"relcl", "acl", "advcl"} and is_finite(verb)
