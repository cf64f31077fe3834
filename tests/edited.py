"""Runs of small models with switches on."""

from torch import Tensor

from glassformer.core.interventions.switch import Setting, Switch
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder


def record(model: Transformer, source: Tensor, target: Tensor, *switches: Switch) -> Recorder:
    asked = Setting(config=model.config, trace_of=None, means=None)  # type: ignore[arg-type]
    tape = Recorder([edit for switch in switches for edit in switch.edits(asked)])
    model(source, target, tape)
    tape.finish()
    return tape
