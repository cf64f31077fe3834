"""What the reader asks for: data, size and course of a training, as one value of the session."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import streamlit as st

from app import state, trainings
from core.corpus import load_grammar
from core.workshop.lessons import family_names, pronoun_families
from core.workshop.own_words import SentencePair
from core.workshop.plan import PEAK_RATE, Plan, peak_of, small_recipe

SOURCES = ("all", "pronouns", "chosen", "own")
WIDTHS = (16, 32, 48, 64, 96, 128)
HEADS = (1, 2, 4, 8)
LAYERS = (1, 2, 3, 4)
HIDDEN = (32, 64, 128, 256, 512)
RATES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
DROPOUTS = (0.0, 0.05, 0.1, 0.2, 0.3)
STEPS = (100, 5000)
LAST_SEED = 999_999
OFFERED: Mapping[str, Collection[Any]] = {
    "source": SOURCES, "d_model": WIDTHS, "n_heads": HEADS, "layers": LAYERS, "d_ff": HIDDEN,
    "rate": RATES, "dropout": DROPOUTS, "steps": range(STEPS[0], STEPS[1] + 1),
    "seed": range(LAST_SEED + 1), "leave_out": (False, True),
}  # fmt: skip


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

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """The form that a run was started with."""
        recipe = plan.recipe
        rate = recipe.learning_rate * peak_of(recipe.d_model, recipe.warmup) / PEAK_RATE
        source = "own" if plan.pairs else "chosen" if plan.families else "all"
        if plan.families and plan.families == pronoun_families(load_grammar()):
            source = "pronouns"
        return cls(
            source=source,
            families=plan.families if source == "chosen" else (),
            d_model=recipe.d_model,
            n_heads=recipe.n_heads,
            layers=recipe.encoder_layers,
            d_ff=recipe.d_ff,
            steps=recipe.steps,
            seed=recipe.seed,
            rate=min(RATES, key=lambda offered: abs(offered - rate)),
            dropout=recipe.dropout,
            leave_out=bool(plan.pairs),
        )

    @property
    def text(self) -> str:
        """What of it differs from the usual form, for a link."""
        changed = {e.name: getattr(self, e.name) for e in fields(self)}
        changed = {name: value for name, value in changed.items() if value != vars(Form())[name]}
        return state.sections_text({"form": changed})

    @classmethod
    def read(cls, text: str) -> Self:
        """The form of a link. Errors: ValueError for what it cannot be."""
        given = state.sections(text).get("form", {})
        for name, value in given.items():
            if name == "families" and isinstance(value, tuple):
                offered: Collection[Any] = family_names(load_grammar())
                if not set(value) <= set(offered):
                    raise ValueError(name)
            elif name not in OFFERED or value not in OFFERED[name]:
                raise ValueError(name)
        return cls(**given)

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
    """The form of the session's run while there is one, else the reader's.

    What a link has of it and cannot be is left out and said.
    """
    run = trainings.current_run()
    if run is not None:
        return Form.of(run.plan)
    try:
        return Form.read(state.get_state().recipe)
    except (ValueError, TypeError):
        state.drop("recipe")
        st.rerun()


def take(form: Form) -> None:
    """Make it the session's form; for callbacks of widgets."""
    state.update(recipe=form.text)


def change(**changes: Any) -> None:
    """Change the session's form; for callbacks of widgets."""
    take(replace(get_form(), **changes))


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
