"""REST endpoints of search."""

from django.urls import path

from search.searching import api
from search.slogans import api as slogans

urlpatterns = [
    path("slogan-runs/", slogans.SloganRunList.as_view(), name="api-slogan-runs"),
    path("slogan-runs/estimate/", slogans.SloganEstimate.as_view(), name="api-slogan-estimate"),
    path("slogan-runs/<int:pk>/steer/", slogans.SloganRunSteer.as_view(), name="api-slogan-run-steer"),
    path("search/", api.SearchView.as_view(), name="api-search"),
    path("search/similar/", api.SimilarView.as_view(), name="api-search-similar"),
    path("search/feedback/", api.FeedbackView.as_view(), name="api-search-feedback"),
    path("corpora/", api.CorporaView.as_view(), name="api-corpora"),
    path("corpora/<slug:corpus>/indexes/", api.IndexesView.as_view(), name="api-indexes"),
    path("corpora/<slug:corpus>/documents/", api.DocumentsView.as_view(), name="api-documents"),
    path("corpora/<slug:corpus>/statements/<path:key>/", api.StatementView.as_view(), name="api-statement"),
]
