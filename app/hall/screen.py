"""What is said of a room to those who follow it: the scene, the question, the bars after it."""

from math import floor, log10
from typing import Any

import orjson

from glassformer.app.hall import learning, proposals, rooms, votes
from glassformer.app.hall.rooms import Room
from glassformer.core.lectures.lecture import PLACE, Lecture

TEXTS = ("title", "text", "notes")
MOST_BARS = 8  # of numbers and of words; the rest of the words is one bar
FAR = 1.5  # times the middle half's width: what lies farther out stands apart
STEPS = (1, 2, 5, 10)  # of a bar of numbers, times a power of ten


def server_event(told: dict[str, Any]) -> bytes:
    """A server-sent event: newest wins, each holds all that a screen shows."""
    return b"id: %d\ndata: %b\n\n" % (told["revision"], orjson.dumps(told))


def room_state(room: Room) -> dict[str, Any]:
    """The room as everybody sees it."""
    texts = _texts(room, room.scene)
    return {
        "revision": room.revision, "lecture": room.lecture.title, "scene": room.scene,
        "scenes": len(room.lecture.scenes), "black": room.black, "language": room.language,
        "place": staged_scene(room.lecture, room.scene)["place"],
        "places": room.lecture.place(len(room.lecture.scenes) - 1)[0],
        "title": texts["title"], "text": texts["text"],
        "picture": rooms.picture_version(room, room.scene),
        "played": room.played and {"number": room.played, "text": proposals.played_sentence(room)},
        "question": _question(room), "result": _result(room) if room.revealed else None,
    }  # fmt: skip


def driver_view(room: Room) -> dict[str, Any]:
    """What only the driver sees: notes, what comes next, the time, the votes before the reveal."""
    scenes = room.lecture.scenes
    ahead = range(room.scene + 1, len(scenes))
    following = next((at for at in ahead if scenes[at].short or not room.short), None)
    return {
        "votes": _result(room) if room.question else None,
        "notes": _texts(room, room.scene)["notes"],
        "next": None if following is None else {
            "scene": following, "title": _texts(room, following)["title"],
            "picture": rooms.picture_version(room, following),
        },
        "minutes": [scene.minutes for scene in scenes],
        "leaves": [place for place, scene in enumerate(scenes) if not scene.short],
        "short": room.short, "started": room.started, "handed": room.handed,
        "proposals": proposals.count_proposals(room), "now": rooms.clock_time(),
        "learned": learning.gains_table(room),
    }  # fmt: skip


def lecture_view(room: Room) -> dict[str, Any]:
    """The whole lecture, for the driver: texts and minutes of every scene, where its links lead."""
    scenes = [
        {
            **_texts(room, place), "name": scene.name, "minutes": scene.minutes,
            "short": scene.short,
            "question": scene.question is not None,
            **staged_scene(room.lecture, place),
            "glossed": glossed_words(room, place),
            "links": {each: scene.link(each) for each in room.lecture.languages},
        }
        for place, scene in enumerate(room.lecture.scenes)
    ]  # fmt: skip
    return {"title": room.lecture.title, "language": room.language, "scenes": scenes}


def glossed_words(room: Room, place: int) -> list[tuple[str, str]] | None:
    """The sentence of a scene, each word with what it means; None until its run is there."""
    found = rooms.scene_texts(room, place)
    return found.get("glossed", []) if found else None


def staged_scene(lecture: Lecture, at: int) -> dict[str, Any]:
    """How a scene stands on the stage: its number there, such as "2.1", and what fills it."""
    scene, step = lecture.place(at)
    number = f"{scene}.{step}" if step else str(scene)
    return {"place": number, "focus": lecture.scenes[at].focus}


def votes_table(room: Room) -> list[dict[str, Any]]:
    """A row for each value of each question that was asked, with how many voted for it.

    The truth stands there once it is out; who voted for what stands nowhere.
    """
    told = list[dict[str, Any]]()
    for place in votes.asked_scenes(room):
        scene, answer = room.lecture.scenes[place], votes.answer_of(room, place) or {}
        question = scene.question
        assert question is not None
        counts = votes.count_votes(room, place)
        named = [each[room.language] for each in question.options]
        values = range(len(named)) if named else sorted(counts, key=lambda value: -counts[value])
        told += [
            {
                "scene": staged_scene(room.lecture, place)["place"], "name": scene.name,
                "title": _texts(room, place)["title"][room.language],
                "question": question.prompt[room.language], "kind": question.kind,
                "value": named[value] if named else value, "votes": counts.get(value, 0),
                "computed": answer.get("text", {}).get(room.language, ""),
            }
            for value in values or [""]
        ]  # fmt: skip
    return told


def _texts(room: Room, place: int) -> dict[str, Any]:
    """Title, text and notes of a scene; numbers that no run has given yet are "…"."""
    if found := rooms.scene_texts(room, place):
        return {name: found[name] for name in TEXTS}
    scene = room.lecture.scenes[place]
    return {
        name: {each: PLACE.sub("…", text) for each, text in getattr(scene, name).items()}
        for name in TEXTS
    }


def _question(room: Room) -> dict[str, Any] | None:
    if (question := room.question) is None:
        return None
    assert room.asked is not None
    prepared = rooms.scene_texts(room, room.asked)
    told: dict[str, Any] = {
        "kind": question.kind, "prompt": question.prompt, "open": room.opened,
        "scene": room.asked, "title": _texts(room, room.asked)["title"],
        "sentence": prepared.get("sentence", ""),
    }  # fmt: skip
    if question.kind == "choice":
        told["options"] = question.options
    if question.kind == "number":
        told["unit"] = question.unit
    if question.kind == "word":
        told["words"] = prepared.get("words")
    return told


def _result(room: Room) -> dict[str, Any]:
    """The votes as bars, the truth marked where it is out."""
    question, answer = room.question, votes.answer_of(room) or {}
    assert question is not None and room.asked is not None
    counts, truth = votes.count_votes(room, room.asked), answer.get("value")
    if question.kind == "choice":
        bars = [
            {"option": index, "count": counts.get(index, 0), "truth": index == truth}
            for index in range(len(question.options))
        ]
    elif question.kind == "word":
        bars = _word_bars(counts, truth)
    else:
        bars = number_bars(counts, truth)
    told = {"voted": sum(counts.values()), "bars": bars}
    return told | ({"answer": answer} if answer else {})


def _word_bars(counts: dict[Any, int], truth: Any) -> list[dict[str, Any]]:
    named = sorted({*counts, *([truth] if truth is not None else [])},
                   key=lambda word: (word != truth, -counts.get(word, 0), word))  # fmt: skip
    shown = sorted(named[:MOST_BARS], key=lambda word: (-counts.get(word, 0), word))
    bars = [{"word": w, "count": counts.get(w, 0), "truth": w == truth} for w in shown]
    if rest := sum(counts[word] for word in named[MOST_BARS:]):
        bars.append({"word": None, "count": rest, "truth": False})
    return bars


def number_bars(counts: dict[Any, int], truth: float | None) -> list[dict[str, Any]]:
    """Votes of numbers in bars of equal, round width, `from` ≤ number < `to`, the truth among them.

    What lies far from all others is in a bar at the end, with None as its outer limit: one vote of
    a billion leaves the others apart.
    """
    told = sorted(float(number) for number, count in counts.items() for _ in range(count))
    if not told:
        return []
    first, third = told[len(told) // 4], told[3 * len(told) // 4]
    reach = FAR * (third - first)
    near = [each for each in told if first - reach <= each <= third + reach]
    low, high = min(near), max(near)
    if truth is not None:
        low, high = min(low, truth), max(high, truth)
    width = _round_up((high - low) / (MOST_BARS - 1)) if high > low else 0.0
    bars = _even_bars([each for each in told if low <= each <= high], low, high, width, truth)
    below, above = sum(each < low for each in told), sum(each > high for each in told)
    first_bar = {"from": None, "to": bars[0]["from"], "count": below, "truth": False}
    last_bar = {"from": bars[-1]["to"], "to": None, "count": above, "truth": False}
    return [first_bar] * bool(below) + bars + [last_bar] * bool(above)


def _even_bars(
    told: list[float], low: float, high: float, width: float, truth: float | None
) -> list[dict[str, Any]]:
    if not width:
        return [{"from": low, "to": low, "count": len(told), "truth": truth == low}]

    def place(number: float) -> int:
        return floor(number / width + 1e-9)

    held = dict.fromkeys(range(place(low), place(high) + 1), 0)
    for number in told:
        held[place(number)] += 1
    return [
        {"from": _clean(at * width), "to": _clean((at + 1) * width), "count": count,
         "truth": truth is not None and at == place(truth)}
        for at, count in held.items()
    ]  # fmt: skip


def _round_up(width: float) -> float:
    power = 10.0 ** floor(log10(width))
    return next(step * power for step in STEPS if step * power >= width * (1 - 1e-9))


def _clean(number: float) -> float:
    return float(f"{number:.9g}")
