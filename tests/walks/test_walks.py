"""Every command of docs/walks is run word for word, and prints what is written below it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from construction.scripted import reply
from llm import scripted
from tests.deployment import ROOT, Deployment, deployed
from tests.llm.server import serving

WALKS = sorted((ROOT / "docs" / "walks").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SITE = "https://touchstone.example.org"
MAKE_OWNER = """
from accounts.models import Role, User
owner = User.objects.create_user("owner@example.org", "seven quiet lemmas asleep", name="Olga Neri")
Role.objects.create(user=owner, name="owner")
"""


@dataclass(frozen=True)
class Step:
    """A command, which may run over several lines, and the lines that its output must have."""

    command: str
    printed: tuple[str, ...]


def steps_of(document: str) -> list[Step]:
    steps = []
    for block in BLOCK.findall(document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *rest = part.rstrip("\n").split("\n")
            while rest and rest[0].startswith(">"):
                command += "\n" + rest.pop(0).removeprefix("> ")
            steps.append(Step(command, tuple(line for line in rest if line.strip() and line != "...")))
    return steps


def test_commands_and_what_they_print_are_told_apart():
    document = "Text\n```console\n$ one a \\\n>  b\nsaid\n...\n$ two\n```\n```\n$ three\n```\n"
    assert steps_of(document) == [Step("one a \\\n b", ("said",)), Step("two", ())]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Deployment]:
    """A site with one owner, a model at the endpoint `local`, which answers by a hash, and the demo's at `scripted`.
    `manage.py` and `python` are on PATH, and $SAMPLE and $DATA lead to files."""
    with (
        serving() as model,
        scripted.serving(reply) as rules,
        deployed(
            tmp_path / "site", TOUCHSTONE_SITE_URL=SITE, TOUCHSTONE_ALLOWED_HOSTS="touchstone.example.org"
        ) as deployment,
    ):
        endpoints = {
            "local": {"base_url": model.url, "private": True, "max_concurrency": 8},
            "scripted": {"base_url": rules.base_url, "private": True},
        }
        deployment.environment["TOUCHSTONE_JUDGE_ENDPOINTS"] = json.dumps(endpoints)
        programs = tmp_path / "bin"
        programs.mkdir()
        deployment.environment |= {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TOUCHSTONE_RECORD_DIR": str(tmp_path / "records"),
            "SAMPLE": str(ROOT / "sample"),
            "DATA": str(ROOT.parent / "shared" / "data"),
        }
        for name, command in (("manage.py", deployment.program()), ("python", [sys.executable])):
            (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
            (programs / name).chmod(0o755)
        deployment.manage("shell", "-c", MAKE_OWNER)
        yield deployment


EVERY_TIME = (
    "lemmas",
    "theorem-search",
    "mined-masks",
)  # the others take a minute each, for the starts of their commands


def marks_of(path: Path) -> list[pytest.MarkDecorator]:
    marks = [] if path.stem in EVERY_TIME else [pytest.mark.night]
    return [*marks, pytest.mark.real_data] if "$DATA" in path.read_text("utf-8") else marks


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=marks_of(path)) for path in WALKS],
)
def test_the_walk_leads_to_where_it_says(site: Deployment, tmp_path: Path, path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for step in steps_of(path.read_text("utf-8")):
        done = subprocess.run(
            ["bash", "-ec", step.command],
            cwd=work,
            env=site.environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{step.command}\n{done.stdout}\n{done.stderr}"
        printed = [line.strip() for line in done.stdout.splitlines()]
        missing = [line for line in step.printed if line.strip() not in printed]
        assert not missing, f"{step.command}\n{done.stdout}"
    if path.stem.startswith("mined-"):  # ends with a frozen release
        return
    (archive,) = (tmp_path / "records").rglob("*.zip")
    page = (archive.parent / "index.html").read_text("utf-8")
    assert "How far to trust it" in page
