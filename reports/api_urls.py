"""REST endpoints of this app."""

from django.urls import URLPattern, path

from reports.analysing import api as analyses
from reports.artifact import api as api_artifacts
from reports.campaign import api as api_campaigns
from reports.campaign import blinding_api as api_blinding
from reports.cases import api as api_cases
from reports.conditions import api as api_conditions
from reports.construction import api as api_construction
from reports.construction import leak_flags_api as api_leak_flags
from reports.exclusions import api as api_exclusions
from reports.external import api as api_external
from reports.history import api as api_history
from reports.judges import api as api_judges
from reports.planning import api as api_plans
from reports.printing import api as api_reports
from reports.published import api as api_published
from reports.scores import api
from reports.status.api import StatusView

urlpatterns: list[URLPattern] = [
    path("plans/strata/", api_plans.StrataPlanView.as_view(), name="api-plan-strata"),
    path("plans/agreement/", api_plans.AgreementPlanView.as_view(), name="api-plan-agreement"),
    path("plans/comparison/", api_plans.ComparisonPlanView.as_view(), name="api-plan-comparison"),
    path("plans/proportion/", api_plans.ProportionPlanView.as_view(), name="api-plan-proportion"),
    path("analyses/", analyses.AnalysesView.as_view(), name="api-analyses"),
    path("releases/<slug:name>/analyses/", analyses.StoredAnalysesView.as_view(), name="api-stored-analyses"),
    path("releases/<slug:name>/audit-plan/", api_plans.AuditPlanView.as_view(), name="api-audit-plan"),
    path("releases/<slug:name>/audits/", api_plans.AuditDrawView.as_view(), name="api-audits"),
    path(
        "releases/<slug:name>/exclusions/",
        api_exclusions.ExclusionsView.as_view(),
        name="api-exclusions",
    ),
    path("releases/<slug:name>/score/", api.ScoreView.as_view(), name="api-score"),
    path("releases/<slug:name>/cases/<path:key>/", api_cases.CaseView.as_view(), name="api-case"),
    path("releases/<slug:name>/conditions/", api_conditions.ConditionsView.as_view(), name="api-conditions"),
    path("releases/<slug:name>/comparison/", api.ComparisonView.as_view(), name="api-comparison"),
    path("releases/<slug:name>/pairs/", api.PairsView.as_view(), name="api-pairs"),
    path("releases/<slug:name>/judge-audit/", api.JudgeAuditView.as_view(), name="api-judge-audit"),
    path("releases/<slug:name>/judges/", api_judges.JudgePairView.as_view(), name="api-judge-pair"),
    path("releases/<slug:name>/judge-matrix/", api_judges.JudgeMatrixView.as_view(), name="api-judge-matrix"),
    path("releases/<slug:name>/labels/", api.LabelsView.as_view(), name="api-labels"),
    path("status/", StatusView.as_view(), name="api-status"),
    path("history/", api_history.HistoryView.as_view(), name="api-history"),
    path("published/", api_published.PublishedListView.as_view(), name="api-published-list"),
    path("published/<slug:protocol>/", api_published.PublishedView.as_view(), name="api-published"),
    path(
        "releases/<slug:name>/construction-audit/",
        api_construction.ConstructionAuditView.as_view(),
        name="api-construction-audit",
    ),
    path(
        "releases/<slug:name>/external-scores/",
        api_external.ExternalScoresView.as_view(),
        name="api-external-scores",
    ),
    path("releases/<slug:name>/leak-flags/", api_leak_flags.LeakFlagsView.as_view(), name="api-leak-flags"),
    path(
        "releases/<slug:name>/construction-audit/raters/",
        api_construction.ConstructionRatersView.as_view(),
        name="api-construction-raters",
    ),
    path("releases/<slug:name>/sources/", api_construction.SourcesView.as_view(), name="api-sources"),
    path("artifacts/compare/", api_artifacts.ComparisonView.as_view(), name="api-artifacts-compare"),
    path("releases/<slug:name>/artifacts/", api.ArtifactsView.as_view(), name="api-artifacts"),
    path("releases/<slug:name>/artifacts/<slug:sha256>/", api.ArtifactView.as_view(), name="api-artifact"),
    path(
        "campaigns/<slug:slug>/verdicts/",
        api_campaigns.CampaignVerdictsView.as_view(),
        name="api-campaign-verdicts",
    ),
    path(
        "campaigns/<slug:slug>/calibration-agreement/",
        api_campaigns.CalibrationAgreementView.as_view(),
        name="api-calibration-agreement",
    ),
    path("campaigns/<slug:slug>/results/", api_campaigns.CampaignResultsView.as_view(), name="api-results"),
    path(
        "campaigns/<slug:slug>/questions/<slug:question>/",
        api_campaigns.QuestionView.as_view(),
        name="api-question",
    ),
    path("campaigns/<slug:slug>/blinding/", api_blinding.BlindingView.as_view(), name="api-blinding"),
    path("campaigns/<slug:slug>/monitoring/", api_campaigns.MonitoringView.as_view(), name="api-monitoring"),
    path("releases/<slug:name>/reports/", api_reports.ReportsView.as_view(), name="api-reports"),
    path("reports/<int:pk>/", api_reports.ReportView.as_view(), name="api-report"),
    path("reports/<int:pk>/file/", api_reports.ReportFileView.as_view(), name="api-report-file"),
    path("reports/<int:pk>/cancel/", api_reports.ReportCancelView.as_view(), name="api-report-cancel"),
    path("reports/<int:pk>/retry/", api_reports.ReportRetryView.as_view(), name="api-report-retry"),
]
