"""Pages of this app."""

from django.urls import URLPattern, path

from accounts.people import joining_views as joining
from accounts.people import views as people
from accounts.profile import views as profile

urlpatterns: list[URLPattern] = [
    path("join/<str:token>/", joining.join, name="join"),
    path("profile/", profile.profile, name="profile"),
    path("profile/name/", profile.name, name="profile-name"),
    path("profile/preferences/", profile.preferences, name="profile-preferences"),
    path("profile/erase/", profile.erase, name="profile-erase"),
    path("erased/", profile.erased, name="erased"),
    path("privacy/", profile.privacy, name="privacy"),
    path("profile/expertise/", profile.expertise, name="profile-expertise"),
    path("profile/expertise/remove/", profile.expertise_remove, name="profile-expertise-remove"),
    path("profile/conflicts/", profile.conflict, name="profile-conflict"),
    path("profile/conflicts/withdraw/", profile.conflict_withdraw, name="profile-conflict-withdraw"),
    path("profile/tokens/", profile.token, name="profile-token"),
    path("profile/tokens/<int:pk>/revoke/", profile.token_revoke, name="profile-token-revoke"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/invitations/<int:pk>/withdraw/", people.invitation_withdraw, name="invitation-withdraw"),
    path("people/audit-trail/", people.audit_trail, name="audit-trail"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/roles/grant/", people.role_grant, name="role-grant"),
    path("people/<int:pk>/roles/revoke/", people.role_revoke, name="role-revoke"),
    path("people/<int:pk>/erase/", people.erase, name="person-erase"),
    path("people/<int:pk>/second-factor/remove/", people.second_factor_remove, name="second-factor-remove"),
    path("people/<int:pk>/deactivate/", people.deactivate, name="deactivate"),
    path("people/<int:pk>/reactivate/", people.reactivate, name="reactivate"),
]
