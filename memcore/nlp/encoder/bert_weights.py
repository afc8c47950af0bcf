"""The weights of a BERT-like encoder, from a file or from a loaded Hugging Face module.

Read from safetensors they need neither transformers nor its registry of models, whose import alone takes
longer than embedding a question. Knows no precision and computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.domain.errors import BackendError

if TYPE_CHECKING:
    from torch import Tensor

Linear = tuple["Tensor", "Tensor"]
"""Weight, shape (out, in), and bias, shape (out,)."""
Norm = tuple["Tensor", "Tensor"]
"""Weight and bias of a layer norm, both of shape (hidden,)."""

ACTIVATION = "gelu"
"""Between the wide product of a layer and the narrow one, in every encoder that is read here."""


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One layer: the products of its attention and of its feed-forward part, each with the norm after it."""

    query: Linear
    key: Linear
    value: Linear
    attended: Linear
    attended_norm: Norm
    up: Linear
    down: Linear
    norm: Norm


@dataclass(frozen=True, slots=True)
class BertWeights:
    """The embeddings of `words`, of `places` (the first row is the first place's), both of shape (number,
    hidden), and of the `first_sentence`, with the norm after them; the `layers`; how many `heads` attention
    has; and the `epsilon` of all norms."""

    words: Tensor
    places: Tensor
    first_sentence: Tensor
    embedded_norm: Norm
    layers: tuple[LayerWeights, ...]
    heads: int
    epsilon: float


def of_module(body: Any) -> BertWeights:
    """Those of a BertModel or XLMRobertaModel, shared with it. Raises BackendError for another activation
    than gelu."""
    config, embeddings = body.config, body.embeddings
    if config.hidden_act != ACTIVATION:
        raise BackendError(
            f"The encoder's activation is {config.hidden_act!r}; only {ACTIVATION!r} can be computed.",
            'Choose another checkpoint, or set the compressor to "embedded" in Settings.',
        )
    # XLM-RoBERTa counts places from the one after its padding's
    padding = embeddings.position_embeddings.padding_idx
    return of_tensors(
        body.state_dict(),
        heads=config.num_attention_heads,
        epsilon=config.layer_norm_eps,
        first_place=0 if padding is None else padding + 1,
    )


def of_tensors(
    tensors: Mapping[str, Tensor], *, heads: int, epsilon: float, first_place: int = 0
) -> BertWeights:
    """Those of a BertModel saved as `tensors`, by the names transformers gives them. `epsilon` is that of its
    layer norms, `first_place` the row of the first place's embedding."""

    def pair(name: str) -> tuple[Tensor, Tensor]:
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    def layer(name: str) -> LayerWeights:
        return LayerWeights(
            query=pair(f"{name}.attention.self.query"),
            key=pair(f"{name}.attention.self.key"),
            value=pair(f"{name}.attention.self.value"),
            attended=pair(f"{name}.attention.output.dense"),
            attended_norm=pair(f"{name}.attention.output.LayerNorm"),
            up=pair(f"{name}.intermediate.dense"),
            down=pair(f"{name}.output.dense"),
            norm=pair(f"{name}.output.LayerNorm"),
        )

    count = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
    return BertWeights(
        words=tensors["embeddings.word_embeddings.weight"],
        places=tensors["embeddings.position_embeddings.weight"][first_place:],
        first_sentence=tensors["embeddings.token_type_embeddings.weight"][0],
        embedded_norm=pair("embeddings.LayerNorm"),
        layers=tuple(layer(f"encoder.layer.{number}") for number in range(count)),
        heads=heads,
        epsilon=epsilon,
    )
