"""Nothing that databases do in their own way is tried on one of them only (tests/databases.py)."""

import re

from tests.databases import ON_BOTH, ON_POSTGRESQL, TESTS

ROOT = TESTS.parent
OURS = (
    "accounts",
    "annotation",
    "benchmark",
    "construction",
    "judging",
    "reports",
    "search",
    "solving",
    "work",
)
# What has a meaning of its own on each database: locks, SQL of our own, conflicts of inserts, JSON inside a query.
OWN_WAY = re.compile(
    r"select_for_update|connection\.vendor|\.cursor\(|RawSQL|\.raw\(|accounts\.database\.joined|KeyTransform|KT\(|skip_locked"
    r"|ignore_conflicts|update_conflicts|nulls_(?:first|last)|Collate"
)
# Module that matches -> the test files that run it on both databases.
TRIED_IN = {
    "accounts/database/guards.py": "test_guards.py",
    "accounts/database/joined.py": "accounts/test_joined.py",
    "accounts/database/pooling.py": "accounts/test_blind_role.py",
    "accounts/database/sight.py": "accounts/test_blind_role.py",
    "accounts/people/invitations.py": "accounts/test_invitations.py",
    "accounts/people/members.py": "accounts/test_members.py",
    "accounts/profile/actions.py": "accounts/test_people_s_own_data.py",
    "accounts/signing_in/backends.py": "accounts/test_signing_in.py",
    "annotation/assigning/actions.py": "annotation/test_assigning.py",
    "annotation/assigning/taking.py": "annotation/test_assigning.py",
    "annotation/calibration/actions.py": "annotation/test_calibration.py",
    "annotation/campaigns/actions.py": "annotation/test_campaign_actions.py",
    "annotation/campaigns/frames.py": "annotation/test_campaign_actions.py",
    "annotation/campaigns/revising.py": "annotation/test_conflicts.py",
    "annotation/comments/actions.py": "annotation/test_comment_bank.py",
    "annotation/conflicts/actions.py": "annotation/test_conflicts.py",
    "annotation/conflicts/resolving.py": "annotation/test_conflicts.py",
    "annotation/core/queries.py": "annotation/test_statements.py",
    "annotation/grading/actions.py": "annotation/test_grading_actions.py",
    "annotation/quarantine/actions.py": "annotation/test_quarantine.py",
    "annotation/rubrics/drafting.py": "annotation/test_rubric_drafts.py",
    "annotation/training/actions.py": "annotation/test_training.py",
    "benchmark/abstaining/actions.py": "benchmark/test_abstaining.py",
    "benchmark/files/actions.py": "benchmark/test_files.py",
    "benchmark/describing/actions.py": "benchmark/test_croissant.py",
    "benchmark/identities/actions.py": "annotation/test_quarantine.py",
    "benchmark/rendering/actions.py": "benchmark/test_rendering.py",
    "benchmark/rendering/stored.py": "benchmark/test_rendering.py",
    "benchmark/settling/actions.py": "benchmark/test_settling.py",
    "construction/builds/actions.py": "construction/test_builds.py",
    "construction/builds/emission.py": "construction/test_builds.py",
    "construction/builds/kinds.py": "construction/test_builds.py",
    "construction/sources/actions.py": "construction/test_sources.py",
    "construction/sources/kind.py": "construction/test_source_pages.py",
    "construction/sources/matching.py": "construction/test_sources.py",
    "construction/sources/uploading.py": "construction/test_source_pages.py",
    "judging/programs/construction.py": "reports/test_construction_audit.py",
    "work/breaker.py": "judging/test_breaker.py",
    "work/budget.py": "judging/test_budget.py",
    "work/claims.py": "judging/test_claims.py",
    "work/clock.py": "judging/test_claims.py",
    "work/pace.py": "judging/test_breaker.py",
    "judging/asking/settlement.py": "judging/test_claims.py",
    "judging/reading/reparsing.py": "judging/test_reparsing.py",
    "judging/runs/actions.py": "judging/test_actions.py",
    "judging/runs/early_stop.py": "judging/test_early_stop.py",
    "judging/runs/steering.py": "judging/test_actions.py",
    "search/corpora/actions.py": "search/test_corpora.py",
    "search/slogans/actions.py": "search/test_slogans.py",
    "search/slogans/kind.py": "search/test_slogans.py",
    "solving/batches/actions.py": "solving/test_batches.py",
    "solving/publishing/actions.py": "solving/test_publishing.py",
    "solving/runs/actions.py": "solving/test_settling.py",
    "solving/runs/settlement.py": "solving/test_settling.py",
    "reports/exclusions/actions.py": "reports/test_exclusions.py",
    "reports/labels/importing.py": "reports/test_referee_reports.py",
    "reports/records/actions.py": "reports/test_records.py",
    "reports/records/embargoes.py": "reports/test_records.py",
    "reports/scores/kept.py": "reports/test_kept_scores.py",
    "reports/labels/rows.py": "reports/test_round_trip.py",
}


def test_every_file_of_the_tables_exists() -> None:
    assert [path for path in ON_BOTH | ON_POSTGRESQL if not path.is_file()] == []
    assert not ON_BOTH & ON_POSTGRESQL


def test_every_module_with_a_way_of_its_own_is_tried_on_both_databases() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for package in OURS
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts and OWN_WAY.search(path.read_text("utf-8"))
    }
    assert found == set(TRIED_IN)
    tried = {TESTS / file for file in TRIED_IN.values()}
    assert tried - ON_BOTH == {TESTS / "accounts" / "test_blind_role.py"}, "SQLite has no roles"


def test_every_constraint_and_guard_is_tried_on_both_databases() -> None:
    """tests/test_constraints.py breaks every constraint, tests/test_guards.py looks for every guard."""
    assert {TESTS / "test_constraints.py", TESTS / "test_guards.py"} <= ON_BOTH
