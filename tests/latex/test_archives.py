"""Sources as authors submit them, read in memory."""

import gzip
import json
import math
import subprocess
import sys

import pytest

from latex.sources.archives import read
from latex.sources.main_file import Main, Review, main_file
from tests.growing import grows_in_proportion, takes_less_than
from tests.latex.hostile_archives import ARCHIVES, PAPER, tar, zipped

TEXT = PAPER.decode()


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_hostile_archive_is_refused_with_its_reason(name: str) -> None:
    make, code = ARCHIVES[name]
    source = read("x", make())
    assert (source.code, source.files) == (code, {})
    assert source.sentence.endswith(".")


@pytest.mark.slow
def test_no_hostile_archive_takes_two_seconds_or_200_megabytes() -> None:
    code = (
        "import gc, json, time; from latex.sources.archives import read\n"
        "from tests.latex.hostile_archives import ARCHIVES\n"
        "def high(): return int(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])\n"
        "worst, most = 0, 0\n"
        "for make, _ in ARCHIVES.values():\n"
        "    content = make(); gc.collect(); open('/proc/self/clear_refs', 'w').write('5')\n"
        "    start = time.process_time(); read('x', content)\n"
        "    worst = max(worst, time.process_time() - start); most = max(most, high())\n"
        "print(json.dumps([worst, most * 1024]))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, memory = json.loads(run.stdout)
    assert seconds < 2
    assert memory < 200_000_000


@pytest.mark.parametrize(
    ("form", "content", "path"),
    [
        ("tex", PAPER, "2401.00001.tex"),
        ("gzip of tex", gzip.compress(PAPER, mtime=0), "2401.00001.tex"),
        ("tar", tar(("a/main.tex", PAPER)), "a/main.tex"),
        ("gzip of tar", gzip.compress(tar(("./main.tex", PAPER))), "main.tex"),
        ("zip", zipped(("main.tex", PAPER)), "main.tex"),
    ],
)
def test_every_form_is_recognised_by_its_bytes(form: str, content: bytes, path: str) -> None:
    source = read("2401.00001", content)
    assert (source.form, source.code, source.files) == (form, "", {path: TEXT})


def test_pictures_are_listed_and_texts_without_an_ending_are_read() -> None:
    source = read(
        "x", tar(("main", PAPER), ("a.png", b"\x89PNG"), ("LICENCE", b"free"), ("._main.tex", b"\0"))
    )
    assert list(source.files) == ["main"]
    assert [tuple(other) for other in source.others] == [("a.png", 4), ("LICENCE", 4), ("._main.tex", 1)]


def test_of_two_files_of_one_path_the_last_counts_and_it_is_noted() -> None:
    for pack in (tar, zipped):
        source = read("x", pack(("main.tex", b"\\old"), ("./main.tex", PAPER)))
        assert source.files == {"main.tex": TEXT}
        assert [note.code for note in source.notes] == ["twice"]


def test_a_text_is_read_in_the_encoding_that_it_declares_and_line_ends_stay() -> None:
    declared = "\\usepackage[cp1251]{inputenc}\r\nТеорема".encode("cp1251")
    source = read(
        "x", tar(("a.tex", declared), ("b.tex", "Лемма\\".encode("cp1251")), ("c.tex", b"\xef\xbb\xbf\\c\r"))
    )
    assert source.files == {
        "a.tex": "\\usepackage[cp1251]{inputenc}\r\nТеорема", "b.tex": "Лемма\\", "c.tex": "\ufeff\\c\r",
    }  # fmt: skip
    assert [(note.code, note.path) for note in source.notes] == [
        ("encoding", "a.tex"), ("encoding", "b.tex"), ("byte_order_mark", "c.tex"),
    ]  # fmt: skip
    assert read("x", b"\\'e \xe9").files == {"x.tex": "\\'e é"}


# -- the main file -------------------------------------------------------------------------------------------
FULL = TEXT.replace("Text.", "\\title{T}\\begin{abstract}A.\\end{abstract}\\section{S}")
BOOK = "\\documentclass{book}\\begin{document}\\maketitle\\input c \\end{document}"
LETTER = TEXT.replace("article", "letter")


@pytest.mark.parametrize(
    ("files", "path", "evidence"),
    [
        ({"a.tex": FULL, "b.tex": "\\section{B}"}, "a.tex", "only"),
        ({"a.tex": FULL, "b.tex": FULL, "00README.XXX": "b.tex toplevelfile"}, "b.tex", "readme"),
        ({"a.tex": FULL, "b.tex": FULL, "00README.XXX": "b.tex ignore"}, "a.tex", "only"),
        (
            {
                "a.tex": FULL,
                "b.tex": FULL,
                "00README.json": '{"sources":[{"filename":"a.tex","usage":"toplevel"}]}',
            },
            "a.tex",
            "readme",
        ),
        ({"a.tex": FULL, "reply.tex": LETTER}, "a.tex", "score"),
        ({"a.tex": FULL, "a_old.tex": FULL}, "a.tex", "score"),
        ({"a.tex": FULL, "b.tex": FULL, "b.bbl": ""}, "b.tex", "score"),
        ({"a.tex": FULL.replace("\\section", "\\input b \\section"), "b.tex": FULL}, "a.tex", "only"),
        (
            {"a.tex": FULL, "p/b.tex": FULL, "c.tex": FULL.replace("T}", "T}\\import{p/}{b}\\subfile{a}")},
            "c.tex",
            "only",
        ),
        (
            {"a.tex": FULL, "s.tex": "\\documentclass[a]{subfiles}\\begin{document}\\end{document}"},
            "a.tex",
            "only",
        ),
        ({"a.tex": FULL, "b.tex": "%" + FULL}, "a.tex", "only"),
        # The class is in a file that several documents input, as in the HoTT book.
        (
            {"a4.tex": "\\def\\A{}\\input m", "web.tex": "\\input m", "m.tex": BOOK, "c.tex": "C"},
            "a4.tex",
            "alike",
        ),
        # For print and for the web: the same chapters under two preambles, as in blueprints.
        ({"print.tex": BOOK + "% p", "web.tex": BOOK, "c.tex": "C"}, "web.tex", "alike"),
        # Solutions beside the book: the book is what is long with all that it inputs.
        ({"solutions.tex": FULL, "book.tex": BOOK, "c.tex": "word " * 200}, "book.tex", "score"),
        ({"a.tex": FULL, "b.tex": "\\iffalse" + FULL + "\\fi"}, "a.tex", "only"),
    ],
)
def test_the_main_file_is_found(files: dict[str, str], path: str, evidence: str) -> None:
    found = main_file(files)
    assert isinstance(found, Main)
    assert (found.path, found.evidence) == (path, evidence)


@pytest.mark.parametrize(
    ("files", "code", "candidates"),
    [
        ({"a.tex": FULL, "b.tex": FULL}, "tie", ["a.tex", "b.tex"]),
        (
            {"a.tex": BOOK, "b.tex": BOOK.replace("input c", "input d"), "c.tex": "C", "d.tex": "D"},
            "tie",
            ["a.tex", "b.tex"],
        ),
        ({f"{n}.tex": FULL for n in range(21)}, "too_many_documents", [f"{n}.tex" for n in range(21)]),
        ({"a.tex": FULL, "00README.XXX": "b.tex toplevelfile"}, "toplevel_missing", []),
        (
            {"a.tex": FULL, "b.tex": FULL, "00README": "a.tex toplevelfile\nb.tex toplevelfile"},
            "several_toplevel",
            ["a.tex", "b.tex"],
        ),
        ({"a.tex": "\\input amsppt \\document"}, "plain_tex", []),
        ({"a.tex": "\\documentstyle{amsppt}\\begin{document}"}, "plain_tex", []),
        ({"a.tex": "\\section{A}"}, "no_main_file", []),
    ],
)
def test_what_is_not_certain_is_left_to_a_person(
    files: dict[str, str], code: str, candidates: list[str]
) -> None:
    found = main_file(files)
    assert isinstance(found, Review)
    assert (found.code, list(found.candidates)) == (code, candidates)


@pytest.mark.parametrize(
    "piece",
    ["\\iffalse ", "\\input{", "\\import{a}{", "\\documentclass[", "%", "\\usepackage[", "\\\\", "\\input "],
)
def test_the_worst_texts_take_time_in_proportion(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert takes_less_than(5, lambda: main_file({"a.tex": text}))


def test_files_that_all_input_one_another_take_time_in_proportion() -> None:
    def write(inputs: int) -> dict[str, str]:
        names = [f"f{number}" for number in range(math.isqrt(inputs))]
        each = "".join(f"\\input {name} " for name in names)
        return {f"{name}.tex": each + (FULL if name == "f0" else "") for name in names}

    assert isinstance(main_file(write(10_000)), Review)
    assert grows_in_proportion(main_file, write, 10_000, 40_000, 160_000)
