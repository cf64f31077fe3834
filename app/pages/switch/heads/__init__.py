"""Every head as a switch."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="switch_heads.name", fullest={"off": "mean", "swap": "context"})
