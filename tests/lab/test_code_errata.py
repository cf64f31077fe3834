"""The code that the notes get wrong: each fault is made here once more, and each mend runs."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.code_errata import CodeErratum, code_errata, error_of
from glassformer.core.lab.worked_examples import notes_inputs

ALL = {each.key: each for each in code_errata()}


def found(key: str) -> CodeErratum:
    return ALL[key]


def test_what_cannot_run_raises_and_what_is_inconsistent_runs() -> None:
    broken = [key for key, each in ALL.items() if each.kind == "cannot_run"]
    assert broken == [
        "argument_order", "integer_values", "causal_not_stored", "cut_by_batch", "not_contiguous",
    ]  # fmt: skip
    for key, each in ALL.items():
        assert bool(each.found.get("error")) == (key in broken)


def test_arguments_in_the_wrong_order() -> None:
    with pytest.raises(SyntaxError) as raised:
        compile(f"f({found('argument_order').code})", "notes", "eval")
    assert found("argument_order").found["error"] == f"SyntaxError: {raised.value.msg}"
    compile("f(batch_size, dropout=dropout)", "notes", "eval")


def test_whole_numbers() -> None:
    said = found("integer_values").found
    whole = torch.tensor([[1, 2], [3, 4]])
    with pytest.raises(RuntimeError) as raised:
        torch.matmul(torch.ones(2, 2), whole)
    assert said["error"] == f"RuntimeError: {raised.value}"
    assert (said["weights"], said["value"]) == ("float32", "int64")
    assert torch.matmul(torch.ones(2, 2), whole.float()).shape == (2, 2)


@pytest.mark.parametrize("is_causal", [False, True])
def test_a_switch_that_is_not_kept(is_causal: bool) -> None:
    class Attention(nn.Module):
        def __init__(self, is_causal: bool, keeps: bool) -> None:
            super().__init__()
            if keeps:
                self.is_causal = is_causal

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return scaled_dot_product_attention(x, x, x, is_causal=bool(self.is_causal))

    x, said = torch.eye(3)[None], found("causal_not_stored").found
    assert said["error"] == error_of(lambda: Attention(is_causal, keeps=False)(x))
    assert said["failed"] == said["tried"] == 2
    ahead = Attention(is_causal, keeps=True)(x)[0].triu(1).sum()
    assert (float(ahead) == 0) == is_causal


def test_a_table_cut_by_the_number_of_sentences() -> None:
    said, table = found("cut_by_batch").found, torch.randn(100, 32)
    x = torch.zeros(6, 10, 32)
    assert said["error"] == error_of(lambda: x + table[: x.size(0)]) != ""
    assert (said["shape"], said["flat"]) == (str(tuple(x.shape)), "(60, 32)")
    flat = torch.zeros(60, 32) + table[:60]
    torch.testing.assert_close(flat[int(str(said["words"]))], table[int(str(said["first"]))])
    torch.testing.assert_close(flat[-1], table[int(str(said["last"]))])
    torch.testing.assert_close((x + table[: x.size(1)])[5, 9], table[9])


def test_a_view_of_a_transposed_tensor() -> None:
    said, heads = found("not_contiguous").found, torch.arange(24.0).view(2, 2, 3, 2).transpose(1, 2)
    assert said["error"] == error_of(lambda: heads.view(2, 3, 4)) != ""
    mended = heads.contiguous().view(2, 3, 4)
    assert said["shape"] == str(tuple(mended.shape))
    torch.testing.assert_close(mended, heads.reshape(2, 3, 4))


def test_two_deviations() -> None:
    std = found("sample_std").found
    assert [std["population"], std["sample"]] == pytest.approx(
        [np.std([1, 2, 3, 4]), np.std([1, 2, 3, 4], ddof=1)]
    )


def test_a_dropout_that_is_not_applied() -> None:
    said = found("dropout_unused").found
    assert said["unused"] == 0 and said["all"] == 400
    assert 150 < float(said["applied"]) < 250  # half of them, by chance


def test_a_result_without_its_last_norm() -> None:
    x = np.array(notes_inputs("layer-norm")["x"])
    normed = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    result = x + np.maximum(normed, 0)
    said = found("final_norm_lacks").found
    assert said["mean"] == pytest.approx(result.mean(-1).max(), abs=1e-4)
    assert said["deviation"] == pytest.approx(result.std(-1).max(), abs=1e-4)
    assert said["mean_normed"] == pytest.approx(0, abs=1e-5)
    assert said["deviation_normed"] == pytest.approx(1, abs=1e-4)


def test_the_widths_of_a_feed_forward_network() -> None:
    low, high, last = map(int, str(found("widths_told").found["widths"]).split(" → "))
    assert low == last == notes_inputs("shapes-512")["d_model"] < high
    assert high == notes_inputs("shapes-512")["d_ff"]


def test_a_word_that_is_more_similar_to_another() -> None:
    x, said = np.array(notes_inputs("self-similarity-8d")["X"]), found("no_identity").found
    scores, words = x @ x.T, notes_inputs("self-similarity-8d")["tokens"]
    word, other = words.index(said["word"]), words.index(said["other"])
    assert (said["word"], said["other"]) == ("到", "欢迎")
    assert (said["own"], said["more"]) == pytest.approx((6.8491, 9.6549), abs=1e-4)
    assert scores[word, other] == pytest.approx(said["more"], abs=1e-5)
    assert said["away"] == (scores.argmax(axis=1) != np.arange(4)).sum() == 1
    shares = np.exp(scores[word]) / np.exp(scores[word]).sum()
    assert said["weight"] == pytest.approx(shares[other], abs=1e-5)


def test_every_fault_stands_beside_its_mend() -> None:
    beside = {key: (each.fault, each.mended) for key, each in ALL.items()}
    for key in ("argument_order", "integer_values", "causal_not_stored", "not_contiguous"):
        assert str(found(key).found["error"]).startswith(f"{beside[key][0]}: ")
    whole = torch.tensor(notes_inputs("four-dim-attention")["query_sample0_head0"]).double()
    context = scaled_dot_product_attention(whole, whole, whole)
    assert beside["integer_values"][1] == pytest.approx(float(context[0, 0]), abs=1e-4)
    assert beside["cut_by_batch"] == ("RuntimeError", 0)
    assert beside["not_contiguous"][1] == str(tuple(torch.zeros(2, 3, 2, 2).flatten(2).shape))
    assert beside["sample_std"] == pytest.approx(
        (np.std([1, 2, 3, 4], ddof=1), np.std([1, 2, 3, 4]))
    )
    assert beside["widths_told"][0] == error_of(lambda: nn.Linear(2048, 512)(torch.zeros(512)))[:12]
    x = np.array(notes_inputs("self-similarity-8d")["X"])
    row = np.exp(x[2] @ x.T) / np.exp(x[2] @ x.T).sum()
    assert beside["no_identity"] == (1, pytest.approx(row[2], abs=1e-5))
    assert all(one != other for one, other in beside.values())


def test_they_run_with_what_is_typed() -> None:
    typed = {each.key: each for each in code_errata("3", "12", "0.2", "1")}
    cut = typed["cut_by_batch"].found
    assert (cut["shape"], cut["first"], cut["last"]) == ("(3, 12, 32)", 12, 35)
    assert 40 < float(typed["dropout_unused"].mended) < 120  # a fifth of 400, by chance
    for wrong in ({"sentences": 9}, {"words": 8}, {"p": 1}, {"seed": -1}):
        with pytest.raises(GlassformerError):
            code_errata(**wrong)
