"""What a monitoring system reads: how requests fare, and how much work waits. Counts only, of nobody in particular.

Each process of the web server keeps its counters in files of one folder (the client library's way for several
processes), so that every process can answer for all. What waits is counted in the database when it is asked for.
"""

import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db.models import Count
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from prometheus_client import CollectorRegistry, Histogram, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from annotation.core.phases import Phase
from annotation.models import Assignment
from judging.models import JudgeTask
from reports.models import ReportJob
from work.models import RunState, TaskState

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
REQUESTS = Histogram(
    "touchstone_request_seconds",
    "Time from the first middleware to the answer's head, by name of the address.",
    ["method", "view", "status"],
    buckets=_SECONDS,
    registry=None,
)


class RequestTimes:
    """Times every request, if this deployment is monitored. Addresses count by name, so no handle is told."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        start = time.perf_counter()
        response = self.get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else "none"
        labels = (request.method or "", view, f"{response.status_code // 100}xx")
        REQUESTS.labels(*labels).observe(time.perf_counter() - start)
        return response


class WaitingWork(Collector):
    """Gauges of what waits, counted now."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        tasks = GaugeMetricFamily(
            "touchstone_judge_tasks", "Votes of unfinished judge runs by state.", labels=["state"]
        )
        unfinished = JudgeTask.objects.filter(run__state__in=[RunState.RUNNING, RunState.PAUSED])
        for state, count in unfinished.order_by().values_list("state").annotate(count=Count("pk")):
            tasks.add_metric([state], count)
        yield tasks
        waiting = JudgeTask.objects.filter(state=TaskState.WAITING, run__state=RunState.RUNNING)
        oldest = waiting.order_by("available_at").values_list("available_at", flat=True).first()
        yield GaugeMetricFamily(
            "touchstone_judge_wait_seconds",
            "How long the oldest vote that may be asked for now has waited.",
            value=max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else 0.0,
        )
        places = GaugeMetricFamily(
            "touchstone_assignments", "Places of open campaigns by state.", labels=["state"]
        )
        held = Assignment.objects.filter(item__campaign__phase=Phase.OPEN)
        for state, count in held.order_by().values_list("state").annotate(count=Count("pk")):
            places.add_metric([state], count)
        yield places
        jobs = GaugeMetricFamily("touchstone_reports", "Printed reports by state.", labels=["state"])
        for state, count in ReportJob.objects.order_by().values_list("state").annotate(count=Count("pk")):
            jobs.add_metric([state], count)
        yield jobs


def exposition() -> bytes:
    """All measures in the text format of Prometheus."""
    requests = CollectorRegistry()
    multiprocess.MultiProcessCollector(requests)
    work = CollectorRegistry()
    work.register(WaitingWork())
    return generate_latest(requests) + generate_latest(work)
