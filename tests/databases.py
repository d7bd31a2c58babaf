"""Which database each test file runs on. A file that no table names runs on SQLite, the database of a first look.

On both runs what databases do in their own way: constraints, guards, locks, claims, JSON, ordering, restoring. On
PostgreSQL alone runs what is about a deployment: servers that die, reviewers at once, a whole study in the browser,
attackers, and any text or request that comes over HTTP. `make test-all` runs everything on both, for a night. Every run
begins with all migrations, or on SQLite with a copy of what they made while the code is the same (tests/deployment.py).
tests/test_databases.py looks for gaps.
"""

from pathlib import Path

TESTS = Path(__file__).resolve().parent

_ON_BOTH = {
    "": "constraints guards restore others_objects",
    "accounts": "constraints idempotency invitations joined meanwhile members people_s_own_data sessions signing_in"
    " tokens",
    "annotation": "assigning calibration campaign_actions comment_bank concurrency conflicts constraints"
    " file_anchors grading_actions hostile_content informed late_work quarantine rubric_drafts side_drafts"
    " statements training",
    "benchmark": "abstaining constraints croissant files import_outputs import_release imports overlaps protocol_flags"
    " rendering settling tuple_files",
    "construction": "builds source_pages sources",
    "config": "away checks database monitoring",
    "judging": "actions breaker budget claims combining early_stop instances lanes pairs reparsing steps"
    " uploaded_prompts worker",
    "reports": "artifacts construction_audit exclusions flag_agreement history hostile_labels invariants"
    " judged_steps kept_scores label_pages label_round_trip labels leak_flags pairs_in_artifacts records"
    " referee_imports referee_reports report_jobs round round_trip status unlabelled upload_constraints",
    "solving": "batches batches_killed materials oracle publishing roles runs settling",
    "search": "checks corpora freezing frozen_sources panel searching slogans",
}
_ON_POSTGRESQL = {
    "": "typed_texts",
    "accounts": "blind_role",
    "annotation": "authorship meanwhile",
    "browser": "faults five_protocols grading grading_places whole_study",
    "chaos": "away deploying grading importing",
    "judging": "stopping survival",
    "reports": "meanwhile random_requests",
    "search": "slogan_survival",
    "solving": "survival",
}


def _files(table: dict[str, str]) -> frozenset[Path]:
    return frozenset(
        TESTS / folder / f"test_{name}.py" for folder, names in table.items() for name in names.split()
    )


ON_BOTH = _files(_ON_BOTH)
ON_POSTGRESQL = _files(_ON_POSTGRESQL)
