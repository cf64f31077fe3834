"""What to learn from, how large the model is, how long it learns: one value, and its widgets."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import streamlit as st

from glassformer.app.runs import trainings
from glassformer.app.session import store
from glassformer.app.session.codecs import parse_sections, sections_text
from glassformer.app.ui.pick import menu, segments
from glassformer.app.words import say
from glassformer.core.corpus import load_grammar
from glassformer.core.training.queue.lessons import SentencePair, family_names, pronoun_families
from glassformer.core.training.queue.run_files import PEAK_RATE, Plan, peak_of, small_recipe

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
# The times in their names are processor time, on a two-core server with other work: 54 s, 293 s,
# 105 s.
PRESETS: dict[str, dict[str, Any]] = {
    "tiny": {"source": "pronouns"},
    "small": {"source": "all", "d_model": 64, "layers": 2, "d_ff": 128, "steps": 3500, "rate": 1.5},
    "eight": {"source": "pronouns", "d_model": 64, "n_heads": 8, "layers": 2, "d_ff": 128,
              "steps": 1600, "rate": 1.5},
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
        same = ("d_model", "n_heads", "d_ff", "steps", "seed", "dropout")
        return cls(
            source=source,
            families=plan.families if source == "chosen" else (),
            layers=recipe.encoder_layers,
            rate=min(RATES, key=lambda offered: abs(offered - rate)),
            leave_out=bool(plan.pairs),
            **{name: getattr(recipe, name) for name in same},
        )

    @property
    def text(self) -> str:
        """What of it differs from the usual form, for a link."""
        usual = vars(Form())
        changed = {name: value for name, value in vars(self).items() if value != usual[name]}
        return sections_text({"form": changed})

    @classmethod
    def read(cls, text: str) -> Self:
        """The form of a link. Errors: ValueError for what it cannot be."""
        given = parse_sections(text).get("form", {})
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


def get_form() -> Form:
    """The form of the session's run while there is one, else the reader's.

    What a link has of it and cannot be is left out and said.
    """
    run = trainings.current_run()
    if run is not None:
        return Form.of(run.plan)
    try:
        return Form.read(store.get_state().recipe)
    except (ValueError, TypeError):
        store.drop("recipe")
        st.rerun()


def take_form(form: Form) -> None:
    """Make it the session's form; for callbacks of widgets."""
    store.update(recipe=form.text)


def change_form(**changes: Any) -> None:
    """Change the session's form; for callbacks of widgets."""
    take_form(replace(get_form(), **changes))


def preset_form(name: str) -> Form:
    """The session's form with a preset's size and course; one's own pairs stay the source."""
    form = get_form()
    fresh = Form(seed=form.seed, families=form.families, leave_out=form.leave_out)
    own = {"source": "own"} if form.source == "own" else {}
    return replace(fresh, **PRESETS[name] | own)


def preset_of(form: Form) -> str | None:
    """The preset that the form's values are those of."""
    return next((name for name in PRESETS if preset_form(name) == form), None)


def show_form(form: Form, fixed: bool) -> None:
    """Draw the form; `fixed` while a run goes by it."""
    _preset(form, fixed)
    sources = {name: say(f"workshop.source_{name}") for name in SOURCES}
    _pick(segments, "source", sources, form, fixed, width="stretch")
    left, right = st.columns(2, gap="small")
    with left:
        _pick(menu, "d_model", _named(WIDTHS), form, fixed)
        _pick(segments, "n_heads", _named(HEADS), form, fixed, width="stretch")
        _number("steps", STEPS, 100, form, fixed)
        _pick(menu, "rate", _named(RATES, "× {:g}"), form, fixed)
    with right:
        _pick(menu, "d_ff", _named(HIDDEN), form, fixed)
        _pick(segments, "layers", _named(LAYERS), form, fixed, width="stretch")
        _number("seed", (0, LAST_SEED), 1, form, fixed)
        _pick(menu, "dropout", _named(DROPOUTS, "{:g}"), form, fixed)


def _preset(form: Form, fixed: bool) -> None:
    def picked() -> None:
        chosen = store.widget_value("workshop_preset")
        if chosen in PRESETS:
            take_form(preset_form(chosen))

    labels = {name: say(f"workshop.preset_{name}") for name in PRESETS}
    preset = preset_of(form)
    st.segmented_control(
        say("workshop.preset"), tuple(PRESETS), format_func=labels.__getitem__, on_change=picked,
        **store.bind("workshop_preset", preset, default=preset), help=say("workshop.preset_help"),
        disabled=fixed, width="stretch",
    )  # fmt: skip


def _named(options: Collection[float], written: str = "{}") -> dict[Any, str]:
    return {option: written.format(option) for option in options}


def _pick(
    draw: Callable[..., None], name: str, labels: dict[Any, str], form: Form, fixed: bool,
    **looks: Any,
) -> None:  # fmt: skip
    """Draw the options of the field of that name by `segments` or `menu`."""
    looks |= {"help": say(f"workshop.{name}_help"), "disabled": fixed, "bare": False}
    widget, label = f"workshop_{name}", say(f"workshop.{name}")
    draw(
        widget,
        label,
        labels,
        getattr(form, name),
        lambda value: change_form(**{name: value}),
        **looks,
    )


def _number(name: str, limits: tuple[int, int], step: int, form: Form, fixed: bool) -> None:
    widget, (least, most) = f"workshop_{name}", limits

    def take() -> None:
        value = store.widget_value(widget)
        if value is not None:
            change_form(**{name: value})

    st.number_input(
        say(f"workshop.{name}"), least, most, step=step, on_change=take, disabled=fixed,
        **store.bind(widget, getattr(form, name)), help=say(f"workshop.{name}_help"),
    )  # fmt: skip
