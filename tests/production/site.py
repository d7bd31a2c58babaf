"""nginx with TLS, two web and two worker processes, PostgreSQL behind PgBouncer, Redis; by the files in deploy/.

The files are used as they are but for ports and folders; the commands of web server, workers and beat are those of the
systemd units. Every process has a runtime folder of its own; static files, uploads and reports are shared.
"""

import json
import os
import secrets
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.chaos.services import children
from tests.deployment import ROOT, Deployment, connect
from tools.debian import SERVER_PATH, postgresql_programs
from tools.servers import accepts_tcp, cluster, free_port, server

DEPLOY = ROOT / "deploy"
PASSWORD = "change-me"
STARTS = 90.0  # seconds that a process may take on a busy machine


class Production:
    """The site, and the steps of docs/deploy.md by which a new version comes."""

    def __init__(self, folder: Path, ports: dict[str, int], environment: dict[str, str]) -> None:
        self.folder, self.ports, self.environment = folder, ports, environment
        self.url = f"https://127.0.0.1:{ports['https']}"
        self.tls = ssl.create_default_context(cafile=str(folder / "tls" / "fullchain.pem"))
        self.commands = self.process("commands")
        self.running: dict[str, tuple[Deployment, subprocess.Popen[bytes]]] = {}
        self.nginx: subprocess.Popen[bytes] | None = None

    def process(self, name: str, **changes: str) -> Deployment:
        """A process of this name, with a runtime folder of its own."""
        own = self.folder / name
        own.mkdir(mode=0o700, exist_ok=True)
        environment = {**self.environment, **changes}
        return Deployment(own, environment.pop("DATABASE_URL"), **environment)

    def start(self, name: str, unit: str) -> None:
        """Start what the systemd unit starts; `name` is `web-PORT` or any."""
        process = self.process(name)
        self.running[name] = process, process.start(*command_of(unit, name.rpartition("-")[2]))

    def stop(self, name: str) -> None:
        """As systemd does: SIGTERM, and wait."""
        deployment, process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=90)
        if code not in (0, -signal.SIGTERM):
            raise RuntimeError(f"{name} ended with {code}: {deployment.logs()[-2000:]}")

    def start_web(self, port: int) -> None:
        """Start a web process and wait until it answers; not until it is ready, for a migration may come after it."""
        self.start(f"web-{port}", "touchstone-web@")
        wait(lambda: self._answers(port), f"web on {port}", lambda: self.running[f"web-{port}"][0].logs())

    def _answers(self, port: int) -> bool:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/health/", headers={"X-Forwarded-Proto": "https"}
        )
        with suppress(OSError), urllib.request.urlopen(request, timeout=20) as reply:
            return bool(json.load(reply) == {"status": "ok"})
        return False

    def roll_web(self, port: int) -> None:
        """Take one process out of nginx, restart it, put it back. No request meets a process that ends."""
        self._forward(without=port)
        self.stop(f"web-{port}")
        self.start_web(port)
        self._forward()

    def _forward(self, without: int | None = None) -> None:
        """Write nginx's configuration, reload it, and wait until no process follows the old one."""
        assert self.nginx is not None
        old = set(children(self.nginx.pid))
        write_nginx(self.folder, self.ports, without)
        self.nginx.send_signal(signal.SIGHUP)
        wait(lambda: not old & set(children(self.nginx.pid)), "nginx to reload")

    def logs(self) -> str:
        return "\n".join(deployment.logs() for deployment, _ in self.running.values())


def command_of(unit: str, instance: str) -> list[str]:
    """What follows `python -m` in a unit's ExecStart."""
    lines = (DEPLOY / "systemd" / f"{unit}.service").read_text("utf-8").splitlines()
    (command,) = (line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart="))
    words = shlex.split(command.replace("%i", instance))
    if words[:2] != ["/opt/touchstone/.venv/bin/python", "-m"]:
        raise ValueError(f"{unit}: {command}")
    return words[2:]


def wait(until: Callable[[], bool], what: str, log: Callable[[], str] = str, seconds: float = STARTS) -> None:
    """Until it is so; raises TimeoutError with the end of the log."""
    deadline = time.monotonic() + seconds
    while not until():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}\n{log()[-3000:]}")
        time.sleep(0.1)


def changed(source: Path, changes: dict[str, str]) -> str:
    """The text of a file of deploy/ with ports and folders replaced; raises ValueError for one that is not there."""
    text = source.read_text("utf-8")
    for old, new in changes.items():
        if old not in text:
            raise ValueError(f"{source} has no {old!r}")
        text = text.replace(old, new)
    return text


def write_nginx(folder: Path, ports: dict[str, int], without: int | None = None) -> None:
    """deploy/nginx/touchstone.conf inside of the least that nginx needs; `without`: the web process marked down."""
    changes = {
        "listen 80;": f"listen 127.0.0.1:{ports['http']};",
        "listen 443 ssl;": f"listen 127.0.0.1:{ports['https']} ssl;",
        "touchstone.example.org": "127.0.0.1",
        "/etc/ssl/touchstone": str(folder / "tls"),
        "/var/www/touchstone": str(folder / "static"),
    }
    for name, port in (("8001", ports["web1"]), ("8002", ports["web2"])):
        down = " down" if port == without else ""
        changes[f"server 127.0.0.1:{name};"] = f"server 127.0.0.1:{port}{down};"
    user = "user root;" if os.geteuid() == 0 else ""  # the folders of this run are root's own
    temporary = " ".join(
        f"{kind}_temp_path {folder}/nginx/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx").mkdir(exist_ok=True)
    (folder / "nginx" / "nginx.conf").write_text(
        f"{user} daemon off; worker_processes 2; pid {folder}/nginx/pid; error_log stderr;\n"
        f"events {{}}\nhttp {{\ninclude /etc/nginx/mime.types; access_log {folder}/nginx/access.log; {temporary}\n"
        f"{changed(DEPLOY / 'nginx' / 'touchstone.conf', changes)}}}\n",
        "utf-8",
    )


def nginx_command(folder: Path) -> list[str]:
    program = shutil.which("nginx", path=SERVER_PATH) or "nginx"
    return [program, "-p", str(folder / "nginx"), "-c", str(folder / "nginx" / "nginx.conf"), "-e", "stderr"]


@contextmanager
def production(folder: Path, **extra: str) -> Iterator[Production]:
    """The servers run, the database is migrated, nothing of the site is started yet."""
    folder.chmod(0o755)
    ports = {
        name: free_port() for name in ("http", "https", "web1", "web2", "postgresql", "pgbouncer", "redis")
    }
    for made in ("tls", "static", "postgresql", "pgbouncer", "redis"):
        (folder / made).mkdir(mode=0o755)
    for made in ("uploads", "reports"):
        (folder / made).mkdir(mode=0o700)
    _make_certificate(folder / "tls")
    with ExitStack() as stack:
        _start_databases(stack, folder, ports)
        site = Production(folder, ports, _environment(folder, ports) | extra)
        stack.callback(_kill_all, site)
        for command in (
            ["migrate", "--verbosity", "0"],
            ["createcachetable"],
            ["collectstatic", "--noinput"],
        ):
            site.commands.manage(*command)
        write_nginx(folder, ports)
        subprocess.run([*nginx_command(folder), "-t"], check=True, capture_output=True)
        site.nginx = stack.enter_context(
            server(nginx_command(folder), folder / "nginx.log", None, lambda: accepts_tcp(ports["https"]))
        )
        yield site


def _environment(folder: Path, ports: dict[str, int]) -> dict[str, str]:
    """The settings of docs/deploy.md."""
    return {
        "TOUCHSTONE_DEMO": "0",
        "TOUCHSTONE_SECRET_KEY": secrets.token_urlsafe(50),
        "TOUCHSTONE_ALLOWED_HOSTS": "127.0.0.1",
        "TOUCHSTONE_SITE_URL": f"https://127.0.0.1:{ports['https']}",
        "TOUCHSTONE_BEHIND_TLS_PROXY": "1",
        "TOUCHSTONE_TRUSTED_PROXIES": "1",
        "TOUCHSTONE_TRANSACTION_POOLER": "1",
        "TOUCHSTONE_STATIC_ROOT": str(folder / "static"),
        "TOUCHSTONE_UPLOAD_DIR": str(folder / "uploads"),
        "TOUCHSTONE_REPORT_DIR": str(folder / "reports"),
        "TOUCHSTONE_CACHE": "database",
        "TOUCHSTONE_EMAIL_URL": "smtp://127.0.0.1:9",
        "TOUCHSTONE_FROM_EMAIL": "touchstone@example.org",
        "TOUCHSTONE_STATIC_STORAGE": "",
        "DATABASE_URL": f"postgres://touchstone:{PASSWORD}@127.0.0.1:{ports['pgbouncer']}/touchstone",
        "CELERY_BROKER_URL": f"redis://127.0.0.1:{ports['redis']}/0",
    }


def _make_certificate(folder: Path) -> None:
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
    ]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def _start_databases(stack: ExitStack, folder: Path, ports: dict[str, int]) -> None:
    programs = postgresql_programs()
    assert programs is not None
    port = ports["postgresql"]
    superuser = stack.enter_context(
        cluster(programs, folder / "postgresql", "listen_addresses=127.0.0.1", port=port)
    )
    connection = connect(superuser)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE USER touchstone CREATEROLE PASSWORD '{PASSWORD}'")
        cursor.execute("CREATE DATABASE touchstone OWNER touchstone")
    connection.close()
    broker = [
        "redis-server",
        "--port",
        str(ports["redis"]),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    stack.enter_context(server(broker, folder / "redis.log", None, lambda: accepts_tcp(ports["redis"])))
    changes = {
        "port=5432": f"port={port}",
        "listen_port = 6432": f"listen_port = {ports['pgbouncer']}",
        "/etc/pgbouncer": str(folder / "pgbouncer"),
        "\n[pgbouncer]": f"sessions = host=127.0.0.1 port={port} dbname=touchstone pool_mode=session\n\n[pgbouncer]",
    }
    (folder / "pgbouncer" / "pgbouncer.ini").write_text(
        changed(DEPLOY / "pgbouncer" / "pgbouncer.ini", changes)
    )
    (folder / "pgbouncer" / "userlist.txt").write_text(f'"touchstone" "{PASSWORD}"\n')
    program = shutil.which("pgbouncer", path=SERVER_PATH) or "pgbouncer"
    user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
    pooler = [program, str(folder / "pgbouncer" / "pgbouncer.ini")]
    stack.enter_context(
        server(pooler, folder / "pgbouncer.log", user, lambda: accepts_tcp(ports["pgbouncer"]))
    )


def _kill_all(site: Production) -> None:
    for deployment, process in site.running.values():
        deployment.kill(process)


def refusal(site: Production, unit: str, **changes: str) -> str:
    """What a unit's command says when it ends by itself with these settings; raises if it does not end."""
    environment: dict[str, Any] = {**site.process("refused", **changes).environment}
    command = [sys.executable, "-m", *command_of(unit, str(free_port()))]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=STARTS,
    )
    return done.stdout if done.returncode else f"it ended well: {done.stdout}"
