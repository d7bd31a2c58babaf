"""What log lines never hold: addresses of people, and links or tokens that open something."""

import logging
import re

from pythonjsonlogger.json import JsonFormatter

_HIDDEN = (
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "[address]"),
    (re.compile(r"(/join/)[^/\s\"']+"), r"\1[token]"),
    (re.compile(r"(/password/reset/key/)[^/\s\"']+"), r"\1[token]"),
    (re.compile(r"(\bBearer\s+)\S+", re.IGNORECASE), r"\1[token]"),
)


def without_identities(text: str) -> str:
    """The text with addresses and secrets of links replaced by what they were."""
    for pattern, word in _HIDDEN:
        text = pattern.sub(word, text)
    return text


class Plain(logging.Formatter):
    """A line for people. The finished line is cleaned, so that a traceback's last words are clean as well."""

    def format(self, record: logging.LogRecord) -> str:
        return without_identities(super().format(record))


class Json(JsonFormatter):
    """One JSON object a line for collectors: time, level, logger, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        return without_identities(super().format(record))
