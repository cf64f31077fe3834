"""Files to take away; each is made when its button is pressed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.widgets.tensors.written import format_bytes
from app.words import say
from core.reading import export
from core.trace.trace import Trace

MIMES = {"csv": "text/csv", "npz": "application/zip", "safetensors": "application/octet-stream"}


def show(trace: Trace, address: str) -> None:
    """Draw four buttons: the tensor in three formats, and the whole run."""
    sizes = export.sizes(trace, address)
    stem = export.file_stem(address)
    st.markdown(f"**{say('tensors.download')}**", help=say("tensors.download_help"))
    with st.container(key="tensors_downloads", gap="xsmall"):
        left, right = st.columns(2, gap="xsmall")
        with left:
            _button("csv", f"{stem}.csv", sizes.csv, lambda: export.csv_bytes(trace, address))
            _button(
                "safetensors",
                f"{stem}.safetensors",
                sizes.safetensors,
                lambda: export.safetensors_bytes(trace, address),
            )
        with right:
            _button("npz", f"{stem}.npz", sizes.npz, lambda: export.npz_bytes(trace, address))
            _button("run", "run.safetensors", sizes.whole_run, lambda: export.run_bytes(trace))


def _button(kind: str, file_name: str, size: int, make: Callable[[], bytes]) -> None:
    st.download_button(
        f"{say(f'tensors.file_{kind}')} :small[{format_bytes(size)}]",
        data=make,
        file_name=file_name,
        mime=MIMES.get(kind, "application/octet-stream"),
        key=f"download_{kind}",
        help=say(f"tensors.file_{kind}_help", file=file_name),
        on_click="ignore",
        width="stretch",
    )
