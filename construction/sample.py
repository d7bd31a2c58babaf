"""The sample papers of the demo, and builds that follow the recipes through them; the scripted model answers."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from accounts.models import User
from accounts.refusal import Refused
from construction.builds.actions import Plan, begin, reconcile_builds
from construction.builds.emission import emit
from construction.models import Build, Source
from construction.scripted import reply
from construction.sources.adding import add_many, archives_in
from construction.sources.manifest import read_manifest
from llm.scripted import serving
from work.endpoints import declared_endpoints
from work.models import RunState
from work.worker import drain

SCRIPTED = "scripted"


def load_builds(*, actor: User, folder: Path, builds: Iterable[Mapping[str, Any]]) -> int:
    """Add the sample papers and begin the builds of the manifest; what is there already is kept.

    A build that names a release is followed to its end, the others are left to the workers. Builds need the endpoint of
    the scripted model, which `make demo` declares; without it there are only the papers. Returns how many builds there
    are.
    """
    place = folder / "construction"
    rows = read_manifest((place / "manifest.csv").read_bytes())
    add_many(actor=actor, files=archives_in(place), manifest=rows)
    endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS).get(SCRIPTED)
    if endpoint is None:
        return 0
    papers = Source.objects.filter(key__in=[row.key for row in rows])
    wanted = [entry for entry in builds if not Build.objects.filter(name=entry["name"]).exists()]
    for entry in wanted:
        plan = Plan(entry["name"], entry["protocol"], SCRIPTED, "fixed-rules", entry.get("numbers", {}))
        build = begin(actor=actor, plan=plan, sources=papers, max_tokens=2_000_000)
        if release := entry.get("release"):
            with serving(reply, port=urlsplit(endpoint.base_url).port or 0):
                while build.state == RunState.RUNNING:
                    drain()
                    reconcile_builds()
                    build.refresh_from_db()
            if build.state != RunState.DONE:
                raise Refused(f"The sample's build {build} is {build.state}: {build.note}")
            emit(actor=actor, build=build, name=release, is_sample=True)
    return Build.objects.count()
