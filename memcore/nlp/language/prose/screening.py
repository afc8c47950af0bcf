"""What is not worth remembering, and why: small talk, reactions, requests, wisdom without content.

Two screens. `before_parsing` reads the bare sentence by pattern, so that chatter costs no parse;
`after_parsing` weighs its content words. A reason is a short phrase a person reads; None keeps the
sentence. Both prefer losing a doubtful sentence to keeping noise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import errands, phrases
from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.prose.sentiment import is_sentiment
from memcore.nlp.language.prose.text import LITERAL
from memcore.nlp.language.syntax.declarative import foretells
from memcore.nlp.language.syntax.kin import is_own_kin
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.english import is_english

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

QUOTED = "someone else's words, quoted"
QUESTION = "question"
SMALL_TALK = "small talk"
REACTION = "reaction to what was said"
PASSING = "holds only for the moment of saying it"
LISTENER = "about the listener: compliment, echo or encouragement"
CODE = "code or markup"
_CODE = re.compile(
    r"[{}]\s*$|^[#@$>\\{<]|\w\(\S*\)\s*[;.{:]?\s*$|\w\(\"|\b\w+\.\w+\.\w+\(|[=!]=|=>|:=|\s=\s|</|/>|\{\S+\}"
)
REQUEST = "request or suggestion"
GENERAL = "general remark"
IDLE = "a judgement without reason or occasion"
NO_CONTENT = "nothing specific"
FORETOLD = "it says how a time or an event will be, and nothing of its speaker"
SENTIMENT = "a feeling or resolve that names nothing"
OF_THE_WORLD = "told to an assistant about something else than its speaker"
FOREIGN = "not English, in an English message"
FEWEST_FOREIGN = 8
"""Words by which a language is told."""


def before_parsing(sentence: Sentence, turn: Turn) -> str | None:
    """Why a sentence can be skipped without parsing it, or None."""
    text = sentence.text
    if sentence.quoted or (
        text.startswith('"') and text.rstrip(".!,").endswith('"') and text.count('"') == 2
    ):
        return QUOTED
    if sentence.asks or phrases.UNMARKED_QUESTION.match(text):
        return QUESTION
    if _CODE.search(_without_literals(text)):
        return CODE
    words = text.split()
    chat = phrases.SMALL_TALK.match(text) and not phrases.PLEA_WITH_REASON.match(text)
    if chat or len(words) < 2 or not re.search(r"[A-Za-z]{2}", text):
        return SMALL_TALK
    if phrases.REACTION.match(text):
        return REACTION
    if phrases.PASSING.match(text):
        return PASSING
    if phrases.ABOUT_LISTENER.match(text):
        return LISTENER
    if phrases.ASSISTANT_TASK.match(text):
        return REQUEST
    if phrases.ECHO.search(text) and len(words) < 25:
        return LISTENER
    return FOREIGN if len(words) >= FEWEST_FOREIGN and not is_english(text) else None


def _without_literals(text: str) -> str:
    """The words around tags and inline code, where there are words around them."""
    words = LITERAL.sub("", text)
    return words if len(words.split()) >= 4 else text


def is_first_person(token: Token) -> bool:
    """Whether the word means the speaker, alone or with others."""
    return token.lower_ in lexicon.SPEAKERS


def _carries_content(token: Token, turn: Turn) -> bool:
    if (token.is_stop and token.text != "US") or token.is_punct or token.is_space or len(token.text) < 2:
        return False
    if turn.called(token.text):
        return False
    lemma = token.lemma_.lower()
    if lemma == "live" and any(child.lower_ in {"alone", "together"} for child in token.rights):
        return True
    if lemma in lexicon.VAGUE or lemma in lexicon.EVALUATIVE or lemma in lexicon.FEELING:
        return False
    if token.pos_ in {"NOUN", "PROPN", "NUM"}:
        return lemma not in lexicon.TEMPORAL
    if token.pos_ == "VERB":
        return lemma not in lexicon.LIGHT_VERBS
    if token.pos_ != "ADJ" or lemma in lexicon.WEAK_ADJECTIVES:
        return False
    return token.dep_ == "acomp" or (token.dep_ == "amod" and token.head.lemma_.lower() not in lexicon.VAGUE)


def content_words(doc: Doc, turn: Turn) -> list[Token]:
    """Tokens that tell something: concrete nouns, names, numbers, verbs of doing."""
    return [token for token in doc if _carries_content(token, turn)]


def after_parsing(doc: Doc, turn: Turn, *, dated: bool) -> str | None:
    """Why a parsed sentence is skipped, or None. `dated`: it names a time."""
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None:
        return NO_CONTENT
    if foretells(doc):
        return FORETOLD
    told = _told(doc, root, turn, dated)
    reason = _meant_for_listener(told) or _of_nobody(told) or _too_little(told)
    if reason is None and not dated and _is_bare_feeling(root):
        return NO_CONTENT
    if reason is None and is_sentiment(root, told.nouns, pinned=dated or bool(told.named) or _counts(doc)):
        return SENTIMENT
    if reason is None and turn.to_assistant and not any(is_first_person(t) or is_own_kin(t) for t in doc):
        return OF_THE_WORLD
    if reason is None and turn.to_assistant and errands.is_of_the_chat(root, dated=dated):
        return errands.ERRAND
    return reason


def _counts(doc: Doc) -> bool:
    """Whether it holds a figure, title or name."""
    return any(t.pos_ in {"NUM", "PROPN", "SYM"} and t.lower_ != "one" for t in doc[1:]) or '"' in doc.text


def _is_bare_feeling(root: Token) -> bool:
    """ "I'm getting a bit nervous": of what?"""
    felt = next((child for child in root.children if child.dep_ == "acomp"), None)
    if felt is None or root.lemma_ not in {"be", "get", "feel"}:
        return False
    if felt.lemma_.lower() in lexicon.TRAITS or felt.ent_type_:
        return False
    if felt.tag_ != "VBN" and felt.lemma_.lower() not in lexicon.FEELING | lexicon.MOODS:
        return False
    beside = [c for c in (*root.children, *felt.children) if not (c.dep_ == "conj" and c.pos_ == "ADJ")]
    return not any(
        c.dep_ in {"prep", "xcomp", "ccomp", "advcl", "conj", "attr", "dobj", "mark"} for c in beside
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """A parsed sentence as the rules look at it: `content` are its content words, `nouns` and `named` the
    nouns and names among them, `past` and `dated` whether it tells of a time."""

    doc: Doc
    root: Token
    subject: Token | None
    content: list[Token]
    nouns: list[Token]
    named: list[Span]
    past: bool
    dated: bool


def _told(doc: Doc, root: Token, turn: Turn, dated: bool) -> _Told:
    content = content_words(doc, turn)
    named = [
        ent
        for ent in doc.ents
        if ent.label_ not in {"DATE", "TIME", "ORDINAL", "CARDINAL"}
        and not turn.called(ent.text)
        and ent.text[0].isupper()
        and any(token.pos_ in {"PROPN", "NUM", "SYM"} for token in ent)
    ]
    return _Told(
        doc,
        root,
        next((child for child in root.children if child.dep_ in {"nsubj", "nsubjpass", "expl"}), None),
        content,
        [token for token in content if token.pos_ in {"NOUN", "PROPN", "NUM"}],
        named,
        any(token.tag_ in {"VBD", "VBN"} for token in (root, *root.children)),
        dated,
    )


def _meant_for_listener(told: _Told) -> str | None:
    root, subject = told.root, told.subject
    if root.tag_ == "VB" and subject is None and not any(t.dep_ in {"aux"} for t in root.children):
        return REQUEST
    if subject is not None and subject.lower_ in {"you", "u"}:
        return LISTENER
    if any(_is_order(child) for child in root.children) and not any(map(is_first_person, told.doc)):
        return LISTENER
    did = told.past and subject is not None and subject.lower_ in {"i", "we"}
    did = did and root in told.content and bool(told.nouns)
    you = any(token.lower_ in {"you", "your"} for token in told.doc)
    return LISTENER if you and len(told.nouns) < 2 and not told.dated and not did else None


def _is_order(verb: Token) -> bool:
    """ "..., so keep going"."""
    if verb.tag_ != "VB" or verb.dep_ not in {"conj", "advcl", "ccomp"}:
        return False
    return not any(child.dep_ in {"nsubj", "aux", "mark", "expl"} for child in verb.children)


def _of_nobody(told: _Told) -> str | None:
    """Remarks that hold for everybody, judgements, and what names nothing."""
    root, subject = told.root, told.subject
    if not told.content:
        return NO_CONTENT
    if not told.past and not told.dated and (_says_we(told) or _speaks_for_all(told.doc, subject)):
        return GENERAL
    if subject is not None and _is_idle(root, subject, told.content):
        return IDLE
    own = subject is not None and subject.lower_ in {"i", "we"}
    if not told.nouns and not own and not told.dated:
        return NO_CONTENT
    waits = root.lemma_ == "wait" and len(told.nouns) < 2 and not told.dated and not told.named
    return NO_CONTENT if waits else None


def _says_we(told: _Told) -> bool:
    """ "We should all …", "we need love": no name, and hardly anything told."""
    subject = told.subject
    if subject is None or subject.lower_ != "we" or told.named:
        return False
    modal = any(child.tag_ == "MD" for child in told.root.children)
    return modal or len(told.nouns) < 2 or any(token.lower_ == "all" for token in subject.subtree)


def _too_little(told: _Told) -> str | None:
    subject, several = told.subject, len(told.content) >= 2
    if any(is_first_person(token) for token in told.doc):
        enough = told.dated or told.named or several or _tells(told.root, told.content, told.past)
        return None if enough else NO_CONTENT
    if told.named or (told.dated and several):
        return None
    if any(token.pos_ == "NUM" for token in told.doc) and several:
        return None
    pointing = subject is not None and subject.lower_ in {"it", "this", "that"}
    if told.past and several and (not pointing or len(told.nouns) >= 2):
        return None
    return GENERAL


def _is_idle(root: Token, subject: Token, content: list[Token]) -> bool:
    """ "Paris is amazing", "Ann is the best", "Max was awesome": praise or blame of something that is not the
    speaker's, with nothing else told; in the past of what one word names."""
    named = root.tag_ == "VBD" and subject.pos_ == "PROPN" and len(list(subject.subtree)) == 1
    if root.lemma_ not in {"be", "look", "seem"} or not (root.tag_ in {"VBZ", "VBP"} or named):
        return False
    if any(is_first_person(token) for token in root.doc):
        return False
    judged = [child for child in root.children if child.dep_ in {"acomp", "attr"}]
    if not judged or any(child.dep_ in {"advcl", "ccomp", "conj"} for child in root.children):
        return False
    words = [judged[0], *judged[0].lefts]
    noun = judged[0].lemma_.lower() if judged[0].pos_ in {"NOUN", "PROPN"} else ""
    if noun and noun not in lexicon.EVALUATIVE | lexicon.PRAISE | lexicon.VAGUE:
        return False  # it tells what something is
    praise = any(t.lemma_.lower() in lexicon.EVALUATIVE for t in words) or (
        judged[0].lemma_.lower() in lexicon.PRAISE and any(t.lower_ in {"the", "a", "such"} for t in words)
    )
    about = {token.i for token in subject.subtree} | {token.i for token in words}
    return praise and all(token.i in about for token in content)


_COMPLEMENTS = {"dobj", "prep", "attr", "acomp", "xcomp", "ccomp", "prt", "oprd", "dative", "agent"}


def _speaks_for_all(doc: Doc, subject: Token | None) -> bool:
    """ "We", "us" or "our" for people in general, with nothing of the speaker's own beside it."""
    words = {token.lower_ for token in doc}
    if not words & {"we", "us", "our", "ourselves"} or words & {"i", "me", "my"}:
        return False
    if subject is not None and subject.dep_ == "expl":
        return False
    if sum(token.lower_ in {"our", "us", "we"} for token in doc) > 1 and (
        subject is None or subject.lower_ != "we"
    ):
        return True
    if subject is None or subject.lower_ != "we":
        modal = subject is not None and any(child.tag_ == "MD" for child in subject.head.children)
        return modal or subject is None or not any(t.lower_ in {"our", "us"} for t in subject.subtree)
    root = subject.head
    return root.lemma_ in {"have", "need", "get"} and any(child.dep_ == "xcomp" for child in root.children)


def _tells(root: Token, content: list[Token], past: bool) -> bool:
    """One content word is enough when it is what the speaker did, has or is."""
    word = content[0]
    if not any(child.dep_ in _COMPLEMENTS for child in root.children):
        return word == root and any(child.lower_ in {"can", "ca", "alone"} for child in root.children)
    return past or word == root or word.head == root or word.dep_ in {"dobj", "pobj", "attr", "conj"}
