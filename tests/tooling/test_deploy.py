"""The files in deploy/ agree with each other and with what docs/deploy.md says."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.no_database
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROGRAMS = {
    "web": "touchstone-web@",
    "worker": "touchstone-worker",
    "rendering": "touchstone-rendering",
    "beat": "touchstone-beat",
}


def unit(name: str) -> dict[str, str]:
    lines = (DEPLOY / "systemd" / f"{name}.service").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def compose() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


@pytest.mark.parametrize(("service", "name"), PROGRAMS.items())
def test_units_containers_and_the_document_start_the_same_programs(service: str, name: str) -> None:
    command = unit(name)["ExecStart"].removeprefix("/opt/touchstone/")
    assert command.replace("%i", "8001") in (ROOT / "docs" / "deploy.md").read_text().splitlines()
    in_container = ["python" if word == ".venv/bin/python" else word for word in shlex.split(command)]
    in_container = ["0.0.0.0:8000" if word == "127.0.0.1:%i" else word for word in in_container]
    assert compose()[service]["command"] == in_container


@pytest.mark.parametrize("name", PROGRAMS.values())
def test_every_unit_starts_again_whatever_ended_it_and_can_write_to_one_folder_only(name: str) -> None:
    lines = unit(name)
    assert (lines["Restart"], lines["StartLimitIntervalSec"]) == ("always", "0")
    assert (lines["ProtectSystem"], lines["ReadWritePaths"]) == ("strict", "/var/lib/touchstone")
    assert lines["NoNewPrivileges"] == "yes"
    assert lines["User"] == "touchstone"


def test_every_service_that_stays_is_restarted_and_looked_after() -> None:
    for name, service in compose().items():
        if name != "prepare":
            assert service["restart"] == "always", name
            assert "healthcheck" in service, name
        if name not in ("postgres", "nginx", "redis"):
            assert service["read_only"] is True, name
            assert service["cap_drop"] == ["ALL"], name
    assert "\nUSER touchstone\n" in (DEPLOY / "Containerfile").read_text()


def test_preparing_is_what_the_document_says() -> None:
    document = (ROOT / "docs" / "deploy.md").read_text()
    said = re.findall(r"^\.venv/bin/python manage\.py ([a-z_]+)", document, re.MULTILINE)
    done = re.findall(r"manage\.py ([a-z_]+)", compose()["prepare"]["command"])
    assert [name for name in said if name != "create_owner"] == done


def test_both_configurations_of_nginx_differ_in_ports_and_processes_only() -> None:
    def server(name: str) -> list[str]:
        text = (DEPLOY / "nginx" / name).read_text()
        text = text[text.index("server {") :]
        return text.replace("listen 8080;", "listen 80;").replace("listen 8443 ", "listen 443 ").splitlines()

    assert server("touchstone.conf") == server("compose.conf")


def test_the_proxy_lets_a_download_that_was_cut_fail() -> None:
    """Streams have no length: in HTTP/1.0, nginx's default, the end of one is the end of the connection."""
    conf = (DEPLOY / "nginx" / "touchstone.conf").read_text()
    assert (
        conf.count("proxy_pass")
        == len(re.findall(r"proxy_pass [^;]+;\s+proxy_http_version 1\.1;", conf))
        == 1
    )
