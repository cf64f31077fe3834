"""What the visitors of a hall do: other heads, new sentences, other pages.

Everything is drawn from a seed of its own for every visitor; only how far each gets depends on the
server.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import WebSocketException

from tests.browser.driver import ROOT
from tests.visitor import Answer, Visitor, visiting

PAGES = ("", "walkthrough", "attention", "vectors", "decoding", "switch", "tensors")
THINK = (1.0, 3.0)  # seconds between an answer and the next click
NEW_SENTENCE, OTHER_PAGE = 0.4, 0.1  # what is left over: another head or control of the page
LISTS = ("everyday", "examples", "free_typed_open")

# Keys of a page's widgets, one of which is clicked; one that is named twice twice as often.
CONTROLS: dict[str, tuple[str, ...]] = {
    "": ("widget_cross_head", "widget_cross_head", "widget_cross_layer", "widget_links"),
    "walkthrough": ("walk_next", "walk_next", "walk_steps"),
    "attention": ("head_grid", "head_grid", "head_grid", "widget_attention_kind"),
    "vectors": ("widget_vectors_vectors", "widget_vectors_stack"),
    "decoding": ("decoding_strip", "decoding_strip", "widget_timeline_head"),
    "switch": ("widget_switch_groups", *3 * ("widget_beside_switch_head",)),
    "tensors": ("address_tree",),
}
ONLY = {"widget_switch_groups": "Heads"}  # of these segments no other is chosen

Visit = Callable[[str], AbstractAsyncContextManager[Visitor]]
Click = tuple[str, Any]  # an event of a component, and its value
CLICKS: dict[str, Callable[[Any, random.Random], Click]] = {
    "head_grid": lambda data, rng: ("pick", _place(rng.choice(data["items"]), "layer", "head")),
    "walk_steps": lambda data, rng: ("go", {"step": rng.choice(_steps(data))}),
    "decoding_strip": lambda data, rng: ("go", {"to": rng.randrange(len(data["columns"]))}),
    "address_tree": lambda data, rng: ("pick", rng.choice(data["lines"])[0]),
}


def _place(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: item[name] for name in names}


def _steps(data: Any) -> list[str]:
    groups = [group for stack in data["stacks"] for group in stack["groups"]]
    return [step["id"] for group in groups for step in group["steps"]]


@cache
def _sentences() -> tuple[str, ...]:
    found: list[str] = []
    for name in LISTS:
        listed = json.loads((ROOT / f"assets/sentences/{name}.json").read_text(encoding="utf-8"))
        found += [each["text"] for each in listed]
    return tuple(found)


def new_sentence(rng: random.Random) -> str:
    """One of the lists: new to this visitor, and seldom the same as another's."""
    return rng.choice(_sentences())


@dataclass
class Seen:
    """What all visitors together have seen."""

    answers: list[Answer] = field(default_factory=list)
    kinds: dict[str, list[float]] = field(default_factory=dict)  # seconds by what was done
    lost: list[str] = field(default_factory=list)  # sockets that broke, answers that never came

    @property
    def exceptions(self) -> list[str]:
        return [each for answer in self.answers for each in answer.exceptions]


@dataclass
class Guest:
    """One visitor with habits."""

    seed: str
    seen: Seen

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.page = self.rng.choice(PAGES)

    async def enter(self, visitor: Visitor) -> None:
        """Open a page with a sentence of one's own: a link that somebody sent."""
        query = urlencode({"text": new_sentence(self.rng)})
        self.seen.answers.append(await visitor.open(self.page, query))

    async def act(self, visitor: Visitor) -> None:
        """One click, or one sentence typed."""
        drawn, kind = self.rng.random(), "click"
        if drawn < NEW_SENTENCE:
            kind = "sentence"
            answer = await visitor.type("widget_sentence", new_sentence(self.rng))
        elif drawn < NEW_SENTENCE + OTHER_PAGE:
            kind = "page"
            self.page = self.rng.choice([each for each in PAGES if each != self.page])
            answer = await visitor.go(self.page)
        else:
            answer = await self._click(visitor)
        self.seen.answers.append(answer)
        self.seen.kinds.setdefault(kind, []).append(answer.seconds)

    async def think(self) -> None:
        """Look at the picture."""
        await asyncio.sleep(self.rng.uniform(*THINK))

    async def _click(self, visitor: Visitor) -> Answer:
        there = [key for key in CONTROLS[self.page] if key in visitor.widgets]
        key = self.rng.choice(there)
        widget = visitor.widgets[key]
        if key in CLICKS:
            return await visitor.send(key, *CLICKS[key](widget.data(), self.rng))
        if widget.kind == "button":
            return await visitor.press(key)
        options = [each.content for each in widget.proto.options]
        return await visitor.pick(key, ONLY.get(key) or self.rng.choice(options))


@dataclass
class Crowd:
    """Visitors side by side, each with a page open."""

    visitors: Sequence[tuple[Guest, Visitor]]
    seen: Seen

    async def stay(self, seconds: float, fewest: int = 0) -> None:
        """Let all click for so long, and until there are `fewest` answers in sum."""
        end = time.monotonic() + seconds

        async def one(guest: Guest, visitor: Visitor) -> None:
            await guest.think()
            while time.monotonic() < end or len(self.seen.answers) < fewest:
                await guest.act(visitor)
                await guest.think()

        await asyncio.gather(*(self._watch(one(*each)) for each in self.visitors))

    async def click(self, times: int) -> None:
        """Let each click so many times without a thought."""

        async def one(guest: Guest, visitor: Visitor) -> None:
            for _ in range(times):
                await guest.act(visitor)

        await asyncio.gather(*(self._watch(one(*each)) for each in self.visitors))

    async def enter(self) -> None:
        """Let all load their first page; these answers do not count, but for their exceptions."""
        await asyncio.gather(*(self._watch(guest.enter(each)) for guest, each in self.visitors))
        self.seen.answers[:] = [each for each in self.seen.answers if each.exceptions]

    async def _watch(self, visit: Awaitable[None]) -> None:
        try:
            await visit
        except (WebSocketException, OSError, TimeoutError) as error:
            self.seen.lost.append(f"{type(error).__name__}: {error}")


@asynccontextmanager
async def crowd(
    url: str, count: int, seed: int = 0, visit: Visit = visiting
) -> AsyncIterator[Crowd]:
    """So many visitors who have loaded their first page; they leave in the end."""
    seen = Seen()
    async with AsyncExitStack() as doors:
        visitors = [
            (Guest(f"{seed}/{count}/{at}", seen), await doors.enter_async_context(visit(url)))
            for at in range(count)
        ]
        gathered = Crowd(visitors, seen)
        await gathered.enter()
        yield gathered
