"""Browsers on which somebody has signed in before: guesses from elsewhere do not lock them out.

A signed cookie names the account and the browser. With it, failures count by browser; without it by network address and
by account. So a whole institute behind one address, or a person whose account is under attack, can still sign in from
known browsers.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "known-device"
_SALT = "accounts.known-device"
_DAYS = 180


def known_device(request: HttpRequest, address: str) -> str:
    """The name of this browser if somebody signed in to the account with this address on it; else ""."""
    try:
        known = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_DAYS * 86400)
    except signing.BadSignature:
        return ""
    return str(known["device"]) if known["account"] == _account(address) else ""


def _account(address: str) -> str:
    """Names the account without telling other users of the browser whose it is."""
    return salted_hmac(_SALT, address, algorithm="sha256").hexdigest()


def remember_device(response: HttpResponse, address: str) -> None:
    """Name this browser, after a sign-in to the account with this address."""
    known = {"account": _account(address), "device": secrets.token_urlsafe(16)}
    response.set_cookie(
        COOKIE,
        signing.dumps(known, salt=_SALT),
        max_age=_DAYS * 86400,
        secure=settings.SECURE_COOKIES,
        httponly=True,
        samesite="Lax",
    )
