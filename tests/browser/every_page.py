"""Addresses of every page of the site, with something to show, and who looks at them.

The routes come from tests/routes.py. Where the usual example of a name or number shows too little, ADDRESSES has
better ones; a page may be looked at in several states.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import APIResponse, Page, Response

from tests.browser.world import World
from tests.routes import ACCESS, OWNERS, PUBLIC, STAFF

FILES = (".csv", ".json", ".jsonl", ".pdf", ".toml", ".txt", "/file/", "/archive/", "own-data/", "/download/")
NOBODY_SIGNS_UP = "accounts/signup/"
WITH_A_SECOND_FACTOR = frozenset(
    [
        "accounts/second-factor/authenticate/",
        "accounts/second-factor/app/deactivate/",
        "accounts/second-factor/codes/",
    ]
)

# Pages for which the world has nothing to show yet; tests of their own go there.
NOT_FURNISHED = frozenset(
    [
        "ready/",
        "metrics/",
        # files themselves: tests/browser/test_pdf.py, tests/benchmark/test_files.py and test_tuple_files.py
        "grading/items/<str:handle>/files/<int:number>/",
        "grading/items/<str:handle>/files/<int:number>/commented/",
        "grading/campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/",
        "grading/campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/commented/",
        "grading/training/<slug:slug>/<int:number>/files/<int:file>/",
        "releases/<slug:name>/files/<int:pk>/",
        "releases/<slug:name>/files/<int:pk>/original/",
        "releases/<slug:name>/tuples/<slug:frozen>/<slug:entry>/",
        # a fragment of the grading page: tests/browser/test_search_panel.py
        "search/panel/<str:handle>/",
    ]
)

NAMES = {
    "slug:slug": "sample-proofs",
    "slug:name": "sample-re2math",
    "slug:protocol": "re2math",
    "slug:question": "logic",
    "path:key": "sample-gap-01",
}
ADDRESSES = {
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": [
        "accounts/password/reset/key/{reset}/"
    ],
    "join/<str:token>/": ["join/{invitation}/"],
    "analyse/files/<str:handle>/": ["analyse/files/{sent}/", "analyse/files/{answered}/"],
    "analyse/files/<str:handle>/delete/": ["analyse/files/{sent}/delete/"],
    "grading/items/<str:handle>/": [
        f"grading/items/{{{state}}}/" for state in ("grade", "steps", "pair", "submitted")
    ],
    "grading/items/<str:handle>/guess/": ["grading/items/{guess}/guess/"],
    "grading/items/<str:handle>/verdict/": ["grading/items/{verdict}/verdict/"],
    "grading/discussions/<str:handle>/": ["grading/discussions/{discussed}/"],
    "imports/formats/<slug:protocol>/<slug:kind>.<slug:ending>": ["imports/formats/proofs/outputs.csv"],
    "imports/files/<str:handle>/mapping/": ["imports/files/{recognised}/mapping/"],
    "imports/files/<str:handle>/": [
        "imports/files/{checked}/",
        "imports/files/{faulty}/",
        "imports/files/{refereed}/",
    ],
    "grading/items/<str:handle>/submitted/": ["grading/items/{submitted}/submitted/"],
    "grading/forms/<int:pk>/": ["grading/forms/{form}/"],
    "grading/forms/<int:pk>/compare/<slug:label>/": ["grading/forms/{form}/compare/proofs-v1/"],
    "grading/comments/<int:pk>/": ["grading/comments/{comment}/"],
    "grading/conflicts/<int:pk>/": ["grading/conflicts/{conflict}/"],
    "grading/training/<slug:slug>/": ["grading/training/warming-up/"],
    "grading/training/<slug:slug>/<int:number>/": [
        "grading/training/warming-up/1/",
        "grading/training/warming-up/2/",
    ],
    "grading/campaigns/<slug:slug>/training/": ["grading/campaigns/warming-up/training/"],
    "grading/campaigns/<slug:slug>/setup/": ["grading/campaigns/not-drawn-yet/setup/"],
    "grading/campaigns/<slug:slug>/setup/<slug:step>/": [
        *(
            f"grading/campaigns/not-drawn-yet/setup/{step}/"
            for step in ("terms", "items", "people", "options")
        ),
        *(f"grading/campaigns/drawn-not-open/setup/{step}/" for step in ("plan", "opening")),
    ],
    "judges/<int:pk>/instances/<int:instance>/": ["judges/{program}/instances/{audited}/"],
    "people/<int:pk>/": ["people/{member}/"],
    "people/<int:pk>/erase/": ["people/{member}/erase/"],
    "studies/<slug:name>/": ["studies/sample-proofs/", "studies/sample-lemmas/"],
    "grading/campaigns/<slug:slug>/by-hand/": [
        f"grading/campaigns/{slug}/by-hand/" for slug in ("first-round-proofs", "not-drawn-yet")
    ],
    "releases/<slug:name>/": ["releases/sample-re2math/", "releases/sample-proofs/"],
    "releases/<slug:name>/instances/<path:key>/": [
        "releases/sample-re2math/instances/{gap}/",
        "releases/sample-proofs/instances/sample-proof-01/",
        "releases/sample-masked-steps/instances/{mask}/",
        "releases/sample-lemmas/instances/{lemma}/",
    ],
    "grading/campaigns/<slug:slug>/": [
        f"grading/campaigns/{slug}/"
        for slug in (
            "first-round-proofs",
            "not-drawn-yet",
            "drawn-not-open",
            "which-one-is-better",
            "whose-work-it-was",
            "sample-proofs",
        )
    ],
    "grading/campaigns/<slug:slug>/terms/": ["grading/campaigns/first-round-proofs/terms/"],
    "grading/campaigns/<slug:slug>/assign/": ["grading/campaigns/drawn-not-open/assign/"],
    "grading/campaigns/<slug:slug>/adjudication/<slug:name>/": [
        "grading/campaigns/sample-proofs/adjudication/{split}/",
        "grading/campaigns/sample-proofs/adjudication/{decided}/",
    ],
    "grading/quarantine/<slug:name>/": ["grading/quarantine/sample-proofs/"],
    "grading/quarantine/<slug:name>/outputs/<int:pk>/": [
        "grading/quarantine/sample-proofs/outputs/{quarantined}/"
    ],
    "releases/<slug:name>/outputs/<int:pk>/abstain/": [
        "releases/sample-proofs/outputs/{quarantined}/abstain/"
    ],
    "judges/<int:pk>/": ["judges/{judge}/"],
    "judges/prompts/<int:pk>/": ["judges/prompts/{prompt}/"],
    "judges/<int:pk>/outputs/<int:output>/": ["judges/{judge}/outputs/{judged}/"],
    "reports/printed/<int:pk>/": ["reports/printed/{printed}/", "reports/printed/{waiting}/"],
    "reports/releases/<slug:name>/": [
        "reports/releases/sample-re2math/",
        "reports/releases/sample-proofs/",
        "reports/releases/sample-lemmas/",
        "reports/releases/sample-theorem-search/",
    ],
    "reports/releases/<slug:name>/numbers/": [
        "reports/releases/sample-re2math/numbers/",
        "reports/releases/sample-proofs/numbers/",
    ],
    "reports/releases/<slug:name>/compare/pair/": [
        "reports/releases/sample-re2math/compare/pair/?first=aurora&second=basalt"
    ],
    "reports/releases/<slug:name>/analyse/": [
        "reports/releases/sample-re2math/analyse/",
        "reports/releases/sample-re2math/analyse/?analysis=systems&positive=yes&campaign=sample-audit"
        "&question=ground&confidence=0.95&seed=1",
    ],
    "reports/releases/<slug:name>/pairs/": ["reports/releases/sample-proofs/pairs/"],
    "reports/releases/<slug:name>/leak-flags/": ["reports/releases/sample-proofs/leak-flags/"],
    "reports/releases/<slug:name>/printed/": ["reports/releases/sample-proofs/printed/"],
    "reports/releases/<slug:name>/cases/<path:key>/": ["reports/releases/sample-re2math/cases/{gap}/"],
    "reports/releases/<slug:name>/conditions/": ["reports/releases/sample-re2math/conditions/"],
    "reports/campaigns/<slug:slug>/blinding/": ["reports/campaigns/whose-work-it-was/blinding/"],
    "reports/releases/<slug:name>/audit/": [
        f"reports/releases/sample-re2math/audit/{query}" for query in ("", "?condition=oracle")
    ],
    "reports/campaigns/<slug:slug>/monitoring/": ["reports/campaigns/sample-audit/monitoring/"],
    "records/<path:path>": [
        "records/sample-re2math/1/",
        "records/sample-proofs/1/",
        "records/sample-proofs/1/problems/1.html",
        "records/sample-lemmas/1/problems/1.html",
    ],
    "reports/releases/<slug:name>/records/<slug:record>/<int:version>/withdraw/": [
        "reports/releases/sample-re2math/records/sample-re2math/1/withdraw/"
    ],
    "construction/builds/<slug:name>/": [
        f"construction/builds/{name}/" for name in ("sample-gaps", "sample-lemma-build", "sample-paused")
    ],
    "construction/builds/<slug:name>/papers/": ["construction/builds/sample-gaps/papers/"],
    "construction/builds/<slug:name>/compare/": [
        "construction/builds/sample-paused/compare/",
        "construction/builds/sample-gaps/compare/",
    ],
    "construction/builds/<slug:name>/candidates/": ["construction/builds/sample-gaps/candidates/"],
    "construction/builds/<slug:name>/candidates/<int:pk>/": [
        "construction/builds/sample-gaps/candidates/{made}/",
        "construction/builds/sample-gaps/candidates/{dropped}/",
        "construction/builds/sample-lemma-build/candidates/{released}/",
    ],
    "construction/builds/<slug:name>/selection/": [
        f"construction/builds/{name}/selection/"
        for name in ("sample-gaps", "sample-lemma-build", "sample-paused")
    ],
    "construction/builds/<slug:name>/release/": [
        f"construction/builds/{name}/release/"
        for name in ("sample-gaps", "sample-lemma-build", "sample-paused")
    ],
    "solving/compare/": [
        "solving/compare/",
        "solving/compare/?run={solved}&run={alone}",
        "solving/compare/?run={solved}&run={begun}",
        "solving/compare/?run={solved}&run={begun}&anyway=1",
    ],
    "solving/compare/problems/<int:instance>/": [
        "solving/compare/problems/{solved_problem}/?run={solved}&run={alone}"
    ],
    "solving/materials/<int:pk>/": ["solving/materials/{bank}/", "solving/materials/{blocked}/"],
    "solving/runs/<int:pk>/": ["solving/runs/{solved}/", "solving/runs/{begun}/"],
    "solving/runs/<int:pk>/steer/": ["solving/runs/{solved}/steer/"],
    "solving/runs/<int:pk>/batch/": ["solving/runs/{solved}/batch/"],
    "solving/attempts/<int:pk>/": ["solving/attempts/{attempt}/", "solving/attempts/{open_attempt}/"],
    "solving/attempts/<int:pk>/steps/<str:key>/": [
        f"solving/attempts/{{attempt}}/steps/{key}/"
        for key in ("analysis", "r1.draft", "r2.p1", "r2.v1", "r2.p1.check0")
    ],
    "solving/attempts/<int:pk>/memory/<int:number>/": [
        f"solving/attempts/{{attempt}}/memory/{number}/" for number in (1, 4)
    ],
    "search/": [
        "search/",
        "search/?q=compact+space",
        "search/?q=compact&kinds=corollary&authors=Nobody",
        "search/?corpus=sample-library&similar=sample-notes-metric/theorem-3.2",
    ],
    "construction/sources/<int:pk>/": [
        "construction/sources/{source}/",
        "construction/sources/{source}/?{place}",
        "construction/sources/{undecided}/",
    ],
    "construction/sources/uploads/<int:pk>/": ["construction/sources/uploads/{source_upload}/"],
    "search/checks/<slug:name>/": [
        "search/checks/sample-re2math/",
        "search/checks/sample-re2math/?check={check}",
    ],
    "search/corpora/<slug:slug>/": ["search/corpora/sample-library/"],
    "search/corpora/<slug:slug>/slogans/": ["search/corpora/sample-library/slogans/"],
    "search/corpora/<slug:slug>/index/": ["search/corpora/sample-library/index/"],
    "search/corpora/<slug:corpus>/statements/<path:key>/": [
        "search/corpora/sample-library/statements/sample-notes-metric/theorem-3.2/"
    ],
    "reports/artifacts/compare/": ["reports/artifacts/compare/?left={left}&right={right}"],
}


@dataclass(frozen=True)
class Address:
    """Where to look, as whom (None: without signing in), and the route that is seen there."""

    path: str
    person: str | None
    route: str


def addresses(world: World) -> Iterator[Address]:
    """Every route that is not REST, with names and numbers that exist; files and mere verbs are among them."""
    for route in ACCESS:
        if route.startswith("api/") or route.endswith(FILES):
            continue
        if route in WITH_A_SECOND_FACTOR | NOT_FURNISHED or route == NOBODY_SIGNS_UP:
            continue
        for path in ADDRESSES.get(route, [_example(route)]):
            yield Address("/" + path.format(**world.names), _person(route), route)


def _person(route: str) -> str | None:
    """Who of those that may come in sees least."""
    group = ACCESS[route]
    if route == "accounts/logout/":
        return "ada"
    if group == PUBLIC:
        return None
    return {OWNERS: "owner", STAFF: "coordinator"}.get(group, "ada")


def _example(route: str) -> str:
    def value(match: re.Match[str]) -> str:
        kind, name = match[1], match[2]
        return NAMES.get(f"{kind}:{name}", "{run}" if route.startswith("judges/runs/") else "1")

    return re.sub(r"<(\w+):(\w+)>", value, route)


def opened(page: Page, path: str) -> Response | APIResponse:
    """Go to an address that is a page, which Chromium gets as it was fetched. Of all else the reply is enough.

    Chromium would download a file, and a download that ends late interrupts the page that is opened next.
    """
    fetched = page.request.get(path, timeout=60_000)  # a busy machine is not a fault of the page
    if not is_a_page(fetched):
        return fetched
    page.route(fetched.url, lambda route: route.fulfill(response=fetched), times=1)
    reply = page.goto(fetched.url)
    assert reply is not None
    return reply


def is_a_page(reply: Response | APIResponse) -> bool:
    return reply.status == 200 and reply.headers.get("content-type", "").startswith("text/html")
