"""What the Decoding page shows, and the same numbers computed without it."""

import html
import json
import re
from collections.abc import Sequence
from typing import Any

import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.runs.models import get_model
from glassformer.core.text_models.decodings import task_of
from glassformer.core.trace.trace import Trace

TEXT = "The animal didn't cross the street because it was too tired"
SHORT = "I love machine learning"


def component(app: AppTest, name: str) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith(name))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


def columns(app: AppTest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = component(app, "decoding_strip")["columns"]
    return found


def chart(app: AppTest, place: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(app.get("plotly_chart")[place].proto.spec)
    return found


def said(app: AppTest) -> str:
    parts = [each.value for each in (*app.markdown, *app.caption, *app.warning, *app.info)]
    return "\n".join([*parts, *(each.proto.body for each in app.get("html"))])


def plain(app: AppTest) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", said(app)))


def expected(trace: Trace, words: Sequence[int]) -> torch.Tensor:
    """Probabilities (T, V) of every step, each by a whole pass of its own."""
    model = get_model()
    task = task_of(model, trace)
    rows = []
    with torch.no_grad():
        for place in range(len(words)):
            ids = torch.tensor([[task.start, *words[:place]]])
            rows.append(model.transformer(task.source_ids(model.transformer), ids)[0, -1])
    return torch.stack(rows).softmax(dim=-1)


def ids_of(trace: Trace) -> list[int]:
    return [get_model().tokenizer.vocabulary.id(piece) for piece in trace.output_pieces]
