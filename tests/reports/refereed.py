"""A hundred referee reports with four hundred comments, made up from the texts that they are about."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.importing.comments import Readable, readable
from annotation.models import Item
from benchmark.models import Output, Release

REFEREES = ("Álvarez, M.", "Brouwer", "Çelik", "r-delta", "Émilie du Châtelet")
WORDS = (
    "This does not follow: take $f(x)=x^2$ & see.",
    "Why is $\\varepsilon \\le \\delta$? “Clearly” is no reason – für mich nicht.",
    "=HYPERLINK(\"http://example.org\") is what a spreadsheet would run",
    "<script>alert(1)</script> & <b>bold</b> are only letters",
    "First of two paragraphs, with $$\\int_0^1 f\\,dx = 0.$$\n\nSecond: \\alpha, \\textbf{bold}, 数学, 𝔸.",
    "-1 is missing",
    "Typo",
)  # fmt: skip
SEVERITIES = ("fatal", "major", "minor", "typo")
KINDS = ("", "gap", "wrong_step", "missing_hypothesis", "citation", "attribution", "presentation")
ABSENT = "words that nobody wrote in this proof"
_PHRASE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]+(?:[ \n][a-z]+){3,7}(?![A-Za-z{])")
_FORMULA = re.compile(r"\$[^$\n%]{3,60}\$")
_WORD = re.compile(r"(?<![\\A-Za-z{])[a-z]{2,}(?![A-Za-z}])")


@dataclass(frozen=True)
class Made:
    """A comment that was made up, with its place in the text: block and offsets, "" for none."""

    subject: str
    rater: str
    severity: str
    kind: str
    text: str
    quote: str
    about: str = "block"
    block: str = ""
    start: int = 0
    at: int = -1  # in the text, -1 for a comment without a place


def hundred(release: Release) -> tuple[dict[str, str], list[Made]]:
    """File name to report, and every comment in them. Half of the reports are in each format."""
    chance = random.Random(16)
    outputs = (
        Output.objects.filter(run__release=release).select_related("instance", "run__system").order_by("pk")
    )
    chosen = [[row for row in outputs if row.text_format == form][:10] for form in ("latex", "markdown")]
    files, made = {}, []
    for number, output in enumerate(chosen[0] + chosen[1]):
        where = readable(Item(instance=output.instance, output=output), "proofs", swapped=False)
        for place, rater in enumerate(REFEREES):
            subject = f"{output.instance.key}/{output.run.system.slug}/1"
            comments = list(_comments(chance, where, subject, rater, 4 * (5 * number + place)))
            latex = output.text_format == "latex"
            write = _latex if latex else _markdown
            name = f"{output.run.system.slug}/{output.instance.key}-{place}.{'tex' if latex else 'md'}"
            files[name] = write(output, rater, where.texts[0].source, comments)
            made += comments
    return files, made


def _comments(chance: random.Random, where: Readable, subject: str, rater: str, first: int) -> Iterator[Made]:
    """Four comments: what they are about goes by their number, so that all kinds come equally often."""
    text, taken, before = where.texts[0], [], None
    for number in range(first, first + 4):
        words = {
            "subject": subject,
            "rater": rater,
            "severity": chance.choice(SEVERITIES),
            "kind": chance.choice(KINDS),
            "text": chance.choice(WORDS),
        }
        what = number % 7
        if what == 3 and before:
            before = Made(**words, quote=before.quote, block=before.block, start=before.start, at=before.at)
            yield before
            continue
        if what == 4:
            yield Made(**words, quote="", about="whole")
            continue
        if what == 5:
            yield Made(**words, quote=ABSENT, about="lost")
            continue
        if what == 6:
            words |= {"severity": "highlight", "text": "", "kind": ""}
        pattern = {1: _FORMULA, 2: _WORD}.get(what, _PHRASE)
        found = [
            (one, match)
            for one in text.blocks
            for match in pattern.finditer(one.source)
            if all(abs(one.start + match.start() - at) > 150 for at in taken)
            and (what != 2 or len(re.findall(rf"\b{match[0]}\b", text.source)) > 1)
        ] or [
            (one, match)
            for one in text.blocks
            for match in _WORD.finditer(one.source)
            if all(abs(one.start + match.start() - at) > 30 for at in taken)
        ]
        block, match = chance.choice(found)
        at = block.start + match.start()
        taken.append(at)
        before = Made(**words, quote=match[0], block=block.block, start=match.start(), at=at)
        yield before


def _head(output: Output, rater: str) -> str:
    return (
        f"---\nproblem: {output.instance.key}\nsubmission: {output.run.system.slug}\nreferee: {rater}\n"
        "answers:\n  correctness: incorrect\n  logic: 2\n  clarity: cannot be judged\n---\n"
    )


def _tag(one: Made) -> str:
    return f"[{', '.join(filter(None, (one.severity, one.kind.replace('_', ' '))))}]"


def _markdown(output: Output, rater: str, source: str, comments: list[Made]) -> str:
    """The words around a quote are given, broken at other places than in the source."""
    parts = [_head(output, rater), "A summary with $\\pi$ and “quotes”.\n"]
    for one in (each for each in comments if each.about != "whole"):
        if one.at < 0:
            parts.append(f"> {one.quote}")
        else:
            around = source[max(one.at - 40, 0) : one.at], source[one.at + len(one.quote) :][:40]
            before, after = (" ".join(part.split()) for part in around)
            exact = (
                one.quote.replace(" ", "\n>> ", 1) if len(one.quote) > 25 else one.quote.replace("\n", " ")
            )
            parts.append(f"> {before}\n>> {exact}\n> {after}")
        parts.append(f"\n{_tag(one)} {one.text}\n")
    general = [f"{_tag(one)} {one.text}\n" for one in comments if one.about == "whole"]
    return "\n".join([*parts, *(["## General\n", *general] if general else [])])


def _latex(output: Output, rater: str, source: str, comments: list[Made]) -> str:
    """The source of the submission with a mark around each quote; two comments on the same words are one in another."""
    marked, before = source, {}
    for one in comments:
        if one.at >= 0:
            before.setdefault(one.at, []).append(one)
    for at in sorted(before, reverse=True):
        content = before[at][0].quote
        for one in before[at]:
            content = f"\\referee{_tag(one)}{{{content}}}{{{one.text}}}"
        marked = marked[:at] + content + marked[at + len(before[at][0].quote) :]
    for one in comments:
        if one.at < 0:
            name, quote = ("general", "") if one.about == "whole" else ("referee", f"{{{one.quote}}}")
            marked += f"\n\\{name}{_tag(one)}{quote}{{{one.text}}}\n"
    head = "".join(f"% {line}\n" for line in _head(output, rater).splitlines())
    return f"{head}\\newcommand{{\\referee}}[3][]{{#2}}\n\\summary{{A summary with $\\pi$.}}\n{marked}"
