"""What clients see of the production: pages with their static files, headers, limits by address; what is refused."""

import re
import subprocess
import threading
import time
import urllib.parse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from tests.chaos.next_version.saying import HEADER
from tests.production.site import Production, refusal

LOGIN = "/accounts/login/"
STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')
FAILURES = 100  # ACCOUNT_RATE_LIMITS: in five minutes from one address
ROLE = "touchstone_blind"


class Pages(threading.Thread):
    """Opens a page again and again with every file it names, and all files that any page has named before."""

    def __init__(self, site: Production) -> None:
        super().__init__(daemon=True)
        self.site, self.enough = site, threading.Event()
        self.statuses: Counter[int] = Counter()
        self.named: dict[str, set[str]] = {}  # address of a file -> versions whose pages named it
        self.wrong: list[str] = []

    def run(self) -> None:
        try:
            while not self.enough.wait(0.3):
                self._read()
        except (OSError, HTTPException) as error:
            self.wrong.append(f"a reader of pages gave up: {error!r}")

    def _read(self) -> None:
        reply, text = ask(self.site, LOGIN)
        self._count(LOGIN, reply)
        for address in STATIC.findall(text):
            self.named.setdefault(address, set()).add(reply.getheader(HEADER, ""))
        for address in list(self.named):
            self._count(address, ask(self.site, address)[0])

    def _count(self, address: str, reply: HTTPResponse) -> None:
        self.statuses[reply.status] += 1
        if reply.status != 200:
            self.wrong.append(f"{address} was answered {reply.status}")

    def end(self) -> None:
        """Stop, and see that pages of both versions were read and named different files."""
        self.enough.set()
        self.join()
        only = {version: [a for a, by in self.named.items() if by == {version}] for version in ("", "next")}
        if not all(only.values()):
            self.wrong.append(f"both versions should have named a file of their own: {only}")


def ask(
    site: Production,
    path: str,
    form: dict[str, str] | None = None,
    source: str = "127.0.0.1",
    cookies: str = "",
    **headers: str,
) -> tuple[HTTPResponse, str]:
    """One request over HTTPS from this loopback address; the connection is made again if it was closed unread."""
    body = None if form is None else urllib.parse.urlencode(form)
    sent = {"Cookie": cookies, "Referer": f"{site.url}/", **headers}
    if body is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    place = urlsplit(site.url).netloc
    for attempt in range(5):
        with closing(
            HTTPSConnection(place, timeout=60, context=site.tls, source_address=(source, 0))
        ) as connection:
            try:
                connection.request("GET" if body is None else "POST", path, body, sent)
                reply = connection.getresponse()
                return reply, reply.read().decode("utf-8", "replace")
            except (OSError, HTTPException):
                if attempt == 4:
                    raise
                time.sleep(0.2)
    raise AssertionError("unreachable")


def sign_in(site: Production, login: str, password: str, source: str, **headers: str) -> HTTPResponse:
    """Open the page, send the form."""
    page, _ = ask(site, LOGIN, source=source)
    token = SimpleCookie(page.getheader("Set-Cookie", ""))["csrftoken"].value
    form = {"login": login, "password": password, "csrfmiddlewaretoken": token}
    return ask(site, LOGIN, form, source, f"csrftoken={token}", **headers)[0]


def header_faults(site: Production, password: str) -> list[str]:
    """HTTPS everywhere, and cookies for nothing else."""
    wrong = []
    with closing(HTTPConnection(f"127.0.0.1:{site.ports['http']}", timeout=30)) as connection:
        connection.request("GET", LOGIN)
        reply = connection.getresponse()
        if reply.status != 301 or not reply.getheader("Location", "").startswith("https://127.0.0.1"):
            wrong.append(f"plain HTTP was answered {reply.status} {reply.getheader('Location')}")
    reply = sign_in(site, "r0@study.test", password, "127.0.0.9")
    cookies = [value for name, value in reply.getheaders() if name == "Set-Cookie"]
    if reply.status != 302 or not any("sessionid=" in value for value in cookies):
        wrong.append(f"signing in was answered {reply.status}")
    wrong += [f"a cookie without Secure: {value.split('=')[0]}" for value in cookies if "Secure" not in value]
    for path in (LOGIN, "/ready/"):
        reply, _ = ask(site, path)
        if reply.status != 200:
            wrong.append(f"{path} was answered {reply.status}")
        if "max-age=31536000" not in reply.getheader("Strict-Transport-Security", ""):
            wrong.append(f"no HSTS at {path}")
    return wrong


def forwarding_faults(site: Production, password: str) -> list[str]:
    """One address uses up its failures, whatever it puts into X-Forwarded-For; another one is not concerned."""

    def fail(number: int) -> int:
        forged = {"X-Forwarded-For": f"203.0.113.{number}"}
        return sign_in(site, f"nobody{number}@study.test", "wrong", "127.0.0.2", **forged).status

    with ThreadPoolExecutor(4) as pool:
        first = Counter(pool.map(fail, range(FAILURES)))
    wrong = [] if first == {200: FAILURES} else [f"{FAILURES} failures were answered {dict(first)}"]
    if (status := fail(201)) != 429:
        wrong.append(f"failure {FAILURES + 1} from one address, with a forged header, was answered {status}")
    if (status := sign_in(site, "r1@study.test", password, "127.0.0.3").status) != 302:
        wrong.append(f"another address was answered {status}")
    told = site.commands.manage("check", "--deploy")
    return wrong + ([f"check --deploy: {told}"] if "no issues" not in told else [])


def pooler_faults(site: Production) -> list[str]:
    """Neither web server nor worker starts behind a pooler that was not declared, nor blind behind one that was."""
    wrong = []
    undeclared = {"TOUCHSTONE_TRANSACTION_POOLER": "0"}
    expected = {
        ("touchstone-web@", "undeclared"): (undeclared, "shares sessions between transactions"),
        ("touchstone-worker", "undeclared"): (undeclared, "shares sessions between transactions"),
        ("touchstone-web@", "blind"): ({"TOUCHSTONE_BLIND_ROLE": ROLE}, "sessions are shared"),
    }
    for (unit, kind), (changes, reason) in expected.items():
        said = refusal(site, unit, **changes)
        if reason not in said:
            wrong.append(f"{unit} {kind} said: {said[-1500:]}")
    try:
        site.process("refused", **undeclared).manage("check", "--database", "default")
        wrong.append("check --database default has nothing to say about the pooler")
    except subprocess.CalledProcessError as error:
        if "platform.E006" not in error.stderr:
            wrong.append(f"check --database default: {error.stderr[-1500:]}")
    return wrong


def roles_in_sessions(site: Production) -> list[str]:
    """With a pool of sessions the blind role is accepted, holds, and is taken off before a session is given away."""
    url = site.environment["DATABASE_URL"].rpartition("/")[0] + "/sessions"
    changes = {"DATABASE_URL": url, "TOUCHSTONE_TRANSACTION_POOLER": "0", "TOUCHSTONE_BLIND_ROLE": ROLE}
    blind = site.process("sessions", **changes)
    blind.manage("grant_blind_role", "--verbosity", "0")
    said = blind.manage("check", "--database", "default")
    wrong = [] if "no issues" in said else [f"check --database default: {said}"]
    ask_role = "from accounts.database.sight import be_blind; from django.db import connection as c; k = c.cursor(); "
    show = "k.execute('SHOW role'); print(k.fetchone()[0]); "
    ask_role += f"{show} be_blind(); {show}"
    for _ in range(3):  # each leaves the session blind, as a process that is killed would
        if (roles := blind.manage("shell", "--verbosity", "0", "-c", ask_role).split()) != ["none", ROLE]:
            wrong.append(f"a fresh connection and a blind one had the roles {roles}")
    return wrong
