"""Mean and spread of what heads do over many texts, against the same written out by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.analysis.head_statistics import MEASURES, head_statistics, measure_heads
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.weights.opened_model import open_model
from tests.weights import folders

TEXTS = ("The cat is tired.", "I love machine learning", "我喜欢猫")


def test_one_map_by_hand() -> None:
    weights = torch.tensor([[[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]])[None]
    config = SimpleNamespace(encoder_layers=1, decoder_layers=0, has_both=False)
    trace: Any = SimpleNamespace(
        config=config, source_pieces=("a", "b", "<eos>"), target_pieces=(), task="fill_in",
        __getitem__=None,
    )  # fmt: skip

    class Run(SimpleNamespace):
        def __getitem__(self, address: str) -> torch.Tensor:
            assert address == "encoder/0/self_attention/weights"
            return weights

    found = measure_heads(Run(**vars(trace)))["encoder", 0]  # type: ignore[arg-type]
    row = dict(zip(MEASURES, found[0], strict=True))
    unsure = [
        0,
        -(0.25 * np.log(0.25) + 0.75 * np.log(0.75)),
        -(0.5 * np.log(0.5) + 0.5 * np.log(0.25)),
    ]
    assert row["entropy"] == pytest.approx(np.mean(unsure), abs=1e-6)
    assert row["distance"] == pytest.approx((0 + 0.25 + 1.25) / 3)
    assert row["previous"] == pytest.approx(0.25)
    assert row["same"] == pytest.approx((1 + 0.75 + 0.25) / 3)
    assert row["first"] == pytest.approx((1 + 0.25 + 0.5) / 3)
    assert row["end"] == pytest.approx(0.25 / 3)


def test_means_and_spread_over_texts() -> None:
    model = load_model("translator")
    runs = [model.trace(text) for text in TEXTS]
    found = head_statistics(runs)
    config = model.config
    layers = config.encoder_layers + 2 * config.decoder_layers
    assert len(found) == layers * config.n_heads and set(found["texts"]) == {len(TEXTS)}
    line = found.set_index(["kind", "layer", "head"]).loc[("cross", 1, 2)]
    each = [measure_heads(run)["cross", 1][2] for run in runs]
    for at, name in enumerate(MEASURES):
        values = [values[at] for values in each]
        assert line[name] == pytest.approx(np.mean(values))
        assert line[f"{name}_std"] == pytest.approx(np.std(values, ddof=1))
    decoder = found[found["kind"] == "decoder"]
    assert decoder["end"].isna().all()  # no end mark is ever read there


def test_a_single_text_has_no_spread() -> None:
    found = head_statistics([load_model("translator").trace(TEXTS[0])])
    assert found["entropy_std"].isna().all() and found["entropy"].notna().all()
    assert head_statistics([]).empty


@pytest.mark.parametrize(("kind", "has"), [("gpt2", ("decoder",)), ("bert", ("encoder",))])
def test_one_stack_alone(kind: str, has: tuple[str, ...], tmp_path: Path) -> None:
    folders.whole(kind, tmp_path / "model")
    model = open_model(tmp_path / "model")
    trace = model.trace("the cat sat on the mat")
    found = head_statistics([trace])
    assert set(found["kind"]) == set(has)
    assert found["end"].notna().all() == (kind == "bert")  # [SEP] is read, GPT-2 reads no mark
