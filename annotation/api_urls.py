"""REST endpoints of this app."""

from django.urls import URLPattern, path

from annotation.adjudication import api as api_adjudication
from annotation.calibration import api as api_calibration
from annotation.campaigns import api as api_campaigns
from annotation.comments import api as api_bank
from annotation.conflicts import api as api_conflicts
from annotation.grading import api
from annotation.grading import ways_out_api as api_ways_out
from annotation.guessing import api as api_guessing
from annotation.quarantine import api as api_quarantine
from annotation.reveal import api as api_verdict
from annotation.rubrics import api as api_rubrics
from annotation.training import api as api_training

urlpatterns: list[URLPattern] = [
    path("queue/", api.QueueView.as_view(), name="api-queue"),
    path("assignments/<str:handle>/", api.AssignmentView.as_view(), name="api-assignment"),
    path("assignments/<str:handle>/reopen/", api.ReopenView.as_view(), name="api-reopen"),
    path("assignments/<str:handle>/out-of-field/", api.OutOfFieldView.as_view(), name="api-out-of-field"),
    path("assignments/<str:handle>/guess/", api_guessing.GuessView.as_view(), name="api-guess"),
    path("campaigns/<slug:slug>/guesses/", api_guessing.AskForGuessesView.as_view(), name="api-guess-ask"),
    path("comment-bank/", api_bank.CommentBankView.as_view(), name="api-comment-bank"),
    path("comment-bank/<int:pk>/", api_bank.SavedCommentView.as_view(), name="api-saved-comment"),
    path("comment-bank/<int:pk>/propose/", api_bank.ProposeCommentView.as_view(), name="api-propose-comment"),
    path(
        "campaigns/<slug:slug>/comments/", api_bank.SharedCommentsView.as_view(), name="api-shared-comments"
    ),
    path(
        "campaigns/<slug:slug>/comments/<int:pk>/",
        api_bank.ShareDecisionView.as_view(),
        name="api-shared-comment-decide",
    ),
    path("assignments/<str:handle>/verdict/", api_verdict.VerdictView.as_view(), name="api-verdict"),
    path(
        "assignments/<str:handle>/verdict/amend/",
        api_verdict.AmendView.as_view(),
        name="api-verdict-amend",
    ),
    path("discussions/<str:handle>/", api_calibration.DiscussionView.as_view(), name="api-discussion"),
    path("discussions/<str:handle>/again/", api_calibration.AgainView.as_view(), name="api-answer-again"),
    path(
        "campaigns/<slug:slug>/calibration/",
        api_calibration.CalibrationView.as_view(),
        name="api-calibration",
    ),
    path("training/<slug:slug>/", api_training.OwnTrainingView.as_view(), name="api-training"),
    path("training/<slug:slug>/skip/", api_training.TrainingSkipView.as_view(), name="api-training-skip"),
    path(
        "training/<slug:slug>/<int:number>/",
        api_training.TrainingItemView.as_view(),
        name="api-training-item",
    ),
    path(
        "campaigns/<slug:slug>/training/",
        api_training.CampaignTrainingView.as_view(),
        name="api-campaign-training",
    ),
    path("campaigns/<slug:slug>/ways-out/", api_ways_out.WaysOutView.as_view(), name="api-ways-out"),
    path("rubrics/<slug:protocol>/", api_rubrics.RubricsView.as_view(), name="api-rubrics"),
    path("rubrics/<slug:protocol>/<slug:label>/", api_rubrics.RubricView.as_view(), name="api-rubric"),
    path(
        "rubric-drafts/of/<slug:protocol>/", api_rubrics.RubricDraftsView.as_view(), name="api-rubric-drafts"
    ),
    path("rubric-drafts/<int:pk>/", api_rubrics.RubricDraftView.as_view(), name="api-rubric-draft"),
    path(
        "rubric-drafts/<int:pk>/publish/", api_rubrics.RubricPublishView.as_view(), name="api-rubric-publish"
    ),
    path("conflicts/", api_conflicts.ConflictsDeclaredView.as_view(), name="api-conflicts"),
    path(
        "conflicts/<int:pk>/decision/",
        api_conflicts.ConflictDecisionView.as_view(),
        name="api-conflict-decide",
    ),
    path("conflicts/<int:pk>/apply/", api_conflicts.ConflictApplyView.as_view(), name="api-conflict-apply"),
    path("campaigns/", api_campaigns.CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", api_campaigns.CampaignView.as_view(), name="api-campaign"),
    path("campaigns/<slug:slug>/progress/", api_campaigns.ProgressView.as_view(), name="api-progress"),
    path("campaigns/<slug:slug>/draw/", api_campaigns.DrawView.as_view(), name="api-draw"),
    path("campaigns/<slug:slug>/draw-pairs/", api_campaigns.DrawPairsView.as_view(), name="api-draw-pairs"),
    path("campaigns/<slug:slug>/plan/", api_campaigns.PlanView.as_view(), name="api-plan"),
    path("campaigns/<slug:slug>/assign/", api_campaigns.AssignView.as_view(), name="api-assign"),
    path("campaigns/<slug:slug>/open/", api_campaigns.OpenView.as_view(), name="api-open"),
    path("campaigns/<slug:slug>/close/", api_campaigns.CloseView.as_view(), name="api-close"),
    path("campaigns/<slug:slug>/waiting/", api_campaigns.WaitingView.as_view(), name="api-waiting"),
    path(
        "campaigns/<slug:slug>/assignments/<int:pk>/release/",
        api_campaigns.ReleaseAssignmentView.as_view(),
        name="api-release-assignment",
    ),
    path("campaigns/<slug:slug>/remind/", api_campaigns.RemindView.as_view(), name="api-remind"),
    path(
        "campaigns/<slug:slug>/release-late/",
        api_campaigns.ReleaseLateView.as_view(),
        name="api-release-late",
    ),
    path(
        "campaigns/<slug:slug>/adjudication/",
        api_adjudication.AdjudicationView.as_view(),
        name="api-adjudication",
    ),
    path(
        "campaigns/<slug:slug>/adjudication/<slug:name>/",
        api_adjudication.AdjudicatedItemView.as_view(),
        name="api-adjudicate",
    ),
    path(
        "campaigns/<slug:slug>/unblinding/",
        api_adjudication.UnblindingView.as_view(),
        name="api-unblinding",
    ),
    path("releases/<slug:name>/quarantine/", api_quarantine.QuarantineView.as_view(), name="api-quarantine"),
    path(
        "releases/<slug:name>/quarantine/scan/", api_quarantine.ScanView.as_view(), name="api-quarantine-scan"
    ),
    path(
        "releases/<slug:name>/quarantine/words/",
        api_quarantine.WordsView.as_view(),
        name="api-quarantine-words",
    ),
    path(
        "releases/<slug:name>/quarantine/words/<int:pk>/",
        api_quarantine.WordView.as_view(),
        name="api-quarantine-word",
    ),
    path(
        "releases/<slug:name>/quarantine/redact/",
        api_quarantine.RedactAllView.as_view(),
        name="api-quarantine-redact",
    ),
    path(
        "releases/<slug:name>/quarantine/<int:pk>/",
        api_quarantine.DecisionView.as_view(),
        name="api-quarantine-decide",
    ),
]
