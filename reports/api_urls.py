"""REST endpoints of this app."""

from django.urls import URLPattern, path

from reports.analysing import api as analyses
from reports.artifact import api as artifacts
from reports.campaign import api as campaigns
from reports.cases import api as cases
from reports.conditions import api as conditions
from reports.construction import api as construction
from reports.exclusions import api as exclusions
from reports.external import api as external
from reports.history import api as history
from reports.judges import api as judges
from reports.labels import api as comments
from reports.planning import api as plans
from reports.printing import api as printing
from reports.published import api as published
from reports.records import api as records
from reports.scores import api as scores
from reports.status.api import StatusView

urlpatterns: list[URLPattern] = [
    path("plans/strata/", plans.StrataPlanView.as_view(), name="api-plan-strata"),
    path("plans/agreement/", plans.AgreementPlanView.as_view(), name="api-plan-agreement"),
    path("plans/comparison/", plans.ComparisonPlanView.as_view(), name="api-plan-comparison"),
    path("plans/proportion/", plans.ProportionPlanView.as_view(), name="api-plan-proportion"),
    path("analyses/", analyses.AnalysesView.as_view(), name="api-analyses"),
    path("releases/<slug:name>/analyses/", analyses.StoredAnalysesView.as_view(), name="api-stored-analyses"),
    path("releases/<slug:name>/audit-plan/", plans.AuditPlanView.as_view(), name="api-audit-plan"),
    path("releases/<slug:name>/audits/", plans.AuditDrawView.as_view(), name="api-audits"),
    path(
        "releases/<slug:name>/exclusions/",
        exclusions.ExclusionsView.as_view(),
        name="api-exclusions",
    ),
    path("releases/<slug:name>/records/", records.RecordsView.as_view(), name="api-records"),
    path(
        "releases/<slug:name>/records/<slug:record>/<int:version>/withdraw/",
        records.WithdrawRecordView.as_view(),
        name="api-withdraw-record",
    ),
    path("releases/<slug:name>/score/", scores.ScoreView.as_view(), name="api-score"),
    path("releases/<slug:name>/cases/<path:key>/", cases.CaseView.as_view(), name="api-case"),
    path("releases/<slug:name>/conditions/", conditions.ConditionsView.as_view(), name="api-conditions"),
    path("releases/<slug:name>/comparison/", scores.ComparisonView.as_view(), name="api-comparison"),
    path("releases/<slug:name>/pairs/", scores.PairsView.as_view(), name="api-pairs"),
    path("releases/<slug:name>/judge-audit/", scores.JudgeAuditView.as_view(), name="api-judge-audit"),
    path("releases/<slug:name>/judges/", judges.JudgePairView.as_view(), name="api-judge-pair"),
    path("releases/<slug:name>/judge-matrix/", judges.JudgeMatrixView.as_view(), name="api-judge-matrix"),
    path("releases/<slug:name>/comments/", comments.CommentsView.as_view(), name="api-comments"),
    path("releases/<slug:name>/labels/", scores.LabelsView.as_view(), name="api-labels"),
    path("status/", StatusView.as_view(), name="api-status"),
    path("history/", history.HistoryView.as_view(), name="api-history"),
    path("published/", published.PublishedListView.as_view(), name="api-published-list"),
    path("published/<slug:protocol>/", published.PublishedView.as_view(), name="api-published"),
    path(
        "releases/<slug:name>/construction-audit/",
        construction.ConstructionAuditView.as_view(),
        name="api-construction-audit",
    ),
    path(
        "releases/<slug:name>/external-scores/",
        external.ExternalScoresView.as_view(),
        name="api-external-scores",
    ),
    path("releases/<slug:name>/leak-flags/", construction.LeakFlagsView.as_view(), name="api-leak-flags"),
    path(
        "releases/<slug:name>/construction-audit/raters/",
        construction.ConstructionRatersView.as_view(),
        name="api-construction-raters",
    ),
    path("releases/<slug:name>/sources/", construction.SourcesView.as_view(), name="api-sources"),
    path("artifacts/compare/", artifacts.ArtifactComparisonView.as_view(), name="api-artifacts-compare"),
    path("releases/<slug:name>/artifacts/", scores.ArtifactsView.as_view(), name="api-artifacts"),
    path("releases/<slug:name>/artifacts/<slug:sha256>/", scores.ArtifactView.as_view(), name="api-artifact"),
    path(
        "campaigns/<slug:slug>/verdicts/",
        campaigns.CampaignVerdictsView.as_view(),
        name="api-campaign-verdicts",
    ),
    path(
        "campaigns/<slug:slug>/calibration-agreement/",
        campaigns.CalibrationAgreementView.as_view(),
        name="api-calibration-agreement",
    ),
    path("campaigns/<slug:slug>/results/", campaigns.CampaignResultsView.as_view(), name="api-results"),
    path(
        "campaigns/<slug:slug>/questions/<slug:question>/",
        campaigns.ReliabilityView.as_view(),
        name="api-question",
    ),
    path("campaigns/<slug:slug>/blinding/", campaigns.BlindingView.as_view(), name="api-blinding"),
    path("campaigns/<slug:slug>/monitoring/", campaigns.MonitoringView.as_view(), name="api-monitoring"),
    path("releases/<slug:name>/reports/", printing.ReportsView.as_view(), name="api-reports"),
    path("reports/<int:pk>/", printing.ReportView.as_view(), name="api-report"),
    path("reports/<int:pk>/file/", printing.ReportFileView.as_view(), name="api-report-file"),
    path("reports/<int:pk>/cancel/", printing.ReportCancelView.as_view(), name="api-report-cancel"),
    path("reports/<int:pk>/retry/", printing.ReportRetryView.as_view(), name="api-report-retry"),
]
