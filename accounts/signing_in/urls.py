"""The pages of django-allauth that this site has; email management, sign-up and social login are left out."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.urls import URLPattern, path, re_path

from accounts.signing_in.views import SignInView, closed

urlpatterns: list[URLPattern] = [
    path("login/", SignInView.as_view(), name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", closed, name="account_signup"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", account.password_change, name="account_change_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("second-factor/", mfa.index, name="mfa_index"),
    path("second-factor/authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("second-factor/reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("second-factor/app/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("second-factor/app/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("second-factor/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "second-factor/codes/new/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "second-factor/codes/download/",
        recovery_codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
