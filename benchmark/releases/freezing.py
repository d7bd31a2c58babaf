"""Freezing: from then on the database itself refuses every change."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release, Run
from benchmark.releases.integrity import release_sha256


@transaction.atomic
def freeze_release(*, actor: User | None, release: Release) -> bool:
    """Freeze a release after recomputing its hash; False if it was frozen before. Raises Refused."""
    found = release_sha256(release)
    if found != release.sha256:
        raise Refused(
            f"release {release.name} no longer has the content that was imported: "
            f"expected {release.sha256}, found {found}",
            code="content_differs",
        )
    frozen = Release.objects.filter(pk=release.pk, frozen_at=None).update(frozen_at=timezone.now())
    if frozen:
        record(actor=actor, verb="freeze_release", target=release, details={"sha256": found})
    return bool(frozen)


@transaction.atomic
def freeze_run(*, run: Run, actor: User | None = None) -> None:
    """Freeze a run with its outputs, as happens when it is first judged or graded."""
    if Run.objects.filter(pk=run.pk, frozen_at=None).update(frozen_at=timezone.now()):
        record(actor=actor, verb="freeze_run", target=run, details={"sha256": run.sha256})
