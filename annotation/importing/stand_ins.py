"""People who are known by the name in a label table only: inactive users who carry that name."""

import hashlib
import unicodedata
from collections.abc import Iterable

from accounts.models import User
from stats.tables.names import same_name

IMPORTED_DOMAIN = "imported.invalid"


def raters_named(names: Iterable[str]) -> dict[str, User]:
    """The user of every name, made where there is none. A name that was stored decomposed is the same one."""
    wanted = sorted(set(names))
    spelt = {*wanted, *(unicodedata.normalize("NFD", name) for name in wanted)}
    known = {same_name(user.rater): user for user in User.objects.filter(rater__in=spelt)}
    return {name: known.get(name) or stand_in(name) for name in wanted}


def stand_in(name: str) -> User:
    """An inactive user without a usable password, who only carries the name."""
    existing = User.objects.filter(rater=name).first()
    email = f"{hashlib.sha256(name.encode()).hexdigest()[:16]}@{IMPORTED_DOMAIN}"  # can never receive any
    return existing or User.objects.create_user(email, None, name=name[:200], rater=name, is_active=False)
