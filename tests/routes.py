"""Every address of the site and of the REST interface, and who may come in. A new address needs its line.

`OWN` is for everybody who is signed in, because the page finds only what belongs to them: the places of
another reviewer answer 404 like those that do not exist. tests/test_access.py tries every line.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLResolver, get_resolver

PUBLIC = frozenset({"anonymous", "stranger", "reviewer", "coordinator", "owner"})
SIGNED_IN = OWN = PUBLIC - {"anonymous"}
REVIEWERS = frozenset({"reviewer"})
STAFF = frozenset({"coordinator", "owner"})
OWNERS = frozenset({"owner"})

_BY_GROUP: list[tuple[frozenset[str], str]] = [
    (
        PUBLIC,
        """
        health/
        ready/
        metrics/
        accounts/login/
        accounts/logout/
        accounts/second-factor/authenticate/
        accounts/inactive/
        accounts/signup/
        accounts/password/reset/
        accounts/password/reset/done/
        accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$
        accounts/password/reset/key/done/
        join/<str:token>/
        erased/
        privacy/
        records/
        records/<path:path>
        search/
        search/corpora/<slug:corpus>/statements/<path:key>/
        mcp
        api/v1/search/
        api/v1/search/similar/
        api/v1/corpora/
        api/v1/corpora/<slug:corpus>/indexes/
        api/v1/corpora/<slug:corpus>/documents/
        api/v1/corpora/<slug:corpus>/statements/<path:key>/
        """,
    ),
    (
        SIGNED_IN,
        """
        .
        accounts/reauthenticate/
        accounts/password/change/
        accounts/second-factor/
        accounts/second-factor/reauthenticate/
        accounts/second-factor/app/activate/
        accounts/second-factor/app/deactivate/
        accounts/second-factor/codes/
        accounts/second-factor/codes/new/
        accounts/second-factor/codes/download/
        analyse/
        search/vote/
        api/v1/search/feedback/
        api/v1/analyses/
        api/v1/plans/strata/
        api/v1/plans/agreement/
        api/v1/plans/comparison/
        api/v1/plans/proportion/
        analyse/plan/
        analyse/plan/agreement/
        analyse/plan/comparison/
        analyse/plan/proportion/
        """,
    ),
    (
        OWN,
        """
        search/panel/<str:handle>/
        profile/
        profile/name/
        profile/preferences/
        profile/erase/
        grading/own-data/
        grading/signed-in/
        profile/expertise/
        profile/expertise/remove/
        profile/conflicts/
        profile/conflicts/withdraw/
        profile/tokens/
        profile/tokens/<int:pk>/revoke/
        analyse/files/<str:handle>/
        analyse/files/<str:handle>/answer.json
        analyse/files/<str:handle>/answer.txt
        analyse/files/<str:handle>/delete/
        grading/items/<str:handle>/
        grading/items/<str:handle>/submitted/
        grading/items/<str:handle>/reopen/
        grading/items/<str:handle>/files/<int:number>/
        grading/items/<str:handle>/files/<int:number>/commented/
        grading/items/<str:handle>/files/<int:number>/marks/
        grading/items/<str:handle>/out-of-field/
        grading/items/<str:handle>/guess/
        grading/items/<str:handle>/verdict/
        grading/items/<str:handle>/verdict/amend/
        api/v1/assignments/<str:handle>/verdict/
        api/v1/assignments/<str:handle>/verdict/amend/
        grading/discussions/<str:handle>/
        grading/discussions/<str:handle>/again/
        api/v1/discussions/<str:handle>/
        api/v1/discussions/<str:handle>/again/
        grading/training/<slug:slug>/
        grading/training/<slug:slug>/skip/
        grading/training/<slug:slug>/<int:number>/
        grading/training/<slug:slug>/<int:number>/files/<int:file>/
        api/v1/training/<slug:slug>/
        api/v1/training/<slug:slug>/skip/
        api/v1/training/<slug:slug>/<int:number>/
        grading/items/<str:handle>/guess/skip/
        api/v1/assignments/<str:handle>/guess/
        api/v1/me/
        api/v1/me/preferences/
        api/v1/me/expertise/
        api/v1/me/expertise/<str:domain>/
        api/v1/me/conflicts/
        api/v1/me/conflicts/<slug:kind>/<path:key>/
        api/v1/tokens/
        api/v1/tokens/<int:pk>/
        api/v1/queue/
        api/v1/assignments/<str:handle>/
        api/v1/assignments/<str:handle>/reopen/
        api/v1/assignments/<str:handle>/out-of-field/
        """,
    ),
    (
        REVIEWERS,
        """
        grading/
        grading/next/
        grading/finished/
        grading/comments/
        grading/comments/<int:pk>/
        grading/comments/<int:pk>/delete/
        grading/comments/<int:pk>/propose/
        api/v1/comment-bank/
        api/v1/comment-bank/<int:pk>/
        api/v1/comment-bank/<int:pk>/propose/
        """,
    ),
    (
        STAFF,
        """
        people/
        people/invite/
        people/invitations/<int:pk>/withdraw/
        people/<int:pk>/
        people/<int:pk>/roles/grant/
        people/<int:pk>/roles/revoke/
        people/<int:pk>/second-factor/remove/
        people/<int:pk>/deactivate/
        people/<int:pk>/reactivate/
        releases/
        releases/<slug:name>/
        releases/<slug:name>/freeze/
        releases/<slug:name>/describe/
        releases/<slug:name>/tuples/
        releases/<slug:name>/tuples/<slug:frozen>/<slug:entry>/
        releases/<slug:name>/source-questions/
        releases/<slug:name>/reproduction/
        releases/<slug:name>/croissant.json
        releases/<slug:name>/instances.jsonl
        releases/<slug:name>/outputs.jsonl
        releases/<slug:name>/files/
        releases/<slug:name>/files/<int:pk>/
        releases/<slug:name>/files/<int:pk>/original/
        releases/<slug:name>/files/<int:pk>/remove/
        releases/<slug:name>/outputs/<int:pk>/abstain/
        releases/<slug:name>/instances/<path:key>/
        imports/
        imports/new/
        imports/formats/<slug:protocol>/
        imports/formats/<slug:protocol>/<slug:kind>.<slug:ending>
        imports/release/
        imports/outputs/
        imports/labels/
        imports/files/<str:handle>/
        imports/files/<str:handle>/mapping/
        imports/files/<str:handle>/apply/
        imports/files/<str:handle>/delete/
        api/v1/imports/
        api/v1/imports/<str:handle>/
        api/v1/imports/<str:handle>/mapping/
        api/v1/imports/<str:handle>/apply/
        grading/rubrics/
        grading/rubrics/<slug:protocol>/<slug:label>.toml
        grading/forms/new/<slug:protocol>/
        grading/forms/<int:pk>/
        grading/forms/<int:pk>/compare/<slug:label>/
        grading/forms/<int:pk>/preview/
        grading/forms/<int:pk>/publish/
        grading/forms/<int:pk>/discard/
        api/v1/rubrics/<slug:protocol>/
        api/v1/rubrics/<slug:protocol>/<slug:label>/
        api/v1/rubric-drafts/of/<slug:protocol>/
        api/v1/rubric-drafts/<int:pk>/
        api/v1/rubric-drafts/<int:pk>/publish/
        grading/conflicts/
        grading/conflicts/<int:pk>/
        api/v1/conflicts/
        api/v1/conflicts/<int:pk>/decision/
        api/v1/conflicts/<int:pk>/apply/
        grading/campaigns/
        grading/campaigns/new/
        grading/campaigns/<slug:slug>/
        grading/campaigns/<slug:slug>/setup/
        grading/campaigns/<slug:slug>/setup/<slug:step>/
        grading/campaigns/<slug:slug>/by-hand/
        studies/
        studies/<slug:name>/
        studies/<slug:name>/copy/
        studies/<slug:name>/names/
        grading/campaigns/<slug:slug>/ways-out/
        api/v1/campaigns/<slug:slug>/ways-out/
        grading/campaigns/<slug:slug>/comments/
        grading/campaigns/<slug:slug>/comments/<int:pk>/
        api/v1/campaigns/<slug:slug>/comments/
        api/v1/campaigns/<slug:slug>/comments/<int:pk>/
        grading/campaigns/<slug:slug>/calibration/
        api/v1/campaigns/<slug:slug>/calibration/
        reports/campaigns/<slug:slug>/calibration/
        reports/campaigns/<slug:slug>/verdicts/
        api/v1/campaigns/<slug:slug>/verdicts/
        api/v1/campaigns/<slug:slug>/calibration-agreement/
        grading/campaigns/<slug:slug>/training/
        api/v1/campaigns/<slug:slug>/training/
        api/v1/campaigns/<slug:slug>/guesses/
        grading/campaigns/<slug:slug>/terms/
        grading/campaigns/<slug:slug>/assign/
        grading/campaigns/<slug:slug>/close/
        grading/campaigns/<slug:slug>/places/<int:pk>/release/
        grading/campaigns/<slug:slug>/remind/
        grading/campaigns/<slug:slug>/release-late/
        grading/campaigns/<slug:slug>/adjudication/
        grading/campaigns/<slug:slug>/adjudication/<slug:name>/
        grading/campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/
        grading/campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/commented/
        grading/campaigns/<slug:slug>/unblinding/
        grading/quarantine/<slug:name>/
        grading/quarantine/<slug:name>/scan/
        grading/quarantine/<slug:name>/words/
        grading/quarantine/<slug:name>/words/<int:pk>/remove/
        grading/quarantine/<slug:name>/redact/
        grading/quarantine/<slug:name>/outputs/<int:pk>/
        judges/
        judges/<int:pk>/
        construction/builds/
        construction/builds/recipes/<slug:protocol>/
        construction/builds/<slug:name>/
        construction/builds/<slug:name>/funnel.csv
        construction/builds/<slug:name>/papers/
        construction/builds/<slug:name>/compare/
        construction/builds/<slug:name>/candidates/
        construction/builds/<slug:name>/candidates/<int:pk>/
        construction/builds/<slug:name>/candidates/<int:pk>/withdraw/
        construction/builds/<slug:name>/selection/
        construction/builds/<slug:name>/release/
        construction/builds/<slug:name>/offsets.jsonl
        api/v1/builds/
        api/v1/builds/estimate/
        api/v1/builds/recipes/
        api/v1/builds/<slug:name>/
        api/v1/builds/<slug:name>/funnel.csv
        api/v1/builds/<slug:name>/candidates/
        api/v1/builds/<slug:name>/candidates/<int:pk>/
        api/v1/builds/<slug:name>/candidates/<int:pk>/review/
        api/v1/builds/<slug:name>/candidates/<int:pk>/withdraw/
        api/v1/builds/<slug:name>/selection/
        api/v1/builds/<slug:name>/offsets.jsonl
        api/v1/builds/<slug:name>/emit/
        api/v1/builds/<slug:name>/check/
        api/v1/builds/<slug:name>/compare/<slug:first>/
        solving/
        solving/solvers/
        solving/materials/
        solving/materials/<int:pk>/
        solving/compare/
        solving/compare/problems/<int:instance>/
        solving/runs/<int:pk>/
        solving/attempts/<int:pk>/
        solving/attempts/<int:pk>/steps/<str:key>/
        solving/attempts/<int:pk>/memory/<int:number>/
        api/v1/solving/solvers/
        api/v1/solving/materials/
        api/v1/solving/materials/<int:pk>/
        api/v1/solving/runs/
        api/v1/solving/runs/estimate/
        api/v1/solving/runs/questions/
        api/v1/solving/runs/<int:pk>/
        api/v1/solving/runs/<int:pk>/attempts/
        api/v1/solving/runs/<int:pk>/compare/<int:other>/
        api/v1/solving/attempts/<int:pk>/
        api/v1/solving/attempts/<int:pk>/transcript/
        api/v1/solving/attempts/<int:pk>/memory/
        search/corpora/
        construction/
        construction/sources/
        construction/sources/add/
        construction/sources/matching/
        construction/sources/uploads/<int:pk>/
        construction/sources/uploads/<int:pk>/steer/
        construction/sources/<int:pk>/
        construction/sources/<int:pk>/archive/
        construction/sources/<int:pk>/describe/
        construction/sources/<int:pk>/main/
        construction/sources/<int:pk>/pair/
        construction/sources/<int:pk>/remove/
        api/v1/sources/
        api/v1/sources/uploads/
        api/v1/sources/uploads/<int:pk>/
        api/v1/sources/uploads/<int:pk>/archives/
        api/v1/sources/uploads/<int:pk>/add/
        api/v1/sources/manifest/
        api/v1/sources/matching/
        api/v1/sources/matching/<int:pk>/
        api/v1/sources/statements.jsonl
        api/v1/sources/<int:pk>/
        api/v1/sources/<int:pk>/files/
        api/v1/sources/<int:pk>/outline/
        api/v1/sources/<int:pk>/main/
        api/v1/sources/<int:pk>/pairs/
        search/corpora/<slug:slug>/
        search/corpora/<slug:slug>/slogans/
        api/v1/slogan-runs/
        api/v1/slogan-runs/estimate/
        search/checks/<slug:name>/
        search/checks/<slug:name>/<int:pk>.csv
        search/checks/<slug:name>/ask/
        search/checks/<slug:name>/findings/<int:pk>/
        judges/prompts/
        judges/prompts/<int:pk>/
        judges/<int:pk>/outputs/<int:output>/
        judges/<int:pk>/instances/<int:instance>/
        judges/runs/<int:pk>/
        judges/runs/<int:pk>/injections/
        judges/runs/<int:pk>/reparse/
        judges/runs/<int:pk>/steer/
        judges/runs/<int:pk>/retry/
        judges/runs/<int:pk>/adjust/
        reports/
        status/
        status/test-message/
        api/v1/status/
        reports/referee-reports/
        reports/published/
        reports/published/<slug:protocol>/
        reports/releases/<slug:name>/
        reports/printed/<int:pk>/
        reports/printed/<int:pk>/file/
        reports/printed/<int:pk>/<slug:verb>/
        reports/releases/<slug:name>/printed/
        reports/releases/<slug:name>/numbers/
        reports/releases/<slug:name>/score.json
        reports/releases/<slug:name>/report.pdf
        reports/releases/<slug:name>/exclusions/
        api/v1/releases/<slug:name>/exclusions/
        reports/releases/<slug:name>/labels/
        reports/releases/<slug:name>/labels.csv
        reports/releases/<slug:name>/labels.jsonl
        reports/releases/<slug:name>/comments.csv
        api/v1/releases/<slug:name>/comments/
        reports/releases/<slug:name>/figures/<slug:figure>.csv
        reports/releases/<slug:name>/outputs/
        reports/releases/<slug:name>/external-scores/
        api/v1/releases/<slug:name>/external-scores/
        reports/releases/<slug:name>/compare/
        reports/releases/<slug:name>/compare/pair/
        reports/releases/<slug:name>/compare.csv
        reports/releases/<slug:name>/pairs/
        reports/releases/<slug:name>/pairs.csv
        reports/releases/<slug:name>/judge-audit/
        reports/releases/<slug:name>/judge-audit.csv
        reports/releases/<slug:name>/analyse/
        reports/releases/<slug:name>/judges/
        reports/releases/<slug:name>/judges.csv
        reports/releases/<slug:name>/judge-matrix/
        reports/releases/<slug:name>/judge-matrix.csv
        reports/releases/<slug:name>/audit/
        reports/releases/<slug:name>/construction/
        reports/releases/<slug:name>/leak-flags/
        reports/releases/<slug:name>/leak-flags.csv
        reports/releases/<slug:name>/construction.csv
        reports/releases/<slug:name>/construction/raters/
        reports/releases/<slug:name>/construction/raters.csv
        reports/releases/<slug:name>/sources/
        reports/releases/<slug:name>/cases/<path:key>/
        reports/releases/<slug:name>/conditions/
        reports/releases/<slug:name>/artifacts/
        reports/releases/<slug:name>/records/
        api/v1/releases/<slug:name>/records/
        reports/campaigns/<slug:slug>/
        reports/campaigns/<slug:slug>/figures/<slug:figure>.csv
        reports/campaigns/<slug:slug>/questions/<slug:question>/
        reports/campaigns/<slug:slug>/questions/<slug:question>.csv
        reports/campaigns/<slug:slug>/monitoring/
        reports/campaigns/<slug:slug>/monitoring.csv
        reports/campaigns/<slug:slug>/training.csv
        api/schema/
        api/v1/published/
        api/v1/published/<slug:protocol>/
        api/v1/people/
        api/v1/people/<int:pk>/
        api/v1/people/<int:pk>/roles/
        api/v1/people/<int:pk>/roles/<slug:role>/
        api/v1/people/<int:pk>/second-factor/
        api/v1/people/<int:pk>/deactivate/
        api/v1/people/<int:pk>/reactivate/
        api/v1/invitations/
        api/v1/invitations/<int:pk>/
        api/v1/releases/
        api/v1/releases/<slug:name>/
        api/v1/releases/<slug:name>/freeze/
        api/v1/releases/<slug:name>/description/
        api/v1/releases/<slug:name>/years/
        api/v1/releases/<slug:name>/tuples/
        api/v1/releases/<slug:name>/tuples/<slug:frozen>/<slug:entry>/
        api/v1/releases/<slug:name>/source-questions/
        api/v1/releases/<slug:name>/source-questions/<slug:pair>/
        api/v1/releases/<slug:name>/settlements/<int:pk>/
        api/v1/releases/<slug:name>/croissant/
        api/v1/releases/<slug:name>/instances.jsonl
        api/v1/releases/<slug:name>/outputs.jsonl
        api/v1/releases/<slug:name>/reproduction/
        api/v1/releases/<slug:name>/instances/
        api/v1/releases/<slug:name>/audit-plan/
        api/v1/releases/<slug:name>/audits/
        api/v1/releases/<slug:name>/score/
        api/v1/releases/<slug:name>/comparison/
        api/v1/releases/<slug:name>/construction-audit/
        api/v1/releases/<slug:name>/construction-audit/raters/
        api/v1/releases/<slug:name>/pairs/
        api/v1/releases/<slug:name>/judge-audit/
        api/v1/releases/<slug:name>/analyses/
        api/v1/releases/<slug:name>/judges/
        api/v1/releases/<slug:name>/judge-matrix/
        api/v1/releases/<slug:name>/sources/
        api/v1/releases/<slug:name>/cases/<path:key>/
        api/v1/releases/<slug:name>/conditions/
        api/v1/releases/<slug:name>/labels/
        api/v1/releases/<slug:name>/leak-flags/
        api/v1/releases/<slug:name>/reports/
        api/v1/reports/<int:pk>/
        api/v1/reports/<int:pk>/file/
        api/v1/reports/<int:pk>/cancel/
        api/v1/reports/<int:pk>/retry/
        api/v1/releases/<slug:name>/artifacts/
        api/v1/releases/<slug:release>/verdicts/
        api/v1/systems/
        api/v1/systems/<slug:slug>/
        api/v1/outputs/
        api/v1/outputs/<int:pk>/
        api/v1/campaigns/
        api/v1/releases/<slug:name>/quarantine/
        api/v1/releases/<slug:name>/quarantine/scan/
        api/v1/releases/<slug:name>/quarantine/words/
        api/v1/releases/<slug:name>/quarantine/words/<int:pk>/
        api/v1/releases/<slug:name>/quarantine/redact/
        api/v1/releases/<slug:name>/quarantine/<int:pk>/
        api/v1/campaigns/<slug:slug>/
        api/v1/campaigns/<slug:slug>/progress/
        api/v1/campaigns/<slug:slug>/draw/
        api/v1/campaigns/<slug:slug>/draw-pairs/
        api/v1/campaigns/<slug:slug>/plan/
        api/v1/campaigns/<slug:slug>/assign/
        api/v1/campaigns/<slug:slug>/open/
        api/v1/campaigns/<slug:slug>/close/
        api/v1/campaigns/<slug:slug>/waiting/
        api/v1/campaigns/<slug:slug>/remind/
        api/v1/campaigns/<slug:slug>/release-late/
        api/v1/campaigns/<slug:slug>/adjudication/
        api/v1/campaigns/<slug:slug>/adjudication/<slug:name>/
        api/v1/campaigns/<slug:slug>/unblinding/
        api/v1/campaigns/<slug:slug>/assignments/<int:pk>/release/
        api/v1/campaigns/<slug:slug>/results/
        api/v1/campaigns/<slug:slug>/questions/<slug:question>/
        api/v1/campaigns/<slug:slug>/monitoring/
        api/v1/prompts/
        api/v1/prompts/<int:pk>/
        api/v1/judges/
        api/v1/judge-runs/
        api/v1/judge-runs/<int:pk>/
        api/v1/judge-runs/<int:pk>/steer/
        api/v1/judge-runs/<int:pk>/retry/
        api/v1/judge-runs/<int:pk>/reparse/
        """,
    ),
    (
        OWNERS,
        """
        solving/new/
        solving/solvers/new/
        solving/materials/new/
        solving/runs/<int:pk>/steer/
        solving/runs/<int:pk>/batch/
        api/v1/solving/runs/<int:pk>/batch/
        api/v1/solving/runs/<int:pk>/batch/steer/
        api/v1/solving/runs/<int:pk>/steer/
        api/v1/solving/runs/<int:pk>/publish/
        people/audit-trail/
        people/<int:pk>/erase/
        api/v1/people/<int:pk>/erase/
        api/v1/audit-trail/
        reports/history/
        api/v1/history/
        reports/campaigns/<slug:slug>/blinding/
        api/v1/campaigns/<slug:slug>/blinding/
        judges/new/
        judges/prompts/new/
        construction/builds/new/
        construction/builds/<slug:name>/steer/
        api/v1/builds/<slug:name>/steer/
        api/v1/builds/<slug:name>/again/
        search/corpora/<slug:slug>/index/
        search/corpora/<slug:slug>/slogans/<int:pk>/
        api/v1/slogan-runs/<int:pk>/steer/
        reports/artifacts/compare/
        reports/releases/<slug:name>/artifacts/<slug:sha256>.json
        reports/releases/<slug:name>/records/publish/
        api/v1/releases/<slug:name>/records/<slug:record>/<int:version>/withdraw/
        reports/releases/<slug:name>/records/<slug:record>/<int:version>/withdraw/
        api/v1/artifacts/compare/
        api/v1/releases/<slug:name>/artifacts/<slug:sha256>/
        """,
    ),
]

ONLY_TO_WRITE = {
    "api/v1/releases/<slug:name>/artifacts/": OWNERS,  # who freezes a score
    "api/v1/judges/": OWNERS,  # who makes a judge
    "api/v1/builds/": OWNERS,  # who spends money on builds
    "api/v1/slogan-runs/": OWNERS,  # who spends money on slogans
    "api/v1/solving/solvers/": OWNERS,  # who makes a solver
    "api/v1/solving/materials/": OWNERS,  # who decides what runs are given
    "api/v1/solving/runs/": OWNERS,  # who spends money on solving
    "api/v1/prompts/": OWNERS,  # who uploads a prompt
    "api/v1/releases/<slug:name>/records/": OWNERS,  # who publishes
}

ACCESS = {route.lstrip("."): group for group, routes in _BY_GROUP for route in routes.split()}


def installed(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Every route that the site answers, as it is written in the url files."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from installed(entry, route)
        else:
            yield route


def example(route: str) -> str:
    """An address of the route that names nothing that exists."""

    def value(match: re.Match[str]) -> str:
        return "999999" if match[1] == "int" else "nonesuch"

    if "^" in route:
        return "/accounts/password/reset/key/zz-nonesuch/"
    return "/" + re.sub(r"<(\w+):\w+>", value, route)


def may(kind: str, method: str, route: str) -> bool:
    """Whether this kind of person may use the method there."""
    group = ACCESS[route]
    if method != "get":
        group = ONLY_TO_WRITE.get(route, group)
    return kind in group


def is_refusal(response: Any) -> bool:
    """401, 403, or the way to the sign-in page."""
    if response.status_code in (401, 403):
        return True
    return response.status_code == 302 and response["Location"].startswith("/accounts/login/?next=")
