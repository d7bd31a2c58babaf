"""Artifacts: frozen once, recomputed anywhere, and every change found where it is."""

import copy
import hashlib
import json
import random
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from annotation.models import Answer, Assignment, Campaign, Comment, Flag, Grade
from benchmark.releases.freezing import freeze_release
from benchmark.subjects import Subject
from judging.models import JudgeRun, Verdict
from reports.artifact import freezing, verification
from reports.artifact.freezing import FORMAT, WITH_REMARKS, assemble, build, freeze_artifact
from reports.artifact.manifest import Manifest, read_manifest
from reports.artifact.remarks import read_remarks
from reports.artifact.verification import read_artifact, verify, verify_file
from reports.audit.draw import draw_audit, plan_audit
from reports.audit.sizes import PerStratum
from reports.core.canonical import canonical
from reports.models import Artifact
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.shape import METHODS
from tests.factories import AssignmentFactory, CampaignFactory, ItemFactory, JudgeTaskFactory


def built(release):
    return build(collect(release=release), read_manifest(release, "raw"))


@pytest.fixture(scope="module")
def content(gaps_of_the_module, rows_of_the_module):
    """The artifact of `gaps`, which is the same in all tests: it takes half a second to build."""
    with rows_of_the_module():
        return canonical(built(gaps_of_the_module))


@pytest.fixture
def document(content, db):
    return json.loads(content)


@pytest.fixture(scope="module")
def _score_kept():
    computed = {}

    def kept(inputs):
        key = canonical(inputs.as_json())
        if key not in computed:
            computed[key] = score(inputs)
        return computed[key]

    return kept


@pytest.fixture
def same_inputs_same_score(_score_kept, monkeypatch):
    """For tests of what a verification says of a change: one that is not in the inputs has their score."""
    monkeypatch.setattr(verification, "score", _score_kept)


def differences(document):
    return {str(difference) for difference in verify(document).differences}


def test_an_artifact_verifies_from_its_own_bytes(document):
    found = verify_file(canonical(document) + b"\n")
    assert (found.verified, found.notes) == (True, ())


@pytest.mark.slow
def test_an_artifact_frozen_with_the_third_methods_verifies_byte_for_byte(gaps):
    """As above for the code before version 4, whose in-sample audits ignored that outputs share a paper."""
    frozen = build(replace(collect(release=gaps), methods=3), read_manifest(gaps, "raw"))
    assert frozen["parts"]["score"] == "8a3a122cb5284c9d9bfb402a103886c2d5cec0283fa6071fd2bf232294ef3b26"
    assert verify_file(canonical(frozen) + b"\n").verified


def test_a_new_artifact_says_by_which_audit_methods_it_was_computed(gaps, document):
    assert document["inputs"]["methods"] == METHODS
    found = document["score"]["judge"]["audits"][0]["metrics"]["tool_acc"]
    assert found["corrected_pooled"]["estimate"]["method"] == "bb_pooled"
    with pytest.raises(ValueError, match=f"methods {METHODS + 1} are not known"):
        Inputs.from_json({**document["inputs"], "methods": METHODS + 1})


def test_equal_inputs_give_equal_bytes(gaps, document):
    assert canonical(built(gaps)) == canonical(document)


def test_inputs_and_manifest_survive_the_file(document):
    plain = json.loads(canonical(document))
    assert json.loads(canonical(Inputs.from_json(plain["inputs"]).as_json())) == plain["inputs"]
    assert Manifest.from_json(plain["manifest"]).as_json() == plain["manifest"]


def test_an_artifact_holds_what_was_judged_by_whom_how_and_with_which_code(gaps, document):
    instance = gaps.instances.order_by("key").first()
    assert [instance.key, instance.sha256] in document["manifest"]["instances"]
    assert [run[0] for run in document["manifest"]["runs"]] == ["aurora", "basalt", "cobalt"]
    campaign = document["inputs"]["campaigns"][0]
    assert {"seed", "rubric", "rubric_sha256", "reviewers_per_item"} <= set(campaign)
    assert all(row[-1] == pytest.approx(row[4] / row[3]) for row in document["inputs"]["draws"])
    made = document["made_with"]
    assert {
        "stats/core/intervals.py",
        "reports/scores/document.py",
        "benchmark/protocols/re2math/metrics.py",
    } <= set(made["code"])
    assert not any("models" in path or path.startswith("tests/") for path in made["code"])
    assert {"numpy", "scipy"} <= set(made["libraries"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (
            lambda d: d["score"]["systems"]["aurora"].update(outputs=31),
            "score.systems.aurora.outputs: expected 30, found 31",
        ),
        (lambda d: d["inputs"].update(seed=20261122), "inputs.seed: expected 20261121, found 20261122"),
        (lambda d: d["inputs"]["draws"].pop(), "inputs.draws: expected"),
        (lambda d: d["parts"].update(score="0" * 64), "parts.score: expected"),
        (lambda d: d["fingerprints"].update({"inputs.votes": "00"}), "fingerprints.inputs.votes: expected"),
        (lambda d: d.update(sha256="0" * 64), "sha256: expected"),
        (
            lambda d: d["made_with"].update(python="2.7"),
            "made_with.python: expected a value with fingerprint",
        ),
        (lambda d: d["inputs"].pop("labels"), "inputs.labels: expected a part of the artifact, found none"),
        (lambda d: d.update(note="x"), 'note: expected nothing, found "x"'),
    ],
)
def test_every_change_is_named(document, change, named, same_inputs_same_score):
    tampered = json.loads(canonical(document))
    change(tampered)
    found = differences(tampered)
    assert len(found) == 1
    assert found.pop().startswith(named)


def test_one_changed_letter_of_a_row_is_named_and_undone(document):
    tampered = json.loads(canonical(document))
    row = tampered["inputs"]["labels"][7]
    before, row[4] = row[4], row[4].replace("expert", "expart")
    assert differences(tampered) == {f'inputs.labels[7][4]: expected "{before}", found "{row[4]}"'}


def test_a_key_that_was_changed_by_one_letter_is_named(document):
    tampered = json.loads(canonical(document))
    judge = tampered["inputs"]["judge"]
    tampered["inputs"]["judge"] = {
        ("modek" if key == "model" else key): value for key, value in judge.items()
    }
    assert differences(tampered) == {
        "inputs.judge.modek: expected inputs.judge.model, found inputs.judge.modek"
    }


@pytest.mark.slow
def test_wherever_one_byte_is_flipped_it_is_found(content, same_inputs_same_score):
    """Fifty places by a fixed seed: a place is named, or the file is refused as no JSON or no artifact."""
    random_ = random.Random(20261121)
    unnamed = []
    for at in random_.sample(range(len(content)), 50):
        flipped = bytearray(content)
        flipped[at] ^= 1 << random_.randrange(7)
        try:
            found = verify_file(bytes(flipped))
        except Refused:
            continue
        if found.verified or not all(difference.path for difference in found.differences):
            unnamed.append(at)
    assert unnamed == []


def test_a_forger_who_mends_the_hashes_is_found_by_the_score(document, same_inputs_same_score):
    tampered = json.loads(canonical(document))
    metric = tampered["score"]["judge"]["systems"]["cobalt"]["metrics"]["tool_acc"]["estimate"]
    metric["k"] = 30
    assert any("tool_acc.estimate.k" in difference for difference in differences(tampered))


def test_hashes_that_do_not_chain_are_found_even_when_all_else_fits(gaps):
    inputs, manifest = collect(release=gaps), read_manifest(gaps, "raw")
    first, *others = manifest.instances
    swapped = Manifest((type(first)(first.key, "0" * 64), *others), manifest.runs)
    assert {difference.path for difference in verify(build(inputs, swapped)).differences} == {
        "inputs.release_sha256"
    }
    headless = Manifest(manifest.instances, manifest.runs[1:])
    assert {d.path for d in verify(build(inputs, headless)).differences} == {"manifest.runs"}


def test_other_code_is_a_note_and_no_fault(document, same_inputs_same_score):
    other = copy.deepcopy(document)
    other["made_with"]["code"]["stats/core/intervals.py"] = hashlib.sha256(b"").hexdigest()
    notes = verify(other).notes
    assert notes == ("code: stats/core/intervals.py differ here from what made the artifact",)


def test_bytes_that_say_the_same_otherwise_are_named(document, same_inputs_same_score):
    spaced = canonical(document).replace(b'"format":', b'"format" :', 1)
    (found,) = verify_file(spaced).differences
    assert found.path.startswith("byte ")
    assert (found.expected, found.found) == ("':'", "' '")


def test_a_key_named_twice_is_refused():
    with pytest.raises(Refused, match="the key 'format' appears twice in one object"):
        read_artifact(b'{"format":"a","format":"%s"}' % FORMAT.encode())


@pytest.mark.parametrize(
    ("spoilt", "named"),
    [
        ({"votes": {}}, "votes: expected a list of rows"),
        ({"votes": [[1]]}, "votes[0]: expected subject, predicate"),
        ({"outputs": [["a", "b", "c", "d", "e", "1", "answered", "f"]]}, "outputs[0].attempt: expected int"),
        ({"judge": {"label": "x"}}, "the inputs are not complete"),
        ({"protocol": "nonesuch"}, "no protocol"),
        ({"campaigns": [7]}, "the inputs are not complete"),
    ],
)
def test_inputs_of_another_shape_are_named_even_with_fresh_hashes(document, spoilt, named):
    plain = json.loads(canonical(document))
    forged = assemble(plain["made_with"], plain["manifest"], {**plain["inputs"], **spoilt}, plain["score"])
    (found,) = verify(forged).differences
    assert named in found.found


def test_something_else_is_refused():
    with pytest.raises(Refused, match=FORMAT):
        verify({"format": "something"})
    with pytest.raises(Refused, match="lacks this part"):
        verify({"format": FORMAT, "made_with": {}})


def test_an_unfrozen_release_has_no_artifact(gaps):
    with pytest.raises(Refused, match="not frozen"):
        freeze_artifact(actor=None, release=gaps)


@pytest.mark.slow
def test_freezing_twice_is_one_artifact_and_it_is_append_only(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    first = freeze_artifact(actor=None, release=gaps)
    assert freeze_artifact(actor=None, release=gaps) == first
    with pytest.raises(IntegrityError, match="append-only"):
        Artifact.objects.update(content="{}")


@pytest.mark.slow
@pytest.mark.parametrize("state", ["running", "paused"])
def test_no_artifact_is_frozen_of_a_judge_whose_votes_are_still_to_come(gaps, client, owner, state):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    said = Verdict.objects.order_by("pk").first()
    judge = {"run__judge": said.judge, "run__release": gaps, "run__state": state}
    task = JudgeTaskFactory(**judge, output=said.output, predicate=said.predicate, vote=9)
    with pytest.raises(Refused, match="1 to come") as refusal:
        freeze_artifact(actor=None, release=gaps)
    assert refusal.value.code == "judge_unfinished"
    client.force_login(owner)
    address = reverse("score-numbers", args=[gaps.name])
    assert "1 vote of this judge is still to come" in client.get(address).content.decode()
    JudgeRun.objects.filter(pk=task.run_id).update(state="cancelled", finished_at=timezone.now())
    assert "still to come" not in client.get(address).content.decode()
    assert freeze_artifact(actor=None, release=gaps).kind == "score"


@pytest.mark.slow
def test_a_frozen_score_stays_what_it_was_when_labels_come_in_later(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    kept = freeze_artifact(actor=None, release=gaps)
    before = Artifact.objects.get(pk=kept.pk).content
    answer = Answer.objects.filter(state="answered").first()
    other = {"yes": "no", "no": "yes"}[answer.value]
    old = answer.grade.assignment.item
    campaign = CampaignFactory(
        release=gaps, rubric=old.campaign.rubric, phase="open", opened_at=timezone.now()
    )
    place = AssignmentFactory(item=ItemFactory(campaign=campaign, output=old.output, places_taken=1))
    grade = Grade.objects.create(
        assignment=place, idempotency_key="late", rubric_sha256=answer.grade.rubric_sha256
    )
    Answer.objects.create(grade=grade, question=answer.question, value=other)
    Assignment.objects.filter(pk=place.pk).update(state="submitted", submitted_at=timezone.now())
    Campaign.objects.filter(pk=campaign.pk).update(phase="closed", closed_at=timezone.now())
    later = freeze_artifact(actor=None, release=gaps)
    assert later.sha256 != kept.sha256
    assert Artifact.objects.get(pk=kept.pk).content == before
    assert verify(json.loads(before)).differences == ()


def test_the_commands_freeze_and_verify(gaps, tmp_path, capsys):
    freeze_release(actor=None, release=gaps)
    call_command("artifact", release="sample-re2math")
    file = tmp_path / "artifact.json"
    file.write_text(capsys.readouterr().out, "utf-8")
    call_command("verify_artifact", str(file))
    assert capsys.readouterr().out.startswith("verified")

    file.write_text(file.read_text("utf-8").replace('"aurora"', '"borealis"', 1), "utf-8")
    with pytest.raises(CommandError, match="does not verify"):
        call_command("verify_artifact", str(file), json=True)
    assert json.loads(capsys.readouterr().out)["verified"] is False


@pytest.mark.parametrize("bytes_", [b"", b"[1]", b"{", b"[" * 100_000, b"\xff"])
def test_a_file_that_is_no_artifact_is_refused_in_words(tmp_path, bytes_):
    file = tmp_path / "artifact.json"
    file.write_bytes(bytes_)
    with pytest.raises(CommandError, match=r"is not JSON|does not contain a JSON object"):
        call_command("verify_artifact", str(file))


@pytest.fixture
def remarked(gaps):
    """The first expert comments on a passage and raises a flag."""
    first = Grade.objects.filter(answers__comment="", superseded_by=None).order_by("pk").first()
    item = first.assignment.item
    Comment.objects.create(grade=first, block="b1", start=0, end=4, severity="major", text="Why is this so?")
    Flag.objects.create(grade=first, kind="public_solution", link="https://example.org/", note="Section 2.")
    return gaps, str(Subject(item.instance.key, item.output.run.system.slug, item.output.attempt, "raw", ""))


@pytest.mark.slow
def test_what_experts_wrote_is_in_an_artifact_under_the_numbers_of_their_labels(remarked):
    release, subject = remarked
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    frozen = freeze_artifact(actor=None, release=release)
    document = json.loads(frozen.content)
    assert document["format"] == WITH_REMARKS
    (passage,) = document["remarks"]["passages"]
    (flag,) = document["remarks"]["flags"]
    rater = passage[2]
    assert (passage[0], passage[8], passage[10]) == (subject, "major", "Why is this so?")
    assert flag == [subject, passage[1], rater, "public_solution", "https://example.org/", "Section 2."]
    assert rater in {row[4] for row in document["inputs"]["labels"] if row[0] == subject}
    names = {value for user in User.objects.all() for value in (user.email, user.rater)}
    assert not [name for name in names if name in frozen.content]
    assert verify_file(frozen.content.encode()).verified


def test_nothing_is_frozen_of_rows_between_which_somebody_graded(remarked, monkeypatch):
    """Every new label can give all raters other numbers: comments were given to others than the labels."""
    release, _ = remarked
    freeze_release(actor=None, release=release)
    release.refresh_from_db()

    def meanwhile(release, inputs):
        grade = Grade.objects.filter(superseded_by=None).order_by("-pk").first()
        Answer.objects.create(grade=grade, question="source_admissible", value="yes")
        return read_remarks(release, inputs)

    monkeypatch.setattr(freezing, "read_remarks", meanwhile)
    with pytest.raises(Refused, match="Somebody graded") as refusal:
        freeze_artifact(actor=None, release=release)
    assert refusal.value.code == "graded_meanwhile"
    assert not Artifact.objects.exists()


@pytest.mark.slow
def test_a_changed_or_foreign_remark_is_found(remarked):
    release, _ = remarked
    inputs = collect(release=release)
    remarks = read_remarks(release, inputs)
    changed = build(inputs, read_manifest(release, "raw"), remarks)
    changed["remarks"]["passages"][0][10] = "Why is this so!"
    assert [difference.path for difference in verify(changed).differences] == ["remarks.passages[0][10]"]
    nobody = [[*row[:2], "expert-99", *row[3:]] for row in remarks["passages"]]
    forged = build(inputs, read_manifest(release, "raw"), {"passages": nobody})
    assert "labelled nothing there" in str(verify(forged).differences[0])
    unknown = build(inputs, read_manifest(release, "raw"), {"rumours": []} | remarks)
    assert "not known: rumours" in str(verify(unknown).differences[0])


def test_without_remarks_an_artifact_has_the_bytes_that_it_always_had(gaps, document):
    inputs = collect(release=gaps)
    assert document["format"] == FORMAT
    assert canonical(build(inputs, read_manifest(gaps, "raw"), {})) == canonical(document)


@pytest.mark.slow
def test_a_score_corrected_by_a_recorded_audit_is_recomputed_from_its_artifact(gaps, coordinator):
    """The second audit leaves out the first, whose draw is older than the record, and takes its findings in."""
    plan = plan_audit(release=gaps, wanted=PerStratum(2), exclude_campaigns=["sample-audit"])
    rest = draw_audit(actor=coordinator, plan=plan, name="The rest", rubric="re2math-audit-v1")
    for item in rest.items.all():
        place = AssignmentFactory(item=item, state="submitted", submitted_at=timezone.now())
        grade = Grade.objects.create(
            assignment=place, rubric_sha256=rest.rubric.sha256, idempotency_key=str(place.pk)
        )
        for question in ("ground", "suff"):
            Answer.objects.create(grade=grade, question=question, value="yes")
    now = timezone.now()
    Campaign.objects.filter(pk=rest.pk).update(phase="closed", opened_at=now, closed_at=now)
    freeze_release(actor=coordinator, release=gaps)
    gaps.refresh_from_db()
    artifact = freeze_artifact(actor=None, release=gaps)
    document = json.loads(artifact.content)
    [info] = [one for one in document["inputs"]["campaigns"] if one["slug"] == rest.slug]
    assert (info["systems"], info["leaves_out"]) == (["aurora", "basalt", "cobalt"], ["sample-audit"])
    [found] = [one for one in document["score"]["judge"]["audits"] if one["campaign"] == rest.slug]
    strata = {one["stratum"]: one for one in found["metrics"]["tool_acc"]["corrected"]["aurora"]["strata"]}
    sizes = {one.name: one for one in plan.strata}
    for name in ("aurora/grounded_insufficient", "aurora/ungrounded"):
        earlier = sizes[name].population - sizes[name].available
        assert strata[name]["sampled"] == earlier + sizes[name].sample
    assert verify_file(artifact.content.encode()).verified
