"""What the name of a file says about the paper in it. Pure."""

import re
from pathlib import PurePosixPath

_ENDINGS = re.compile(r"(?:\.(?:tar|tgz|gz|zip|tex|ltx|latex|pdf|ps|bz2|xz))+$", re.IGNORECASE)
# arXiv's names since April 2007, and before: 2203.02043v2, math0601001v1, math.AG_0601001
_ARXIV = re.compile(
    r"(?:arxiv[-_.:]?)?(?:(?P<new>\d{4}\.\d{4,5})|(?P<archive>[a-z]{2,10}(?:-[a-z]{2,4})?)(?:\.[a-z]{2})?[-_.]?"
    r"(?P<old>\d{7}))(?P<version>v\d{1,3})?",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?P<key>.+?)[-_.]?(?P<version>v\d{1,3})", re.IGNORECASE)


def key_and_version(name: str) -> tuple[str, str]:
    """The key and the version that a file's name means: ("2203.02043", "v2") for 2203.02043v2.tar.gz.

    An arXiv number of the old form gets its slash: math0601001v1.gz is ("math/0601001", "v1"). Any other name is the
    key itself, without its endings.
    """
    stem = _ENDINGS.sub("", PurePosixPath(name.replace("\\", "/")).name).strip() or "source"
    if found := _ARXIV.fullmatch(stem):
        key = found["new"] or f"{found['archive'].lower()}/{found['old']}"
        return key, (found["version"] or "").lower()
    if (found := _VERSION.fullmatch(stem)) and len(found["key"]) <= 200:
        return found["key"], found["version"].lower()
    return stem[:200], ""
