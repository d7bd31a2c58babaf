"""manage.py api METHOD PATH [--data JSON|@FILE|-] [--text NAME=FILE] [--file NAME=FILE] [--as EMAIL]"""

import json
import logging
import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import unquote_to_bytes, urlencode, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.people.queries import member_at_the_console
from accounts.refusal import Refused
from accounts.rest.auth import CONSOLE_MEMBER

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Command(TouchstoneCommand):
    help = (
        "Answer a REST request without a server, by the same middleware, permissions and actions as over HTTP. "
        "JSON is printed indented, a file byte for byte."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("method", metavar="METHOD", type=str.upper, choices=METHODS)
        parser.add_argument("path", metavar="PATH", help="under /api/v1/, such as releases/NAME/score/")
        parser.add_argument(
            "--data",
            metavar="JSON",
            help="the body, or the parameters of a GET; @FILE reads a file, - standard input",
        )
        parser.add_argument(
            "--text", action="append", default=[], metavar="NAME=FILE", help="a field: the text of a file"
        )
        parser.add_argument(
            "--file", action="append", default=[], metavar="NAME=FILE", help="a field: a file to upload"
        )
        parser.add_argument(
            "--as", dest="email", default="", metavar="EMAIL", help="who asks; default: the only active owner"
        )
        parser.add_argument("--idempotency-key", metavar="KEY", help="sent again, the first reply returns")

    def run(self, **options: Any) -> None:
        member = member_at_the_console(options["email"])
        with TemporaryFile() as body:  # on disk: the file of a release can be larger than memory
            query, content_type = _write(body, options)
            address, _, asked = options["path"].removeprefix(settings.SITE_URL).partition("?")
            address = address.lstrip("/")
            path = f"/{address}" if address.startswith("api/") else f"/api/v1/{address}"
            added = urlencode({name: _plain(value) for name, value in query.items()}, errors="replace")
            site = urlsplit(settings.SITE_URL)
            # What a server would say about the request (PEP 3333). The site's own address goes into links of the
            # answer; texts of WSGI are bytes read as Latin-1.
            environ = {
                "REQUEST_METHOD": options["method"],
                "SCRIPT_NAME": "",
                "PATH_INFO": unquote_to_bytes(os.fsencode(path)).decode("latin-1"),
                "QUERY_STRING": os.fsencode("&".join(filter(None, [asked, added]))).decode("latin-1"),
                "SERVER_NAME": site.hostname or "localhost",
                "SERVER_PORT": str(site.port or {"https": 443}.get(site.scheme, 80)),
                "SERVER_PROTOCOL": "HTTP/1.1",
                "HTTP_HOST": site.netloc,
                "HTTP_ACCEPT": "*/*",
                "REMOTE_ADDR": "127.0.0.1",
                "wsgi.version": (1, 0),
                # Nothing travels, so a site that redirects to HTTPS answers at once.
                "wsgi.url_scheme": "https" if settings.SECURE_SSL_REDIRECT else site.scheme,
                "wsgi.errors": sys.stderr,
                "wsgi.multithread": False,
                "wsgi.multiprocess": False,
                "wsgi.run_once": True,
                "CONTENT_TYPE": content_type,
                "CONTENT_LENGTH": str(body.seek(0, os.SEEK_END)),
                "wsgi.input": body,
                CONSOLE_MEMBER: member,
            }
            if options["idempotency_key"] is not None:
                environ["HTTP_IDEMPOTENCY_KEY"] = options["idempotency_key"]
            body.seek(0)
            # Django warns of every refusal in the log, which goes to standard error as its reason does.
            log = logging.getLogger("django.request")
            level = log.level
            log.setLevel(logging.ERROR)
            try:
                self._answer(environ)
            finally:
                log.setLevel(level)

    def _answer(self, environ: dict[str, object]) -> None:
        """Print what the site answers; raise Refused for everything but success."""
        head: dict[str, str] = {}

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            head.update(headers, status=status)

        with closing(WSGIHandler()(environ, start_response)) as answer:
            is_json = head.get("Content-Type", "").startswith("application/json")
            if not head["status"].startswith("2"):
                # The refusal of docs/rest.md that the site sent, or the bare status where it sent a page.
                sent = json.loads(b"".join(answer)) if is_json else {}
                problems = sent.get("problems", {})
                if len(problems) > 1:
                    listed = (f"{field}: {why}" if field else why for field, why in problems.items())
                    raise Refused("; ".join(listed), code=sent["code"])
                if "reason" in sent:
                    place = {name: sent[name] for name in ("code", "line", "field") if name in sent}
                    raise Refused(sent["reason"], **place)
                status, location = head["status"], head.get("Location", "")
                raise Refused(f"{status}: {location}" if location else status, code="no_answer")
            if is_json and "Content-Disposition" not in head:
                document = json.loads(b"".join(answer))
                self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
            else:
                out: Any = self.stdout  # the stubs do not say what it wraps
                for chunk in answer:
                    out.buffer.write(chunk)
                out.flush()


def _write(body: IO[bytes], options: Mapping[str, Any]) -> tuple[dict[str, object], str]:
    """Write the request's body; returns what is added to the query, and the body's content type."""
    argument = options["data"] or ""
    if argument == "-":
        data = sys.stdin.buffer.read()
    else:
        data = _read(argument[1:]) if argument.startswith("@") else os.fsencode(argument)
    given: dict[str, list[tuple[str, str]]] = {"text": [], "file": []}
    for option, pairs in given.items():
        for named in options[option]:
            name, _, path = named.partition("=")
            if not (name and path):
                raise CommandError(f"{named!r} is not NAME=FILE", returncode=2)
            pairs.append((name, path))
    texts, files = given["text"], given["file"]
    if options["method"] != "GET" and not texts and not files:
        body.write(data)
        return {}, "application/json"
    try:
        fields = json.loads(data or b"{}")
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--data is not JSON: {error}", returncode=2) from error
    if not isinstance(fields, dict):
        raise CommandError("--data must be a JSON object here", returncode=2)
    for name, path in texts:
        try:
            fields[name] = _read(path).decode()
        except UnicodeDecodeError as error:
            raise Refused(f"{path} is not UTF-8: {error}.", code="no_text") from error
    if options["method"] == "GET":
        if files:
            raise CommandError("GET uploads no file; give the parameter's text with --text", returncode=2)
        return fields, ""
    if not files:
        body.write(json.dumps(fields).encode())
        return {}, "application/json"
    # A form with files as a browser sends it (RFC 7578); each entry of a list is a field of its own.
    boundary = secrets.token_hex(16)
    for name, sent in fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n'
        for value in sent if isinstance(sent, list) else [sent]:
            body.write(f"{head}{_plain(value)}\r\n".encode(errors="replace"))
    for name, path in files:
        terms = f'form-data; name="{_quoted(name)}"; filename="{_quoted(Path(path).name)}"'
        head = (
            f"--{boundary}\r\nContent-Disposition: {terms}\r\nContent-Type: application/octet-stream\r\n\r\n"
        )
        body.write(head.encode(errors="replace"))
        try:
            with Path(path).open("rb") as file:
                shutil.copyfileobj(file, body)
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}.", code="no_file") from error
        body.write(b"\r\n")
    body.write(f"--{boundary}--\r\n".encode())
    return {}, f"multipart/form-data; boundary={boundary}"


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", code="no_file") from error


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _plain(value: object) -> str:
    """A field of JSON as forms and addresses carry it."""
    return value if isinstance(value, str) else json.dumps(value)
