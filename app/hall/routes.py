"""The hall's HTTP routes: light pages, their event streams, votes, pictures, what a driver does.

Paths in the pages and redirects are relative to the browser's, so that a proxy may put all of it
below any path.
"""

import asyncio
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from streamlit import runtime

from glassformer.app.hall import (
    followers,
    join,
    keys,
    learning,
    pages,
    proposals,
    rooms,
    screen,
    votes,
)
from glassformer.app.hall.hub import ENDED, HANDED, Channel, Hub, Who
from glassformer.app.hall.lines import READING, WRITING
from glassformer.app.hall.requests import (
    FRESH,
    Answer,
    answer_in_room,
    driver_key,
    for_driver,
    json_response,
    query_value,
    room_voter,
    sent_body,
    sent_json,
    voter_cookie,
)
from glassformer.app.hall.rooms import Room
from glassformer.app.server.doors import client_of
from glassformer.app.server.network import base_path
from glassformer.app.session.languages import language_of
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError

PATIENCE = 20.0  # seconds that a long poll waits
PAUSE = 2.0  # the same where there is no place to wait: it holds none for long
COUNT = 1.0  # seconds between two looks at how many follow
TURN = 30.0  # seconds between two looks at which rooms have ended
MOST_EXPLORING = 60  # sessions of the app, after which a room sends nobody more there
STREAM = {**FRESH, "X-Accel-Buffering": "no"}  # nginx then passes each event on at once


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
        everywhere = HUB.followers(code) + followers.count_elsewhere(code)
        told |= screen.driver_view(found) | {"followers": everywhere}
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
        Route(here, answer_in_room(_audience, page=True)),
        Route(f"{here}/notes", answer_in_room(_page("notes"), page=True)),
        Route(f"{here}/present", answer_in_room(_page("present"), page=True)),
        Route(f"{here}/open", answer_in_room(_open, page=True)),
        Route(f"{here}/events", answer_in_room(_events)),
        Route(f"{here}/state", answer_in_room(_state)),
        Route(f"{here}/lecture", answer_in_room(for_driver(_lecture))),
        Route(f"{here}/qr.svg", answer_in_room(_qr)),
        Route(f"{here}/vote", answer_in_room(_vote), methods=["POST"]),
        Route(f"{here}/move", answer_in_room(for_driver(_move)), methods=["POST"]),
        Route(f"{here}/black", answer_in_room(for_driver(_black)), methods=["POST"]),
        Route(f"{here}/reveal", answer_in_room(for_driver(_reveal)), methods=["POST"]),
        Route(f"{here}/short", answer_in_room(for_driver(_short)), methods=["POST"]),
        Route(f"{here}/clock", answer_in_room(for_driver(_clock)), methods=["POST"]),
        Route(f"{here}/propose", answer_in_room(_propose), methods=["POST"]),
        Route(f"{here}/proposals", answer_in_room(for_driver(_proposals))),
        Route(f"{here}/play", answer_in_room(for_driver(_play)), methods=["POST"]),
        Route(f"{here}/drop", answer_in_room(for_driver(_drop)), methods=["POST"]),
        Route(f"{here}/votes.csv", answer_in_room(for_driver(_votes))),
        Route(f"{here}/learned.csv", answer_in_room(for_driver(_learned))),
        Route(f"{here}/handover", answer_in_room(for_driver(_hand_over)), methods=["POST"]),
        Route(f"{here}/picture/{{scene}}", answer_in_room(_picture), methods=["GET", "PUT"]),
    ]


@asynccontextmanager
async def hall_lifespan() -> AsyncIterator[None]:
    """While the server runs: changes reach the followers, rooms that are over end."""
    if not keys.is_open():
        yield
        return
    turns = [asyncio.create_task(each()) for each in (_turns, _count)]
    with HUB.running():
        yield
    for each in turns:
        each.cancel()


async def _turns() -> None:
    started = False
    while True:
        with suppress(GlassformerError):  # held by another process: at the next turn
            if not started:
                await WRITING.run(rooms.await_presenters)
                store.open_store().watch(rooms.hear_change)
                started = True
            for code in HUB.driven():
                if (found := await READING.run(rooms.find_room, code)) is not None:
                    await WRITING.run(rooms.mark_presenter_seen, found)
            for code in await WRITING.run(rooms.purge_rooms):
                HUB.tell(code)
            await WRITING.run(store.keep_shared_values)
        await asyncio.sleep(TURN)


async def _count() -> None:
    """The other fronts hear how many follow here."""
    known, since = dict[str, int](), 0.0
    while True:
        await asyncio.sleep(COUNT)
        now, counts = asyncio.get_running_loop().time(), HUB.audiences()
        if counts != known or (counts and now > since + followers.NOTED):
            with suppress(GlassformerError):
                for code in await WRITING.run(followers.note_followers, counts):
                    HUB.tell(code, votes=True)
                known, since = counts, now


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
    if given := query_value(request, "code"):
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
    if room_voter(request, room) is None:
        secure = request.url.scheme == "https"
        cookie = keys.new_voter(room.secret)
        # Without a path: the browser takes that of this page, whatever a proxy put before it.
        found.set_cookie(voter_cookie(room), cookie, max_age=int(rooms.LONGEST), path=None,
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
    language = query_value(request, "language")
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
    since = query_value(request, "since")
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
    return Who(client_of(request.scope), room_voter(request, room) or "")


def _channel(request: Request, room: Room) -> Channel:
    """The driver's, where a key is given. Errors: hall_driver for a key that is another's."""
    key = driver_key(request)
    if key and not rooms.may_drive(room, key):
        raise GlassformerError("hall_driver")
    return room.code, room.handed if key else None


async def _lecture(request: Request, room: Room) -> Response:
    told = await READING.run(screen.lecture_view, room)
    return json_response(told | {"join": join.room_address(request, room.code)})


async def _qr(request: Request, room: Room) -> Response:
    place = join.room_address(request, room.code)
    picture = join.qr(f"{place}?k={keys.ticket(room.secret)}", place)
    headers = {"Content-Security-Policy": pages.PICTURE_POLICY, **FRESH}
    return Response(picture, media_type="image/svg+xml", headers=headers)


# What is sent.


async def _vote(request: Request, room: Room) -> Response:
    voter = room_voter(request, room)
    if voter is None:
        raise GlassformerError("hall_voter")
    sent = await sent_json(request)
    scene, value = sent.get("scene"), sent.get("value")
    if not isinstance(scene, int):
        raise GlassformerError("hall_vote_scene")
    client = keys.hash_client(room.secret, client_of(request.scope))
    counted = await WRITING.run(votes.take_vote, room, scene, voter, value, client, HUB.is_present)
    HUB.votes += 1
    return json_response({"value": counted})


async def _move(request: Request, room: Room) -> Response:
    scene = (await sent_json(request)).get("scene")
    if not isinstance(scene, int) or isinstance(scene, bool):
        raise GlassformerError("hall_scene")
    return json_response({"revision": await WRITING.run(rooms.move_to_scene, room, scene)})


async def _black(request: Request, room: Room) -> Response:
    black = bool((await sent_json(request)).get("black"))
    return json_response({"revision": await WRITING.run(rooms.blacken_screens, room, black)})


async def _reveal(request: Request, room: Room) -> Response:
    scene = _whole((await sent_json(request)).get("scene"))
    await run_in_threadpool(votes.reveal_truth, room, scene)
    return json_response({})


async def _short(request: Request, room: Room) -> Response:
    short = bool((await sent_json(request)).get("short"))
    return json_response({"revision": await WRITING.run(rooms.shorten_path, room, short)})


async def _clock(_request: Request, room: Room) -> Response:
    return json_response({"revision": await WRITING.run(rooms.start_clock, room)})


async def _propose(request: Request, room: Room) -> Response:
    voter = room_voter(request, room)
    if voter is None:
        raise GlassformerError("hall_voter")
    sent = await sent_json(request)
    client = keys.hash_client(room.secret, client_of(request.scope))
    kept = await WRITING.run(
        proposals.take_proposal, room, sent.get("kind"), sent.get("text"), voter, client
    )
    return json_response({"text": kept})


async def _proposals(_request: Request, room: Room) -> Response:
    return json_response({"waiting": await READING.run(proposals.proposals_of, room)})


async def _play(request: Request, room: Room) -> Response:
    number = _whole((await sent_json(request)).get("number"))
    return json_response({"revision": await WRITING.run(proposals.play_proposal, room, number)})


async def _drop(request: Request, room: Room) -> Response:
    if (number := _whole((await sent_json(request)).get("number"))) is not None:
        await WRITING.run(proposals.drop_proposal, room, number)
    return json_response({})


async def _votes(_request: Request, room: Room) -> Response:
    from glassformer.app.hall import answers  # late: the model comes with it

    found = await run_in_threadpool(lambda: answers.write_votes(screen.votes_table(room)))
    return Response(found, media_type="text/csv; charset=utf-8", headers=FRESH)


async def _learned(_request: Request, room: Room) -> Response:
    from glassformer.app.hall import answers  # late: the model comes with it

    found = await run_in_threadpool(
        lambda: answers.write_votes(learning.gains_table(room), learning.COLUMNS)
    )
    return Response(found, media_type="text/csv; charset=utf-8", headers=FRESH)


async def _hand_over(request: Request, room: Room) -> Response:
    key = await WRITING.run(rooms.hand_over, room)
    link = f"{join.room_address(request, room.code)}/notes#{key}"
    return json_response({"key": key, "link": link, "qr": join.as_data(join.qr(link))})


async def _picture(request: Request, room: Room) -> Response:
    given = str(request.path_params["scene"])
    scene = int(given) if given.isascii() and given.isdigit() and len(given) < 6 else -1
    if request.method == "PUT":
        if not rooms.may_drive(room, driver_key(request)):
            raise GlassformerError("hall_driver")
        body = await sent_body(request, rooms.MOST_PICTURE, "hall_picture_large")
        return json_response({"version": await WRITING.run(rooms.put_picture, room, scene, body)})
    if (kept := await READING.run(rooms.scene_picture, room, scene)) is None:
        raise GlassformerError("hall_scene")
    # Its version stands in the address that the pages ask for.
    headers = {"Cache-Control": "private, max-age=86400, immutable",
               "Content-Security-Policy": pages.PICTURE_POLICY}  # fmt: skip
    return Response(kept, media_type=rooms.picture_type(kept), headers=headers)


def _whole(given: object) -> int | None:
    """A number that counts something; None for anything else."""
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 2**31:
        return given
    return None
