"""The naive baseline of bench.web_requests: a Django site in one file, as one writes it first.

Two tables, three views. No sign-in, permissions, fields, conflicts, audit trail, history, drafts or pages.
`python bench/_plain_site.py TASKS LABELS` makes and fills its tables in the database of DATABASE_URL.
"""

import json
import os
import sys

import django
import environ
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import HttpRequest, JsonResponse
from django.urls import path

if not settings.configured:
    database = environ.Env.db_url_config(os.environ["DATABASE_URL"]) | {"CONN_MAX_AGE": 60}
    settings.configure(
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        MIDDLEWARE=["django.middleware.common.CommonMiddleware"],  # says how long an answer is
        DATABASES={"default": database},
        SECRET_KEY="only for a measurement",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    )
    django.setup()

LABELS_PER_TASK = 5


class Task(models.Model):
    text = models.TextField()

    class Meta:
        app_label = "plain"

    def __str__(self) -> str:
        return self.text[:80]


class Label(models.Model):
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="labels")
    annotator = models.IntegerField(db_index=True)
    value = models.JSONField()

    class Meta:
        app_label = "plain"

    def __str__(self) -> str:
        return f"{self.annotator} on {self.task_id}"


def following(request: HttpRequest) -> JsonResponse:
    counted = Label.objects.values("task").annotate(n=models.Count("pk"))
    full = counted.filter(n__gte=LABELS_PER_TASK).values("task")
    mine = Label.objects.filter(annotator=request.GET["user"]).values("task")
    task = Task.objects.exclude(pk__in=full).exclude(pk__in=mine).order_by("pk").first()
    return JsonResponse({"id": task.pk, "text": task.text} if task else {}, status=200 if task else 404)


def submit(request: HttpRequest) -> JsonResponse:
    sent = json.loads(request.body)
    label = Label.objects.create(task_id=sent["task"], annotator=sent["user"], value=sent["value"])
    return JsonResponse({"id": label.pk}, status=201)


def listed(request: HttpRequest) -> JsonResponse:
    tasks = list(Task.objects.order_by("pk")[:100])
    counts = Label.objects.filter(task__in=tasks).values_list("task").annotate(n=models.Count("pk"))
    number = dict(counts)
    rows = [{"id": task.pk, "text": task.text, "n": number.get(task.pk, 0)} for task in tasks]
    return JsonResponse({"rows": rows})


urlpatterns = [path("next", following), path("submit", submit), path("list", listed)]
application = get_wsgi_application()


def fill(tasks: int, labels: int) -> None:
    """Tables with so many tasks, the first of which are full."""
    with connection.schema_editor() as editor:
        for model in (Task, Label):
            editor.create_model(model)
    Task.objects.bulk_create((Task(text="x" * 3000) for _ in range(tasks)), batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO plain_label (task_id, annotator, value) "
            f"SELECT 1 + n / {LABELS_PER_TASK}, 1000 + n %% 200, '{{}}' FROM generate_series(0, %s - 1) n",
            [labels],
        )
        cursor.execute("VACUUM ANALYZE")


if __name__ == "__main__":
    fill(*map(int, sys.argv[1:]))
