"""Texts to translate, the text of an experiment, and numbers typed as votes."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import fields

from glassformer.app.hall.numbers import number_of
from glassformer.app.hall.votes import LARGEST
from glassformer.app.panels.phrases import experiment_line
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.switch import KINDS
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import DIRECTIONS
from tests.fuzz import hostile
from tests.fuzz.attempts import Attempt

VALUES = (
    "!", "!0", "!1", "0", "1", "-1", "3", "1e999", "0.5", "()", "(1,2)", "((1,0),(2,3))", "(((",
    "all",
    "encoder/0/self_attention", "decoder/*/cross_attention", "decoder/9/nothing", "zero", "mean",
    "uniform", "source", "target", "large_negative", "'1", "a+b", "%00", "weights", "1" * 19,
)  # fmt: skip


def texts(longest: int = hostile.LONGEST) -> Attempt:
    """Translates a hostile text with everything recorded, in a direction of its own or not."""
    model = load_model()

    def attempt(rng: random.Random) -> None:
        given, direction = hostile.text(rng, longest), rng.choice((None, *DIRECTIONS))
        trace = model.trace(given, direction=direction)
        trace.full_text.encode()
        assert len(trace.output_tokens) == len(trace.target_tokens) > 0, given

    return attempt


def experiments(longest: int = hostile.LONGEST) -> Attempt:
    """Reads the text of an experiment as a link has it, and says it in every language."""

    def attempt(rng: random.Random) -> None:
        made = [_switch(rng) for _ in range(rng.choice((1, 1, 2, 5)))]
        given = ";".join(made) if rng.random() < 0.8 else hostile.text(rng, longest)
        read = Experiment.from_text(given)
        for language in LANGUAGES:
            experiment_line(read, language).encode()
        assert Experiment.from_text(read.text) == read, given

    return attempt


def _switch(rng: random.Random) -> str:
    kind = rng.choice([*KINDS, "nothing"])
    most = len(fields(KINDS[kind])) if kind in KINDS else 3
    count = rng.choice((most, most, rng.randint(0, most + 1)))
    given = [
        rng.choice(VALUES) if rng.random() < 0.9 else hostile.text(rng, 40) for _ in range(count)
    ]
    return f"{kind}:{','.join(given)}"


def votes(longest: int = hostile.LONGEST) -> Attempt:
    """A number in the digits of any script, which Python reads as well; or anything else."""
    zeros = [chr(each) for each in range(sys.maxunicode) if unicodedata.decimal(chr(each), 9) == 0]

    def attempt(rng: random.Random) -> None:
        if rng.random() < 0.3:
            given = rng.choice((hostile.text(rng, longest), rng.choice(hostile.NUMBERS)))
            found = number_of(given, ("words", "个"))
            if found is None or not abs(found) <= LARGEST:
                raise GlassformerError("hall_vote_number", limit=f"{LARGEST:,.0f}")
            return
        number = round(rng.uniform(0, 10 ** rng.randint(0, 9)), rng.randint(0, 3))
        given = _typed(rng, f"{number:.3f}", ord(rng.choice(zeros)))
        assert number_of(given, ("words", "个")) == number, given

    return attempt


def _typed(rng: random.Random, number: str, zero: int) -> str:
    """A number with a point as it may be typed: in digits from this zero on, in groups, a unit."""
    digits = "".join(chr(zero + int(sign)) if sign.isdigit() else sign for sign in number)
    whole, _, part = digits.partition(".")
    if not number.startswith("0") and rng.random() < 0.5:
        groups = [whole[max(0, end - 3) : end] for end in range(len(whole), 0, -3)]
        whole = rng.choice((",", "，", "٬", " ", "\u202f", "’")).join(reversed(groups))
    return whole + rng.choice(".．٫") + part + rng.choice(("", "%", "٪", " words", "个"))


KINDS_OF_TEXT: dict[str, Callable[[int], Attempt]] = {
    "texts": texts, "experiments": experiments, "votes": votes,
}  # fmt: skip
