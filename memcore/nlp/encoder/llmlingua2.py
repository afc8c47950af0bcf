"""LLMLingua-2 compression: of any checkpoint, loaded by llmlingua's own PromptCompressor, and of ours.

Pan et al. 2024, "LLMLingua-2: Data Distillation for Efficient and Faithful Task-Agnostic Prompt
Compression". A word's score is the mean keep probability of its pieces, and the best words are kept, as many
as the rate has room for in cl100k tokens. Deliberate differences, each to keep memories faithful, the same
for every checkpoint:

- The rate is filled: the next best word is kept while it fits, so a text has never more tokens left than
  asked for, and no fewer than whole words allow. llmlingua keeps what is strictly above a percentile, on
  average a hundredth less, of short texts a word more or less.
- A word of the raw text is kept or dropped whole, as written (llmlingua splits "don't" into three and
  loses capitals); punctuation inside a word does not vote on it.
- Numbers, negations, times and names are forced, an option (llmlingua's force_tokens are listed by
  hand). They take room like any other word; only they can exceed the rate, and so can the one best word
  of a text in which none fits: nothing compresses to nothing ("Hi" stays "Hi").
- Tokens are counted as they stand in a prompt, after the speaker's name and a space.
- The words of one message compete with each other even where it spans several windows.

The text handed in is the message's, never its speaker prefix. Scripts written without spaces are kept
or dropped by the clause: no word segmenter is loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import BackendError
from memcore.domain.protocols import Compressed
from memcore.nlp.encoder.bert_weights import of_module
from memcore.nlp.encoder.checkpoint import embedded_classifier
from memcore.nlp.encoder.cl100k import cl100k
from memcore.nlp.encoder.selection import ScoredWords, require_rate
from memcore.nlp.encoder.token_model import RowOutput, TokenClassifier, TokenModel
from memcore.nlp.encoder.torch_runtime import quiet_loading, spare_threads, undisturbed_randomness
from memcore.nlp.encoder.word_pieces import MAX_ROW
from memcore.nlp.encoder.words import Span, protected_words, word_spans

if TYPE_CHECKING:
    import torch
    from llmlingua import PromptCompressor

EMBEDDED_NAME = "keep head on all-MiniLM-L6-v2 (rule/IDF-distilled, LLMLingua-2-compatible)"
EMBEDDED_WINDOW = 254
"""Word pieces the embedded keep head was trained on at once. A long text's first window is just what its
sentence vector is made of, so that one pass gives both."""
_FAMILIES = ("bert-base-multilingual-cased", "xlm-roberta-large")


def load_compressor(checkpoint: str, *, threads: int | None = None, protect: bool = True) -> LLMLingua2:
    """Any LLMLingua-2 checkpoint, by Hugging Face name (if already downloaded) or by path; loaded once per
    process, protecting or not.

    Raises BackendError when it cannot be loaded, or when its name does not say which of
    llmlingua's two tokenizer families it belongs to.
    """
    with _loading:
        loaded = _load_once(checkpoint, threads or spare_threads())
    return loaded if protect else loaded.unprotected()


_loading = threading.Lock()


@cache
def _load_once(checkpoint: str, threads: int) -> LLMLingua2:
    loaded = of_prompt_compressor(load_prompt_compressor(checkpoint))
    return LLMLingua2(loaded, name=checkpoint, threads=threads)


def load_embedded(
    *, threads: int | None = None, protect: bool = True, dtype: torch.dtype | None = None
) -> LLMLingua2:
    """The embedded default: MiniLM with our keep head, loaded anew each time (`minilm` loads it once) and
    without llmlingua, whose PromptCompressor scores the same. `dtype` of the products: None for the fastest
    here. Raises BackendError."""
    return LLMLingua2(
        embedded_classifier(),
        name=EMBEDDED_NAME,
        threads=threads,
        protect=protect,
        dtype=dtype,
        window=EMBEDDED_WINDOW,
    )


def of_prompt_compressor(loaded: PromptCompressor) -> TokenClassifier:
    """The model and tokenizer in a PromptCompressor, sharing its weights."""
    tokenizer: Any = loaded.tokenizer
    model: Any = loaded.model.eval()
    # llmlingua frames every row in these two by name, whatever the tokenizer's own names are (for
    # XLM-RoBERTa, which has neither, both are the unknown id): scores are those of the package
    first, last = tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]"])
    return TokenClassifier(
        weights=of_module(model.base_model),
        keep=(model.classifier.weight.detach(), model.classifier.bias.detach()),
        tokenizer=tokenizer.backend_tokenizer,
        first=first,
        last=last,
        unknown=int(tokenizer.unk_token_id),
    )


def load_prompt_compressor(checkpoint: str) -> PromptCompressor:
    """llmlingua's PromptCompressor on the CPU, without network access, reporting attentions, and
    without its effects on the process's random state. Raises BackendError."""
    if not any(family in checkpoint for family in _FAMILIES):
        raise BackendError(
            f"llmlingua cannot tell the tokenizer of the checkpoint {checkpoint!r}.",
            f"Use a path that contains {_FAMILIES[0]} (WordPiece) or {_FAMILIES[1]} (SentencePiece), or set "
            'the compressor to "embedded" in Settings.',
        )
    try:
        from llmlingua import PromptCompressor
    except ImportError as error:
        raise BackendError(
            "The package llmlingua is not installed.", "Run: pip install -r requirements.txt"
        ) from error
    cl100k()
    # eager: other implementations return no attentions; and no code from a checkpoint is run
    config: dict[str, Any] = {"attn_implementation": "eager", "trust_remote_code": False}
    try:
        with undisturbed_randomness(), quiet_loading():
            return PromptCompressor(
                model_name=checkpoint,
                device_map="cpu",
                use_llmlingua2=True,
                model_config=config | {"local_files_only": True},
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise BackendError(
            f"The compression checkpoint {checkpoint!r} cannot be loaded ({str(error).splitlines()[0]}).",
            f"Download it once where there is a network (hf download {checkpoint}), or give the path of "
            "a directory that holds config.json, tokenizer.json and model.safetensors.",
        ) from error


class LLMLingua2:
    """A Compressor over one loaded checkpoint. `protect` forces numbers, negations, times and
    capitalised names to be kept; they count towards the rate like any other word. `window` is how many
    pieces are read at once, at most; `dtype` as in `TokenModel`."""

    def __init__(
        self,
        loaded: TokenClassifier,
        *,
        name: str,
        threads: int | None = None,
        protect: bool = True,
        window: int = MAX_ROW - 2,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.name = name
        self.protect = protect
        self.window = window
        self.model = TokenModel(loaded, threads=threads or spare_threads(), dtype=dtype)

    def unprotected(self) -> LLMLingua2:
        """The same loaded model, forcing nothing by rule."""
        twin = copy(self)
        twin.protect = False
        return twin

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        """One forward pass for all texts; see `memcore.domain.protocols.Compressor`. Raises UsageError for a
        rate outside (0, 1]."""
        require_rate(rate)
        return [words.at(rate) for words in self.scored(texts)]

    def scored(self, texts: Sequence[str]) -> list[ScoredWords]:
        """See `memcore.domain.protocols.ScoringCompressor`."""
        return [words for words, _ in self.scored_with_rows(texts)]

    def scored_with_rows(
        self, texts: Sequence[str]
    ) -> list[tuple[ScoredWords, list[tuple[list[int], RowOutput]]]]:
        """`scored`, and with each text the rows that were read for it and what the model gave for them, for
        whoever has a further use for the same forward pass. The first row begins with the text, and holds
        all of it or a whole window."""
        encodings = self.model.encode(texts)
        spans = [word_spans(text) for text in texts]
        owners = [
            _word_of_piece(text, own, encoding.offsets)
            for text, own, encoding in zip(texts, spans, encodings, strict=True)
        ]
        plans = [
            windows(text, own, owner, self.window)
            for text, own, owner in zip(texts, spans, owners, strict=True)
        ]
        rows = [
            [self.model.row(encoding.ids[start : start + self.window]) for start, _ in plan]
            for encoding, plan in zip(encodings, plans, strict=True)
        ]
        outputs = iter(self.model.read([row for own in rows for row in own]))
        found = []
        for text, encoding, own, owner, plan, own_rows in zip(
            texts, encodings, spans, owners, plans, rows, strict=True
        ):
            read = [(row, next(outputs)) for row in own_rows]
            scored = [
                one.keep[1 : 1 + end - start] for (start, end), (_, one) in zip(plan, read, strict=True)
            ]
            keep = np.concatenate([np.empty(0, np.float32), *scored])
            scores = self._word_scores(text, own, owner, np.asarray(encoding.ids, dtype=np.int64), keep)
            found.append((self._scored_words(text, own, scores), read))
        return found

    def _word_scores(
        self,
        text: str,
        spans: Sequence[Span],
        owner: NDArray[np.int64],
        ids: NDArray[np.int64],
        keep: NDArray[np.float32],
    ) -> list[float | None]:
        """Per word the mean keep probability of its letters and digits (of its punctuation, if it
        has nothing else); 0 for symbols, None for letters that the model does not know."""
        known = ids != self.model.unknown_id
        sums, counts = _by_word(owner, keep, known & self.model.alphanumeric[ids], len(spans))
        symbol_sums, symbol_counts = _by_word(owner, keep, known, len(spans))
        scores: list[float | None] = []
        for i, (start, end) in enumerate(spans):
            if counts[i]:
                scores.append(float(sums[i] / counts[i]))
            elif any(char.isalnum() for char in text[start:end]):
                scores.append(None)
            else:
                scores.append(float(symbol_sums[i] / symbol_counts[i]) if symbol_counts[i] else 0.0)
        return scores

    def _scored_words(self, text: str, spans: Sequence[Span], scores: Sequence[float | None]) -> ScoredWords:
        protected = protected_words(text, spans) if self.protect else [False] * len(spans)
        # what the model cannot read it cannot judge, so it is kept
        forced = [by_rule or score is None for by_rule, score in zip(protected, scores, strict=True)]
        return ScoredWords(text, spans, [1.0 if score is None else score for score in scores], forced)


def windows(
    text: str, spans: Sequence[Span], owner: NDArray[np.int64], limit: int = MAX_ROW - 2
) -> list[tuple[int, int]]:
    """Piece ranges of at most `limit` that cover a text: each ends with a sentence where its second half
    has one, else with a word, else (a word longer than the window) anywhere. A window is read up to the
    limit; what lies beyond its end is scored by the next, which begins there."""
    found: list[tuple[int, int]] = []
    start = 0
    while len(owner) - start > limit:
        cuts = [i for i in range(start + 1, start + limit + 1) if owner[i] != owner[i - 1]]
        late = [i for i in cuts if i > start + limit // 2]
        sentences = [i for i in late if text[spans[owner[i - 1]][1] - 1] in ".!?"]
        end = (sentences or cuts or [start + limit])[-1]
        found.append((start, end))
        start = end
    if start < len(owner):
        found.append((start, len(owner)))
    return found


def _word_of_piece(text: str, spans: Sequence[Span], offsets: Sequence[Span]) -> NDArray[np.int64]:
    """For each piece the index of the word it begins in, shape (len(offsets),). The space that some
    SentencePiece tokenizers count among a piece's characters belongs to no word."""
    starts = np.asarray([start for start, _ in spans], dtype=np.int64)
    pieces = np.asarray(
        [start + (start + 1 < end and text[start].isspace()) for start, end in offsets], dtype=np.int64
    )
    return np.maximum(np.searchsorted(starts, pieces, side="right") - 1, 0).astype(np.int64)


def _by_word(
    owner: NDArray[np.int64], keep: NDArray[np.float32], voting: NDArray[np.bool_], words: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    sums = np.bincount(owner[voting], weights=keep[voting], minlength=words)
    counts = np.bincount(owner[voting], minlength=words)
    return sums.astype(np.float64), counts.astype(np.int64)
