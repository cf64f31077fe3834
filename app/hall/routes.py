"""The hall's HTTP routes: light pages, their event streams, votes, pictures, what a driver does.

Paths in the pages and redirects are relative to the browser's, so that a proxy may put all of it
below any path.
"""

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from streamlit import runtime

from glassformer.app.hall import join, keys, pages, rooms, screen
from glassformer.app.hall.hub import ENDED, HANDED, Channel, Hub, Who
from glassformer.app.hall.rooms import Room
from glassformer.app.hall.store import READING, WRITING
from glassformer.app.server.doors import client_of
from glassformer.app.server.network import base_path
from glassformer.app.session.languages import language_of
from glassformer.core.errors import GlassformerError

MOST_BODY = 4000  # bytes of a vote or a command
PATIENCE = 20.0  # seconds that a long poll waits
PAUSE = 2.0  # the same where there is no place to wait: it holds none for long
TURN = 30.0  # seconds between two looks at which rooms have ended
MOST_EXPLORING = 60  # sessions of the app, after which a room sends nobody more there
FRESH = {"Cache-Control": "no-store"}
STREAM = {**FRESH, "X-Accel-Buffering": "no"}  # nginx then passes each event on at once
STATUS = {  # of what is refused; anything else is 400
    "hall_code": 404, "hall_scene": 404, "hall_off": 404, "hall_wait": 429, "hall_driver": 403,
    "hall_voter": 403, "hall_vote_scene": 409, "hall_vote_closed": 409, "hall_busy": 503,
    "hall_disk": 507, "hall_full": 503, "hall_explored": 503, "hall_picture_large": 413,
    "hall_body": 413,
}  # fmt: skip

Answer = Callable[[Request, Room], Awaitable[Response]]


async def _message(channel: Channel) -> tuple[bytes, int]:
    return await READING.run(_encoded, channel)


def _encoded(channel: Channel) -> tuple[bytes, int]:
    code, key = channel
    if (found := rooms.find_room(code)) is None:
        return ENDED, 0
    if key not in (None, found.handed):
        return HANDED, found.revision
    told = screen.room_state(found)
    if key is not None:
        told |= screen.driver_view(found) | {"followers": HUB.followers(code)}
    return screen.server_event(told), found.revision


HUB = Hub(_message)
rooms.CHANGED.append(HUB.tell)


def hall_routes() -> list[Route]:
    """All of them, for `st.App(routes=…)`; where the hall is off, one that says so."""
    base = base_path()
    alone = Route(f"{base}/present", _alone)
    if not keys.is_open():
        return [alone, *(Route(f"{base}/hall{rest}", _off) for rest in ("", "/{rest:path}"))]
    here = f"{base}/hall/{{code}}"
    return [
        alone,
        Route(f"{base}/hall", _slash),
        Route(f"{base}/hall/", _enter),
        Route(here, _in_room(_audience, page=True)),
        Route(f"{here}/notes", _in_room(_page("notes"), page=True)),
        Route(f"{here}/present", _in_room(_page("present"), page=True)),
        Route(f"{here}/open", _in_room(_open, page=True)),
        Route(f"{here}/events", _in_room(_events)),
        Route(f"{here}/state", _in_room(_state)),
        Route(f"{here}/lecture", _in_room(_driven(_lecture))),
        Route(f"{here}/qr.svg", _in_room(_qr)),
        Route(f"{here}/vote", _in_room(_vote), methods=["POST"]),
        Route(f"{here}/move", _in_room(_driven(_move)), methods=["POST"]),
        Route(f"{here}/black", _in_room(_driven(_black)), methods=["POST"]),
        Route(f"{here}/reveal", _in_room(_driven(_reveal)), methods=["POST"]),
        Route(f"{here}/handover", _in_room(_driven(_hand_over)), methods=["POST"]),
        Route(f"{here}/picture/{{scene}}", _in_room(_picture), methods=["GET", "PUT"]),
    ]


@asynccontextmanager
async def hall_lifespan() -> AsyncIterator[None]:
    """While the server runs: changes reach the followers, rooms that are over end."""
    if not keys.is_open():
        yield
        return
    turns = asyncio.create_task(_turns())
    with HUB.running():
        yield
    turns.cancel()


async def _turns() -> None:
    started = False
    while True:
        with suppress(GlassformerError):  # held by another process: at the next turn
            if not started:
                await WRITING.run(rooms.await_presenters)
                started = True
            for code in HUB.driven():
                if (found := await READING.run(rooms.find_room, code)) is not None:
                    await WRITING.run(rooms.mark_presenter_seen, found)
            for code in await WRITING.run(rooms.purge_rooms):
                HUB.tell(code)
        await asyncio.sleep(TURN)


# Who comes in.


def _in_room(answer: Answer, page: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """The room of the path is looked up, and what is refused is said: on a page, or as JSON."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request, await _room(request))
        except GlassformerError as error:
            status = STATUS.get(error.key, 400)
            if page:
                language = language_of(request.headers.get("accept-language", ""))
                return pages.entrance_page(error, status, language)
            return _json(pages.refusal_data(error), status)

    return answered


async def _room(request: Request) -> Room:
    """Errors: hall_code for none, hall_wait where a flood of guesses comes from its client."""
    code, client = str(request.path_params["code"]), client_of(request.scope)
    found = await READING.run(rooms.find_room, code)
    if found is not None and (
        _voter(request, found)
        or rooms.may_drive(found, _key(request))
        or keys.is_ticket(found.secret, _asked(request, "k"))
    ):
        return found
    await keys.CODES.turn(client)
    if found is None:
        keys.CODES.wrong(client)
        raise GlassformerError("hall_code", given=code[:12])
    return found


def _driven(answer: Answer) -> Answer:
    """Only for who has the driver's key. Errors: hall_driver."""

    async def answered(request: Request, room: Room) -> Response:
        if not rooms.may_drive(room, _key(request)):
            raise GlassformerError("hall_driver")
        with suppress(GlassformerError):  # it is here all the same
            await WRITING.run(rooms.mark_presenter_seen, room)
        return await answer(request, room)

    return answered


def _asked(request: Request, name: str) -> str:
    """A parameter of the address, "" without it."""
    return dict(parse_qsl(request.url.query)).get(name, "")


def _key(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ").strip()


def _voter(request: Request, room: Room) -> str | None:
    return keys.voter(room.secret, request.cookies.get(_cookie(room), ""))


def _cookie(room: Room) -> str:
    return f"hall_{room.code}"


# Pages.


async def _off(_request: Request) -> Response:
    return pages.entrance_page(GlassformerError("hall_off"), 404, language_of(""))


async def _alone(_request: Request) -> Response:
    """The presenter's page without a room: the lecture is in the browser."""
    return pages.page_response("present", None)


async def _slash(_request: Request) -> Response:
    return Response(status_code=307, headers={"Location": "hall/"})


async def _enter(request: Request) -> Response:
    """The page that asks for a code; without scripts its form comes back here."""
    language = language_of(request.headers.get("accept-language", ""))
    if given := _asked(request, "code"):
        letters = unicodedata.normalize("NFKC", given[:80]).upper()  # also of full width
        plain = "".join(each for each in letters if each.isascii() and each.isalnum())
        if not plain:
            error = GlassformerError("hall_code", given=given[:12])
            return pages.entrance_page(error, 404, language)
        return Response(status_code=303, headers={"Location": plain[: 2 * rooms.CODE]})
    return pages.entrance_page(None, 200, language)


async def _audience(request: Request, room: Room) -> Response:
    found = pages.page_response(
        "audience", await READING.run(screen.room_state, room), code=room.code
    )
    if _voter(request, room) is None:
        secure = request.url.scheme == "https"
        cookie = keys.new_voter(room.secret)
        # Without a path: the browser takes that of this page, whatever a proxy put before it.
        found.set_cookie(_cookie(room), cookie, max_age=int(rooms.LONGEST), path=None,
                         secure=secure, httponly=True, samesite="lax")  # fmt: skip
    return found


def _page(name: str) -> Answer:
    async def answered(_request: Request, room: Room) -> Response:
        return pages.page_response(name, None, code=room.code)

    return answered


async def _open(request: Request, room: Room) -> Response:
    """The screen of the scene, in a session of the app, if there is room for one more."""
    if _exploring() >= MOST_EXPLORING:
        raise GlassformerError("hall_explored", limit=MOST_EXPLORING)
    language = _asked(request, "language")
    language = language if language in room.lecture.languages else room.language
    page, query = room.lecture.scenes[room.scene].link(language)
    place = f"../../{page}?{urlencode({**query, 'language': language})}"
    return Response(status_code=303, headers={"Location": place, **FRESH})


def _exploring() -> int:
    """The sessions of the app that have asked for a page: a bare connection explores nothing."""
    if not runtime.exists():
        return 0
    sessions = runtime.get_instance()._session_mgr.list_active_sessions()
    return sum(each.script_run_count > 0 for each in sessions)


# What is followed.


async def _events(request: Request, room: Room) -> Response:
    channel, who = _channel(request, room), _who(request, room)
    if HUB.is_full(channel, who):
        raise GlassformerError("hall_full")

    async def events() -> AsyncIterator[bytes]:
        with suppress(GlassformerError):  # the rooms cannot be read: it ends, and they ask again
            async for each in HUB.follow(channel, who):
                yield each

    return StreamingResponse(events(), media_type="text/event-stream", headers=STREAM)


async def _state(request: Request, room: Room) -> Response:
    """The state, once it is newer than `since`: where streams are held back, or have no place."""
    since = _asked(request, "since")
    channel, who = _channel(request, room), _who(request, room)
    known = int(since) if since.isascii() and since.isdigit() and len(since) < 12 else -1
    if HUB.is_full(channel, who):
        await asyncio.sleep(PAUSE * (known >= 0))
        told, _ = await _message(channel)
    else:
        told = await HUB.newer(channel, who, known, PATIENCE)
    return Response(
        told.rpartition(b"data: ")[2].strip(), media_type="application/json", headers=FRESH
    )


def _who(request: Request, room: Room) -> Who:
    return Who(client_of(request.scope), _voter(request, room) or "")


def _channel(request: Request, room: Room) -> Channel:
    """The driver's, where a key is given. Errors: hall_driver for a key that is another's."""
    key = _key(request)
    if key and not rooms.may_drive(room, key):
        raise GlassformerError("hall_driver")
    return room.code, room.handed if key else None


async def _lecture(request: Request, room: Room) -> Response:
    told = await READING.run(screen.lecture_view, room)
    return _json(told | {"join": join.room_address(request, room.code)})


async def _qr(request: Request, room: Room) -> Response:
    place = join.room_address(request, room.code)
    picture = join.qr(f"{place}?k={keys.ticket(room.secret)}", place)
    headers = {"Content-Security-Policy": pages.PICTURE_POLICY, **FRESH}
    return Response(picture, media_type="image/svg+xml", headers=headers)


# What is sent.


async def _vote(request: Request, room: Room) -> Response:
    voter = _voter(request, room)
    if voter is None:
        raise GlassformerError("hall_voter")
    sent = await _sent(request)
    scene, value = sent.get("scene"), sent.get("value")
    if not isinstance(scene, int):
        raise GlassformerError("hall_vote_scene")
    client = keys.hash_client(room.secret, client_of(request.scope))
    counted = await WRITING.run(rooms.take_vote, room, scene, voter, value, client, HUB.is_present)
    return _json({"value": counted})


async def _move(request: Request, room: Room) -> Response:
    scene = (await _sent(request)).get("scene")
    if not isinstance(scene, int) or isinstance(scene, bool):
        raise GlassformerError("hall_scene")
    return _json({"revision": await WRITING.run(rooms.move_to_scene, room, scene)})


async def _black(request: Request, room: Room) -> Response:
    black = bool((await _sent(request)).get("black"))
    return _json({"revision": await WRITING.run(rooms.blacken_screens, room, black)})


async def _reveal(_request: Request, room: Room) -> Response:
    await run_in_threadpool(rooms.reveal_truth, room)
    return _json({})


async def _hand_over(request: Request, room: Room) -> Response:
    key = await WRITING.run(rooms.hand_over, room)
    link = f"{join.room_address(request, room.code)}/notes#{key}"
    return _json({"key": key, "link": link, "qr": join.as_data(join.qr(link))})


async def _picture(request: Request, room: Room) -> Response:
    given = str(request.path_params["scene"])
    scene = int(given) if given.isascii() and given.isdigit() and len(given) < 6 else -1
    if request.method == "PUT":
        if not rooms.may_drive(room, _key(request)):
            raise GlassformerError("hall_driver")
        body = await _body(request, rooms.MOST_PICTURE, "hall_picture_large")
        return _json({"version": await WRITING.run(rooms.put_picture, room, scene, body)})
    if (kept := await READING.run(rooms.scene_picture, room, scene)) is None:
        raise GlassformerError("hall_scene")
    # Its version stands in the address that the pages ask for.
    headers = {"Cache-Control": "private, max-age=86400, immutable",
               "Content-Security-Policy": pages.PICTURE_POLICY}  # fmt: skip
    return Response(kept, media_type=rooms.picture_type(kept), headers=headers)


async def _sent(request: Request) -> dict[str, Any]:
    """The JSON object of a body; {} for one that is none. Errors: hall_body."""
    found: Any = None
    with suppress(orjson.JSONDecodeError):
        found = orjson.loads(await _body(request, MOST_BODY, "hall_body") or b"{}")
    return found if isinstance(found, dict) else {}


async def _body(request: Request, most: int, key: str) -> bytes:
    """At most so many bytes; a longer body is not read to its end. Errors: that key."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise GlassformerError(key, given=len(body) // 1000, limit=most // 1000)
    return bytes(body)


def _json(found: object, status: int = 200) -> Response:
    return Response(orjson.dumps(found), status, media_type="application/json", headers=FRESH)
