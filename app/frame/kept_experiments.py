"""The reader's kept experiments in this browser: what it has is checked before it is shown."""

import json

from glassformer.app.panels.browser_texts import change_texts, listen_to_browser
from glassformer.app.session import experiments, store
from glassformer.app.session.limits import MOST_EXPERIMENTS
from glassformer.app.session.state import DIRECTIONS
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.untrusted import UNREADABLE, read_json

LONGEST = 20_000  # characters of one
Kept = tuple[Experiment, tuple[str, str], float]  # with its sentence, and when it was kept
WHERE = "switch"  # the page that lists them


def listen_experiments() -> None:
    """Hear what the browser has kept, and hand it what has changed since."""
    memory, now = store.memory(), kept_texts()
    if now != memory.experiments_held:
        change_texts(memory.experiments_written, memory.experiments_held, now)
        memory.experiments_held = now
    if memory.experiments_written.change or store.page_on_screen() == WHERE:
        listen_to_browser("experiment", memory.experiments_written, take_texts)


def kept_texts() -> dict[str, str]:
    """The session's kept experiments as the browser keeps them, by name: JSON, no code."""
    memory, found = store.memory(), dict[str, str]()
    for name, experiment in memory.experiments.items():
        text, direction = memory.sentences.get(name, ("", "auto"))
        about = {"switches": experiment.text, "text": text, "direction": direction}
        found[name] = json.dumps(about | {"at": memory.kept_at.get(name, 0)}, ensure_ascii=False)
    return {name: text for name, text in found.items() if len(text) <= LONGEST}


def take_texts(told: dict[str, str]) -> None:
    """What the browser has; what this session has changed since it last told goes on top."""
    memory, now = store.memory(), kept_texts()
    held = memory.experiments_held
    changed = {name for name in {**now, **held} if now.get(name) != held.get(name)}
    wanted = {name: text for name, text in told.items() if name not in changed}
    wanted |= {name: now[name] for name in changed if name in now}
    good = {name: kept for name, text in wanted.items() if (kept := read_kept(name, text))}
    newest = sorted(good.items(), key=lambda each: each[1][2])[-MOST_EXPERIMENTS:]
    memory.experiments = {name: kept[0] for name, kept in newest}
    memory.sentences |= {name: kept[1] for name, kept in newest}
    memory.kept_at = {name: kept[2] for name, kept in newest}
    same = {name: text for name, text in kept_texts().items() if name not in changed}
    memory.experiments_held = same | {name: told[name] for name in changed if name in told}


def read_kept(name: str, text: str) -> Kept | None:
    """One as the browser has it; None where that is no experiment of this app."""
    try:
        about = read_json(text) if len(text) <= LONGEST else {}
        sentence, direction, at = about["text"], about["direction"], float(about["at"])
        fits = isinstance(sentence, str) and direction in DIRECTIONS and abs(at) < 1e12
        if not (fits and name) or name != experiments.name_in_line(name):
            return None
        return Experiment.from_text(str(about["switches"]), name), (sentence, direction), at
    except (*UNREADABLE, GlassformerError):
        return None
