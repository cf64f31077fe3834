"""No choice of a model's config is left out of the lists of configs that tests go through."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from core.config import ModelConfig


def with_every_choice(configs: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The configs, and one more for every choice that none of them has."""
    hints = get_type_hints(ModelConfig)
    missing = [
        {each.name: choice}
        for each in fields(ModelConfig)
        for choice in get_args(hints[each.name])
        if choice not in {config.get(each.name, each.default) for config in configs}
    ]
    return (*configs, *missing)
