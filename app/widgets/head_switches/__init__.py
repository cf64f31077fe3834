"""All heads of all kinds of attention as switches: a click turns one off."""

from app.widgets.head_switches.head_switches import Head, Kind, SwitchTexts, head_switches

__all__ = ["Head", "Kind", "SwitchTexts", "head_switches"]
