"""What the reader asks for: data, size and course of a training, as one value of the session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app import state
from core.corpus import load_grammar
from core.workshop.lessons import pronoun_families
from core.workshop.own_words import SentencePair
from core.workshop.plan import Plan, small_recipe

SOURCES = ("all", "pronouns", "chosen", "own")
WIDTHS = (16, 32, 48, 64, 96, 128)
HEADS = (1, 2, 4, 8)
LAYERS = (1, 2, 3, 4)
HIDDEN = (32, 64, 128, 256, 512)
RATES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
DROPOUTS = (0.0, 0.05, 0.1, 0.2, 0.3)
STEPS = (100, 5000)
LAST_SEED = 999_999


@dataclass(frozen=True)
class Form:
    """The choices; what a widget shows is always one of them."""

    source: str = "pronouns"
    families: tuple[str, ...] = ()
    d_model: int = 32
    n_heads: int = 4
    layers: int = 1
    d_ff: int = 64
    steps: int = 1400
    seed: int = 1
    rate: float = 2.0
    dropout: float = 0.05
    leave_out: bool = False  # bad lines of one's own pairs

    def plan(self, name: str, pairs: tuple[SentencePair, ...]) -> Plan:
        """The plan of this form; `pairs` are used if the source is "own"."""
        recipe = small_recipe(
            self.steps, self.seed, self.rate, self.dropout, self.d_model, self.n_heads, self.layers,
            self.d_ff,
        )  # fmt: skip
        own = pairs if self.source == "own" else ()
        return Plan(name, recipe, self.chosen_families, own)

    @property
    def chosen_families(self) -> tuple[str, ...]:
        """Families of the grammar; () for all of them."""
        if self.source == "pronouns":
            return pronoun_families(load_grammar())
        return self.families if self.source == "chosen" else ()


# The times in their names are processor time, on a two-core server with other work: 54 s, 293 s.
PRESETS: dict[str, dict[str, Any]] = {
    "tiny": {"source": "pronouns"},
    "small": {"source": "all", "d_model": 64, "layers": 2, "d_ff": 128, "steps": 3500, "rate": 1.5},
}


def get_form() -> Form:
    """The session's form."""
    form: Form = state.kept("workshop_form") or Form()
    return form


def change(**changes: Any) -> None:
    """Change the session's form; for callbacks of widgets."""
    state.keep("workshop_form", replace(get_form(), **changes))


def preset(name: str) -> Form:
    """The session's form with a preset's size and course; one's own pairs stay the source."""
    form = get_form()
    fresh = Form(seed=form.seed, families=form.families, leave_out=form.leave_out)
    changes = dict(PRESETS[name])
    if form.source == "own":
        changes["source"] = "own"
    return replace(fresh, **changes)


def preset_of(form: Form) -> str | None:
    """The preset that the form's values are those of."""
    return next((name for name in PRESETS if preset(name) == form), None)
