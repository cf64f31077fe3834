"""The ids with which a model begins and ends a text, and those that it never writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

from glassformer.core.errors import GlassformerError
from glassformer.core.weights.aside import never_written


@dataclass(frozen=True)
class SpecialIds:
    """What the files of a model say of them.

    name: of the model, for errors. facts: its generation_config.json and config.json. words: of its
    vocabulary; what a file names beyond them never comes.
    """

    name: str
    facts: Mapping[str, Any]
    words: int

    def one(self, name: str, default: int | None = None) -> int:
        """An id; of several the first.

        Args:
            name: such as `bos_token_id`.
            default: what counts where nothing is said; None: it must be said.

        Returns:
            The id.

        Raises:
            GlassformerError: `weights_config` where it is not said, or outside of the vocabulary.
        """
        given = self.facts.get(name)
        given = given[0] if isinstance(given, list) and given else given
        if given is None:
            given = default
        if isinstance(given, bool) or not isinstance(given, int):
            problem = f"it does not say {name}"
            raise GlassformerError("weights_config", path=self.name, problem=problem)
        if given != default and not self._is_word(given):
            problem = f"{name} is {given}, outside of {self.words:,} words"
            raise GlassformerError("weights_config", path=self.name, problem=problem)
        return given

    @cached_property
    def never(self) -> frozenset[int]:
        """The ids that its own settings forbid."""
        return frozenset(filter(self._is_word, never_written(self.facts)))

    @cached_property
    def ends(self) -> list[int]:
        """The ids that end a text, each of them."""
        told = self.facts.get("eos_token_id")
        several = told if isinstance(told, list) else [told]
        return [each for each in several if self._is_word(each)]

    def _is_word(self, id: Any) -> TypeGuard[int]:
        """Whether the model may write it."""
        plain = isinstance(id, int) and not isinstance(id, bool)
        return plain and 0 <= id < self.words
