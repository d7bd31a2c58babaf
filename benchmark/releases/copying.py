"""A release copied under another name: its problems, papers and files, without anything that was made with it."""

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.batches import check_slug
from benchmark.models import Attachment, Instance, OriginalFile, Paper, Release
from benchmark.releases.integrity import release_sha256

_BATCH = 500


@transaction.atomic
def copy_release(*, actor: User | None, release: Release, name: str) -> Release:
    """The new release, not frozen, with the same content hash. Raises Refused for a name that is taken or malformed."""
    check_slug(name, "release")
    made = Release(
        benchmark=release.benchmark,
        name=name,
        sha256=release.sha256,
        source=f"copy of {release.name}",
        is_sample=release.is_sample,
    )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f"There is already a study {name}; choose another name.", field="name") from error
    for paper in release.papers.iterator(_BATCH):
        paper.pk, paper.release, paper._state.adding = None, made, True
        paper.save(force_insert=True)
    papers = dict(Paper.objects.filter(release=made).values_list("key", "pk"))
    rows = []
    for instance in release.instances.select_related("paper").iterator(_BATCH):
        paper_id = papers[instance.paper.key] if instance.paper else None
        instance.pk, instance.release, instance.paper_id = None, made, paper_id
        rows.append(instance)
    Instance.objects.bulk_create(rows, batch_size=_BATCH)
    ids = dict(made.instances.values_list("key", "pk"))
    files = Attachment.objects.filter(instance__release=release).select_related("original").order_by("pk")
    for file, key in zip(files.iterator(_BATCH), files.values_list("instance__key", flat=True), strict=True):
        attached = Attachment.objects.create(
            instance_id=ids[key],
            number=file.number,
            copy_id=file.copy_id,
            shown_as=file.shown_as,
        )
        original = file.original
        OriginalFile.objects.create(
            attachment=attached,
            name=original.name,
            sha256=original.sha256,
            data=original.data,
            dropped=original.dropped,
            added_by=actor,
        )
    if release_sha256(made) != release.sha256:
        raise Refused(f"{release.name} no longer has the content that was imported.", code="content_differs")
    record(actor=actor, verb="copy_release", target=made, details={"of": release.name, "sha256": made.sha256})
    return made
