"""On a device without float64 the tools give the CPU's numbers, and bring home what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.core.analysis import word_attribution
from glassformer.core.text_models.batches import run_batch
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.fake_device import Copied, fake_device, on_device
from tests.tools.opened import IDS, LONGER, gpt2
from tests.tools.test_sparse_autoencoder import HOOK, written
from tests.weights.folders import whole

TEXTS = [*IDS, LONGER]
TARGET = [7, 30, 22]  # of an encoder–decoder
METRIC = gf.logit_diff(21, 60)
KINDS = ("gpt2", "t5", "marian", "bert")


@cache
def opened(kind: str) -> OpenedModel:
    if kind == "gpt2":
        return gpt2()[0]
    folder = Path(mkdtemp(prefix="glassformer-on-device-"))
    whole(kind, folder)
    return open_model(folder)


def goals(model: OpenedModel, count: int) -> list[list[int]] | None:
    return [TARGET] * count if model.config.has_both else None


def goal(model: OpenedModel) -> list[int] | None:
    return TARGET if model.config.has_both else None


def stack(model: OpenedModel) -> str:
    return "decoder" if model.config.decoder_layers else "encoder"


def values(tensors: Iterable[Tensor]) -> np.ndarray:
    """All numbers in a row."""
    return np.concatenate([each.detach().cpu().float().flatten().numpy() for each in tensors])


def of_words(model: OpenedModel, method: word_attribution.Method) -> np.ndarray:
    found = gf.attribute(model, IDS[0], 21, method, target=goal(model))
    return np.concatenate([found.source, found.target, [*found.rest.values()]])


def slopes(model: OpenedModel, **how: Any) -> np.ndarray:
    run = model.run(TEXTS, target=goals(model, len(TEXTS)), grad=True, **how)
    return values(run.gradients(METRIC).values())


def path_patched(model: OpenedModel) -> np.ndarray:
    side, both = stack(model), model.config.has_both
    found = gf.path_patch(
        model, *IDS, METRIC, target=goal(model),
        senders="encoder/0/self_attention/context#1" if both else f"{side}/0/*/context#1",
        receivers="decoder/*/cross_attention/k" if both else f"{side}/*/self_attention/q",
    )  # fmt: skip
    return found.patched


def lens_of(model: OpenedModel) -> np.ndarray:
    run = run_batch(model, [IDS[0]], targets=goals(model, 1))
    return gf.logit_lens(run).lens.divergence


def fitted(model: OpenedModel) -> np.ndarray:
    found = gf.tuned_lens.fit(model, TEXTS, targets=goals(model, len(TEXTS)), steps=2)
    run = run_batch(model, [IDS[0]], targets=goals(model, 1))
    return np.concatenate([found.table()["tuned"], found.read(run).lens.divergence.flatten()])


def steered(model: OpenedModel) -> np.ndarray:
    """What a model writes while a direction is added that lies on the CPU."""
    direction = torch.linspace(-1, 1, model.config.d_model)
    address = f"{stack(model)}/0/self_attention_residual/summed"
    edits = [gf.steer(address, direction, 2.0), gf.scale(f"{stack(model)}/1/*/context", 0.5)]
    found = model.generate("the house", 4, edits, record="steps")
    assert found.trace is not None
    return np.concatenate([found.ids, values([found.trace["output/logits"]])])


def probed(model: OpenedModel) -> np.ndarray:
    texts = TEXTS * 4
    site = f"{'encoder' if model.config.encoder_layers else 'decoder'}/stream"
    labels = [[word % 2 for word in text] for text in texts]
    found = gf.probe(model, texts, labels, site=site, targets=goals(model, len(texts)))
    return found.table().iloc[:, 1:].to_numpy(dtype=np.float64)


TOOLS: dict[str, Callable[[OpenedModel], Any]] = {
    "run, a list": lambda model: values(
        model.run(TEXTS, target=goals(model, 3))[f"{stack(model)}/1/feed_forward/output"][:, :3]
    ),
    "run, in batches, padded at the left": lambda model: values(
        batch.at(at)["output/logits"]
        for batch in [model.run(TEXTS, target=goals(model, 3), batch_size=2, padding="left")]
        for at in range(len(TEXTS))
    ),
    "gradients": slopes,
    "gradients, in batches": lambda model: slopes(model, batch_size=2),
    "patch": lambda model: gf.patch(model, *IDS, METRIC, target=goal(model)).values,
    "patch, log probability": lambda model: (
        gf.patch(
            model, *IDS, gf.log_probability(21), over=("layer", "position"), target=goal(model),
            site=f"{stack(model)}/stream",
        ).values
    ),
    "path_patch": path_patched,
    "attribution_patch": lambda model: np.concatenate([
        each.flatten()
        for each in gf.attribution_patch(model, *IDS, METRIC, target=goal(model)).values.values()
    ]),
    "attribution_patch, edges": lambda model: (
        gf.attribution_patch(model, *IDS, METRIC, edges=True, steps=2, target=goal(model))
        .table().iloc[:, -1].to_numpy()
    ),
    "ablate, zero": lambda model: gf.ablate(
        model, TEXTS, how="zero", targets=goals(model, 3)
    ).values,
    "ablate, mean": lambda model: gf.ablate(model, TEXTS, targets=goals(model, 3)).values,
    "ablate, resample": lambda model: gf.ablate(
        model, TEXTS, how="resample", targets=goals(model, 3)
    ).values,
    **{
        f"attribute, {method}": partial(of_words, method=method)
        for method in word_attribution.METHODS
    },
    "direct_logit_attribution": lambda model: (
        gf.direct_logit_attribution(run_batch(model, [IDS[0]], targets=goals(model, 1)), 21)
        .table()["adds"].to_numpy()
    ),
    "logit_lens": lens_of,
    "tuned_lens": fitted,
    "head_scores": lambda model: gf.head_scores(model, TEXTS, targets=goals(model, 3)).values,
    "probe": probed,
}  # fmt: skip
ALONE: dict[str, Callable[[OpenedModel], Any]] = {"generate, steered": steered}  # it writes


def there_of(model: OpenedModel) -> OpenedModel:
    """The same model on the pretended device."""
    return model.having(on_device(deepcopy(model.transformer)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*TOOLS, *ALONE])
def test_the_numbers_are_those_of_the_cpu(name: str, kind: str) -> None:
    if name in ALONE and kind == "bert":
        pytest.skip("it does not write")
    model, tool = opened(kind), (TOOLS | ALONE)[name]
    here = np.asarray(tool(model), dtype=np.float64)
    with fake_device():
        there = np.asarray(tool(there_of(model)), dtype=np.float64)
    assert here.size and np.abs(np.nan_to_num(here)).max() > 0
    assert np.allclose(here, there, atol=1e-5, equal_nan=True)


def features(model: OpenedModel, folder: Path) -> np.ndarray:
    found = run_batch(model, [IDS[0]], edits=[gf.SAE.load(folder)])[f"{HOOK}/features"]
    return found.cpu().float().numpy()


def test_a_sparse_autoencoder_follows_its_model(tmp_path: Path) -> None:
    written(tmp_path)
    here = features(gpt2()[0], tmp_path)
    with fake_device():
        there = features(there_of(gpt2()[0]), tmp_path)
    assert np.allclose(here, there, atol=1e-5)


TEXT = [5, 17, 40, 41, 9, 33, 7, 30, 22, 19, 3, 12] * 4
WEIGHTS = "decoder/1/self_attention/weights"
NUMBER, WORD = 4, 8  # bytes: float32 and the id of a word, int64


def bytes_of_looks() -> dict[str, tuple[Callable[[Trace], object], float]]:
    """What a look at a recorded run is, and how many bytes it may bring home."""
    config, rows = gpt2()[0].config, len(TEXT)
    heads, layers = config.n_heads, config.decoder_layers
    # Of each part its row, and what its matrix makes of the direction; two norms and two biases.
    a_layer = 2 * (config.d_model + config.d_ff) + 6 * config.d_model
    attribution = layers * a_layer + 8 * config.d_model
    # Of each state and row five words with their probabilities, and four numbers more.
    lens = (layers + 1) * rows * (5 * (WORD + NUMBER) + 3 * NUMBER + WORD)
    return {
        "all maps of a layer": (
            lambda run: run.sel(WEIGHTS).show(), heads * rows * rows * NUMBER
        ),
        "a map": (lambda run: run.sel(WEIGHTS, head=1).show(), rows * rows * NUMBER),
        "a map, as the app draws it": (  # and in a byte each what is masked
            lambda run: run.show(WEIGHTS), rows * rows * (NUMBER + 1)
        ),
        "a map's rows in a table": (
            lambda run: run.table(WEIGHTS, head=1, query=-1), rows * NUMBER
        ),
        "candidates": (lambda run: run.candidates(-1), 5 * (NUMBER + WORD)),
        "who wrote a logit, by head": (
            lambda run: gf.direct_logit_attribution(run, 21).by_head(), attribution * NUMBER
        ),
        "the lens": (lambda run: gf.logit_lens(run).show(), lens + (layers + 1) * NUMBER),
        "a gradient": (  # and which word each row chose is known already
            lambda run: run.gradients(METRIC)[WEIGHTS][0, 1].cpu(), rows * rows * NUMBER
        ),
        "nothing": (repr, 0),
    }  # fmt: skip


@pytest.mark.parametrize("name", bytes_of_looks())
def test_a_look_brings_home_what_is_looked_at(name: str) -> None:
    look, most = bytes_of_looks()[name]
    with fake_device():
        run = there_of(gpt2()[0]).run(TEXT, grad=True)
        tape = sum(each.nbytes for each in run.tensors.values())
        before = Copied.bytes
        look(run)
        crossed = Copied.bytes - before
    assert crossed <= most < tape / 4, f"{crossed} bytes, {most} are looked at, of {tape}"
    assert crossed or not most


def test_a_tool_brings_home_its_numbers_and_the_words_that_were_chosen() -> None:
    """A run says which word follows each text: `WORD` bytes. No more than that and the results."""
    rows, metric = len(TEXT), METRIC
    other = [*TEXT[:3], 12, *TEXT[4:]]
    with fake_device():
        model = there_of(gpt2()[0])
        tape = sum(each.nbytes for each in model.run(TEXT).tensors.values())

        def crossed(look: Callable[[], object]) -> int:
            before = Copied.bytes
            look()
            return Copied.bytes - before

        a_run = crossed(lambda: model.run(TEXT, keep="output/logits"))
        assert a_run == WORD
        batch = model.run([TEXT, other], keep="output/logits")
        assert crossed(lambda: metric(batch).tolist()) == 2 * NUMBER
        grid = gf.patch(model, TEXT, other, metric)
        cells = grid.values.size
        again = crossed(lambda: gf.patch(model, TEXT, other, metric))
        assert again <= (cells + 2) * (WORD + NUMBER)  # of each cell's run, and of both texts'
        assert crossed(grid.table) == crossed(grid.show) == 0
        for method in ("exact", "saliency", "input_x_gradient", "integrated_gradients"):
            # A number a word, a bias and a node of the path; with room for the logit.
            parts = rows + len(model.transformer.state_dict()) + word_attribution.NODES + 8
            found = crossed(lambda method=method: gf.attribute(model, TEXT, 21, method))
            assert a_run < found <= a_run + parts * NUMBER < tape / 100


def test_of_a_grid_its_metric_alone_crosses_to_the_host() -> None:
    model, _ = gpt2()
    with fake_device():
        moved = model.having(on_device(deepcopy(model.transformer)))
        Copied.numbers = 0
        gf.patch(moved, *IDS, gf.logit_diff(21, 60))
        logits = moved.config.vocabulary_size * len(IDS[0])
        assert 12 <= Copied.numbers < logits / 4  # heads, and what run_batch looks up


@pytest.mark.parametrize("name", TOOLS)
def test_half_as_many_bits_give_nearly_the_same(name: str) -> None:
    model, _ = gpt2()
    here = np.asarray(TOOLS[name](model), dtype=np.float64)
    there = np.asarray(TOOLS[name](half(model)), dtype=np.float64)
    assert here.shape == there.shape and np.isnan(here).sum() == np.isnan(there).sum()
    if name != "probe":  # a few texts: an answer more or less
        assert nearly(here, there)


def test_features_in_half_as_many_bits(tmp_path: Path) -> None:
    written(tmp_path)
    assert nearly(features(gpt2()[0], tmp_path), features(half(gpt2()[0]), tmp_path))


def half(model: OpenedModel) -> OpenedModel:
    return model.having(deepcopy(model.transformer).bfloat16())


def nearly(here: np.ndarray, there: np.ndarray) -> bool:
    return bool(np.nanmax(np.abs(here - there)) < 0.1 * np.nanmax(np.abs(here)) + 0.05)
