"""The import of labels, comments and referee reports that were sent in the browser."""

from collections import Counter
from pathlib import Path

from accounts.models import User
from annotation.grading.word_anchors import Anchored
from annotation.importing.comments import PlacedComment
from annotation.models import Severity
from benchmark.collecting.actions import FaultyFiles
from benchmark.importing.progress import Progress
from benchmark.models import ImportUpload
from benchmark.releases.queries import release_named
from reports.labels.faults import BadLabels
from reports.labels.importing import import_tables
from reports.referees.folder import read_sent

SHOWN = 100


def import_upload(upload: ImportUpload, folder: Path, progress: Progress) -> dict[str, object]:
    """Check the unpacked upload in `folder`, or import it; returns what its page says. Raises FaultyFiles."""
    release = release_named(upload.terms["release"])
    sent = read_sent(folder, upload.file_name, release, upload.terms["campaign"])
    try:
        found = import_tables(
            actor=upload.owner,
            tables=sent.tables(upload.file_name),
            release=release,
            dry_run=not upload.applying,
            progress=progress,
        )
    except BadLabels as bad:
        raise FaultyFiles(
            [
                {
                    "file": one.file or upload.file_name,
                    "line": one.line,
                    "field": one.field,
                    "reason": one.reason,
                }
                for one in bad.faults
            ]
        ) from bad
    lost = [one for one in found.comments if one.lost]
    unsure = [one for one in found.comments if not one.sure]
    counts = Counter(one.stored.severity for one in found.comments)
    accounts = User.objects.filter(rater__in=found.raters, is_active=True).count()
    return {
        "release": release.name,
        "changed": found.changed,
        "reports": sent.reports,
        "campaigns": found.campaigns,
        "judges": found.judges,
        "expert_labels": found.expert_labels,
        "judge_labels": found.judge_labels,
        "decisions": found.decisions,
        "repeated": found.repeated,
        "grades": found.new_grades,
        "undecided": found.undecided,
        "raters": len(found.raters),
        "accounts": accounts,
        "comments": len(found.comments),
        "severities": [[label, counts[value]] for value, label in Severity.choices if counts[value]],
        "whole": sum((one.stored.anchor or {}).get("type") == Anchored.WHOLE for one in found.comments),
        "lost_count": len(lost),
        "lost": [_shown(one) for one in lost[:SHOWN]],
        "unsure_count": len(unsure),
        "unsure": [_shown(one) for one in unsure[:SHOWN]],
        "passed_over": sent.passed_over[:SHOWN],
    }


def _shown(one: PlacedComment) -> dict[str, str | int]:
    comment = one.comment
    words = comment.quoted.exact or (
        f"page {comment.given.page}" if comment.given.page else comment.given.block
    )
    return {"file": comment.file, "line": comment.line, "words": words[:200]}
