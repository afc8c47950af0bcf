"""Key phrases, topic labels, categories and entity types, from parsed words and small lexicons.

Counting and looking up only; it does not rank by meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn, called
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

ENTITY_TYPES = {
    "PERSON": "PERSON", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE", "ORG": "ORG", "NORP": "GROUP",
    "EVENT": "EVENT", "WORK_OF_ART": "WORK", "PRODUCT": "PRODUCT", "LANGUAGE": "LANGUAGE", "LAW": "LAW",
    "DATE": "DATE", "TIME": "DATE", "MONEY": "AMOUNT", "QUANTITY": "AMOUNT", "PERCENT": "AMOUNT",
    "CARDINAL": "AMOUNT",
    "ORDINAL": "AMOUNT",
}  # fmt: skip
_CATEGORIES: tuple[tuple[str, str, str], ...] = (
    ("People", "Family", " ".join(sorted(lexicon.KIN))
     + " wedding marry marriage married engaged engagement divorce pregnant birth anniversary adoption"),
    ("Home & pets", "Pets",
     "dog puppy cat kitten pet vet leash hamster parrot rabbit turtle fish aquarium groom paw"),
    ("Health", "Body & mind",
     "health doctor hospital therapy therapist counseling medicine medication surgery injury injured "
     "pain sick illness diagnosis diet sleep anxiety depression yoga meditation mental allergy "
     "allergic symptom dentist weight"),
    ("Work & study", "Work",
     "job work career company office boss colleague coworker client project interview promotion salary "
     "business startup meeting deadline intern internship customer market marketing manager engineer "
     "team contract hire retire resume industry sponsor endorsement investor brand"),
    ("Work & study", "Study",
     "school college university class course degree exam study student teacher professor homework "
     "thesis semester graduate certification lesson workshop scholarship research education"),
    ("Travel", "Trips",
     "trip travel flight airport hotel vacation holiday visit tour passport beach abroad journey "
     "itinerary road camping camp hike hiking cruise train museum city country"),
    ("Food", "Food & drink",
     "food cook cooking recipe restaurant dinner lunch breakfast eat meal bake baking cake coffee tea "
     "wine pizza pasta vegan vegetarian chef kitchen dish snack dessert ingredient ice-cream cookie "
     "bread soup"),
    ("Hobbies", "Arts",
     "paint painting draw drawing art music guitar piano violin sing song band concert write writing "
     "poem novel book read reading movie film photography photo dance dancing pottery craft sculpture "
     "theater script screenplay play instrument album festival"),
    ("Hobbies", "Sport & games",
     "game gaming play sport basketball football soccer tennis run running marathon race swim swimming "
     "gym workout team match tournament bike cycling climb climbing ski surf surfing skate coach "
     "training chess boardgame console"),
    ("Home & pets", "Home",
     "house home apartment flat room garden furniture move rent mortgage kitchen neighbor neighborhood "
     "renovation plant repair roommate car"),
    ("Money", "Money & purchases",
     "buy bought purchase money pay price cost budget save saving loan bank invest dollar bill sell "
     "order subscription discount"),
    ("Community", "Causes",
     "volunteer volunteering charity donate donation community support campaign protest rights lgbtq "
     "activism fundraiser shelter church awareness advocacy veteran homeless"),
    ("Technology", "Devices & software",
     "computer laptop phone app software code coding programming website server database tablet camera "
     "algorithm internet python data"),
    ("People", "Friends", "friend friendship roommate neighbor buddy mentor date dating relationship party"),
)  # fmt: skip
_LOOKUP: dict[str, tuple[int, ...]] = {}
for _place, (_, _, _list) in enumerate(_CATEGORIES):
    for _word in _list.split():
        _LOOKUP[_word] = (*_LOOKUP.get(_word, ()), _place)


def category(docs: Iterable[Doc], kind: str) -> tuple[str, str]:
    """(category, subcategory) of a fact, by the lexicon most of its words belong to."""
    votes: Counter[int] = Counter()
    for doc in docs:
        for token in doc:
            for place in _LOOKUP.get(token.lemma_.lower(), ()):
                votes[place] += 1
    if votes:
        best = min(votes, key=lambda place: (-votes[place], place))
        return _CATEGORIES[best][0], _CATEGORIES[best][1]
    if kind == "plan":
        return "Plans", "Intentions"
    if kind in {"opinion", "preference"}:
        return "Opinions & feelings", "Likes" if kind == "preference" else "Opinions"
    return "Other", "Other"


def phrase(chunk: Span, turn: Turn) -> str:
    """A noun phrase as a name: no determiners, pronouns or weak adjectives; "" if nothing is left."""
    words: list[Token] = [t for t in chunk if not t.is_space]
    while words and (
        words[0].dep_ == "det"
        or words[0].pos_ in {"DET", "PRON", "PUNCT", "ADV", "CCONJ"}
        or words[0].tag_ in {"PRP$", "DT", "PDT", "WDT", "WP", "POS"}
    ):
        words.pop(0)
    words = [t for t in words if t.pos_ not in {"PUNCT", "SYM"} or t.text in {"-", "&", "/", "+", "'"}]
    if not words or words[-1].pos_ not in {"NOUN", "PROPN", "VERB", "NUM", "ADJ"}:
        return ""
    text = chunk.doc[words[0].i : words[-1].i + 1].text
    text = re.sub(r"\s+", " ", text).strip(" -'\"")
    name = turn.called(text)
    return name or text


def is_salient(chunk: Span, turn: Turn) -> bool:
    """Whether a noun phrase is worth a keyword: no participant, no time, nothing vague."""
    head = chunk.root
    if head.pos_ not in {"NOUN", "PROPN"} or called(chunk.text, turn.participants):
        return False
    lemma = head.lemma_.lower()
    if lemma in lexicon.TEMPORAL or chunk.root.ent_type_ in {"DATE", "TIME"}:
        return False
    return lemma not in lexicon.VAGUE or any(t.dep_ in {"compound"} for t in head.lefts)


def key_phrases(doc: Doc, turn: Turn) -> list[str]:
    """Salient noun phrases of a sentence, in order, without repeats."""
    found = [phrase(chunk, turn) for chunk in doc.noun_chunks if is_salient(chunk, turn)]
    return list(dict.fromkeys(text for text in found if text and len(text) <= 60))


def verbs_of(doc: Doc) -> list[str]:
    """Lemmas of verbs that carry content."""
    return [
        token.lemma_.lower() for token in doc
        if token.pos_ == "VERB" and token.is_alpha and len(token) > 2
        and token.lemma_.lower() not in lexicon.LIGHT_VERBS
    ]  # fmt: skip


def topic_label(phrases: Sequence[str], most: int = 2) -> str:
    """The most mentioned phrases, longer ones first among equals; "small talk" when there are none.

    >>> topic_label(["support group", "dog", "support group", "counseling", "counseling"])
    'support group, counseling'
    """
    counts: Counter[str] = Counter(text.lower() for text in phrases)
    written = {text.lower(): text for text in reversed(phrases)}
    first = {key: place for place, key in reversed(list(enumerate(text.lower() for text in phrases)))}
    heads = Counter(key.split()[-1] for key in counts.elements())
    ranked = sorted(
        counts,
        key=lambda key: (
            -(counts[key] + 0.5 * (heads[key.split()[-1]] - counts[key])),
            -min(len(key.split()), 3),
            first[key],
        ),
    )
    chosen: list[str] = []
    for key in ranked:
        if any(set(key.split()) & set(other.split()) for other in (c.lower() for c in chosen)):
            continue
        chosen.append(written[key])
        if len(chosen) == most:
            break
    return ", ".join(chosen) or "small talk"
