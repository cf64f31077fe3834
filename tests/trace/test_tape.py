"""The rules of the tape, one test each."""

import ast
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.shapes import letter_sizes, shape_letters
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import SILENT, Edit, Recorder, Tape

MODEL_FILES = sorted((Path(__file__).parents[2] / "core" / "model").glob("*.py"))
WEIGHTS = "encoder/0/self_attention/weights"
Maker = Callable[..., Transformer]


def record(model: Transformer, source: Tensor, target: Tensor, tape: Recorder) -> Tensor:
    logits: Tensor = model(source, target, tape)
    tape.finish()
    return logits


def test_recording_changes_no_bit(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    model, tape = small_model(), Recorder()
    assert torch.equal(record(model, source_ids, target_ids, tape), model(source_ids, target_ids))
    assert torch.equal(tape.tensors["output/logits"], model(source_ids, target_ids))


def test_identity_edit_changes_nothing(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    model = small_model()
    edited = Recorder([Edit("*", lambda tensor: tensor)])
    plain = Recorder()
    record(model, source_ids, target_ids, edited)
    record(model, source_ids, target_ids, plain)
    assert list(edited.tensors) == list(plain.tensors)
    assert all(torch.equal(edited.tensors[name], plain.tensors[name]) for name in plain.tensors)


def test_what_is_recorded_stays_what_it_was(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    """Copies taken at the moment of recording equal what the tape holds at the end."""
    copies: dict[str, Tensor] = {}

    class Copying(Recorder):
        def record(self, address: str, value: Tensor) -> Tensor:
            copies[address] = value.clone()
            return super().record(address, value)

    tape = Copying()
    record(small_model(), source_ids, target_ids, tape)
    assert len(copies) > 100
    assert all(torch.equal(copies[name], tape.tensors[name]) for name in copies)


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize("final_norm", [True, False])
@pytest.mark.parametrize("seed", [None, 3])
def test_sites_are_exactly_what_is_recorded(
    small_model: Maker,
    source_ids: Tensor,
    target_ids: Tensor,
    place: str,
    final_norm: bool,
    seed: int | None,
) -> None:
    """Same addresses in the same order, and the shapes that the axes announce."""
    model = small_model(norm_place=place, final_norm=final_norm)
    tape = Recorder(dropout_seed=seed)
    record(model, source_ids, target_ids, tape)
    assert list(tape.tensors) == list(addresses(model.config, dropout=seed is not None))
    size = letter_sizes(model.config, source_ids.size(1), target_ids.size(1))
    for address, tensor in tape.tensors.items():
        assert tuple(tensor.shape) == tuple(size[letter] for letter in shape_letters(address)), (
            address
        )
        assert len(site_at(address).axes) == tensor.dim()


def test_views_are_the_sites_that_say_so(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    tape = Recorder()
    record(small_model(), source_ids, target_ids, tape)
    seen: set[int] = set()
    for address, tensor in tape.tensors.items():
        place = tensor.untyped_storage().data_ptr()
        if not address.endswith("mask"):  # an attention mask shares the mask of its stack
            assert site_at(address).is_view == (place in seen), address
        seen.add(place)


def test_a_path_is_recorded_once() -> None:
    tape = Recorder()
    (tape / "a" / 0)("x", torch.zeros(1))
    with pytest.raises(ValueError, match="a/0/x was recorded twice"):
        (tape / "a" / 0)("x", torch.zeros(1))


def test_the_stream_and_the_branch_are_two_sites(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    """Cutting the residual leaves what the sub-layer reads untouched."""
    model, plain = small_model(), Recorder()
    record(model, source_ids, target_ids, plain)
    where = "encoder/1/self_attention_residual"
    cut = Recorder([Edit(f"{where}/stream", torch.zeros_like)])
    record(model, source_ids, target_ids, cut)
    output = "encoder/1/self_attention/output"
    assert torch.equal(cut.tensors[output], plain.tensors[output])
    assert torch.equal(cut.tensors[f"{where}/summed"], cut.tensors[output])
    assert not torch.equal(cut.tensors["memory"], plain.tensors["memory"])


def test_an_edit_that_writes_in_place_reaches_nothing_else(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    model, plain = small_model(), Recorder()
    record(model, source_ids, target_ids, plain)
    where = "encoder/0/self_attention_residual"
    rude = Recorder([Edit(f"{where}/branch_input", lambda tensor: tensor.zero_())])
    record(model, source_ids, target_ids, rude)
    assert torch.equal(rude.tensors[f"{where}/stream"], plain.tensors[f"{where}/stream"])


@pytest.mark.parametrize(
    "change",
    [
        lambda tensor: tensor[..., :1],
        lambda tensor: tensor.double(),
        lambda tensor: tensor.to("meta"),
    ],
)
def test_an_edit_keeps_shape_dtype_and_device(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor, change: Callable[[Tensor], Tensor]
) -> None:
    with pytest.raises(GlassformerError, match="must keep") as caught:
        record(small_model(), source_ids, target_ids, Recorder([Edit(WEIGHTS, change)]))
    assert caught.value.key == "edit_changes_kind"


def test_an_edit_that_matched_nothing_names_the_nearest(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    tape = Recorder([Edit("encoder/0/self_attention/weight", torch.zeros_like)])
    with pytest.raises(GlassformerError, match=WEIGHTS):
        record(small_model(), source_ids, target_ids, tape)


def test_variable_and_name_agree() -> None:
    """In `x = tape("x", …)` both are the same word, everywhere in the model."""
    checked = 0
    for path in MODEL_FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                call, target = node.value, node.targets[0]
                if not (isinstance(call.func, ast.Name) and "tape" in call.func.id):
                    continue
                name = call.args[0]
                assert isinstance(name, ast.Constant) and isinstance(target, ast.Name)
                if target.id == "seen":  # what one layer sees of the memory
                    continue
                assert target.id == name.value, f"{path.name}:{node.lineno}"
                checked += 1
    assert checked >= 25


def test_nothing_in_the_model_works_in_place() -> None:
    """No augmented assignment, no item assignment, no method that ends in an underscore."""
    for path in MODEL_FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.name}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.AugAssign), where
            if isinstance(node, ast.Assign):
                assert not any(isinstance(target, ast.Subscript) for target in node.targets), where
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                in_place = node.func.attr.endswith("_") and not node.func.attr.startswith("_")
                starts_weights = node.func.attr in ("xavier_uniform_", "zeros_")
                assert starts_weights or not in_place, where


def test_threads_sharing_a_model_never_see_each_other(
    small_model: Maker, target_ids: Tensor
) -> None:
    model = small_model()
    sources = [torch.tensor([[word, word + 1, 2]]) for word in range(5, 13)]
    expected = [model.encode(source) for source in sources]
    wrong: list[int] = []

    def visit(index: int) -> None:
        for _ in range(20):
            tape = Recorder()
            model(sources[index], target_ids, tape)
            if not torch.allclose(tape.tensors["memory"], expected[index], atol=1e-5):
                wrong.append(index)

    threads = [threading.Thread(target=visit, args=(index,)) for index in range(len(sources))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_run_writes_nothing_to_the_model(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    model = small_model()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    attributes = {name: set(vars(module)) for name, module in model.named_modules()}
    record(model, source_ids, target_ids, Recorder(dropout_seed=1))
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert attributes == {name: set(vars(module)) for name, module in model.named_modules()}


def test_dropout_belongs_to_the_run(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    model = small_model(dropout=0.5)
    quiet = model(source_ids, target_ids)
    model.train()
    assert torch.equal(model(source_ids, target_ids), quiet)
    first, second, other = Tape(7), Tape(7), Tape(8)
    once = model(source_ids, target_ids, first)
    assert torch.equal(once, model(source_ids, target_ids, second))
    assert not torch.equal(once, model(source_ids, target_ids, other))
    assert not torch.equal(once, quiet)


def test_kept_units_are_scaled_and_dropped_ones_are_zero(
    small_model: Maker, source_ids: Tensor, target_ids: Tensor
) -> None:
    tape = Recorder(dropout_seed=1)
    record(small_model(dropout=0.5), source_ids, target_ids, tape)
    kept, before = tape.tensors["source/kept"], tape.tensors["source/scaled"]
    before = before + tape.tensors["source/positions"]
    assert kept.dtype == torch.bool and 0.2 < kept.float().mean() < 0.8
    torch.testing.assert_close(tape.tensors["source/input"], before * kept * 2)


@pytest.mark.parametrize("keep", [True, False])
def test_what_nobody_keeps_or_edits_need_not_be_computed(keep: bool) -> None:
    edit = Edit("a/x", torch.zeros_like)
    tape = Recorder([edit], keep=lambda address: keep and address == "a/y")
    assert [(tape / "a").wants(name) for name in ("x", "y", "z")] == [True, keep, False]
    assert (Recorder() / "a").wants("z") and not (SILENT / "a").wants("z")
