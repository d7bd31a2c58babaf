"""A page asks for all scripts that its script imports, under the very names that the imports have."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import Context, Template

from accounts.site.scripts import imports_of


def test_imports_are_followed_through_other_scripts_and_named_once() -> None:
    assert imports_of("js/grading/bank.js") == ("js/grading/api.js", "js/grading/outbox.js")
    assert imports_of("js/show-math.js") == ("js/math.js", "js/displays.js")
    grading = imports_of("js/grading/main.js")
    assert "js/grading/conflict.js" in grading  # through versions.js only
    assert len(grading) == len(set(grading))


def test_no_import_line_is_overlooked() -> None:
    folder = Path(str(finders.find("js/grading/main.js"))).parent
    for script in sorted(folder.glob("*.js")):
        lines = [line for line in script.read_text().splitlines() if re.match(r"import\b", line)]
        direct = {name for found in lines for name in [found.rpartition("/")[2].rstrip('";')]}
        assert direct <= {name.rpartition("/")[2] for name in imports_of(f"js/grading/{script.name}")}, (
            script.name
        )


def test_a_script_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match=r"js/nowhere\.js"):
        imports_of("js/nowhere.js")


def test_hashed_scripts_import_the_hashed_names_that_the_page_asks_for(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "config.static_files.HashedFiles"}}
    beyond = ["rest_framework", "katex-*", "cmaps", "standard_fonts"]
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=beyond)
    links = Template("{% load site %}{% preload_imports 'js/grading/versions.js' %}").render(Context())
    asked = sorted(re.findall(r'href="/static/js/grading/([^"]+)"', links))
    assert [re.sub(r"\.[0-9a-f]{12}\.", ".", name) for name in asked] == ["conflict.js", "words.js"]
    (versions,) = tmp_path.glob("js/grading/versions.????????????.js")
    assert f'from "./{asked[0]}"' in versions.read_text()
    assert f'from "./{asked[1]}"' in (tmp_path / "js" / "grading" / asked[0]).read_text()
