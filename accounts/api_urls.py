"""REST endpoints of this app."""

from django.urls import URLPattern, path

from accounts.people import api as api_people
from accounts.profile import api
from accounts.rest import schema as api_schema

__all__ = ["api_schema", "urlpatterns"]  # the schema's extensions register on import

urlpatterns: list[URLPattern] = [
    path("me/", api.MeView.as_view()),
    path("me/preferences/", api.PreferencesView.as_view()),
    path("me/expertise/", api.ExpertiseView.as_view()),
    path("me/expertise/<str:domain>/", api.StatedExpertiseView.as_view()),
    path("me/conflicts/", api.ConflictsView.as_view()),
    path("me/conflicts/<slug:kind>/<path:key>/", api.ConflictView.as_view()),
    path("tokens/", api.TokensView.as_view()),
    path("tokens/<int:pk>/", api.TokenView.as_view()),
    path("people/", api_people.PeopleView.as_view()),
    path("people/<int:pk>/", api_people.PersonView.as_view()),
    path("people/<int:pk>/roles/", api_people.RolesView.as_view()),
    path("people/<int:pk>/roles/<slug:role>/", api_people.RoleView.as_view()),
    path("people/<int:pk>/second-factor/", api_people.SecondFactorView.as_view()),
    path("people/<int:pk>/deactivate/", api_people.DeactivateView.as_view()),
    path("people/<int:pk>/reactivate/", api_people.ReactivateView.as_view()),
    path("people/<int:pk>/erase/", api_people.EraseView.as_view()),
    path("invitations/", api_people.InvitationsView.as_view()),
    path("invitations/<int:pk>/", api_people.InvitationView.as_view()),
    path("audit-trail/", api_people.AuditTrailView.as_view()),
]
