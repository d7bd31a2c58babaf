"""All addresses of the site."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from config.views import health, home, metrics, ready
from search.mcp.views import McpView

urlpatterns = [
    path("", home, name="home"),
    path("health/", health, name="health"),
    path("ready/", ready, name="ready"),
    path("metrics/", metrics, name="metrics"),
    path("accounts/", include("accounts.signing_in.urls")),
    path("", include("accounts.urls")),
    path("studies/", include("reports.hub.urls")),
    path("releases/", include("benchmark.urls")),
    path("imports/", include("benchmark.importing.urls")),
    path("grading/", include("annotation.urls")),
    path("judges/", include("judging.urls")),
    path("solving/", include("solving.urls")),
    path("search/", include("search.urls")),
    path("construction/", include("construction.urls")),
    path("mcp", McpView.as_view(), name="mcp"),
    path("reports/", include("reports.urls")),
    path("records/", include("reports.records.urls")),
    path("analyse/", include("reports.analysing.urls")),
    path("status/", include("reports.status.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/v1/", include("config.api_urls")),
]
handler404 = "config.views.not_found"
handler429 = "config.views.too_many_attempts"  # django-allauth asks for it
handler500 = "config.views.server_error"
