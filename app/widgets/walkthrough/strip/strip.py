"""The strip on top: the steps by stack and sub-layer, the current one marked, a layer to choose."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import streamlit as st

from app import state
from app.widgets.component import component
from app.widgets.walkthrough.focus import Focus, go
from app.words import say
from core.trace.sites import site_at
from core.walk.steps import Group, Step, strip

_strip = component(__file__, "strip")


def show(focus: Focus) -> None:
    """Draw the strip between the buttons that lead to the step before and the next one."""
    before, after = focus.neighbours
    with st.container(key="walk_strip", horizontal=True, gap="small", vertical_alignment="center"):
        _button("previous", "Left", before)
        with st.container(key="walk_dots"):
            _strip(
                key="walk_steps",
                data=strip_data(focus),
                on_go_change=_jumped,
                on_layer_change=lambda: _layer_picked(focus),
            )
        _button("next", "Right", after)


def strip_data(focus: Focus) -> dict[str, Any]:
    """What is sent to the browser: stacks of groups of steps, all in words."""
    stacks = []
    for stage, groups in groupby(strip(focus.steps), key=lambda group: group.stage):
        layered = stage in ("encoder", "decoder")
        count = focus.layers(stage) if layered else 0
        stacks.append({
            "name": stage,
            "title": say(f"walkthrough.stack_{stage}"),
            "layers": count,
            "chosen": focus.layer(stage) if layered else 0,
            "picks": [say("walkthrough.layer_pick", layer=at + 1) for at in range(count)],
            "groups": [_group(focus, group) for group in groups],
        })  # fmt: skip
    return {
        "stacks": stacks,
        "current": focus.step.id,
        "label": say("walkthrough.strip"),
        "around": say("walkthrough.layers").split("|"),
        "grey": focus.look.colour("faint"),
    }


def step_name(step: Step) -> str:
    """What a step is called."""
    return say(f"walkthrough.step_{step.kind}")


def group_name(group: Group | Step) -> str:
    """What a sub-layer is called; "" for a stage without any."""
    if group.stage == "decoder" and group.sublayer == "self_attention":
        return say("walkthrough.group_masked_attention")
    if group.sublayer:
        return say(f"walkthrough.group_{group.sublayer}")
    return say("walkthrough.group_norm") if group.stage in ("encoder", "decoder") else ""


def _group(focus: Focus, group: Group) -> dict[str, Any]:
    role = "weights" if group.sublayer.endswith("attention") else site_at(
        group.steps[-1].outputs[-1].address).role  # fmt: skip
    if group.sublayer == "feed_forward":
        role = "feed_forward"
    return {
        "title": group_name(group),
        "colour": focus.look.colour(role),
        "steps": [{"id": step.id, "name": step_name(step)} for step in group.steps],
    }


def _button(name: str, key: str, to: Step | None) -> None:
    st.button(
        say(f"walkthrough.short_{name}"),
        key=f"walk_{name}",
        help=f"{say(f'walkthrough.{name}')}. {say('walkthrough.keys')}",
        shortcut=key,
        disabled=to is None,
        on_click=go,
        args=(to.id if to else "",),
    )


def _jumped() -> None:
    if value := state.trigger("walk_steps", "go"):
        go(str(value["step"]))


def _layer_picked(focus: Focus) -> None:
    """Another layer: of the step's own stack the same step, of the other one its layer alone."""
    if value := state.trigger("walk_steps", "layer"):
        stack, layer = str(value["stack"]), int(value["layer"])
        step = focus.step
        if step.stage == stack and step.layer is not None:
            state.update(walk=step.id.replace(f".{step.layer}.", f".{layer}.", 1), layer=layer)
        else:
            state.update(layer=layer)
