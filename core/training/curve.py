"""The curve of a run while it grows: one point for every so many steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.history import CURVE_EVERY, CurvePoint

DIGITS = 5  # of a loss that is written to a file


@dataclass
class Curve:
    """The points so far, and the losses that wait for their mean."""

    points: list[CurvePoint] = field(default_factory=list)
    waiting: list[float] = field(default_factory=list)

    def add(self, step: int, loss: float, rate: float, last: bool) -> None:
        """Notes the loss of a step; a run's last point may be the mean of fewer steps."""
        self.waiting.append(loss)
        if step % CURVE_EVERY == 0 or last:
            mean = sum(self.waiting) / len(self.waiting)
            self.points.append(CurvePoint(step, round(mean, DIGITS), rate))
            self.waiting.clear()

    def to_dict(self) -> dict[str, Any]:
        points = [[point.step, point.loss, point.rate] for point in self.points]
        return {"points": points, "waiting": self.waiting}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Curve:
        points = [CurvePoint(int(s), float(x), float(r)) for s, x, r in stored["points"]]
        return cls(points, [float(loss) for loss in stored["waiting"]])
