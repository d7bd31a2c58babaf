"""Pages of search."""

from django.urls import path

from search.checks import views as checks
from search.corpora import views as corpora
from search.panel.views import panel
from search.searching import views
from search.slogans import views as slogans

urlpatterns = [
    path("checks/<slug:name>/", checks.checks, name="release-checks"),
    path("checks/<slug:name>/ask/", checks.ask, name="release-check"),
    path("checks/<slug:name>/<int:pk>.csv", checks.download, name="release-check-csv"),
    path("checks/<slug:name>/findings/<int:pk>/", checks.decide_finding, name="decide-finding"),
    path("", views.search_page, name="search"),
    path("panel/<str:handle>/", panel, name="search-panel"),
    path("vote/", views.vote, name="search-vote"),
    path("corpora/", corpora.corpora, name="corpora"),
    path("corpora/<slug:slug>/", corpora.corpus, name="corpus"),
    path("corpora/<slug:slug>/index/", corpora.build, name="corpus-index"),
    path("corpora/<slug:slug>/slogans/", slogans.slogans, name="slogans"),
    path("corpora/<slug:slug>/slogans/<int:pk>/", slogans.slogan_run, name="slogan-run"),
    path("corpora/<slug:corpus>/statements/<path:key>/", views.statement, name="statement"),
]
