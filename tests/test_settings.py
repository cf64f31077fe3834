"""The environment: typed, and refused with one sentence before the server starts."""

import os
import subprocess
import sys

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import Settings, read_settings
from tests.architecture.sources import ROOT

WRONG = (
    ("GLASSFORMER_THREADS", "abc"),
    ("GLASSFORMER_THREADS", "0"),
    ("GLASSFORMER_THREADS", "٣"),
    ("GLASSFORMER_THREADS", "9" * 5000),
    ("GLASSFORMER_TRAININGS", "-3"),
    ("GLASSFORMER_TRAININGS", "1.5"),
    ("GLASSFORMER_NICE", "20"),
    ("GLASSFORMER_DEVICE", "abacus"),
    ("GLASSFORMER_PROXIES", "my-proxy"),
    ("GLASSFORMER_PROXIES", "10.0.0.0/99"),
    ("GLASSFORMER_HOSTS", "http://talk.example"),
    ("GLASSFORMER_METRICS", "talk.example:9464"),
    ("GLASSFORMER_METRICS", "127.0.0.1:"),
    ("GLASSFORMER_METRICS", "10.0.0.0/8:9464"),
    ("GLASSFORMER_METRICS", "0"),
    ("GLASSFORMER_METRICS", "99999"),
    ("GLASSFORMER_ENGINE", "ray"),
    ("GLASSFORMER_ENGINE", "ray://"),
    ("GLASSFORMER_ENGINE", "ftp://engine"),
    ("GLASSFORMER_ENGINE_GPUS", "-1"),
    ("GLASSFORMER_ENGINE_GPUS", "9"),
    ("GLASSFORMER_ENGINE_WORKERS", "0"),
    ("GLASSFORMER_HALL", "maybe"),
)


def test_what_is_not_set_has_a_value() -> None:
    assert read_settings({}) == Settings("", 1, None, 10)
    assert read_settings({"GLASSFORMER_THREADS": "", "GLASSFORMER_DEVICE": ""}) == Settings()


def test_what_is_set_is_typed() -> None:
    given = {
        "GLASSFORMER_DEVICE": "cuda:1",
        "GLASSFORMER_THREADS": " 4 ",
        "GLASSFORMER_TRAININGS": "2",
        "GLASSFORMER_NICE": "0",
        "GLASSFORMER_HALL": " Key",
        "GLASSFORMER_HALL_FOLDER": "rooms",
        "GLASSFORMER_PROXIES": "10.0.0.5, fd00::/8,",
        "GLASSFORMER_HOSTS": "Talk.example., *.hall.example",
        "GLASSFORMER_ENGINE": "ray://engine:8000",
        "GLASSFORMER_ENGINE_GPUS": "0.25",
        "GLASSFORMER_ENGINE_WORKERS": "4",
    }
    found = read_settings(given)
    assert found.proxies == ("10.0.0.5", "fd00::/8")
    assert found.hosts == ("talk.example", "*.hall.example")
    assert found == Settings(
        "cuda:1",
        4,
        2,
        0,
        "key",
        "rooms",
        "",
        found.proxies,
        found.hosts,
        engine="ray://engine:8000",
        engine_gpus=0.25,
        engine_workers=4,
    )


def test_metrics_are_this_machines_own_unless_an_address_is_given() -> None:
    for given, where in (("9464", ("127.0.0.1", 9464)), ("0.0.0.0:80", ("0.0.0.0", 80)),
                         ("[::1]:9464", ("::1", 9464)), (" ", None)):  # fmt: skip
        assert read_settings({"GLASSFORMER_METRICS": given}).metrics == where


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_what_cannot_be_is_refused(name: str, value: str) -> None:
    with pytest.raises(GlassformerError) as raised:
        read_settings({name: value})
    assert raised.value.key == "setting" and str(raised.value).startswith(f"{name}={value}")


def test_an_address_of_another_kind_is_refused_without_its_password() -> None:
    with pytest.raises(GlassformerError) as raised:
        read_settings({"GLASSFORMER_STORE": "redis://me:secret@talk.example"})
    assert "GLASSFORMER_STORE=redis://…" in str(raised.value)
    assert (
        read_settings({"GLASSFORMER_STORE": " postgres://me:secret@h/x"}).store[:11]
        == "postgres://"
    )


@pytest.mark.parametrize("script", ["serve.py", "app.py"])
@pytest.mark.parametrize(("name", "value"), [WRONG[-1], ("GLASSFORMER_DEVICE", "cuda:99")])
def test_the_server_does_not_start_with_it(script: str, name: str, value: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", script, "--server.port", "0",
         "--server.headless", "true"],
        cwd=ROOT, env={**os.environ, name: value}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 1
    said = [line for line in ended.stderr.splitlines() if line]
    assert len(said) == 1 and said[0].startswith(f"Glassformer: {name}={value} ")
    assert ended.stdout == ""
