"""What deploy/ names is there: settings, addresses, files; each is read by a parser of its kind.

No image is built here: Docker is not to be had in the checks. Its file is read line by line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from glassformer.core.settings import VARIABLES, read_settings
from tests.architecture.sources import ROOT

DEPLOY = ROOT / "deploy"
TEXTS = {path.name: path.read_text("utf-8") for path in DEPLOY.iterdir()}
GIVEN = {
    "POSTGRES_PASSWORD": "secret",
    "WHEELS": "",
    "GLASSFORMER_HOSTS": "",
    "GLASSFORMER_ENGINE": "",
}


def read(name: str) -> Any:
    """Its documents."""
    return list(yaml.safe_load_all(TEXTS[name]))


def filled(text: str) -> str:
    """What compose makes of ${NAME:-default} and ${NAME:?why}."""
    return re.sub(r"\$\{(\w+)(?::([-?])([^}]*))?\}", lambda it: GIVEN[it[1]] or it[3], text)


def settings_of(pairs: dict[str, str]) -> None:
    """Raises where a setting has a value that it may not have."""
    assert pairs.keys() <= set(VARIABLES)
    read_settings(pairs)


def test_every_setting_that_is_named_is_one() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"GLASSFORMER_[A-Z_]+", text)}
    assert named and named <= set(VARIABLES)


def test_compose_names_what_there_is() -> None:
    (found,) = read("compose.yaml")
    services = found["services"]
    front = services["front"]
    settings_of({name: filled(value) for name, value in front["environment"].items()})
    assert (DEPLOY / front["build"]["context"] / front["build"]["dockerfile"]).is_file()
    (config,) = services["proxy"]["volumes"]
    assert (DEPLOY / config.split(":")[0]).is_file()
    volumes = [each for service in services.values() for each in service.get("volumes", [])]
    named = {each.split(":")[0] for each in volumes if each[0] not in "./"}
    assert named == set(found["volumes"])
    assert {need for each in services.values() for need in each.get("depends_on", ())} < set(
        services
    )
    port = services["proxy"]["ports"][0].split(":")[1]
    assert f"bind :{port}" in TEXTS["haproxy.cfg"] and "front:8501" in TEXTS["haproxy.cfg"]


def test_kubernetes_names_what_there_is() -> None:
    deployment, service, budget, ingress = read("kubernetes.yaml")
    (front,) = deployment["spec"]["template"]["spec"]["containers"]
    own = {
        each["name"]: each.get("value", "postgresql://postgres/glassformer")
        for each in front["env"]
    }
    settings_of(own)
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    assert labels == budget["spec"]["selector"]["matchLabels"]
    ports = {each["name"] for each in front["ports"]}
    assert {
        front[probe]["httpGet"]["port"] for probe in ("readinessProbe", "livenessProbe")
    } <= ports
    assert front["readinessProbe"]["httpGet"]["path"] == "/ready"
    (rule,) = ingress["spec"]["rules"]
    assert rule["host"] == own["GLASSFORMER_HOSTS"]
    volumes = {each["name"] for each in deployment["spec"]["template"]["spec"]["volumes"]}
    assert {each["name"] for each in front["volumeMounts"]} == volumes


def test_ray_names_what_there_is() -> None:
    (found,) = read("ray.yaml")
    (application,) = found["applications"]
    settings_of(application["runtime_env"]["env_vars"])
    pytest.importorskip("ray.serve")
    module, _, name = application["import_path"].partition(":")
    assert hasattr(import_module(module), name)


def test_the_image_is_made_of_what_there_is() -> None:
    text = re.sub(r"\\\n", " ", TEXTS["Dockerfile"])
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != "#"]
    assert {word for word, _ in lines} <= {
        "ARG", "FROM", "ENV", "WORKDIR", "RUN", "COPY", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK",
        "STOPSIGNAL", "ENTRYPOINT",
    }  # fmt: skip
    copied = [rest.split()[:-1] for word, rest in lines if word == "COPY" and "--from" not in rest]
    assert all((ROOT / name).exists() for names in copied for name in names)
    users = [rest for word, rest in lines if word == "USER"]
    assert users == ["10001"]
    assert set(re.findall(r"ARG (\w+)", text)) == {"PYTHON", "WHEELS", "CLUSTER"}
    ignored = TEXTS["Dockerfile.dockerignore"].split()
    kept = [each.removeprefix("!") for each in ignored if each.startswith("!")]
    assert all(list(ROOT.glob(each)) for each in kept)


def test_haproxy_takes_its_file() -> None:
    if shutil.which("haproxy") is None:
        pytest.skip("HAProxy is not installed; `make test-cluster` does it, as root on Debian")
    asked = ["haproxy", "-c", "-f", str(DEPLOY / "haproxy.cfg")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_a_front_keeps_lies_in_its_data_folder(tmp_path: Path) -> None:
    """The only place that the image may write to but for /tmp."""
    script = "import serve; from glassformer.app.stores import store; store.open_store()"
    given = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "data"),
             "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}  # fmt: skip
    given.pop("GLASSFORMER_HALL_FOLDER", None)
    (tmp_path / "data").mkdir(mode=0o700)
    subprocess.run([sys.executable, "-c", script], env=given, cwd=ROOT, check=True)
    assert [each.name for each in (tmp_path / "data").iterdir()] == ["glassformer"]
