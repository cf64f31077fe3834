"""Engines that are none: what a worker answers, computed in this process, or a fault."""

from collections.abc import Callable
from typing import Any

from glassformer.app.runs.engine.answers import Computer
from glassformer.app.runs.engine.model_files import load_addressed
from glassformer.app.runs.engine.packing import pack_value, unpack_value
from glassformer.app.runs.engine.requests import ModelAddress, Request
from glassformer.core.text_models.model import Model


def load_for_worker(address: str, step: str) -> Model:
    return load_addressed(ModelAddress.from_text(address), step)


class HereEngine:
    """Whatever travels to a worker and back does so, but for the network.

    faults: of each call, what it raises first; None for nothing.
    """

    def __init__(self, *faults: Exception | None, load: Callable[..., Model] = load_for_worker):
        self.faults, self.calls = list(faults), list[Request]()
        self.computer = Computer(load)

    def call(self, request: Request, address: ModelAddress) -> tuple[Any, ...]:
        self.calls.append(request)
        if fault := self.faults.pop(0) if self.faults else None:
            raise fault
        sent, _ = Request.from_json(request.sent_to(address).to_json("1"))
        found: tuple[Any, ...] = unpack_value(pack_value(self.computer.answer(sent)))
        return found
