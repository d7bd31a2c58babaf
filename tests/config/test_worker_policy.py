"""The worker that reads PDFs is sent with a policy; other static files are not its business."""

import shutil

import pytest
from django.conf import settings
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from config.worker_policy import POLICY

pytestmark = pytest.mark.django_db
WORKER = "vendor/pdfjs-6.5.438/build/pdf.worker.min.mjs"


@pytest.mark.parametrize(("name", "policy"), [(WORKER, POLICY), (WORKER.replace(".worker", ""), None)])
def test_the_worker_alone_has_a_policy(tmp_path, settings, name, policy):
    target = tmp_path / name
    target.parent.mkdir(parents=True)
    shutil.copyfile(settings.BASE_DIR / "static" / name, target)
    settings.STATIC_ROOT = tmp_path
    reply = WhiteNoiseMiddleware(lambda request: None)(RequestFactory().get(f"{settings.STATIC_URL}{name}"))
    assert reply.get("Content-Security-Policy") == policy
    assert reply["Content-Type"].startswith("text/javascript")
    reply.close()  # which tells the database connection that the request is over


def test_the_worker_of_the_policy_is_the_one_that_pages_name():
    template = settings.BASE_DIR / "templates" / "annotation" / "core" / "_file.html"
    assert WORKER in template.read_text("utf-8")
