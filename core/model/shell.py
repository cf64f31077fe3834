"""A Transformer without numbers: its parameters' names and shapes, and nothing that takes room."""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from glassformer.core.config import ModelConfig
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer


def shell_of(config: ModelConfig) -> Transformer:
    """The model of a config with all parameters on the meta device; no random number is drawn."""
    with torch.device("meta"), _NoStart():
        return model_of(config)


class _NoStart(TorchFunctionMode):
    """Parameters are not drawn: that would take time, and change the global random state.

    On the meta device it would load torch's compiler besides, two seconds for nothing.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        if getattr(func, "__name__", "").endswith(("uniform_", "normal_")):
            return args[0] if args else named["tensor"]
        return func(*args, **named)
