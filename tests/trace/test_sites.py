"""A row, or a row and how it unfolds, is all that a recorded name needs; what it says is there."""

import subprocess
import sys
from typing import get_args

from glassformer.core.explain.provenance import attention, layers
from glassformer.core.explain.steps.steps import Kind
from glassformer.core.trace.sites import SITES, sites_of

# A toy: what the feed-forward network puts out under a second name, recorded by narrow ones alone.
TOY = """
from glassformer.core.trace import sites
sites.SITES += (sites.Site(
    "feed_forward", "passed", r"y", sites._STREAM, r"y = \\mathrm{FFN}(x)", "feed_forward",
    is_view=True, reads=("output",), when=lambda config: config.d_ff == 8, step="contract",
    unfold="passed_on", symbols={"y": "=", r"\\mathrm{FFN}(x)": "output"},
),)

from glassformer.core.explain.provenance import layers
from glassformer.core.explain.provenance.run import single_term
def passed_on(run, cell):
    (before,) = run.inputs(cell)
    found = run.recorded("stream", "y", before, cell.index)
    return run.node(cell, "pass_on", "y", single_term(found))
layers.passed_on = passed_on

from glassformer.core.model.feed_forward import FeedForward
plain = FeedForward.forward
def forward(self, x, tape):
    output = plain(self, x, tape)
    return tape("passed", output) if self.config.d_ff == 8 else output
FeedForward.forward = forward

import torch
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.provenance.unfold import unfold
from glassformer.core.explain.steps.latex import in_numbers
from glassformer.core.explain.steps.steps import list_steps, step_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import addresses, inputs
from glassformer.core.trace.shapes import shape_letters
from tests.traces import small_trace

trace, before = small_trace(d_ff=8), "encoder/0/feed_forward/output"
address = "encoder/0/feed_forward/passed"
assert list(trace) == list(addresses(trace.config)) and address in trace
assert inputs(trace.config, address) == (before,)
assert torch.equal(trace[address], trace[before])
assert shape_letters(address) == ("B", "S", "D")
assert len(trace.table(address)) == trace[address].numel()
steps = list_steps(trace)
line = next(each for each in step_of(steps, address).lines if each.output.address == address)
assert [each.wire.address for each in line.symbols] == [address, before]
torch.manual_seed(0)
model = Transformer(trace.config)
node = unfold(trace, model, address, (0, 1, 2))
assert node.recorded == node.exact == float(trace[address][0, 1, 2])
assert eval(in_numbers(Run(trace, model), node, 2, repr, lambda _, text: text)) == node.exact
assert address not in small_trace(d_ff=16)
"""


def test_a_row_a_function_and_the_recording_are_enough() -> None:
    done = subprocess.run([sys.executable, "-c", TOY], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_rows_name_what_there_is() -> None:
    rules = {
        name
        for room in (attention, layers)
        for name, each in vars(room).items()
        if getattr(each, "__module__", "") == room.__name__
    }
    assert not set(vars(attention)) & set(vars(layers)) & {site.unfold for site in SITES}
    for site in SITES:
        names = {each.name for each in sites_of(site.group)} | {">", "norm/output"}
        assert set(site.reads) <= names, site
        assert {other for other, _ in site.instead} <= names, site
        assert {name for _, read in site.instead for name in read} <= names, site
        assert not site.step or site.step in get_args(Kind), site
        assert not site.unfold or site.unfold in rules, site
        assert site.training_only or site.unfold, site
        made = site.step or site.is_view or site.name == "ids"
        assert made, f"{site.text_key} is computed: its row names the step that it belongs to"
        assert site.step != "project" or site.name in "qkv", f"{site.text_key} is no projection"
