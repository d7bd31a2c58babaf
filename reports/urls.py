"""Pages of this app."""

from django.urls import URLPattern, path

from reports.views import (
    artifacts,
    audit,
    campaigns,
    compare,
    construction,
    downloads,
    judge_audit,
    labels,
    pairs,
    published,
    report_jobs,
    rows,
    scores,
    sources,
)

_RELEASE = "releases/<slug:name>/"
_CAMPAIGN = "campaigns/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path("", scores.scores, name="scores"),
    path("published/", published.published_list, name="published-list"),
    path("published/<slug:protocol>/", published.published, name="published"),
    path("artifacts/compare/", artifacts.comparison, name="artifacts-compare"),
    path("printed/<int:pk>/", report_jobs.report_job, name="report-job"),
    path("printed/<int:pk>/file/", report_jobs.report_file, name="report-file"),
    path("printed/<int:pk>/<slug:verb>/", report_jobs.steer_report, name="steer-report"),
    path(f"{_RELEASE}printed/", report_jobs.report_jobs, name="report-jobs"),
    path(_RELEASE, scores.score_of, name="score"),
    path(f"{_RELEASE}score.json", scores.score_json, name="score-json"),
    path(f"{_RELEASE}report.pdf", scores.score_report, name="score-report"),
    path(f"{_RELEASE}labels/", labels.labels, name="labels"),
    path(f"{_RELEASE}labels.csv", downloads.labels_csv, name="labels-csv"),
    path(f"{_RELEASE}labels.jsonl", downloads.labels_jsonl, name="labels-jsonl"),
    path(f"{_RELEASE}figures/<slug:figure>.csv", downloads.figure_csv, name="figure-csv"),
    path(f"{_RELEASE}outputs/", rows.outputs_behind, name="outputs-behind"),
    path(f"{_RELEASE}compare/", compare.compare, name="compare"),
    path(f"{_RELEASE}compare/pair/", compare.compare_pair, name="compare-pair"),
    path(f"{_RELEASE}compare.csv", compare.compare_csv, name="compare-csv"),
    path(f"{_RELEASE}pairs/", pairs.pairs, name="pairs"),
    path(f"{_RELEASE}pairs.csv", pairs.pairs_csv, name="pairs-csv"),
    path(f"{_RELEASE}judge-audit/", judge_audit.judge_audit, name="judge-audit"),
    path(f"{_RELEASE}judge-audit.csv", judge_audit.judge_audit_csv, name="judge-audit-csv"),
    path(f"{_RELEASE}audit/", audit.audit_draw, name="audit-draw"),
    path(f"{_RELEASE}construction/", construction.construction_audit, name="construction-audit"),
    path(f"{_RELEASE}construction.csv", construction.construction_csv, name="construction-csv"),
    path(f"{_RELEASE}sources/", sources.output_sources, name="output-sources"),
    path(f"{_RELEASE}artifacts/", artifacts.artifacts, name="artifacts"),
    path(f"{_RELEASE}artifacts/<slug:sha256>.json", artifacts.artifact, name="artifact"),
    path(_CAMPAIGN, campaigns.results, name="campaign-results"),
    path(f"{_CAMPAIGN}figures/<slug:figure>.csv", campaigns.results_csv, name="campaign-figure-csv"),
    path(f"{_CAMPAIGN}questions/<slug:question>/", campaigns.question, name="question-reliability"),
    path(f"{_CAMPAIGN}questions/<slug:question>.csv", campaigns.question_csv, name="question-csv"),
    path(f"{_CAMPAIGN}monitoring/", campaigns.monitoring, name="monitoring"),
    path(f"{_CAMPAIGN}monitoring.csv", campaigns.monitoring_csv, name="monitoring-csv"),
]
