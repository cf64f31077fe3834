"""Visitors who click faster than pages are drawn, or leave meanwhile: nobody waits for them."""

import asyncio
import contextlib
import json

from tests.browser import driver
from tests.visitor import run, visiting

HASTE = 0.03  # seconds until the next click, or until the visitor is gone
SENTENCES = ("I like cats", "I like dogs", "I have a cat", "I have a dog", "I like you")


async def hurry(url: str, leaves: bool) -> str:
    """Types one sentence after the other without waiting; returns the headline of the last one."""
    async with visiting(url) as visitor:
        await visitor.open()
        sentence = visitor.widgets["widget_sentence"]
        for text in SENTENCES * 3:
            with contextlib.suppress(TimeoutError):
                visitor.widgets["widget_sentence"] = sentence  # also while the page is drawn anew
                await asyncio.wait_for(visitor.type("widget_sentence", text), HASTE)
        if leaves:
            return ""
        for _ in range(20):  # answers to what was sent in haste are still on their way
            visitor.widgets["widget_sentence"] = sentence
            await visitor.type("widget_sentence", SENTENCES[-1])
            await visitor.go("attention")
            await visitor.go("")
            told = json.dumps(visitor.widgets["headline"].data(), ensure_ascii=False)
            if "我喜欢你" in told.replace(" ", ""):
                break
        return told


async def crowd(url: str) -> list[str]:
    return list(await asyncio.gather(*(hurry(url, leaves=at % 2 == 0) for at in range(8))))


def test_haste_stops_nobody() -> None:
    with driver.server() as server:
        told = run(crowd(server.url))
        assert len(told) == 8
        for each in told[1::2]:
            assert "我喜欢你" in each.replace(" ", "")  # of the sentence typed last

        async def late() -> float:
            async with visiting(server.url) as visitor:
                await visitor.open()
                return (await visitor.go("attention")).seconds

        assert run(late()) < 20
        assert "Traceback" not in server.log()
