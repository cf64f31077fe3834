"""A request for a room: whose it is, whether it may come in, what it sends; what is refused."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl

import orjson
from starlette.requests import Request
from starlette.responses import Response

from glassformer.app.hall import keys, pages, rooms
from glassformer.app.hall.lines import READING, WRITING
from glassformer.app.hall.rooms import Room
from glassformer.app.server.doors import client_of
from glassformer.app.session.languages import language_of
from glassformer.core.errors import GlassformerError

MOST_BODY = 4000  # bytes of a vote or a command
FRESH = {"Cache-Control": "no-store"}
STATUS = {  # of what is refused; anything else is 400
    "hall_code": 404, "hall_scene": 404, "hall_off": 404, "hall_wait": 429, "hall_driver": 403,
    "hall_voter": 403, "hall_vote_scene": 409, "hall_vote_closed": 409, "hall_busy": 503,
    "hall_disk": 507, "hall_full": 503, "hall_explored": 503, "hall_picture_large": 413,
    "hall_body": 413, "hall_proposed_long": 413, "hall_proposed_soon": 429,
    "hall_proposed_many": 429, "hall_proposed_gone": 404, "hall_ended": 404, "store_away": 503,
}  # fmt: skip

Answer = Callable[[Request, Room], Awaitable[Response]]


def answer_in_room(answer: Answer, page: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """The room of the path is looked up, and what is refused is said: on a page, or as JSON."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request, await _room(request))
        except GlassformerError as error:
            status = STATUS.get(error.key, 400)
            if page:
                language = language_of(request.headers.get("accept-language", ""))
                return pages.entrance_page(error, status, language)
            return json_response(pages.refusal_data(error), status)

    return answered


async def _room(request: Request) -> Room:
    """Errors: hall_code for none, hall_wait where a flood of guesses comes from its client."""
    code, client = str(request.path_params["code"]), client_of(request.scope)
    found = await READING.run(rooms.find_room, code)
    if found is not None and (
        room_voter(request, found)
        or rooms.may_drive(found, driver_key(request))
        or keys.is_ticket(found.secret, query_value(request, "k"))
    ):
        return found
    await keys.CODES.turn(client)
    if found is None:
        keys.CODES.wrong(client)
        raise GlassformerError("hall_code", given=code[:12])
    return found


def for_driver(answer: Answer) -> Answer:
    """Only for who has the driver's key. Errors: hall_driver."""

    async def answered(request: Request, room: Room) -> Response:
        if not rooms.may_drive(room, driver_key(request)):
            raise GlassformerError("hall_driver")
        with suppress(GlassformerError):  # it is here all the same
            await WRITING.run(rooms.mark_presenter_seen, room)
        return await answer(request, room)

    return answered


def query_value(request: Request, name: str) -> str:
    """A parameter of the address, "" without it."""
    return dict(parse_qsl(request.url.query)).get(name, "")


def driver_key(request: Request) -> str:
    """The key that is given, "" without one."""
    return request.headers.get("authorization", "").removeprefix("Bearer ").strip()


def room_voter(request: Request, room: Room) -> str | None:
    """Who votes, by the room's cookie; None for nobody that the room knows."""
    return keys.voter(room.secret, request.cookies.get(voter_cookie(room), ""))


def voter_cookie(room: Room) -> str:
    """The name of the room's cookie."""
    return f"hall_{room.code}"


async def sent_json(request: Request) -> dict[str, Any]:
    """The JSON object of a body; {} for one that is none. Errors: hall_body."""
    found: Any = None
    with suppress(orjson.JSONDecodeError):
        found = orjson.loads(await sent_body(request, MOST_BODY, "hall_body") or b"{}")
    return found if isinstance(found, dict) else {}


async def sent_body(request: Request, most: int, key: str) -> bytes:
    """At most so many bytes; a longer body is not read to its end. Errors: that key."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise GlassformerError(key, given=len(body) // 1000, limit=most // 1000)
    return bytes(body)


def json_response(found: object, status: int = 200) -> Response:
    """Plain data as JSON that nobody keeps."""
    return Response(orjson.dumps(found), status, media_type="application/json", headers=FRESH)
