"""A frozen retrieval artifact decides which sources the outputs of a tuple were shown, and so CiteRecall."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import Output, Release, Run
from benchmark.releases.actions import import_release
from benchmark.tuples.actions import declare_tuple
from benchmark.tuples.retrieval import frozen_retrieval
from reports.scores.inputs import collect
from retrieval import artifact
from retrieval.artifact import Limits, Row, Terms
from retrieval.index import Entry, Index, build
from retrieval.recipes import NAMED
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named, corpus_sha256
from search.freezing.actions import freeze_retrieval
from search.indexes.actions import build_index
from search.indexes.opened import index_of
from tests.documents import score_document

pytestmark = pytest.mark.django_db
WORKS = [
    ("Retractions onto boundaries of balls", 1999),
    ("Colourings of complete graphs and triangles", 2001),
]
STATEMENTS = [
    {
        "key": f"{place}-{number}", "document": f"work-{place}", "title": title, "authors": ["A. Author", "B. Writer"],
        "year": year, "kind": "theorem", "number": str(number), "body": body, "licence": "CC-BY-4.0",
    }
    for place, (title, year) in enumerate(WORKS)
    for number, body in enumerate(
        [r"There is no retraction of the closed ball onto its boundary.", r"A ball $B$ has a boundary."]
        if place == 0
        else [r"Every colouring of the edges of $K_6$ with two colours has a triangle of one colour."]
    )
]  # fmt: skip
FOUND, MISSED = "no retraction of a ball onto its boundary", "colouring of edges"


@pytest.fixture
def release(settings, tmp_path) -> Release:
    """Two gaps, both cite the work on retractions."""
    lines = (settings.SAMPLE_DIR / "re2math" / "release.jsonl").read_text("utf-8").splitlines()[:2]
    gaps = [json.loads(line) for line in lines]
    for gap in gaps:
        gap["z"] |= {
            "citation_content": rf"A. Author, B. Writer, \emph{{{WORKS[0][0]}}}, J. Topol. 3 (1999).",
            "doi": "",
            "arxiv_id": "",
        }
    path = tmp_path / "gaps.jsonl"
    path.write_text("".join(json.dumps(gap) + "\n" for gap in gaps), "utf-8")
    import_release(actor=None, path=path, protocol="re2math", name="gaps")
    return Release.objects.get(name="gaps")


@pytest.fixture
def works(db, write):
    import_corpus(actor=None, path=write(STATEMENTS, "works.jsonl"), slug="works", about=About(title="Works"))
    build_index(actor=None, corpus=corpus_named("works"), recipe="words")
    return corpus_named("works")


@pytest.fixture
def keys(release) -> list[str]:
    return list(release.instances.order_by("key").values_list("key", flat=True))


@pytest.fixture
def frozen(release, works, keys, write, tmp_path) -> Path:
    queries = [{"instance": keys[0], "query": FOUND}, {"instance": keys[1], "query": MISSED}]
    out = tmp_path / "retrieval.zip"
    path = write(queries, "queries.jsonl")
    freeze_retrieval(release=release, index=index_of(works), path=path, out=out, mode="words")
    return out


def declared(release, content: bytes, name="october"):
    return declare_tuple(
        actor=None, release=release, name=name, split="test", retrieval="frozen search", materialisation="none",
        scoring="judge", evaluated_on=date(2026, 10, 2),
        files={"retrieval": ContentFile(content, name="retrieval.zip")},
    )  # fmt: skip


def outputs(write, keys, *, queries=(FOUND, MISSED), **more) -> Path:
    source = {"title": WORKS[0][0], "authors": "A. Author", "year": 1999, "identifier": ""}
    return write(
        [
            {"instance_id": key, "query": query, "statement": "A ball.", "selected_source": source, **more}
            for key, query in zip(keys, queries, strict=True)
        ],
        "outputs.jsonl",
    )


def test_the_artifact_fills_the_candidates_and_cite_recall_follows_from_them(release, frozen, keys, write):
    declared(release, frozen.read_bytes())
    path = outputs(write, keys)
    report = import_outputs(actor=None, path=path, release=release, system="a", tuple_name="october")
    assert report.retrieval == artifact.read(frozen).digest
    shown = {
        output.instance.key: [source["identifier"] for source in output.payload["candidates"]]
        for output in Output.objects.select_related("instance")
    }
    # Both statements of the first work are found, and it is one source; the second query finds the other work alone.
    assert shown == {keys[0]: ["work-0"], keys[1]: ["work-1"]}
    recall = score_document(collect(release=release))["measured"]["systems"]["a"]["cite_recall_20"]
    assert recall["estimate"]["value"] == 0.5  # one of the two gaps was shown the work that it cites
    assert Run.objects.get().tupled.tuple.name == "october"
    again = import_outputs(actor=None, path=path, release=release, system="a", tuple_name="october")
    assert not again.changed
    assert AuditEvent.objects.filter(verb="add_to_tuple").count() == 1


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"queries": (FOUND, "another query")}, "query", "no results for 'another query'"),
        ({"candidates": [{"title": "Something else"}]}, "candidates", "not what the frozen"),
    ],
)
def test_what_was_not_frozen_is_refused_with_its_line_and_nothing_is_stored(
    release, frozen, keys, write, changes, field, words
):
    declared(release, frozen.read_bytes())
    with pytest.raises(BadFile, match=words) as refused:
        import_outputs(
            actor=None,
            path=outputs(write, keys, **changes),
            release=release,
            system="a",
            tuple_name="october",
        )
    assert refused.value.errors[-1].field == field
    assert refused.value.errors[-1].line == 2
    assert not Run.objects.exists()


def test_a_run_that_was_imported_without_the_artifact_does_not_join_its_tuple(release, frozen, keys, write):
    row = declared(release, frozen.read_bytes())
    import_outputs(actor=None, path=outputs(write, keys), release=release, system="a")
    same = {"split": row.split, "materialisation": row.materialisation, "scoring": row.scoring}
    with pytest.raises(Refused, match="not made under the tuple's retrieval artifact"):
        declare_tuple(
            actor=None, release=release, name="october", retrieval=row.retrieval, runs=Run.objects.all(),
            evaluated_on=row.evaluated_on, **same,
        )  # fmt: skip
    assert not row.runs.exists()


def test_a_changed_artifact_and_one_of_another_release_are_refused_and_other_files_decide_nothing(
    release, frozen, keys, write
):
    content = bytearray(frozen.read_bytes())
    content[content.index(b"work-0")] ^= 1
    with pytest.raises(Refused, match=r"retrieval\.zip: "):
        declared(release, bytes(content))
    Release.objects.filter(pk=release.pk).update(sha256="0" * 64)
    release.refresh_from_db()
    with pytest.raises(Refused, match="made for another release"):
        declared(release, frozen.read_bytes())
    declared(release, b"a cache in a format of its own", name="other")
    report = import_outputs(
        actor=None, path=outputs(write, keys), release=release, system="a", tuple_name="other"
    )
    assert report.retrieval == ""
    with pytest.raises(Refused, match="no frozen tuple missing"):
        import_outputs(
            actor=None, path=outputs(write, keys), release=release, system="b", tuple_name="missing"
        )


@pytest.mark.parametrize(
    ("policy", "limits", "words"),
    [
        ("citing-year", Limits(year_to=1500), " is 1500; by citing-year, "),
        ("citing-year", None, " is not bounded; by citing-year, "),
        ("", Limits(excluded=("work-0",)), "found work-0, which it must not be given"),
        ("", Limits(year_to=1998), "found 0-0 of 1999; its last year is 1998"),
    ],
)
def test_limits_that_are_not_those_of_the_release_or_were_not_kept_are_refused(
    release, frozen, keys, policy, limits, words
):
    made = artifact.read(frozen)
    of = {} if limits is None else {keys[0]: limits}
    forged = replace(made, terms=replace(made.terms, year_policy=policy, limits=of))
    with pytest.raises(Refused, match=words):
        declared(release, artifact.packed(forged))


@pytest.mark.parametrize("policy", ["", "citing-year", "publication-year"])
def test_limits_of_every_policy_are_those_of_the_release(release, works, keys, write, tmp_path, policy):
    path, out = write([{"instance": keys[0], "query": FOUND}], "queries.jsonl"), tmp_path / "retrieval.zip"
    index = index_of(works)
    freeze_retrieval(release=release, index=index, path=path, out=out, mode="words", year_policy=policy)
    assert frozen_retrieval(declared(release, out.read_bytes())).digest == artifact.read(out).digest


def test_the_command_says_which_artifact_decided(release, frozen, keys, write, capsys):
    declared(release, frozen.read_bytes())
    path = outputs(write, keys)
    call_command(
        "import_outputs", str(path), "--release=gaps", "--system=a", "--tuple=october", "--no-render"
    )
    assert f"retrieval artifact {artifact.read(frozen).digest}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_thousand_queries_give_the_bytes_that_the_corpus_file_alone_gives(
    release, works, keys, write, tmp_path
):
    """The same file without any database, so the artifact is the same on every one of them."""
    words = " ".join(line["body"] for line in STATEMENTS).split()
    asked = [
        {"instance": keys[number % 2], "query": f"{words[number % len(words)]} {number}"}
        for number in range(1000)
    ]
    out, path = tmp_path / "app.zip", write(asked, "thousand.jsonl")
    digest, rows = freeze_retrieval(release=release, index=index_of(works), path=path, out=out, mode="words")
    assert rows == 1000
    entries = [
        Entry(
            key=line["key"], body=line["body"], context=line["title"], document=line["document"],
            kind=line["kind"], licence="open", authors=tuple(line["authors"]), year=line["year"],
        )
        for line in reversed(STATEMENTS)
    ]  # fmt: skip
    recipe = NAMED["words"]
    build(tmp_path / "alone", entries, corpus_digest=corpus_sha256(works), recipe=recipe)
    alone = Index.open(tmp_path / "alone")
    by_key = {line["key"]: line for line in STATEMENTS}

    def described(key):
        line = by_key[key]
        said = {"paper": line["document"], "snippet": line["body"], "authors": tuple(line["authors"])}
        return {**said, "title": line["title"], "year": line["year"]}

    before = artifact.read(out)
    terms = Terms(
        release=release.sha256, index=alone.digest, recipe=recipe, mode="words", n=20,
        matcher=before.terms.matcher, licences=("CC-BY-4.0",),
    )  # fmt: skip
    made = artifact.frozen(alone, terms, [Row(**line) for line in asked], described)
    assert (made.digest, made.lines()) == (digest, before.lines())
    assert (
        sum(bool(row.results) for row in made.rows) > 400
    )  # the others ask for words that no statement has alone
