"""Pages of this app."""

from django.urls import URLPattern, path

from annotation.views import adjudication, bank, campaigns, guessing, quarantine, reviewer

urlpatterns: list[URLPattern] = [
    path("", reviewer.queue, name="queue"),
    path("next/", reviewer.grade_next, name="grade-next"),
    path("own-data/", reviewer.download_own_data, name="own-data"),
    path("signed-in/", reviewer.signed_in, name="signed-in"),
    path("finished/", reviewer.finished, name="finished"),
    path("items/<str:handle>/", reviewer.grade, name="grade"),
    path("items/<str:handle>/submitted/", reviewer.submitted, name="submitted"),
    path("items/<str:handle>/reopen/", reviewer.reopen, name="reopen"),
    path("items/<str:handle>/out-of-field/", reviewer.out_of_field, name="out-of-field"),
    path("comments/", bank.comment_bank, name="comment-bank"),
    path("comments/<int:pk>/", bank.saved_comment, name="saved-comment"),
    path("comments/<int:pk>/delete/", bank.delete, name="saved-comment-delete"),
    path("comments/<int:pk>/propose/", bank.propose, name="saved-comment-propose"),
    path("campaigns/<slug:slug>/comments/", bank.shared_comments, name="shared-comments"),
    path("campaigns/<slug:slug>/comments/<int:pk>/", bank.decide_shared, name="shared-comment-decide"),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("items/<str:handle>/guess/", guessing.guess, name="guess"),
    path("items/<str:handle>/guess/skip/", guessing.skip, name="guess-skip"),
    path("campaigns/<slug:slug>/guesses/", guessing.ask, name="guess-ask"),
    path("campaigns/new/", campaigns.campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/draw/", campaigns.draw, name="campaign-draw"),
    path("campaigns/<slug:slug>/assign/", campaigns.assign, name="campaign-assign"),
    path("campaigns/<slug:slug>/open/", campaigns.open_, name="campaign-open"),
    path("campaigns/<slug:slug>/close/", campaigns.close, name="campaign-close"),
    path("campaigns/<slug:slug>/places/<int:pk>/release/", campaigns.release, name="release-assignment"),
    path("campaigns/<slug:slug>/remind/", campaigns.remind, name="campaign-remind"),
    path("campaigns/<slug:slug>/release-late/", campaigns.release_late, name="campaign-release-late"),
    path("campaigns/<slug:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path("campaigns/<slug:slug>/adjudication/<slug:name>/", adjudication.adjudicate, name="adjudicate"),
    path("campaigns/<slug:slug>/unblinding/", adjudication.unblinding, name="unblinding"),
    path("quarantine/<slug:name>/", quarantine.quarantine, name="quarantine"),
    path("quarantine/<slug:name>/scan/", quarantine.scan, name="quarantine-scan"),
    path("quarantine/<slug:name>/redact/", quarantine.redact_all, name="quarantine-redact"),
    path("quarantine/<slug:name>/outputs/<int:pk>/", quarantine.decide, name="quarantine-decide"),
]
