"""The running app in a real browser: a server on a free port, and Chromium to look at it."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from playwright.sync_api import Browser, BrowserContext, Page, WebSocketRoute, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPS = ("Google Chrome", "Chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
QUIET = 0.12  # seconds
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
LASTING = (
    "add_init_script",
    "add_locator_handler",
    "expose_binding",
    "expose_function",
    "on",
    "once",
    "route",
    "route_from_har",
    "route_web_socket",
    "set_extra_http_headers",
)
CHANGED: set[Page] = set()
FAILED: set[str] = set()  # ids of tests
_CALLS = itertools.count()


def find_browser() -> str | None:
    """Path of a Chromium: GLASSFORMER_BROWSER, one on the PATH, or a macOS app; None without."""
    if given := os.environ.get("GLASSFORMER_BROWSER"):
        return given
    for name in NAMES:
        if found := shutil.which(name):
            return found
    for app in MAC_APPS:
        binary = Path(f"/Applications/{app}.app/Contents/MacOS/{app}")
        if binary.exists():
            return str(binary)
    return None


@dataclass(frozen=True)
class Server:
    """A running server: where it answers, its process, and what it has said so far."""

    url: str
    pid: int
    _log: IO[bytes]

    def log(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")


@contextmanager
def serving(port: int | None = None, script: str = "serve.py") -> Iterator[str]:
    """Serve the app as `make app` does, or another script; yields its URL and stops it after."""
    with server(port, script) as running:
        yield running.url


@contextmanager
def server(
    port: int | None = None, script: str = "serve.py", shell: str = "", **environment: str
) -> Iterator[Server]:
    """As `serving`, with the process and its log; further variables of the environment by name.

    shell: what a shell does with the interpreter's arguments, "$@", in place of calling it.
    """
    port = port or _free_port()
    start = ["sh", "-c", shell, "sh"] if shell else [sys.executable]
    command = [*start, "-m", "streamlit", "run", script]
    options = ["--server.port", str(port), "--server.headless", "true"]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    steady = {"OMP_NUM_THREADS": "1", "GLASSFORMER_NICE": "0"}
    # A file, not a pipe: nobody reads while it runs, and a full pipe would stop the server.
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command + options,
            cwd=ROOT,
            env={**steady, **os.environ, "PYTHONPATH": path, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        running = Server(f"http://localhost:{port}", process.pid, log)
        try:
            wait_for(running.url, process, running.log)
            yield running
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def wait_for(
    url: str, process: subprocess.Popen[bytes], log: Callable[[], str] = str, seconds: float = 60
) -> None:
    """Waits until the server answers; raises RuntimeError with its log where it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped at its start:\n{log()}")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"no answer from {url} within {seconds:g} s")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium; raises RuntimeError where none is installed."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launched())
        try:
            yield browser
        finally:
            browser.close()


def launched(*more: str) -> dict[str, Any]:
    """How Playwright starts the system's Chromium, with more of its flags.

    Raises RuntimeError where none is installed.
    """
    path = find_browser()
    if path is None:
        raise RuntimeError(
            "no Chromium found: `make browser` installs one as root on Debian; "
            "elsewhere install Chrome or Chromium, or set GLASSFORMER_BROWSER to its path"
        )
    return {"executable_path": path, "args": [*FLAGS, *more]}


def open_page(
    home: Browser | BrowserContext,
    url: str,
    width: int = 1440,
    height: int = 900,
    theme: str = "light",
) -> Page:
    """A page of that size and theme ("light" or "dark"), loaded and idle.

    home: a browser gives a window that shares nothing; a context one that has at hand what the
    others have loaded, and nothing else of theirs: scripts are most of what a page loads.
    """
    page = new_page(home, **({"locale": "en-GB"} if isinstance(home, Browser) else {}))
    visit(page, url, width, height, theme)
    return page


def visit(page: Page, url: str, width: int = 1440, height: int = 900, theme: str = "light") -> None:
    """Open a link in a page that is there already, as somebody does who was never here before.

    Nothing of the visits before is left: a new session, no cookies, nothing stored. Its scripts are
    compiled already, which is half of what a new page costs.
    """
    page.set_viewport_size({"width": width, "height": height})
    scheme: Any = "dark" if theme == "dark" else "light"
    page.emulate_media(color_scheme=scheme, media="null", reduced_motion="null")
    page.set_default_timeout(30_000)
    page.context.clear_cookies()
    storage = {"origin": url, "storageTypes": "local_storage"}
    devtools = page.context.new_cdp_session(page)
    devtools.send("Storage.clearDataForOrigin", storage)
    devtools.send("Page.resetNavigationHistory")
    devtools.detach()
    page.bring_to_front()
    page.goto(url)
    wait_until_idle(page)


def leave(page: Page, url: str) -> None:
    """Leave the app at that URL for a page of its server that is empty, and keep nothing of it."""
    page.goto(f"{url}/_stcore/health")
    page.evaluate("localStorage.clear(); sessionStorage.clear(); window.name = ''")
    page.mouse.move(-1, -1)  # over nothing of what comes


def note_changes(page: Page) -> Page:
    """The page, which will be one of CHANGED when it gets something that outlives a load."""
    for name in LASTING:
        setattr(page, name, partial(_change, page, getattr(page, name)))
    return page


def _change(page: Page, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
    CHANGED.add(page)
    return act(*given, **named)


def lead(page: Page, path: str, query: str = "") -> None:
    """Lead a page that is open to another link of the app, as the browser's back button does."""
    page.bring_to_front()
    page.evaluate(
        """(link) => {
          history.pushState(null, "", link);
          dispatchEvent(new PopStateEvent("popstate", { state: null }));
        }""",
        f"/{path}" + (f"?{query}" if query else ""),
    )
    wait_until_idle(page)


def wait_until_idle(page: Page, quiet: float = QUIET, seconds: float = 60) -> None:
    """Wait until the script has run and the page has stood still for `quiet` seconds.

    Still is: no answer of the server is owed, nothing is loading or about to be drawn, no timer is
    soon due, and no element comes or goes. The page is one of `new_page`.
    """
    question = {"call": next(_CALLS), "idle": IDLE, "quiet": 1000 * quiet}
    try:
        page.wait_for_function("(it) => atRest(it)", arg=question, timeout=1000 * seconds)
    except PlaywrightTimeout as error:
        raise TimeoutError(f"{page.url}: {page.evaluate('whyNotAtRest()')}") from error


def new_page(home: Browser | BrowserContext, **options: Any) -> Page:
    """An empty page that will know when it is at rest; options of Playwright's `new_page`."""
    page = home.new_page(**options)
    page.add_init_script(path=Path(__file__).with_name("at_rest.js"))
    return page


def read(page: Page, script: str, argument: object = None) -> Any:
    """What a script says of the page at rest: of a chart that is not about to be drawn anew."""
    wait_until_idle(page)
    return page.evaluate(script, argument)


def shown(page: Page) -> dict[str, Any]:
    """What a page at rest shows: the charts' data, every text, every input's value.

    For comparisons: the same screen gives the same value, wherever it is opened, once each widget
    whose script arrived late has filled itself: it does so while the page counts as idle.
    """
    page.bring_to_front()  # behind another it is drawn twice a second
    found: dict[str, Any] = read(page, _SHOWN)
    return found


def drawn(page: Page) -> dict[str, Any]:
    """What a page shows when all is drawn: two readings, at least `QUIET` apart, agree."""
    found: dict[str, Any] = {}
    for _ in range(20):
        before, found = found, shown(page)
        if found == before:
            return found
    raise TimeoutError("the page went on changing while it was read")


def press_escape(page: Page) -> None:
    """Press Escape as soon as the page listens to it."""
    page.wait_for_selector('body[data-escape="heard"]', state="attached")
    page.keyboard.press("Escape")


# A chart holds its numbers as arrays or typed arrays; a component has its own shadow tree. What is
# measured anew (times, memory) is no part of the screen's state.
_SHOWN = """() => {
  const plain = (value) => JSON.parse(JSON.stringify(value ?? null, (name, each) =>
    ArrayBuffer.isView(each) ? [...each] : name === "uid" || name === "bdata" ? undefined : each));
  const roots = [document];
  for (const root of roots)
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) roots.push(each.shadowRoot);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const numbers = [...document.querySelectorAll(".js-plotly-plot")];
  const shown = (each) => each.checkVisibility() && !each.closest('[data-testid="stSidebar"]');
  return {
    charts: numbers.map((each) => plain(each.data)),
    texts: [document.querySelector('[data-testid="stMain"]'), ...roots.slice(1).map((r) => r.host)]
      .flatMap((each) => (each.shadowRoot ? [...each.shadowRoot.children] : [each]))
      .filter((each) => each.tagName !== "STYLE").map((each) => each.innerText ?? ""),
    inputs: all("input, textarea, select").filter(shown)
      .map((each) => (each.type === "checkbox" ? each.checked : each.value)),
    pressed: all('[aria-pressed="true"], [aria-checked="true"], [aria-selected="true"]')
      .filter(shown).map((each) => each.innerText || each.getAttribute("aria-label")),
    ink: all("svg path, svg rect, svg circle")
      .filter((each) => !each.closest(".js-plotly-plot, #js-plotly-tester"))
      .map((each) => each.getAttribute("fill") + " " + each.getAttribute("d")).join(";"),
    dark: getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor,
  };
}"""


class Line:
    """What the server sends to the one page of a context, which can be held up."""

    def __init__(self, home: BrowserContext) -> None:
        self._late, self._held = list[str | bytes](), False
        home.route_web_socket("**/_stcore/stream*", self._join)

    def hold(self) -> None:
        """Nothing comes from now on."""
        self._held = True

    def wait_for_runs(self, page: Page, count: int) -> None:
        """Wait until the ends of so many runs are held up; raises TimeoutError after a minute."""
        end = time.monotonic() + 60
        while sum(map(_ends_a_run, self._late)) < count:
            if time.monotonic() > end:
                raise TimeoutError(f"{count} runs have not ended")
            page.wait_for_timeout(50)

    def let_go(self) -> None:
        """All that was held up comes at once, and what follows as it is sent."""
        self._held = False
        while self._late:
            self._page_side.send(self._late.pop(0))

    def _join(self, page_side: WebSocketRoute) -> None:
        self._page_side = page_side
        page_side.connect_to_server().on_message(self._pass)

    def _pass(self, message: str | bytes) -> None:
        self._late.append(message)
        if not self._held:
            self.let_go()


def _ends_a_run(message: str | bytes) -> bool:
    return isinstance(message, bytes) and ForwardMsg.FromString(message).HasField("script_finished")
