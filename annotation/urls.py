"""Pages of this app."""

from django.urls import URLPattern, path

from annotation.adjudication import views as adjudication
from annotation.calibration import views as calibration
from annotation.campaigns import setup_views as setup
from annotation.campaigns import views as campaigns
from annotation.comments import views as bank
from annotation.conflicts import views as conflicts
from annotation.grading import file_views as item_files
from annotation.grading import views as reviewer
from annotation.guessing import views as guessing
from annotation.quarantine import views as quarantine
from annotation.reveal import views as verdict
from annotation.rubrics import views as rubrics
from annotation.training import views as training

urlpatterns: list[URLPattern] = [
    path("", reviewer.queue, name="queue"),
    path("next/", reviewer.grade_next, name="grade-next"),
    path("own-data/", reviewer.download_own_data, name="own-data"),
    path("signed-in/", reviewer.signed_in, name="signed-in"),
    path("finished/", reviewer.finished, name="finished"),
    path("items/<str:handle>/", reviewer.grade, name="grade"),
    path("items/<str:handle>/submitted/", reviewer.submitted, name="submitted"),
    path("items/<str:handle>/reopen/", reviewer.reopen, name="reopen"),
    path("items/<str:handle>/files/<int:number>/", item_files.item_file, name="item-file"),
    path("items/<str:handle>/files/<int:number>/marks/", item_files.read_marks, name="item-file-marks"),
    path(
        "items/<str:handle>/files/<int:number>/commented/", item_files.commented, name="item-file-commented"
    ),
    path("items/<str:handle>/out-of-field/", reviewer.out_of_field, name="out-of-field"),
    path("comments/", bank.comment_bank, name="comment-bank"),
    path("comments/<int:pk>/", bank.saved_comment, name="saved-comment"),
    path("comments/<int:pk>/delete/", bank.delete, name="saved-comment-delete"),
    path("comments/<int:pk>/propose/", bank.propose, name="saved-comment-propose"),
    path("campaigns/<slug:slug>/comments/", bank.shared_comments, name="shared-comments"),
    path("campaigns/<slug:slug>/comments/<int:pk>/", bank.decide_shared, name="shared-comment-decide"),
    path("campaigns/<slug:slug>/ways-out/", campaigns.ways, name="ways-out"),
    path("rubrics/", rubrics.rubrics, name="rubrics"),
    path("rubrics/<slug:protocol>/<slug:label>.toml", rubrics.rubric_file, name="rubric-file"),
    path("forms/new/<slug:protocol>/", rubrics.start, name="form-start"),
    path("forms/<int:pk>/", rubrics.editor, name="form-editor"),
    path("forms/<int:pk>/compare/<slug:label>/", rubrics.compare, name="form-compare"),
    path("forms/<int:pk>/preview/", rubrics.preview, name="form-preview"),
    path("forms/<int:pk>/publish/", rubrics.publish, name="form-publish"),
    path("forms/<int:pk>/discard/", rubrics.discard, name="form-discard"),
    path("conflicts/", conflicts.declared, name="conflicts"),
    path("conflicts/<int:pk>/", conflicts.conflict, name="conflict"),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("items/<str:handle>/guess/", guessing.guess, name="guess"),
    path("items/<str:handle>/guess/skip/", guessing.skip, name="guess-skip"),
    path("items/<str:handle>/verdict/", verdict.verdict, name="verdict"),
    path("items/<str:handle>/verdict/amend/", verdict.amend, name="verdict-amend"),
    path("discussions/<str:handle>/", calibration.discussion_page, name="discussion"),
    path("discussions/<str:handle>/again/", calibration.again, name="answer-again"),
    path("campaigns/<slug:slug>/calibration/", calibration.rounds, name="calibration"),
    path("training/<slug:slug>/", training.training, name="training"),
    path("training/<slug:slug>/skip/", training.training_skip, name="training-skip"),
    path("training/<slug:slug>/<int:number>/", training.training_item, name="training-item"),
    path("training/<slug:slug>/<int:number>/files/<int:file>/", training.training_file, name="training-file"),
    path("campaigns/<slug:slug>/training/", training.campaign_training, name="campaign-training"),
    path("campaigns/new/", setup.campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/setup/", setup.resume, name="campaign-setup"),
    path("campaigns/<slug:slug>/setup/<slug:step>/", setup.step, name="campaign-setup-step"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/terms/", campaigns.while_open, name="campaign-terms"),
    path("campaigns/<slug:slug>/assign/", campaigns.assign, name="campaign-assign"),
    path("campaigns/<slug:slug>/by-hand/", campaigns.by_hand, name="campaign-by-hand"),
    path("campaigns/<slug:slug>/close/", campaigns.close, name="campaign-close"),
    path("campaigns/<slug:slug>/places/<int:pk>/release/", campaigns.release, name="release-assignment"),
    path("campaigns/<slug:slug>/remind/", campaigns.remind, name="campaign-remind"),
    path("campaigns/<slug:slug>/release-late/", campaigns.release_late, name="campaign-release-late"),
    path("campaigns/<slug:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path("campaigns/<slug:slug>/adjudication/<slug:name>/", adjudication.adjudicate, name="adjudicate"),
    path(
        "campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/",
        adjudication.item_file,
        name="adjudicate-file",
    ),
    path(
        "campaigns/<slug:slug>/adjudication/<slug:name>/files/<int:number>/commented/",
        adjudication.commented,
        name="adjudicate-file-commented",
    ),
    path("campaigns/<slug:slug>/unblinding/", adjudication.unblinding, name="unblinding"),
    path("quarantine/<slug:name>/", quarantine.quarantine, name="quarantine"),
    path("quarantine/<slug:name>/scan/", quarantine.scan, name="quarantine-scan"),
    path("quarantine/<slug:name>/words/", quarantine.word_add, name="quarantine-word-add"),
    path(
        "quarantine/<slug:name>/words/<int:pk>/remove/", quarantine.word_remove, name="quarantine-word-remove"
    ),
    path("quarantine/<slug:name>/redact/", quarantine.redact_all, name="quarantine-redact"),
    path("quarantine/<slug:name>/outputs/<int:pk>/", quarantine.decide, name="quarantine-decide"),
]
