"""`python -m tests.browser.study_seed FOLDER`: people, six problems and four systems for a whole study.

Prints {"sessions": by the first part of the address, "raters": address to the name in exports}.
"""

import json
import sys
from pathlib import Path

import django

PROBLEMS = {
    "a1": "algebra",
    "a2": "algebra",
    "b1": "analysis",
    "b2": "analysis",
    "c1": "geometry",
    "c2": "geometry",
}
SYSTEMS = ("aurora", "basalt", "cobalt", "dolerite")
REVIEWERS = {
    f"{domain[:3]}{number}": domain for domain in ("algebra", "analysis", "geometry") for number in (1, 2, 3)
}
CONFLICTS = {"alg1": "aurora", "ana1": "cobalt", "geo1": "dolerite"}


def sentence(problem: str, system: str) -> str:
    """What only this answer says; a reader tells answers apart by it, not systems."""
    number = list(PROBLEMS).index(problem) * 7 + SYSTEMS.index(system) * 11 + 3
    return f"We fix the auxiliary number {number * 13}."


def write_files(folder: Path) -> None:
    """A release file, and a folder of answers for each system."""
    guidance = {"target_claim": "", "objects": [], "common_issues": []}
    rows = [
        {
            "instance_id": key,
            "domain": domain,
            "title": f"Problem {key}",
            "statement": f"Show that problem {key} has the answer $x^2 \\ge 0$.",
            "reference_solution": "Squares are not negative.",
            "guidance": guidance,
        }
        for key, domain in PROBLEMS.items()
    ]
    (folder / "release.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for system in SYSTEMS:
        (folder / system).mkdir()
        for key in PROBLEMS:
            text = f"{sentence(key, system)}\n\nThen $x^2 = x \\cdot x$.\n\nHence $x^2 \\ge 0$.\n"
            (folder / system / f"{key}.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Fills the deployment of the environment."""
    django.setup()
    from django.conf import settings
    from django.test import Client

    from accounts.profile.actions import declare_conflict
    from annotation.conflicts.actions import decide_conflict
    from benchmark.importing.outputs import import_outputs
    from benchmark.models import Release
    from benchmark.releases.actions import import_release
    from tests.browser.seeding import prepare
    from tests.conftest import member

    prepare()
    folder = Path(sys.argv[1])
    write_files(folder)
    people = {
        name: member(f"{name}@study.test", name.title(), "reviewer", domain)
        for name, domain in REVIEWERS.items()
    }
    people["owner"] = member("owner@study.test", "Olga Owner", "owner")
    people["carl"] = member("carl@study.test", "Carl Coordinator", "coordinator")
    import_release(actor=people["owner"], protocol="proofs", path=folder / "release.jsonl", name="sheet")
    release = Release.objects.select_related("benchmark").get(name="sheet")
    for system in SYSTEMS:
        import_outputs(actor=people["owner"], path=folder / system, release=release, system=system)
    for name, system in CONFLICTS.items():
        declared = declare_conflict(
            actor=people[name], kind="system", key=system, reason="A colleague's work."
        )
        decide_conflict(actor=people["carl"], conflict=declared, targets=[("system", system)])
    sessions = {}
    for name, person in people.items():
        client = Client()
        client.force_login(person)
        sessions[name] = client.cookies[settings.SESSION_COOKIE_NAME].value
    raters = {person.email: person.rater for person in people.values()}
    print(json.dumps({"sessions": sessions, "raters": raters}))


if __name__ == "__main__":
    main()
