"""What the engine knows of its trainings beside their actors: Ray is imported, not started."""

import json
from pathlib import Path

import pytest

pytest.importorskip("ray")

from glassformer.app.runs.engine import training_actor


def test_a_training_is_found_by_its_workshop_and_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"token": "ab-00000001", "owner": "me", "plan": "{}"}
    held = {b"about/ab-00000001": json.dumps(about).encode()}
    monkeypatch.setattr(
        training_actor,
        "_internal_kv_list",
        lambda prefix, **_: [k for k in held if k.startswith(prefix)],
    )
    monkeypatch.setattr(training_actor, "_internal_kv_get", lambda key, **_: held[key])
    assert training_actor._find("ab", "me") == about
    assert training_actor._find("ab", "you") == training_actor._find("a", "me") == {"gone": True}


def test_a_log_that_goes_on_has_no_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('{"what": "saved", "step": 1}\n{"what": "end", "how": "stopped"}\n{"what": "be')
    training_actor._open_log_again(log)
    assert log.read_text() == '{"what": "saved", "step": 1}\n'
