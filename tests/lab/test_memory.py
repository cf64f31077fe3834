"""Shapes, strides and errors of heads in memory, by running the code that the table shows."""

from typing import Any

import pytest
import torch

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.memory import WAYS, lay_out

WHERE = "encoder/0/self_attention"


def run(code: str, names: dict[str, Any]) -> Any:
    """What code makes of names, or its error."""
    try:
        return eval(code, {}, names)
    except RuntimeError as refused:
        return f"RuntimeError: {str(refused).splitlines()[0]}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", [(1, -1, 112), (1, -1), (4, 2, -1), (1, 5, 9), (-1, 1)])
def test_the_code_that_is_shown_gives_what_is_shown(way: str, shape: tuple[int, ...]) -> None:
    trace = load_model().trace("I like you")
    heads = trace[f"{WHERE}/{'context' if way == 'concat' else 'q'}"]
    word, head, feature = 2, 3, 5
    number = heads[0, head, word, feature]
    names: dict[str, Any] = {"x": heads.clone()}
    if way == "split":  # what the matrix gave, by the matrix itself
        attention: Any = load_model().transformer.encoder.layers[0].self_attention
        with torch.no_grad():
            names["x"] = attention.w_q(trace["source/input"])
    for each in lay_out(heads, way, (word, head, feature), shape):
        name, _, code = each.code.rpartition(" = ")
        made = run(code, names)
        if isinstance(made, str):
            assert each.error == made
            continue
        names |= {name: made} if name else {}
        assert not each.error
        assert (each.shape, each.stride) == (tuple(made.shape), made.stride())
        assert each.contiguous == made.is_contiguous()
        assert each.copied == (made.data_ptr() != names["x"].data_ptr())
        torch.testing.assert_close(made[each.index], number, rtol=1e-5, atol=1e-5)
        memory = torch.as_strided(made, (each.place + 1,), (1,), 0)
        assert float(memory[-1]) == float(made[each.index])
        assert each.value == float(number)


def test_view_alone_raises_and_a_copy_does_not() -> None:
    context = load_model().trace("I like you")[f"{WHERE}/context"]
    rows = {each.code: each for each in lay_out(context, shape=(1, -1, 112))}
    assert "view size is not compatible" in rows["y.view(1, -1, 112)"].error
    assert rows["y.contiguous().view(1, -1, 112)"].shape == (1, 4, 112)
    joined = load_model().trace("I like you")[f"{WHERE}/concat"]
    torch.testing.assert_close(context.transpose(1, 2).contiguous().view(1, -1, 112), joined)
    one = lay_out(context[:, :1], shape=(1, -1, 28))  # of a single head nothing has to move
    assert not any(each.error for each in one)


@pytest.mark.parametrize("shape", [("x",), (), (1.5,), (-2,), (1,) * 7])
def test_what_is_no_shape_is_refused(shape: tuple[Any, ...]) -> None:
    with pytest.raises(GlassformerError):
        lay_out(torch.zeros(1, 2, 3, 4), shape=shape)
