"""What is read: releases and what belongs to them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404

from accounts.refusal import Refused
from benchmark.identities.scan import VERSION
from benchmark.models import (
    IdentityDecision,
    IdentityVerdict,
    Instance,
    Output,
    OutputState,
    Release,
    Run,
    UnreleasedOutput,
)
from benchmark.subjects import Subject, arm_of
from canonical import sha256_of


def release_named(name: str) -> Release:
    """The release with its benchmark; raises Refused naming those that exist."""
    release = Release.objects.select_related("benchmark").filter(name=name).first()
    if release is None:
        names = ", ".join(Release.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        raise Refused(f"There is no release {name!r}; there are: {names}.", code="no_release")
    return release


def release_or_404(name: str) -> Release:
    """The same; raises Http404."""
    return get_object_or_404(Release.objects.select_related("benchmark"), name=name)


def releases_like(release: Release) -> QuerySet[Release]:
    """The other releases of the same protocol, by name."""
    same = Release.objects.filter(benchmark__protocol=release.benchmark.protocol)
    return same.exclude(pk=release.pk).select_related("benchmark").order_by("name")


def run_called(release: Release, arm: str) -> Run:
    """The run called `system@track+condition` (the usual track and no condition left out); raises Refused."""
    found = arm_of(arm)
    run = release.runs.select_related("system").filter(
        system__slug=found.system, track=found.track, condition=found.condition
    )
    if not (row := run.first()):
        names = (
            ", ".join(sorted(arm_name(one) for one in release.runs.select_related("system"))) or "none yet"
        )
        raise Refused(f"{release.name} has no run {arm!r}; there are: {names}", code="no_run", field="runs")
    return row


def arm_name(run: Run) -> str:
    """`system@track+condition` of a run, as `run_called` reads it."""
    return Subject("", run.system.slug, 1, run.track, run.condition).arm


def releases_with_counts() -> QuerySet[Release]:
    """All releases, newest first, with `instance_count`, `paper_count` and `run_count`."""
    return (
        Release.objects.select_related("benchmark")
        .annotate(
            instance_count=_number_of("instances"),
            paper_count=_number_of("papers"),
            run_count=_number_of("runs"),
        )
        .order_by("-created_at", "-pk")
    )


def _number_of(relation: str) -> Coalesce:
    """A count in a subquery of its own: joined together, three relations would multiply each other."""
    rows = Release.objects.filter(pk=OuterRef("pk")).annotate(number=Count(relation)).values("number")
    return Coalesce(Subquery(rows, output_field=IntegerField()), 0)


def domain_counts(release: Release) -> list[dict[str, Any]]:
    """`domain`, `instances` and `papers` for each domain of the release."""
    rows = release.instances.values("domain").annotate(
        instances=Count("pk"), papers=Count("paper", distinct=True)
    )
    return [dict(row) for row in rows.order_by("domain")]


def runs_with_states(release: Release) -> QuerySet[Run]:
    """The runs of a release by system, each with its number of `outputs` in every state.

    `not_released` counts the instances whose outputs the system's makers have not published, and `missing` those
    without an entry in the file. Neither has a judgment or a place in a figure of experts.
    """
    instances = Release.objects.filter(pk=OuterRef("release")).annotate(number=Count("instances"))
    number = Subquery(instances.values("number"), output_field=IntegerField())
    marked = Run.objects.filter(pk=OuterRef("pk")).annotate(number=Count("unreleased"))
    not_released = Subquery(marked.values("number"), output_field=IntegerField())
    return (
        release.runs.select_related("system")
        .annotate(
            output_count=Count("outputs"),
            answered=_in_state(OutputState.ANSWERED),
            abstained=_in_state(OutputState.ABSTAINED),
            failed=_in_state(OutputState.FAILED),
            not_released=not_released,
            missing=number - Count("outputs__instance", distinct=True) - not_released,
        )
        .order_by("system__name", "track", "condition")
    )


def _in_state(state: OutputState) -> Count:
    return Count("outputs", filter=Q(outputs__state=state))


def instances_of(release: Release, domain: str = "") -> QuerySet[Instance]:
    """The instances of a release by key, all or those of one domain."""
    rows = release.instances.select_related("paper").order_by("key")
    return rows.filter(domain=domain) if domain else rows


def outputs_of(instance: Instance) -> QuerySet[Output]:
    """Every system's outputs for an instance, in a fixed order, with run and system."""
    return instance.outputs.select_related("run__system", "abstention").order_by(
        "run__system__name", "run__track", "run__condition", "attempt"
    )


def unreleased_of(instance: Instance) -> QuerySet[UnreleasedOutput]:
    """Whose outputs for an instance were not released, with run and system."""
    return instance.unreleased.select_related("run__system").order_by(
        "run__system__name", "run__track", "run__condition"
    )


def outputs_with_run() -> QuerySet[Output]:
    """All outputs with instance, run, system and release."""
    return Output.objects.select_related("instance", "run__system", "run__release")


def system_names(release: Release) -> list[str]:
    """Every name under which the release's systems are known: slugs, names, families, and the models of their runs."""
    rows = release.runs.values_list("system__slug", "system__name", "system__family").distinct()
    configs = release.runs.values_list("config", flat=True)
    asked = [one for config in configs for one in (config, *config.get("roles", {}).values())]
    models = [str(one["model"]) for one in asked if "model" in one]
    # of a model that our own solvers asked, also the last part of its name alone
    names = [*chain(*rows), *models, *(model.rpartition("/")[2] for model in models)]
    return sorted(set(filter(None, names)))


def identity_words(release: Release) -> list[str]:
    """What the staff added to the names that reveal who wrote a text."""
    return sorted(release.identity_words.filter(removed_at=None).values_list("word", flat=True))


def scanned_with_all_words(release: Release) -> Q:
    """Outputs that today's patterns and words of this release have been looked for in."""
    words = sha256_of_words(identity_words(release))
    return Q(identity_scan__version=VERSION, identity_scan__words_sha256=words)


def sha256_of_words(words: Sequence[str]) -> str:
    """By which a scan tells the words that it looked for, "" for none. Clocks differ between hosts and are set back,
    and a scan takes its time: no moment tells which words it knew."""
    return sha256_of(list(words)) if words else ""


def shown_content(output: Output) -> tuple[dict[str, Any], str]:
    """Payload and text as graders and judges read them: redacted where a coordinator decided so.

    Load outputs with select_related("redacted"); otherwise this costs a query for each.
    """
    redacted = getattr(output, "redacted", None)
    return (redacted.payload, redacted.text) if redacted else (output.payload, output.text)


def quarantined(release: Release) -> QuerySet[Output]:
    """Answers with a certain finding about which nobody has decided."""
    found = Output.objects.filter(run__release=release, identity_scan__certain__gt=0)
    return found.filter(state=OutputState.ANSWERED).exclude(
        identity_decisions__in=IdentityDecision.objects.filter(withdrawn_at=None)
    )


def excluded_outputs(release: Release) -> QuerySet[IdentityDecision, int]:
    """The ids of the outputs that are left out of expert work because they reveal who wrote them."""
    live = IdentityDecision.objects.filter(output__run__release=release, withdrawn_at=None)
    return live.filter(verdict=IdentityVerdict.EXCLUDED).values_list("output_id", flat=True)
