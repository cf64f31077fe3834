"""The KV cache: what a step need not compute again."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="kv_cache.name", top="kv_cache.top", fullest={"moment": "2"})
