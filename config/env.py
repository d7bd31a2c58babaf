"""Strict readers of the environment: a value that does not parse stops the start, it is never guessed."""

import os
from collections.abc import Callable
from email.errors import InvalidHeaderDefect
from email.headerregistry import HeaderRegistry
from pathlib import Path
from typing import Any, TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
SMTPS = 465  # there TLS begins with the first byte; a client that waits for a greeting waits until time is up
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def _read(name: str, default: T, parse: Callable[[str], T]) -> T:
    raw = os.environ.get(name, "").strip()
    if not raw:
        return default
    try:
        return parse(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={raw!r}: {error}") from error


def read_text(name: str, default: str = "") -> str:
    """The variable without surrounding blanks, or `default` when unset or empty."""
    return _read(name, default, str)


def read_bool(name: str, default: bool) -> bool:
    """A switch; raises ImproperlyConfigured for anything that is not plainly true or false."""

    def parse(raw: str) -> bool:
        if raw.lower() in _TRUE:
            return True
        if raw.lower() in _FALSE:
            return False
        raise ValueError("expected one of 1, true, yes, on, 0, false, no, off")

    return _read(name, default, parse)


def read_int(name: str, default: int) -> int:
    """A whole number, zero or more; raises ImproperlyConfigured otherwise."""

    def parse(raw: str) -> int:
        if not raw.isdecimal():
            raise ValueError("expected a whole number, zero or more")
        return int(raw)

    return _read(name, default, parse)


def read_sender(name: str, default: str) -> str:
    """Whom mail is from, with or without a name; raises ImproperlyConfigured for what no message could carry."""

    def parse(raw: str) -> str:
        header: Any = HeaderRegistry()("From", raw)
        is_broken = any(isinstance(defect, InvalidHeaderDefect) for defect in header.defects)
        if is_broken or [bool(one.domain) for one in header.addresses] != [True]:
            raise ValueError('expected an address, or a name and an address in <>; a name with a comma in ""')
        return raw

    return _read(name, default, parse)


def read_mail(name: str, default: str) -> dict[str, Any]:
    """How mail is sent, as Django's settings. Errors do not quote the value, which holds a password."""
    try:
        config = dict(environ.Env.email_url_config(read_text(name, default)))
    except (ValueError, ImproperlyConfigured):
        raise ImproperlyConfigured(
            f"{name}: expected an address such as smtp+tls://user:password@host:587. "
            "In user and password, %, /, ? and # are written %25, %2F, %3F and %23."
        ) from None
    if config.get("EMAIL_USE_TLS") and config["EMAIL_PORT"] == SMTPS:
        config |= {"EMAIL_USE_TLS": False, "EMAIL_USE_SSL": True}
    return config


def read_list(name: str, default: list[str]) -> list[str]:
    """Comma-separated words; empty entries are dropped."""
    return _read(name, default, lambda raw: [word.strip() for word in raw.split(",") if word.strip()])


def make_folder(folder: Path, variable: str, mode: int = 0o777) -> None:
    """Make a folder where it is missing; raises ImproperlyConfigured, with the variable that names it or the folder
    around it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
    except OSError as error:
        reason = f"{variable}: {folder} is missing and cannot be made: {error.strerror}."
        raise ImproperlyConfigured(reason) from error
