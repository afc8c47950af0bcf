"""The matrix products of spaCy's models, by torch instead of by the BLIS that spaCy brings.

Half of a parse is products of token states with weights. torch multiplies them with the processor's widest
instructions, in half the time, and without Python's lock. The numbers are the same but for rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language


def multiply_by_torch(language: Language) -> None:
    """Let every component of a loaded pipeline use torch's products; weights stay where they are."""
    import numpy as np
    import torch
    from thinc.api import Model, NumpyOps

    class TorchProducts(NumpyOps):  # type: ignore[misc]
        """thinc's operations on arrays, but for the product of two matrices."""

        def gemm(self, x: Any, y: Any, out: Any = None, trans1: bool = False, trans2: bool = False) -> Any:
            """The product of two matrices, either of them transposed before; in `out` where there is one."""
            left, right = (torch.from_numpy(np.ascontiguousarray(one)) for one in (x, y))
            product = torch.mm(left.T if trans1 else left, right.T if trans2 else right).numpy()
            if out is None:
                return product
            out[...] = product
            return out

    ops = TorchProducts()
    for _, component in language.pipeline:
        model = getattr(component, "model", None)
        if isinstance(model, Model):
            for layer in model.walk():
                layer.ops = ops
