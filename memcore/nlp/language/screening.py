"""What is not worth remembering, and why: small talk, reactions, requests, wisdom without content.

Two screens. `before_parsing` reads the bare sentence by pattern, so that chatter costs no parse;
`after_parsing` weighs its content words. A reason is a short phrase a person reads; None keeps the
sentence. Both prefer losing a doubtful sentence to keeping noise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcore.nlp.language import lexicon
from memcore.nlp.language.people import Turn
from memcore.nlp.language.sentences import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

QUOTED = "someone else's words, quoted"
QUESTION = "question"
SMALL_TALK = "small talk"
REACTION = "reaction to what was said"
LISTENER = "about the listener: compliment, echo or encouragement"
PASTED = "a document pasted into the conversation"
TASK = "instructions to the assistant"
PASTED_WORDS = 200
REQUEST = "request or suggestion"
GENERAL = "general remark"
NO_CONTENT = "nothing to rely on"

_ADVERB = r"(?:(?:so|really|very|pretty|quite|super|totally|absolutely|truly|just|always|all|sure|such|a|an|the|too|indeed|definitely|certainly|also|still|actually|extremely|incredibly|such\s+a)\s+)*"
_JUDGEMENT = (
    "(?:" + "|".join(re.escape(word) for word in sorted(lexicon.EVALUATIVE, key=lambda w: (-len(w), w))) + ")"
)

_SMALL_TALK = re.compile(
    r"""^(?:
      (?:hey|hi|hello|hiya|howdy|greetings|good\ (?:morning|evening|afternoon|night)|welcome|bye|goodbye|cheers)\b.{0,40}$
    | (?:thanks|thank\ you|thx|ty|many\ thanks|much\ appreciated|appreciate|i\ (?:really\ |truly\ |do\ |so\ |also\ |will\ always\ )*(?:appreciate|thank)\b.*\b(?:you|your|it|that|this)\b)
    | (?:congrats|congratulations|good\ luck|best\ of\ luck|best\ wishes|well\ done|good\ job|great\ job|nice\ job|nice\ work|way\ to\ go|kudos|bravo|cheers)\b
    | (?:take\ care|see\ (?:you|ya)|talk\ (?:to\ you\ )?(?:soon|later)|catch\ (?:you|ya)|ttyl|stay\ (?:safe|tuned|strong|positive|in\ touch)|have\ (?:a|an|fun|the\ best)\b|enjoy\b|sleep\ well|sweet\ dreams|happy\ (?:birthday|new|holidays|to\ help|to\ hear))
    | (?:no\ (?:doubts?|problem|worries|way|kidding|rush|pressure))\b
    | (?:(?:it\ is|it's|it\ was|was|so|great|good|nice|lovely|always|glad)\ )+(?:to\ )?(?:see|hear|hearing|seeing|meet|talk|talking|chat|chatting|catch|catching|meeting)\b.{0,40}\b(?:you|from\ you|up)\b.*$
    | (?:same|me\ too|me\ neither|same\ here|likewise|ditto|agreed|exactly|absolutely|totally|definitely|for\ sure|sure|indeed|of\ course|yes|yeah|yep|no|nope|ok|okay|wow|haha\w*|lol|omg|aw+|oh|hmm+|ah|ooh|cool|nice|great|awesome|amazing|sounds\ good|got\ it|i\ see|right|true|deal|done|you\ too|same\ to\ you|you\ got\ this|we\ got\ this|who\ knows|fingers\ crossed|long\ time\ no\ see|time\ flies|so\ true|guess\ what|you\ bet)[\s!.,]*$
    | (?:keep|let's|let\ us|lets|let\ me|lemme|go\ for|hang\ in|hold\ on|don't\ (?:worry|give|forget|be|hesitate|let|stop)|never\ give|remember\b|wish\ (?:me|you)|wishing\ you|sending|hope\ you|hoping\ you|feel\ free|looking\ forward\ to\ (?:hearing|seeing\ (?:you|it)|it|that|your|chatting|catching|our\ next)|can't\ wait\ to\ (?:hear|see\ (?:it|them|you|your|what|how)|read\ (?:it|your))|can't\ wait[\s!.]*$|please\b|just\ let\ me)
    | (?:i\ (?:totally|completely|absolutely|definitely|so|really|fully|couldn't|do)?\ ?(?:agree|understand|get\ (?:it|that|you|what)|hear\ you|know\ (?:what\ you|how\ you|the\ feeling|right|it|you)|feel\ (?:you|ya|the\ same)|can\ (?:imagine|relate|see|tell|totally)|can't\ (?:imagine|agree)|bet\b|see\b|guess\ so|know[\s!.]|think\ so|hope\ (?:you|so|it|that|your|this)|wish\ you|believe\ in\ you|suppose|have\ no\ doubt|knew\ you|will\ (?:keep\ (?:you|that|it)|let\ you\ know|definitely\ let|be\ sure\ to|do\ my\ best|try\ my\ best|check\ (?:it|that|them|this)\ out|keep\ in\ touch)|couldn't\ (?:agree|have)|don't\ (?:know|mind)\W*$))
    | i\ (?:am|was)\ (?:here\ (?:for|if|to)|always\ here|with\ you|rooting|on\ it|in[\s!.]*$|glad\ (?:you|to\ hear|it|that|we|i\ could)|happy\ (?:for|you|to\ hear|to\ help|that\ you)|so\ (?:glad|happy|proud|excited)\ (?:you|for\ you|of\ you|to\ hear|that\ you|it)|(?:really\ |very\ |super\ )?(?:proud\ of\ you|sorry|excited\ for\ you|thrilled\ for\ you|impressed|jealous)|always\ (?:happy|glad)\ to)
    | (?:so|really|super|very|glad|happy|proud|excited|thrilled|stoked|love|loving|loved)\b.*\b(?:you|your|you're|you've|it|that|this|ya)\b.{0,40}$
    | (?:what|how|such)\ (?:a|an|nice|great|cool|lovely|amazing|wonderful|awesome|beautiful)\b
    | \w+ing\b.*,?\ (?:sounds|looks|seems)\ (?:like|so|really|great|amazing|awesome|fun)\b
    | (?:here's\ to|here\ you\ go|here\ it\ is|here\ they\ are|check\ (?:it|this|that|them|these|out)|look\ at|take\ a\ look|have\ a\ look|check\ out)\b
    | (?:here|this|that|these|those|there)(?:\ (?:is|are)|'s)\ (?:a|an|the|my|some|one|another)\ (?:\w+\ )?(?:pic|picture|photo|snap|snapshot|pics|photos|pictures|image|video|link|look|glimpse)\b
    | (?:looks|sounds|seems|feels|glad|must\ (?:be|have|feel)|bet|hope|wish)\b
    | (?:that|this|it|those|these|they|there)(?:\ (?:really|must|would|does|all|just|sure|definitely|always))*\ ?(?:sounds?|looks?|seems?|makes?\ sense|must\ (?:be|have)|'s\ (?:so\ )?(?:true|right))\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_REACTION = re.compile(
    rf"""^(?:
      (?:(?:that|this|it|they|these|those|which|what|all)(?:'s|'re|\ is|\ was|\ are|\ were|\ has\ been|'s\ been|'ll\ be|\ will\ be|'d\ be|\ would\ be|\ can\ be|\ looks|\ sounds|\ feels|\ felt|\ looked|\ seems)\ )?
      {_ADVERB}{_JUDGEMENT}(?:\ (?:and|but|,|yet)\ {_ADVERB}{_JUDGEMENT})*(?:\ (?:one|thing|stuff|news|idea|point|question|choice|work|job|time|way|feeling|experience|moment|too|indeed|though|for\ sure|either|as\ well|day|memory|memories|photo|pic|picture|deal|in\ life|to\ (?:hear|see|know)|always|out\ there|ever|anyway|enough))*
    )[\s!.,]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_LISTENER = re.compile(r"^(?:and\s+)?(?:you|you're|you've|you'll|you'd|your|yours|u)\b", re.IGNORECASE)
_ECHO = re.compile(
    r"\b(?:proud of|happy for|excited for|glad for|rooting for|inspired by|admire|thank|thanks|appreciate|grateful (?:to|for)|"
    r"glad|lucky to have|believe in|support|here for|wish|miss|love|trust|agree with|wait to (?:see|hear|meet))\s+(?:\w+\s){0,2}(?:you|your)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:how|what|why|when|where|who|whose|which)(?:'s|'re|'d|'ll)?\b(?:\s+\w+){0,4}?\s*\b(?:is|are|was|were|do|does|did|can|could|should|"
    r"would|will|to|have|has|about|am|might|must)\b(?!.*,)"
    r"|^(?:is|are|was|were|do|does|did|can|could|should|would|will|have|has|am)\s+(?:i|you|we|they|he|she|it|there|the|this|that|my|your|any\w*|some\w*)\b",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"^(?:i (?:want|need|would like) you to|(?:please )?(?:act|pretend|behave|respond|answer|write|imagine|ignore)\b|you (?:are|will be|must|should) (?:a|an|now|act|the)\b)",
    re.IGNORECASE,
)
_ASSISTANT_TASK = re.compile(
    r"^(?:i (?:would|'d) (?:like|love|appreciate) (?:you|it if|some (?:advice|tips|help|recommendations|suggestions|ideas)|to (?:know|hear|get|see|learn|ask))"
    r"|i'd (?:like|love|appreciate) (?:you|it if|some (?:advice|tips|help|recommendations|suggestions|ideas)|to (?:know|hear|get|see|learn|ask))"
    r"|i (?:need|want) (?:you|your|help|some (?:help|advice|tips|ideas|recommendations|suggestions)|to know)\b"
    r"|i was wondering|i am wondering|i wonder|can you|could you|would you|will you|what about|how about|any (?:tips|advice|ideas|recommendations|suggestions|other)"
    r"|i am (?:curious|hoping you|looking for (?:some )?(?:tips|advice|ideas|recommendations|suggestions|help|information))"
    r"|i will (?:definitely |make sure to |be sure to |also |have to )*(?:check|give|try|keep|consider|look|use|take|start|do|follow|remember|let|add)\b.*\b(?:it|that|this|them|those|these|out|tips?|suggestions?|advice|mind|into)\W*$)",
    re.IGNORECASE,
)


def before_parsing(sentence: Sentence, turn: Turn) -> str | None:
    """Why a sentence can be passed over without parsing it, or None."""
    text = sentence.text
    if sentence.quoted:
        return QUOTED
    if sentence.asks or _ASKS.match(text):
        return QUESTION
    words = text.split()
    if len(words) < 2 or not re.search(r"[A-Za-z]{2}", text):
        return SMALL_TALK
    if _SMALL_TALK.match(text):
        return SMALL_TALK
    if _REACTION.match(text):
        return REACTION
    if _LISTENER.match(text):
        return LISTENER
    if _ASSISTANT_TASK.match(text):
        return REQUEST
    if _ECHO.search(text) and len(words) < 25:
        return LISTENER
    return None


def pasted(sentences: Sequence[Sentence], text: str) -> dict[int, str]:
    """Reasons, by where a sentence starts, for the sentences of a message that are a document or
    instructions pasted into it: another's "I", and nothing about the speaker."""
    if _ROLE_PLAY.match(text) and len(sentences) > 3:
        return {sentence.start: TASK for sentence in sentences}
    if len(text.split()) < PASTED_WORDS:
        return {}
    own = sum(bool(re.search(r"\b(?:I|my|me)\b", sentence.text)) for sentence in sentences)
    if own >= 0.3 * len(sentences):
        return {}
    opening = re.search(r"[:\n]", text)
    # Before the first colon or line end, the speaker still speaks.
    spoken = sum(len(line.split()) for line in text[: opening.start()].splitlines()) if opening else 0
    words, reasons = 0, {}
    for sentence in sentences:
        words += len(sentence.text.split())
        if words > spoken + 3:
            reasons[sentence.start] = PASTED
    return reasons


def is_first_person(token: Token) -> bool:
    return token.lower_ in {"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"}


def _carries_content(token: Token, turn: Turn) -> bool:
    if token.is_stop or token.is_punct or token.is_space or len(token.text) < 2:
        return False
    if turn.called(token.text):
        return False
    lemma = token.lemma_.lower()
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
    """Why a parsed sentence is passed over, or None. `dated`: it names a time."""
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None:
        return NO_CONTENT
    content = content_words(doc, turn)
    nouns = [token for token in content if token.pos_ in {"NOUN", "PROPN", "NUM"}]
    named = [
        ent for ent in doc.ents
        if ent.label_ not in {"DATE", "TIME", "ORDINAL", "CARDINAL"} and not turn.called(ent.text) and ent.text[0].isupper()
    ]  # fmt: skip
    about_self = any(is_first_person(token) for token in doc)
    subject = next((child for child in root.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
    past = any(token.tag_ in {"VBD", "VBN"} for token in (root, *root.children))
    if root.tag_ == "VB" and subject is None and not any(t.dep_ in {"aux"} for t in root.children):
        return REQUEST
    if subject is not None and subject.lower_ in {"you", "u"}:
        return LISTENER
    if any(token.lower_ in {"you", "your"} for token in doc) and len(nouns) < 2 and not dated:
        return LISTENER
    if not content:
        return NO_CONTENT
    we = subject is not None and subject.lower_ == "we"
    if we and not past and not dated and not named:
        modal = any(child.tag_ == "MD" for child in root.children)
        if modal or len(nouns) < 2 or any(token.lower_ == "all" for token in subject.subtree):
            return GENERAL
    if not past and not dated and not named and _speaks_for_all(doc, subject):
        return GENERAL
    own = subject is not None and subject.lower_ in {"i", "we"}
    if not nouns and not own and not dated:
        return NO_CONTENT
    if root.lemma_ == "wait" and len(nouns) < 2 and not dated and not named:
        return NO_CONTENT
    if about_self:
        if dated or named or len(content) >= 2:
            return None
        return None if _tells(root, content, past) else NO_CONTENT
    if named or (dated and len(content) >= 2):
        return None
    if any(token.pos_ == "NUM" for token in doc) and len(content) >= 2:
        return None
    if (
        past
        and len(content) >= 2
        and (subject is None or subject.lower_ not in {"it", "this", "that"} or len(nouns) >= 2)
    ):
        return None
    return GENERAL


_COMPLEMENTS = {"dobj", "prep", "attr", "acomp", "xcomp", "ccomp", "prt", "oprd", "dative", "agent"}


def _speaks_for_all(doc: Doc, subject: Token | None) -> bool:
    """ "We", "us" or "our" for people in general, with nothing of the speaker's own beside it."""
    words = {token.lower_ for token in doc}
    if not words & {"we", "us", "our", "ourselves"} or words & {"i", "me", "my"}:
        return False
    if subject is not None and subject.dep_ == "expl":
        return False
    if subject is None or subject.lower_ != "we":
        return subject is None or not any(t.lower_ in {"our", "us"} for t in subject.subtree)
    root = subject.head
    return root.lemma_ in {"have", "need", "get"} and any(child.dep_ == "xcomp" for child in root.children)


def _tells(root: Token, content: list[Token], past: bool) -> bool:
    """One content word is enough when it is what the speaker did, has or is."""
    word = content[0]
    if not any(child.dep_ in _COMPLEMENTS for child in root.children):
        return word == root and any(child.lower_ in {"can", "ca"} for child in root.children)
    return past or word == root or word.head == root or word.dep_ in {"dobj", "pobj", "attr", "conj"}
