"""A visitor without a browser: speaks Streamlit's protocol over its web socket.

As the front end does: what the server asks to be kept is kept and not sent again, the address line
follows the server, a click inside a fragment runs the fragment alone. One thing is left out: values
of widgets that did not change are not sent again; the server keeps them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PATIENCE = 120.0  # seconds that one answer may take
Result = TypeVar("Result")
KEPT_RUNS = 2  # how many runs the front end keeps a message that is not referred to


@dataclass
class Answer:
    """What came back for one request."""

    seconds: float = 0.0  # from the request sent to the script finished
    size: int = 0  # bytes, before the compression of the connection
    runs: int = 1  # more than one where the script asks to be run again
    exceptions: list[str] = field(default_factory=list)  # those on screen: type and message


@dataclass(frozen=True)
class Widget:
    """A widget on screen: the element as the server sent it."""

    kind: str  # "button_group", "bidi_component", …
    proto: Any
    fragment: str  # the id of the fragment that it stands in, or ""

    @property
    def key(self) -> str:
        """The key that the app gave it; an id is "$$ID-hash-key"."""
        return str(self.proto.id).split("-", 2)[-1]

    def data(self) -> Any:
        """What a component was given to draw."""
        return json.loads(self.proto.bytes)


@dataclass
class Visitor:
    """One open page; make one with `visiting()`."""

    socket: ClientConnection
    url: str
    query: str = ""
    page: str = ""  # the hash of the page's script; "" before the first answer
    pages: dict[str, str] = field(default_factory=dict)  # path of a page -> hash of its script
    widgets: dict[str, Widget] = field(default_factory=dict)  # by key; what the last run drew
    _kept: dict[str, tuple[int, Widget | None, str]] = field(default_factory=dict)
    _run: int = 0

    async def open(self, path: str = "", query: str = "") -> Answer:
        """Load a page: its path as in the address line ("" is the first), and a query string."""
        self.query, self.page = query, ""
        return await self._ask([], page_name=path)

    async def go(self, path: str) -> Answer:
        """Click on a page in the navigation: the link carries no query."""
        self.query, self.page = "", self.pages[path]
        return await self._ask([])

    async def pick(self, key: str, choice: str) -> Answer:
        """Choose an option, given in its own words, in a row of segments or in a list."""
        widget = self.widgets[key]
        sent = WidgetState(id=widget.proto.id)
        if widget.kind == "button_group":
            sent.string_array_value.data.append(choice)
        else:
            sent.string_value = choice
        return await self._ask([sent], widget.fragment)

    async def type(self, key: str, text: str) -> Answer:
        """Write a text into an input, and press Enter."""
        widget = self.widgets[key]
        return await self._ask([WidgetState(id=widget.proto.id, string_value=text)])

    async def press(self, key: str) -> Answer:
        """Press a button."""
        widget = self.widgets[key]
        sent = WidgetState(id=widget.proto.id, trigger_value=True)
        return await self._ask([sent], widget.fragment)

    async def send(self, key: str, event: str, value: Any) -> Answer:
        """What a component sends with `setTriggerValue(event, value)`."""
        widget = self.widgets[key]
        sent = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{widget.proto.id}__events")
        sent.json_trigger_value = json.dumps([{"event": event, "value": value}])
        return await self._ask([sent], widget.fragment)

    async def _ask(
        self, changed: list[WidgetState], fragment: str = "", page_name: str = ""
    ) -> Answer:
        request = BackMsg()
        asked = request.rerun_script
        asked.query_string, asked.page_script_hash = self.query, self.page
        asked.page_name, asked.fragment_id = page_name, fragment
        asked.widget_states.widgets.extend(changed)
        asked.cached_message_hashes.extend(self._kept)
        context = asked.context_info
        context.locale, context.timezone, context.url = "en-GB", "Europe/London", self.url
        context.color_scheme = "light"
        begin = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            answer = await self._answered(request.SerializeToString())
        answer.seconds = time.monotonic() - begin
        self._forget()
        return answer

    async def _answered(self, request: bytes) -> Answer:
        answer = Answer()
        await self.socket.send(request)
        while not self._take(await self.socket.recv(), answer):
            pass
        return answer

    def _take(self, payload: bytes | str, answer: Answer) -> bool:
        # Whether the answer is complete.
        assert isinstance(payload, bytes)
        answer.size += len(payload)
        message = ForwardMsg.FromString(payload)
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._draw(message, answer)
        elif kind == "ref_hash":
            _, widget, exception = self._kept[message.ref_hash]
            self._kept[message.ref_hash] = (self._run, widget, exception)
            self._put(widget, exception, answer)
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "navigation":
            self.pages = {
                each.url_pathname: each.page_script_hash for each in message.navigation.app_pages
            }
            self.page = message.navigation.page_script_hash
        elif kind == "new_session" and not message.metadata.run.fragment_ids:
            self.widgets.clear()
        elif kind == "script_finished":
            if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return True
            answer.runs += 1
        return False

    def _draw(self, message: ForwardMsg, answer: Answer) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        widget, exception = None, ""
        if kind == "exception":
            exception = f"{element.exception.type}: {element.exception.message}"
        elif kind and getattr(getattr(element, kind), "id", ""):
            widget = Widget(kind, getattr(element, kind), message.delta.fragment_id)
        if message.metadata.cacheable:
            self._kept[message.hash] = (self._run, widget, exception)
        self._put(widget, exception, answer)

    def _put(self, widget: Widget | None, exception: str, answer: Answer) -> None:
        if widget:
            self.widgets[widget.key] = widget
        if exception:
            answer.exceptions.append(exception)

    def _forget(self) -> None:
        self._run += 1
        oldest = self._run - KEPT_RUNS
        self._kept = {name: each for name, each in self._kept.items() if each[0] >= oldest}


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[Visitor]:
    """A socket to the server at this URL, closed in the end; nothing is loaded yet."""
    stream = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
    named = [Subprotocol("streamlit")]
    async with connect(stream, subprotocols=named, max_size=None, proxy=None) as socket:
        yield Visitor(socket, url)


def run(visits: Coroutine[Any, Any, Result]) -> Result:
    """Run to its end, in a thread: the browser tests leave an event loop running on this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visits).result()
