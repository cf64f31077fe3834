"""The strip on top: the steps by stack and sub-layer, the current one marked, a layer to choose."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from glassformer.app.pages.walkthrough.focus import StepFocus, go_to_event
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.words import say
from glassformer.core.explain.steps.steps import Group, Step, group_steps
from glassformer.core.trace.address import ATTENTIONS
from glassformer.core.trace.sites import site_at

_strip = component(__file__, "strip", scripts=("place.js",))


def show(focus: StepFocus) -> None:
    """Draw the strip between the buttons that lead to the step before and the next one."""
    _strip("walk_steps", strip_data(focus), go=go_to_event, layer=_layer_picked)


def strip_data(focus: StepFocus) -> dict[str, Any]:
    """What is sent to the browser: stacks of groups of steps, all in words; the same at every step.

    Which one is in view tells `ahead`.
    """
    stacks = []
    for stage, groups in groupby(group_steps(focus.steps), key=lambda group: group.stage):
        layered = stage in ("encoder", "decoder")
        count = focus.layers(stage) if layered else 0
        stacks.append({
            "name": stage,
            "title": stack_name(focus, stage),
            "layers": count,
            "chosen": focus.layer(stage) if layered else 0,
            "picks": [say("walkthrough.layer_pick", layer=at + 1) for at in range(count)],
            "groups": [_group(focus, group) for group in groups],
        })  # fmt: skip
    return {
        "stacks": stacks,
        "label": say("walkthrough.strip"),
        "counter": say("walkthrough.counter", at="§", all=len(focus.steps)),
        "around": say("walkthrough.layers").split("|"),
        "ways": [_way("previous", "←"), _way("next", "→")],
        "play": {"play": say("walkthrough.all_play"), "stop": say("walkthrough.all_stop")},
    }


def stack_name(focus: StepFocus, stage: str) -> str:
    """What a part of the run is called; of one stack nothing is source or target."""
    if stage in ("source", "target") and not focus.trace.config.has_both:
        return say("walkthrough.stack_text")
    return say(f"walkthrough.stack_{stage}")


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


def place_name(focus: StepFocus, group: Group | Step) -> str:
    """Stack, layer and sub-layer in words: "Encoder, layer 1 of 2 · Self-attention"."""
    stage = stack_name(focus, group.stage)
    if group.layer is not None:
        values = {"layer": group.layer + 1, "layers": focus.layers(group.stage)}
        stage = say("walkthrough.place_layer", stack=stage, **values)
    return " · ".join(filter(None, (stage, group_name(group))))


def _group(focus: StepFocus, group: Group) -> dict[str, Any]:
    role = "weights" if group.sublayer in ATTENTIONS else site_at(
        group.steps[-1].outputs[-1].address).role  # fmt: skip
    if group.sublayer == "feed_forward":
        role = "feed_forward"
    return {
        "title": group_name(group),
        "where": place_name(focus, group),
        "colour": focus.look.colour(role),
        "steps": [{"id": step.id, "name": step_name(step)} for step in group.steps],
    }


def _way(name: str, key: str) -> dict[str, str]:
    """A button and its key; in front of a hall the keys are the lecture's."""
    told = {"name": say(f"walkthrough.short_{name}"), "help": say(f"walkthrough.{name}")}
    if store.memory().presented:
        return told | {"key": ""}
    return told | {"key": key, "help": f"{told['help']}. {say('walkthrough.keys')}"}


def _layer_picked(sent: Mapping[str, Any]) -> None:
    """Another layer: of the step's own stack the same step, of the other one its layer alone."""
    go_to_event(sent)
    stack, layer = str(sent["stack"]), int(sent["layer"])
    step = StepFocus.current().step
    if step.stage == stack and step.layer is not None:
        store.update(walk=step.id.replace(f".{step.layer}.", f".{layer}.", 1), layer=layer)
    else:
        store.update(layer=layer)
