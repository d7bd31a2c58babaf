"""Runs of other recipes than whole proofs go through the queue, are published, and come back as a file."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.models import FrozenTuple, Output, Release
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.tuples.actions import declare_tuple
from retrieval.artifact import EXTERNAL, Artifact, Result, Row, Terms, packed
from solvers.recipe import RECIPES, get_recipe
from solving.models import SolveRun
from solving.publishing.actions import outputs_file, publish
from solving.runs.replaying import faults
from tests.factories import RoleFactory
from tests.llm.server import Server
from tests.solving import site

pytestmark = pytest.mark.django_db(transaction=True)
SAMPLE = Path(__file__).parents[2] / "sample"
# Mask-Proof has four attempts at each mask; an import counts those that are not there as failed. Without an artifact
# nothing is found for a gap.
OF = [
    ("masks", "masked_steps", {"variant": "structured"}, 4, "answered"),
    ("masks", "masked_steps", {"variant": "published"}, 4, "answered"),
    ("lemmas_prover", "lemmas", {}, 1, "answered"),
    ("gaps", "re2math", {}, 1, "abstained"),
]


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        yield running


def answering(recipe: str) -> Any:
    """The recipe's example answers each prompt, known by the title of the object that it asks for."""
    said = json.loads((RECIPES / recipe / "example.json").read_text("utf-8"))["replies"]
    prompts = get_recipe(recipe).prompts
    titles = {prompt.reply.model_json_schema()["title"]: label for label, prompt in prompts.items()}
    assert len(titles) == len(prompts)

    def answer(request: Any, key: str) -> str:
        system = request["messages"][0]["content"]
        schema = json.loads(system.partition("It follows this JSON schema:\n")[2].partition("\n")[0])
        return json.dumps(said[titles[schema["title"]]])

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "protocol", "settings_of", "attempts", "state"), OF)
def test_a_run_is_published_and_its_file_makes_the_same_run_again(
    server: Server, tmp_path: Path, recipe: str, protocol: str, settings_of: Any, attempts: int, state: str
) -> None:
    server.keyed = answering(recipe)
    import_release(actor=None, path=SAMPLE / protocol / "release.jsonl", protocol=protocol, name="sample")
    release = Release.objects.get(name="sample")
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    by = site.solver(recipe, settings_of)
    run = site.work(site.start(by, release, attempts=attempts))
    assert set(run.attempts.values_list("outcome", flat=True)) == {state}
    assert list(faults()) == []
    report = publish(actor=None, run=run)
    run.refresh_from_db()
    assert run.published is not None
    assert report.outputs == attempts * release.instances.count()
    assert set(Output.objects.filter(run=run.published).values_list("state", flat=True)) == {state}
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(outputs_file(run))
    again = import_outputs(actor=None, path=path, release=release, system="another", track="raw")
    assert again.sha256 == run.published.sha256


def test_attempts_that_were_never_made_are_not_published_as_failed(server: Server) -> None:
    server.keyed = answering("masks")
    import_release(
        actor=None, path=SAMPLE / "masked_steps" / "release.jsonl", protocol="masked_steps", name="sample"
    )
    release = Release.objects.get(name="sample")
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    run = site.work(site.start(site.solver("masks", OF[0][2]), release, attempts=1))
    with pytest.raises(Refused, match="counts 56 outputs where this run has 14 attempts"):
        publish(actor=None, run=run)
    assert not Output.objects.exists()


QUERY = "retraction of a ball onto its boundary"  # of the example
RESULTS = (
    Result(
        1,
        "1999.1/theorem-1",
        9,
        paper="1999.1",
        title="Retractions of a ball",
        authors=("A. Author",),
        year=1999,
    ),
    Result(
        2,
        "1999.1/theorem-2",
        8,
        paper="1999.1",
        title="Retractions of a ball",
        authors=("A. Author",),
        year=1999,
    ),
    Result(3, "2001.2/lemma-1", 7, paper="2001.2"),
)  # two statements of one paper, and one of a paper without a title


def one_gap(tmp_path: Path, frozen_query: str) -> FrozenTuple:
    """A frozen tuple of a release with one gap, whose artifact has these results for the query."""
    path = tmp_path / "release.jsonl"
    path.write_text(
        (SAMPLE / "re2math" / "release.jsonl").read_text("utf-8").partition("\n")[0] + "\n", "utf-8"
    )
    import_release(actor=None, path=path, protocol="re2math", name="one")
    release = Release.objects.get(name="one")
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    made = Artifact(
        Terms(release=release.sha256, provider=EXTERNAL, settings={"service": "a library"}),
        (Row(release.instances.get().key, frozen_query, RESULTS),),
    )
    texts = b'{"key": "1999.1/theorem-1", "text": "Theorem. There is no retraction."}\n'
    files = {
        "retrieval": ContentFile(packed(made), "retrieval.zip"),
        "materialisation": ContentFile(texts, "texts.jsonl"),
    }
    return declare_tuple(
        actor=None, release=release, name="frozen", split="all", retrieval="r", materialisation="m", scoring="s",
        evaluated_on=dt.date(2026, 11, 1), files=files,
    )  # fmt: skip


def published_gap(row: FrozenTuple) -> tuple[Output, str]:
    """The published output of a run that searched in the tuple's artifact, and the digest that the import names."""
    run = site.work(site.start(site.solver("gaps"), row.release, artifact=row))
    report = publish(actor=None, run=run)
    run.refresh_from_db()
    return Output.objects.get(run=run.published), report.retrieval


def shown_as(client: Client, output: Output) -> str:
    """The page of the run that came to this output."""
    client.force_login(RoleFactory(name="coordinator").user)
    return client.get(f"/solving/runs/{SolveRun.objects.get(published=output.run).pk}/").content.decode()


def test_a_run_whose_query_was_frozen_joins_the_tuple_with_the_sources_of_the_artifact(
    server: Server, tmp_path: Path, client: Client
) -> None:
    server.keyed = answering("gaps")
    row = one_gap(tmp_path, QUERY)
    output, digest = published_gap(row)
    assert output.state == "answered"
    assert [one["title"] for one in output.payload["candidates"]] == ["Retractions of a ball", "2001.2"]
    assert digest
    assert [one.run for one in row.runs.all()] == [output.run]
    assert "in the tuple frozen" in shown_as(client, output)


def test_a_run_with_a_query_of_its_own_is_published_outside_of_the_tuple(
    server: Server, tmp_path: Path, client: Client
) -> None:
    server.keyed = answering("gaps")
    row = one_gap(tmp_path, "no map of a ball")
    output, digest = published_gap(row)
    assert output.state == "answered"
    assert output.payload["query"] == QUERY
    assert [one["title"] for one in output.payload["candidates"]] == ["Retractions of a ball"]
    assert digest == ""
    assert not row.runs.exists()
    assert output.run.config["artifact"] == "frozen"
    assert "outside of the tuple frozen" in shown_as(client, output)
