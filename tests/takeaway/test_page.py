"""The page as a file: small, closed, and honest about what it lacks."""

import base64
import gzip
import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from glassformer.app import takeaway
from glassformer.app.takeaway import document, screens
from glassformer.core.errors import GlassformerError
from tests.takeaway.lectures import LECTURE, SCENES, scene

BLOB = re.compile(rb'<script type="application/gzip" id="([\w-]+)">([A-Za-z0-9+/=]*)</script>')
A_SCENE, A_LECTURE = 40_000, 6_000_000  # bytes


def test_how_large_it_is(written: bytes) -> None:
    blobs = dict(BLOB.findall(written))
    assert len(written) < A_LECTURE
    for name, packed in blobs.items():
        if name.startswith(b"screen"):
            assert len(packed) < A_SCENE, name
    assert {b"shared", b"plotly", b"screen-0"} <= blobs.keys()


def test_only_our_scripts_may_run(written: bytes) -> None:
    page = written.decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1  # none of those that the lecture's texts bring
    own = base64.b64encode(sha256(scripts[0].encode()).digest()).decode()
    assert f"'sha256-{own}'" in policy
    assert "http://" not in page and "https://" not in page


def test_texts_are_words(written: bytes) -> None:
    page = written.decode()
    assert page.count("<script>alert") == 0
    assert page.count("<h2 ") == len(SCENES)
    assert "alert(1)" in page and "&lt;b&gt;bold&lt;/b&gt;" in page


def test_a_scene_that_fails_says_so_and_the_others_are_there(written: bytes) -> None:
    page = written.decode()
    assert page.count('<div class="picture"') == len(SCENES) - 1
    assert page.count("could not be drawn") == 1


def test_the_answer_is_computed(written: bytes) -> None:
    from glassformer.app.runs.scenes import trace_of

    trace = trace_of(SCENES[0], "en")
    words = list(trace.source_tokens)
    place = words.index("it"), words.index("animal")
    weight = float(trace["encoder/1/self_attention/weights"][0, 0][place])
    assert f"<bdi>{100 * weight:.1f}%</bdi>" in written.decode()


def test_notes_are_left_out_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "draw_screens", lambda links: [{"failed": True} for _ in links])
    one = scene("one", "")
    lecture = LECTURE.having(type(one)(**{**vars(one), "notes": {"en": "hush", "zh": "嘘"}}))
    assert b"hush" not in takeaway.page(lecture, "en")
    assert b"hush" in takeaway.page(lecture, "en", notes=True)
    assert "嘘".encode() in takeaway.page(lecture, "zh", notes=True)


def test_too_large_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "draw_screens", lambda links: [{"failed": True} for _ in links])
    monkeypatch.setattr(document, "MOST", 1000)
    with pytest.raises(GlassformerError, match=r"The page takes .* MB; at most .* NPZ"):
        takeaway.page(LECTURE, "en")


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "START", 0.01)
    monkeypatch.setattr(screens, "EACH", 0)
    with pytest.raises(GlassformerError, match="not drawn within"):
        screens.draw_screens([("", {})])


def test_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "PATIENCE", 0.01)
    with screens._one, pytest.raises(GlassformerError, match="Another lecture"):
        screens.draw_screens([("", {})])


def test_a_process_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_THREADS", "none")
    with pytest.raises(GlassformerError, match=r"could not be drawn: .*GLASSFORMER_THREADS"):
        screens.draw_screens([("", {})])


def test_screens_that_are_written_stand_however_the_process_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at_its_end = "import atexit, os\natexit.register(os.abort)\n"
    (tmp_path / "sitecustomize.py").write_text(at_its_end, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))  # of this process, and so of that one
    assert not screens.draw_screens([("lab", {})])[0].get("failed")


def test_a_screen_is_drawn_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = set[str]()
    for seed in "13":  # of the order in which sets are gone through
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        drawn.add(json.dumps(screens.draw_screens([("attention", {})])))
    assert len(drawn) == 1


def test_what_is_packed_can_be_opened(written: bytes) -> None:
    for name, packed in BLOB.findall(written):
        assert gzip.decompress(base64.b64decode(packed)), name


REFUSED = {"nosuch.toml": "cannot be read", "requirements.txt": "Line 2 is not TOML", "": "Missing"}
COMMANDS = f"""
import sys
from glassformer import main
for lecture in {list(REFUSED)}:
    sys.argv[1:] = ["lecture", *filter(None, [lecture]), "--page", "nosuch/out.html"]
    try:
        main()
    except SystemExit as left:
        print(left.code, file=sys.stderr)
"""


def test_the_command_refuses_in_a_sentence() -> None:
    root = Path(document.__file__).parents[2]
    command = [sys.executable, "-c", COMMANDS]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    answers = done.stderr.split("2\n")[: len(REFUSED)]
    assert [said in answer for said, answer in zip(REFUSED.values(), answers, strict=True)]
