"""A tiny server of one page of mathematics with the real static files and the real content policy."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page

STATIC = Path(__file__).resolve().parents[2] / "static"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'"
TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Proof</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/css/base.css">
<link rel="stylesheet" href="/static/vendor/katex-0.19.1/katex.min.css">
<link rel="stylesheet" href="/static/css/math.css"><link rel="stylesheet" href="/page.css">
<script src="/static/vendor/katex-0.19.1/katex.min.js"></script>
<script type="module" src="/page.js"></script></head><body><main>%s</main></body></html>"""
SCRIPT = """import { renderMath } from "/static/js/math.js";
window.renderMath = renderMath;
document.documentElement.dataset.tasks = "0";
new PerformanceObserver((list) => {
  const longest = Math.max(...list.getEntries().map((entry) => entry.duration), 0);
  const before = Number(document.documentElement.dataset.tasks);
  document.documentElement.dataset.tasks = String(Math.max(before, Math.round(longest)));
}).observe({ type: "longtask", buffered: false });
renderMath(document).then((result) => {
  document.documentElement.dataset.formulas = result.formulas;
  document.documentElement.dataset.failures = result.failures;
  document.documentElement.dataset.ready = "yes";
});
"""
STYLE = "main{max-width:46rem;margin:0 auto;padding:1rem}"


@contextmanager
def served(html: str, style: str = STYLE) -> Iterator[str]:
    """The address of a page that holds `html`, for as long as the block runs."""
    pages = {
        "/": ("text/html", PAGE % html),
        "/page.js": ("text/javascript", SCRIPT),
        "/page.css": ("text/css", style),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = self.found()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text") else kind)
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def found(self) -> tuple[str, bytes]:
            if self.path in pages:
                kind, text = pages[self.path]
                return kind, text.encode("utf-8", "replace")
            path = (STATIC / self.path.removeprefix("/static/")).resolve()
            if path.is_file() and path.is_relative_to(STATIC):
                return TYPES.get(path.suffix, "application/octet-stream"), path.read_bytes()
            return "text/plain", b""

        def log_message(self, *arguments: object) -> None:
            """Silent: a test prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def formula_page(browser: Browser, em: float, width: int) -> Iterator[Page]:
    """A page with KaTeX and an empty #formula, set in `em` pixels; its own scripts may add styles."""
    with served('<div id="formula"></div>') as address:
        page = browser.new_page(viewport={"width": width, "height": 900}, bypass_csp=True)
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        page.add_style_tag(content=f".katex {{ font-size: {em}px !important }}")
        page.evaluate("() => Promise.all([...document.fonts].map(font => font.load()))")
        yield page
        page.close()
