"""The sample project: people, releases, labels and campaigns of sample/manifest.toml. Only for the demo."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import Conflict, Expertise, Role, User
from accounts.profile.actions import declare_conflict
from accounts.refusal import Refused
from annotation.assigning.actions import apply_plan, plan_assignment
from annotation.campaigns.actions import create_campaign, draw_items, open_campaign, set_least_authors
from annotation.conflicts.actions import decide_conflict
from annotation.models import Campaign
from benchmark.describing.actions import describe_release
from benchmark.importing.outputs import import_outputs
from benchmark.models import Output, Release
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import run_called
from benchmark.subjects import DEFAULT_TRACK
from benchmark.tuples.actions import declare_tuple
from construction.sample import load_builds
from judging.runs.actions import ask, create_judge, finish_runs
from reports.artifact.freezing import freeze_artifact
from reports.audit.draw import draw_audit, plan_audit
from reports.audit.sizes import PerStratum
from reports.labels.importing import import_labels
from reports.models import PublicRecord
from reports.records.actions import Wish, publish_record
from work.worker import drain

Say = Callable[[str], None]


def seed_demo(*, folder: Path, say: Say, answer: bool = False) -> None:
    """Load the sample project; what is there already stays as it is. With `answer`, programs that judge answer at once
    and not when a worker comes, so that their release has a public record too. Raises Refused outside the demo."""
    if not settings.DEMO:
        raise Refused("seed_demo makes accounts with a public password; it only runs with TOUCHSTONE_DEMO=1.")
    manifest = tomllib.loads((folder / "manifest.toml").read_text("utf-8"))
    with transaction.atomic():
        for account in manifest["accounts"]:
            if User.objects.filter(email=account["email"]).exists():
                continue
            user = User.objects.create_user(account["email"], settings.DEMO_PASSWORD, name=account["name"])
            Role.objects.create(user=user, name=account["role"])
            for domain, confidence in account.get("expertise", {}).items():
                Expertise.objects.create(user=user, domain=domain, confidence=confidence)
        for conflict in manifest.get("conflicts", []):
            user = User.objects.get(email=conflict["account"])
            kind, key = conflict["kind"], conflict["key"]
            if not Conflict.objects.filter(user=user, kind=kind, key=key).exists():
                declare_conflict(actor=user, kind=kind, key=key, reason=conflict["reason"])
    say(f"{len(manifest['accounts'])} accounts")
    emails = [account["email"] for account in manifest["accounts"] if account["role"] == "coordinator"]
    coordinator = User.objects.get(email=emails[0])
    _releases(manifest, folder, coordinator, say)
    # once the releases are there, what was declared means the paper or system of that name
    for conflict in manifest.get("conflicts", []):
        rows = Conflict.objects.filter(
            user__email=conflict["account"], kind=conflict["kind"], decided_at=None
        )
        for row in rows.filter(key=conflict["key"]):
            decide_conflict(actor=coordinator, conflict=row, targets=[(row.kind, row.key)])
    for entry in manifest.get("program_judges", []):
        # asked once
        judge = create_judge(
            actor=coordinator, slug=entry["slug"], protocol=entry["protocol"], program=entry["program"]
        )
        release = Release.objects.select_related("benchmark").get(name=entry["release"])
        if not judge.runs.filter(release=release).exists():
            ask(actor=coordinator, judge=judge, release=release)
        say(f"judge {judge.label}: a program, asked about {release.name}")
    if answer:
        drain()
        finish_runs()
    for entry in manifest["campaigns"]:
        _campaign(entry, coordinator, say)
    for entry in manifest["records"]:
        _record(entry, manifest, say)
    say(
        f"{load_builds(actor=coordinator, folder=folder, builds=manifest['builds'])} builds from LaTeX sources"
    )


def _releases(manifest: Mapping[str, Any], folder: Path, actor: User, say: Say) -> None:
    systems = {system["slug"]: system for system in manifest["systems"]}
    for entry in manifest["releases"]:
        report = import_release(
            actor=actor,
            protocol=entry["protocol"],
            path=folder / entry["file"],
            name=entry["name"],
            is_sample=True,
        )
        if "licence" in entry:
            described = {field: entry[field] for field in ("licence", "creators", "citation", "published_on")}
            describe_release(actor=actor, release=Release.objects.get(name=entry["name"]), **described)
        say(f"release {entry['name']}: {report.instances} instances")
    for entry in manifest["outputs"]:
        system = systems[entry["system"]]
        import_outputs(
            actor=actor,
            path=folder / entry["path"],
            release=Release.objects.get(name=entry["release"]),
            system=system["slug"],
            track=entry["track"],
            condition=entry.get("condition", ""),
            system_name=system["name"],
            family=system["family"],
        )
    say(f"{Output.objects.count()} outputs of {len(systems)} systems")
    for entry in manifest["labels"]:
        release = Release.objects.select_related("benchmark").get(name=entry["release"])
        import_labels(actor=actor, path=folder / entry["file"], release=release)
    for entry in manifest.get("tuples", []):
        release = Release.objects.get(name=entry["release"])
        runs = [run_called(release, arm) for arm in entry["runs"]]
        said = {key: value for key, value in entry.items() if key not in ("release", "runs")}
        if not release.tuples.filter(name=entry["name"]).exists():
            declare_tuple(actor=actor, release=release, runs=runs, **said)
    for release in Release.objects.filter(name__in=[entry["name"] for entry in manifest["releases"]]):
        freeze_release(actor=actor, release=release)


def _campaign(entry: Mapping[str, Any], actor: User, say: Say) -> None:
    campaign = Campaign.objects.filter(slug=entry["slug"]).first()
    if campaign is None:
        with transaction.atomic():
            release = Release.objects.select_related("benchmark").get(name=entry["release"])
            shared = ("slug", "name", "rubric", "reviewers_per_item", "instructions", "seed")
            terms = {key: entry[key] for key in shared}
            if entry["kind"] == "audit":
                plan = plan_audit(
                    release=release,
                    wanted=PerStratum(entry["per_stratum"]),
                    buckets=entry["buckets"],
                    exclude_campaigns=[entry["exclude_campaign"]],
                )
                campaign = draw_audit(actor=actor, plan=plan, **terms)
            else:
                campaign = create_campaign(actor=actor, release=release, **terms)
                outputs = Output.objects.filter(
                    run__release=release,
                    run__track=DEFAULT_TRACK,
                    run__condition="",
                    instance__key__in=entry["instances"],
                    state="answered",
                )
                domains = dict(outputs.values_list("pk", "instance__domain"))
                draw_items(actor=actor, campaign=campaign, strata=domains)
            if "least_authors" in entry:
                set_least_authors(actor=actor, campaign=campaign, least=entry["least_authors"])
            open_campaign(actor=actor, campaign=campaign)
            apply_plan(actor=actor, campaign=campaign, sha256=plan_assignment(campaign).sha256)
    elif campaign.name != entry["name"]:
        Campaign.objects.filter(pk=campaign.pk).update(name=entry["name"])
    say(f"campaign {entry['slug']}: {campaign.items.count()} items")


def _record(entry: Mapping[str, Any], manifest: Mapping[str, Any], say: Say) -> None:
    """Publish the score of a sample release as it was loaded; once."""
    name = entry["release"]
    release = Release.objects.select_related("benchmark").get(name=name)
    if release.judge_runs.filter(finished_at=None).exists():
        say(f"no public record {name} before its judge has answered")
        return
    if not PublicRecord.objects.filter(name=name).exists():
        titles = {one["name"]: one["title"] for one in manifest["releases"]}
        wish = Wish(
            name=name,
            title=titles[name],
            asked=" ".join(entry["asked"].split()),
            limitations=" ".join(entry["limitations"].split()),
            show_problems=True,
            show_outputs=entry.get("show_outputs", False),
            show_reports=entry.get("show_outputs", False),
        )
        publish_record(actor=None, artifact=freeze_artifact(actor=None, release=release), wish=wish)
    say(f"public record {name}")
