"""What the database refuses to keep about an uploaded label file."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reports.models import LabelUpload

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"state": "done"}, "upload_done_with_its_document"),
        ({"document": "{}"}, "upload_done_with_its_document"),
        ({"state": "refused"}, "upload_refused_with_its_reason"),
        ({"refusal": "No."}, "upload_refused_with_its_reason"),
        ({"state": "running"}, "upload_running_since"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "upload_expires_after_it_came"),
    ],
)
def test_an_upload_that_contradicts_itself_is_refused(stranger, wrong, constraint):
    now = timezone.now()
    terms = {
        "owner": stranger,
        "handle": "h",
        "file_name": "f.csv",
        "form": "csv",
        "size": 1,
        "created_at": now,
        "expires_at": now + timedelta(hours=1),
    }
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        LabelUpload.objects.create(**terms | wrong)
    LabelUpload.objects.create(**terms)
