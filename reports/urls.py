"""Pages of this app."""

from django.urls import URLPattern, path

from reports.analysing.views import stored_analysis
from reports.artifact import views as artifacts
from reports.audit import views as audits
from reports.campaign import views as campaigns
from reports.cases import views as cases
from reports.comparison import views as compare
from reports.conditions import views as conditions
from reports.construction import views as construction
from reports.exclusions import views as exclusions
from reports.external import views as external
from reports.history import views as history
from reports.judges import views as judges
from reports.labels import views as labels
from reports.printing import views as report_jobs
from reports.published import views as published
from reports.records import views as records
from reports.referees import views as referees
from reports.results import views as results
from reports.scores import views as scores
from reports.sources import views as sources

_RELEASE = "releases/<slug:name>/"
_CAMPAIGN = "campaigns/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path("", scores.scores, name="scores"),
    path("published/", published.published_list, name="published-list"),
    path("published/<slug:protocol>/", published.published, name="published"),
    path("referee-reports/", referees.report_format, name="report-format"),
    path("history/", history.history, name="history"),
    path("artifacts/compare/", artifacts.comparison, name="artifacts-compare"),
    path("printed/<int:pk>/", report_jobs.report_job, name="report-job"),
    path("printed/<int:pk>/file/", report_jobs.report_file, name="report-file"),
    path("printed/<int:pk>/<slug:verb>/", report_jobs.steer_report, name="steer-report"),
    path(f"{_RELEASE}printed/", report_jobs.report_jobs, name="report-jobs"),
    path(_RELEASE, results.results, name="score"),
    path(f"{_RELEASE}numbers/", scores.numbers, name="score-numbers"),
    path(f"{_RELEASE}exclusions/", exclusions.exclusions, name="exclusions"),
    path(f"{_RELEASE}score.json", scores.score_json, name="score-json"),
    path(f"{_RELEASE}report.pdf", scores.score_report, name="score-report"),
    path(f"{_RELEASE}labels/", labels.labels, name="labels"),
    path(f"{_RELEASE}labels.csv", labels.labels_csv, name="labels-csv"),
    path(f"{_RELEASE}comments.csv", labels.comments_csv, name="comments-csv"),
    path(f"{_RELEASE}labels.jsonl", labels.labels_jsonl, name="labels-jsonl"),
    path(f"{_RELEASE}figures/<slug:figure>.csv", labels.figure_csv, name="figure-csv"),
    path(f"{_RELEASE}outputs/", scores.outputs_behind, name="outputs-behind"),
    path(f"{_RELEASE}cases/<path:key>/", cases.case_study, name="case-study"),
    path(f"{_RELEASE}conditions/", conditions.conditions, name="conditions"),
    path(f"{_RELEASE}compare/", compare.compare, name="compare"),
    path(f"{_RELEASE}compare/pair/", compare.compare_pair, name="compare-pair"),
    path(f"{_RELEASE}external-scores/", external.external_scores, name="external-scores"),
    path(f"{_RELEASE}compare.csv", compare.compare_csv, name="compare-csv"),
    path(f"{_RELEASE}pairs/", compare.pairs, name="pairs"),
    path(f"{_RELEASE}pairs.csv", compare.pairs_csv, name="pairs-csv"),
    path(f"{_RELEASE}judge-audit/", audits.judge_audit, name="judge-audit"),
    path(f"{_RELEASE}judge-audit.csv", audits.judge_audit_csv, name="judge-audit-csv"),
    path(f"{_RELEASE}analyse/", stored_analysis, name="stored-analysis"),
    path(f"{_RELEASE}judges/", judges.judge_pair, name="judge-pair"),
    path(f"{_RELEASE}judges.csv", judges.judge_pair_csv, name="judge-pair-csv"),
    path(f"{_RELEASE}judge-matrix/", judges.judge_matrix, name="judge-matrix"),
    path(f"{_RELEASE}judge-matrix.csv", judges.judge_matrix_csv, name="judge-matrix-csv"),
    path(f"{_RELEASE}audit/", audits.audit_draw, name="audit-draw"),
    path(f"{_CAMPAIGN}blinding/", campaigns.blinding, name="blinding"),
    path(f"{_RELEASE}leak-flags/", construction.leak_flags, name="leak-flags"),
    path(f"{_RELEASE}leak-flags.csv", construction.leak_flags_csv, name="leak-flags-csv"),
    path(f"{_RELEASE}construction/", construction.construction_audit, name="construction-audit"),
    path(f"{_RELEASE}construction/raters/", construction.construction_raters, name="construction-raters"),
    path(
        f"{_RELEASE}construction/raters.csv",
        construction.construction_raters_csv,
        name="construction-raters-csv",
    ),
    path(f"{_RELEASE}construction.csv", construction.construction_csv, name="construction-csv"),
    path(f"{_RELEASE}sources/", sources.output_sources, name="output-sources"),
    path(f"{_RELEASE}artifacts/", artifacts.artifacts, name="artifacts"),
    path(f"{_RELEASE}artifacts/<slug:sha256>.json", artifacts.artifact, name="artifact"),
    path(f"{_RELEASE}records/", records.records, name="records"),
    path(f"{_RELEASE}records/publish/", records.publish, name="record-publish"),
    path(
        f"{_RELEASE}records/<slug:record>/<int:version>/withdraw/", records.withdraw, name="record-withdraw"
    ),
    path(_CAMPAIGN, campaigns.results, name="campaign-results"),
    path(f"{_CAMPAIGN}figures/<slug:figure>.csv", campaigns.results_csv, name="campaign-figure-csv"),
    path(f"{_CAMPAIGN}questions/<slug:question>/", campaigns.question, name="question-reliability"),
    path(f"{_CAMPAIGN}questions/<slug:question>.csv", campaigns.question_csv, name="question-csv"),
    path(f"{_CAMPAIGN}monitoring/", campaigns.monitoring, name="monitoring"),
    path(f"{_CAMPAIGN}monitoring.csv", campaigns.monitoring_csv, name="monitoring-csv"),
    path(f"{_CAMPAIGN}calibration/", campaigns.calibration, name="calibration-agreement"),
    path(f"{_CAMPAIGN}verdicts/", campaigns.verdicts, name="campaign-verdicts"),
    path(f"{_CAMPAIGN}training.csv", campaigns.training_csv, name="training-csv"),
]
