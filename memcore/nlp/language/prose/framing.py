"""What frames a statement and is no part of it: openers ("Well,"), names in address (", Mel!"), tags
("can you believe it?"), reminders ("remember that I ..."), asides.

By pattern, before any parsing. It takes words off; it never changes those that stay.
"""

from __future__ import annotations

import re

from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import phrases
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.words.lexicon import ADDRESS

_OPENING_WORDS = (
    "(?:hey|hi|hello) (?:chat|chatgpt|chat gpt)|"
    "yeah|yep|yup|yes|no|nope|nah|oh|ooh|ah|aw+|wow|whoa|woah|well|so|hmm+|haha\\w*|hehe|lol|omg|ok|okay"
    "|right|sure|definitely|absolutely|totally|exactly|indeed|anyway|anyways|by the way|btw|actually"
    "|honestly|basically|also|plus|hey|hi|hello|thanks|thank you|thx|cool|nice|great|awesome|oh yeah"
    "|of course|for sure|in fact|you know|i mean|to be honest|tbh|guess what|speaking of which|fyi|man"
    "|dude|yay|woohoo|woo|sweet|congrats|sorry|agreed|certainly|true|alright|all right|gosh"
    "|good question|no worries|no problem|on (?:another|a side|a different|an unrelated) note|as for me"
    "|luckily|unfortunately|fortunately|thankfully|sadly|glad to hear it|first off|anyhow|besides"
    "|overall|for example|for instance|perfect|perfectly|wonderful|fantastic|excellent|lovely|brilliant"
    "|amazing|good|fine|finally|worse|better|guilty|deal|now|still|very funny|additionally|moreover"
    "|furthermore|meanwhile|in the meantime"
    "|however|incidentally|obviously|clearly|really|seriously|as it happens|as you know"
    "|confession|fun fact|(?:good|bad|big|great|sad) news|news|(?:quick |small )?update|heads up|plot twist"
    "|side note|spoiler|reminder"
    "|look|listen|as I said|trust me|believe me|long story short|believe it or not|changing the subject"
)
_OPENER = re.compile(
    rf"""^(?:
      (?:{_OPENING_WORDS.replace(" ", chr(92) + " ")})
      (?:\s+(?:yeah|so\ much|a\ lot|again|then|there))?
      (?:\s*[,:]\s*|\s+[-\u2013\u2014]+\s*|\s*\.\.\.\s*)
    | (?:hey|hi|hello)\s+(?=(?:I|we|my|our)\b)
    | like\s*,\s+(?=(?:I|we|my|our|when)\b)
    | like\s+(?=(?:last|this|yesterday|today)\b[^,]{{0,20}},\s+(?:I|we)\b)
    | me\s*:\s+
    | I\ (?:need|have|ought|'ve\ got)\ to\ (?:get\ going|go|run|leave|head\ out),\s+(?=(?:I|my|we)\b)
    | and,?\ of\ course,?\s+
    | (?:hey|hi|hello)\ (?:there|bot|assistant|chat\ ?gpt|claude|gemini),?\s+
    | (?:since|as|while)\ we(?:['’]re|\ are)\ (?:on|talking\ about)\ [^,.]{{2,50}},\s+(?=[A-Za-z])
    | (?:speaking\ of|(?:going\ |coming\ )?back\ to)\ [^,.]{{2,50}},\s+(?=[A-Za-z])
    | (?:and|but|plus|also|yeah|yep|oh|wow|anyway|btw|ps|p\.s\.),?\s+(?=[A-Za-z'"])
    | (?:(?:I'm\ |I\ am\ |just\ |only\ )*asking|I(?:\ only)?\ ask)\ (?:this\ )?because\s+(?=[A-Za-z])
    | (?:ok(?:ay)?|alright|alrighty),?\s+so,?\s+(?=[A-Za-z])
    | (?:so|well|or)\s+(?=(?:I|we|my|our|the|they|he|she|it|this|that|there|in|on|last|yesterday)(?:'\w+)?\b)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ADDRESS_FRONT = re.compile(
    r"^(?:(?i:hey|hi|hello|thanks|thank you|yeah|yes|wow|oh|no|yep|sure|so|well|ok|okay|congrats|great|yup)"
    r"\s+)?"
    r"([A-Z][\w'-]+|[a-z']+)\s*[,!:]\s+"
)
_ADDRESS_BACK = re.compile(r",\s*(?:my\s+)?([A-Z][\w'-]+|[a-z']+)\s*([.!?]*)$")
_ADDRESS_MID = re.compile(r",\s*([A-Z][\w'-]+)\s*,")
_SINCE = r"since (?:we|I) (?:last )?(?:spoke|talked|chatted|met|caught up|saw each other)(?: last)?"
_LAST_MET = re.compile(
    rf"^{_SINCE},?\s*|^since (?:our|the) last (?:chat|talk|conversation|call|meeting),?\s*"
    rf"|,?\s*{_SINCE}(?=[.!]*$)",
    re.IGNORECASE,
)
_IN_HASTE = "lol|lmao|rofl|(?:ha){2,}h?|hehe|tbh|imo|btw|ngl|smh"
_ASIDE = re.compile(
    rf",\s*(?:{_IN_HASTE})\b\s*,(?=\s)|,?\s*\b(?:{_IN_HASTE})\b(?=[\s,.!?]|$)|\s+\((?:lol|haha|hehe)\)"
    r"|,\s*you know\b\s*(?:,|(?=[.!?]|$))",
    re.I,
)
_PARENTHESIS = re.compile(
    r",\s*(?:by the way|btw|obviously|actually|honestly|incidentally|naturally|to be honest"
    r"|(?:as|like) I (?:just |already |have )?(?:mentioned|said|told you)(?: earlier| before| above)?)"
    r"(?=,|[.!]*$)",
    re.I,
)
_REMINDER = re.compile(
    r"^(?:please |just |you |do )*(?:remember|don't forget|keep in mind|bear in mind|know)(?: that)?"
    r" (?=(?:I|my|we|our)\b)"
    r"|^I (?:have|need|want|wanted|must|should|'ve got)(?: to)?(?: just| also)?"
    r" (?:say|tell you|let you know|mention|admit|confess|add)(?: that|,? though(?=,))?,?"
    r" (?=(?:I|my|we|our)\b)"
    r"|^I (?:have )?(?:already |just |also )?(?:told|reminded|warned)"
    r" (?:them|him|her|you|everyone|everybody|people)(?: \w+){0,3} that"
    r" (?=(?:I (?:am|have|do|don't|can't|can)|my)\b)"
    r"|^just so you know,? (?:that )?(?=\w)"
    r"|^it(?:'s| is) (?:crazy|hard|funny|wild|amazing|strange|weird) to (?:think|believe)(?: that)?"
    r" (?=(?:it's|it has|it is|I|my|we)\b)",
    re.IGNORECASE,
)
"""What leads to a statement about the speaker: "remember that I ...", "I've told them twice that I ..."."""
_REMINDING_QUESTION = re.compile(
    r"^(?:(?:do|did) you |you )?(?:still )?(?:remember|recall)(?: when| that| how| the time(?: when)?)?"
    r" (?=(?:I|my|we|our)\b)"
    r"|^(?:did|have) I (?:ever |already )?(?:tell|told|mention|mentioned)(?: to)?(?: you)?"
    r"(?: that| how| about how)?"
    r" (?=(?:I|my|we|our)\b)"
    r"|^(?:did )?you know(?: that| how) (?=(?:I|my|we|our)\b)",
    re.IGNORECASE,
)
"""A question that tells what it asks: "Remember when I got lost in Oslo?", "Did I tell you that I moved?"."""
_SO_DO = re.compile(
    r",? so (?!(?:I|we|he|she|they|it|you|my|our|his|her|their|the|there|this|that|these"
    r"|those|far|much)\b)[^,]*$"
)
"""What a reminder is for, without a subject: "so no chorizo", "so leave the satay at home"."""
_HEADING = re.compile(
    r"^(?:(?:just |and )?(?:one|another|a|my|the|first|second|last|other)"
    r"(?: small| quick| big| last| other| only| more)? )?"
    r"(?:thing|request|change|question|note|idea|point|update|item|news|problem|exception|reminder)"
    r"(?: though| more)?:\s+(?=\w)",
    re.IGNORECASE,
)
_PLEA = re.compile(r", so (?:no|please|let's|don't)\b[^,]*$", re.IGNORECASE)
_ADVICE = (
    "advice|info|information|suggestions?|tips?|ideas?|recommendations?|list|resources?|options?|steps?|plan"
    "|guide|recipes?|explanation"
)
_OF_ADVICE = re.compile(
    r",? (?:so|and)(?: I (?:think|hope|guess|believe|know)(?: that)?| I['’]m sure)?"
    rf" (?:this|that|these|those|your)(?: (?:\w+ )?(?:{_ADVICE}))?"
    r" (?:(?:is|are|was|were|will|would|might|could|should)\b|['’]ll\b)[^,;:]*"
    r"\b(?:help|helps|helpful|useful|handy|great|perfect|timely|welcome)\b[^,;:]*$"
    r"|,? (?:so|and) (?:that|this)(?:['’]s| is| was) (?:\w+ ){1,2}(?:reminder|idea|tip|point|suggestion)\W*$",
    re.IGNORECASE,
)
"""What is said of an assistant's answer behind a statement: ", so these tips are really helpful"."""
_FEWEST_WORDS = 4
_UNOPENED = re.compile(r"\)(?=[.!?]?$)")
"""A bracket that a sentence before it opened."""
_TAG_QUESTION = re.compile(
    r",\s*(?:(?:can|could|would) you (?:believe|imagine) (?:it|that|this)|remember|you know"
    r"|(?:is|are|was|were|do|does|did|have|has|had|ca|could|wo|would|should|ai)n't"
    r" (?:I|it|he|she|they|we|there|that))\s*[?!]+$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?<=\w),?\s+(?:innit|(?:is|was|does|did|has|will|are|were|do|have)(?:n't| not) (?:it|he|she|they|we|I))"
    r"(?=[.!]*$)",
    re.IGNORECASE,
)
""" "The race is on Sunday isn't it": in haste, without comma or question mark."""
_IN_PASSING = re.compile(
    rf"^(?:{phrases.OF_THE_MOMENT}|I am off to [\w' ]{{1,30}}),\s+"
    r"(?=(?:I|my|we|our|he|she|they|it|the|this|that|[A-Z]\w+)\b)"
)
_TAIL = re.compile(
    r"(?:,|\s[-\u2013\u2014]+)\s*(?:too bad|take a look|check it out|can't wait"
    r"|haha|lol|right|huh|btw|by the way|speaking of(?: which)?|personally"
    r"|(?:(?:but|and|so) )?(?:thanks|thank you)"
    r"(?: for (?:asking|(?:the|your|all the|those) [\w-]+(?: [\w-]+)?))?"
    r"|just (?:the )?(?:two|three|four|five) of us"
    r"|I guess|you know|so yeah|though)[,\s]*(?=[.!?]*$)",
    re.I,
)


_IN_THIS_WAY = re.compile(
    r"(?<=\w) (?:in (?:this|that) (?:way|regard|respect)|on (?:this|that) front)(?=[.!]*$)", re.IGNORECASE
)
"""As was told before: a sentence that denies nothing does without."""
_DENIES = re.compile(r"n't\b|\b(?:not|no|never|hardly|nobody|nothing|neither|nor)\b", re.IGNORECASE)


def _addresses(word: str, turn: Turn) -> bool:
    name = turn.called(word)
    return (name is not None and name != turn.speaker) or word.lower() in ADDRESS


def _told_by_question(piece: Aligned) -> tuple[Aligned, bool]:
    """What a question tells that asks for nothing new, and whether it is one all the same."""
    statement = _TAG_QUESTION.sub("", piece.text)
    if statement != piece.text and len(statement.split()) >= 3:
        return piece.cut(0, len(statement)), False
    reminding = _REMINDING_QUESTION.match(piece.text)
    if reminding and len(piece.text[reminding.end() :].split()) >= 4:
        return piece.cut(reminding.end(), len(piece.text.rstrip("?!. "))), False
    return piece, True


def _without_unopened(piece: Aligned) -> Aligned:
    alone = "(" not in piece.text and piece.text.count(")") == 1
    return piece.sub(_UNOPENED, "") if alone else piece


def _without_advice(piece: Aligned) -> Aligned:
    """ "I'm baking a pie, so these tips are helpful": the first clause, if it is one."""
    left = piece.sub(_OF_ADVICE, "")
    return left if len(left.text.split()) >= _FEWEST_WORDS else piece


def without_framing(piece: Aligned, turn: Turn, asks: bool) -> tuple[Aligned, bool]:
    """The statement within a sentence, and whether it still asks something; empty text when it
    is nothing but its frame."""
    if asks:
        piece, asks = _told_by_question(piece)
    piece = _without_unopened(piece.sub(_PARENTHESIS, "").sub(_HEADING, "").sub(_PLEA, "").sub(_TAG, ""))
    piece = _without_advice(piece) if turn.to_assistant else piece
    changed = True
    while changed and piece.text:
        changed = False
        reminder = None if asks else (_REMINDER.match(piece.text) or _IN_PASSING.match(piece.text))
        if reminder:
            wish = _SO_DO.search(piece.text)
            piece, changed = piece.cut(reminder.end(), wish.start() if wish else len(piece.text)), True
            continue
        without_asides = piece.sub(_ASIDE, "")
        piece = without_asides.cut(0, len(without_asides.text))
        front = _ADDRESS_FRONT.match(piece.text)
        if front and _addresses(front.group(1), turn):
            piece, changed = piece.cut(front.end(), len(piece.text)), True
            continue
        met = _LAST_MET.search(piece.text)
        if met and met.group().strip():
            piece, changed = piece.sub(_LAST_MET, "").cut(0, len(piece.sub(_LAST_MET, "").text)), True
            continue
        opener = _OPENER.match(piece.text)
        if opener and opener.end() < len(piece.text):
            piece, changed = piece.cut(opener.end(), len(piece.text)), True
            continue
        back = _ADDRESS_BACK.search(piece.text)
        if back and _addresses(back.group(1), turn):
            piece, changed = piece.cut(0, back.start()), True
            continue
        tail = _TAIL.search(piece.text)
        if tail:
            piece, changed = piece.cut(0, tail.start()), True
    piece = piece if _DENIES.search(piece.text) else piece.sub(_IN_THIS_WAY, "")
    middle = _ADDRESS_MID.search(piece.text)
    if middle and _addresses(middle.group(1), turn):
        piece = piece.sub(re.compile(re.escape(middle.group())), ",")
    return piece, asks
