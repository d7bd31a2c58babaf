"""The words that our texts avoid are found where people read them, and nowhere else."""

import pytest

from tools import english


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Run the tool on one file and return what it prints."""
    monkeypatch.setattr(english, "ROOT", tmp_path)

    def run(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        status = english.main([str(tmp_path)])
        printed = capsys.readouterr().out
        assert status == (1 if printed else 0)
        return printed

    return run


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("page.html", "<h1>Rounds</h1>\n<p>The score stands\nbelow.</p>\n", 2),
        ("page.html", "{% if open %}\n\n  It is done anew.\n{% endif %}\n", 3),
        ("guide.md", "# Guide\n\nThe rate stands next to it.\n", 3),
        ("module.py", '"""Rows."""\n\n\ndef rows():\n    """Rows.\n\n    Whoever asks.\n    """\n', 7),
        ("module.py", 'class Row:\n    async def read(self):\n        """Read anew."""\n', 3),
    ],
)
def test_a_planted_word_is_found_with_its_line(check, name, text, line):
    assert check(name, text).startswith(f"{name}:{line}: ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.html", "{% url 'beside' %}<p class=\"beside\">{{ row.stands }}{# anew #}</p>\n"),
        ("page.html", "<script>const beside = 1;</script>\n"),
        ("guide.md", "Call `beside()` as in\n\n```\nwhoever anew\n```\n\nand [here](beside.md).\n"),
        ("module.py", '"""Call `anew`."""\n\nbeside = "whoever stands"  # anew\n'),
        ("module.py", '"""A system stands out, a letter stands for a person, a row stands alone."""\n'),
        ("notes.txt", "whoever\n"),
    ],
)
def test_code_and_markup_are_not_read(check, name, text):
    assert check(name, text) == ""


def test_the_word_is_named_with_a_better_one(check):
    assert check("guide.md", "It is written anew.\n") == "guide.md:1: 'anew'; better: again\n"


def test_the_words_at_the_foot_of_pages_are_read_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(english, "ROOT", tmp_path)
    (tmp_path / "reports" / "core").mkdir(parents=True)
    (tmp_path / "reports" / "core" / "definitions.toml").write_text("[one]\ntext = 'Done\nanew.'\n")
    assert english.main([]) == 1
    assert capsys.readouterr().out == "reports/core/definitions.toml:3: 'anew'; better: again\n"


def test_all_documents_templates_and_docstrings_are_clean(capsys):
    """Only a few hundred files would mean that a folder has moved."""
    assert len(list(english.files())) > 1000
    english.main([])
    assert capsys.readouterr().out == ""
