"""KaTeX on the server, in a small JavaScript engine with limits: checks formulas, and writes them for the PDF."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import quickjs

from latex.document import Document, Failure, Formula
from latex.limits import MAX_FORMULA, UNTRIED

KATEX = Path(__file__).resolve().parents[2] / "static" / "vendor" / "katex-0.19.1" / "katex.min.js"
MEMORY = 64 * 1024 * 1024  # bytes for the engine, KaTeX included (6 MB)
SECONDS_PER_FORMULA = 2
SECONDS_TO_LOAD = 20
STACK = 1024 * 1024  # bytes; deep nesting must end in an error, not in a crash
MAX_HTML = 2_000_000  # characters of HTML for one formula
KEPT = 10_000  # verdicts on formulas that a process keeps
KEPT_LENGTH = 300  # characters of the longest of these formulas

_TO_HTML = """
(function (request) {
  const {latex, options} = JSON.parse(request);
  try {
    return JSON.stringify({html: katex.renderToString(latex, options)});
  } catch (error) {
    return JSON.stringify({error: String((error && error.rawMessage) || error)});
  }
})
"""


class FormulaError(ValueError):
    """KaTeX refuses the formula, or a limit was reached; the message says why."""


class Unfinished(FormulaError):
    """KaTeX reached a limit of time or memory."""


@dataclass(frozen=True)
class Program:
    """A JavaScript function from a JSON request to a JSON reply; `load` makes it in a context that has KaTeX."""

    name: str
    load: Callable[[quickjs.Context], quickjs.Object]


@dataclass
class _Engine:
    context: quickjs.Context
    lock: Lock
    programs: dict[str, quickjs.Object]


TO_HTML = Program("html", lambda context: context.eval(_TO_HTML))


def _new_engine() -> _Engine:
    context = quickjs.Context()
    context.set_memory_limit(MEMORY)
    context.set_max_stack_size(STACK)
    context.eval(KATEX.read_text(encoding="utf-8"))
    return _Engine(context, Lock(), {})


@cache
def _shared() -> list[_Engine]:
    return [_new_engine()]


def to_math_html(latex: str, display: bool, *, output: str = "html") -> str:
    """KaTeX's HTML of one formula, with fresh macros. Raises FormulaError. `output` is html or htmlAndMathml."""
    reply = ask(TO_HTML, latex, display, output=output)
    if len(reply["html"]) > MAX_HTML:
        raise Unfinished("the rendered formula is too large")
    return str(reply["html"])


def ask(program: Program, latex: str, display: bool, *, output: str = "html") -> dict[str, Any]:
    """What `program` makes of one formula under our limits. Raises FormulaError."""
    if len(latex) > MAX_FORMULA:
        raise FormulaError(f"longer than {MAX_FORMULA} characters")
    options = {
        "displayMode": display,
        "output": output,
        "trust": False,
        "strict": "ignore",
        "throwOnError": True,
        "maxExpand": 1000,
        "maxSize": 20,
        "macros": {},
    }
    request, engine = json.dumps({"latex": latex, "options": options}), _shared()[0]
    with engine.lock:
        try:
            if program.name not in engine.programs:
                engine.context.set_time_limit(SECONDS_TO_LOAD)
                engine.programs[program.name] = program.load(engine.context)
            engine.context.set_time_limit(SECONDS_PER_FORMULA)
            reply: dict[str, Any] = json.loads(str(engine.programs[program.name](request)))
        except quickjs.JSException as error:  # out of memory, out of time or out of stack
            _shared()[0] = _new_engine()
            raise Unfinished(f"a limit was reached: {str(error).splitlines()[0][:200]}") from error
    if "error" in reply:
        raise FormulaError(reply["error"][:500])
    return reply


def check_formulas(document: Document) -> Document:
    """The same document with a report that also names every formula KaTeX refuses, and its reason."""
    trials = Trials()
    unfinished = [
        Failure(formula.source, reason, formula.start)
        for formula in document.formulas
        if (reason := trials.unfinished(formula))
    ]
    return with_failures(document, [*trials.refused, *unfinished])


def _tried(latex: str, display: bool) -> tuple[str, float]:
    """Why KaTeX refuses the formula, or "", and the seconds that it took. Raises Unfinished."""
    begun, why = time.thread_time(), ""
    try:
        to_math_html(latex, display)
    except Unfinished:
        raise
    except FormulaError as error:
        why = str(error)
    return why, time.thread_time() - begun


# Papers write the same short formulas again and again. What comes to no end is not kept: a clock said so.
_kept = lru_cache(maxsize=KEPT)(_tried)


class Trials:
    """Tries formulas with KaTeX, each once, for `seconds` of processor time in all (None: for any).

    A formula whose verdict is kept costs the seconds that it took when it was tried: what is shown of a text does not
    depend on what was rendered before it.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.refused: list[Failure] = []
        self._left = float("inf") if seconds is None else seconds
        self._known: dict[
            tuple[str, bool], tuple[str, bool]
        ] = {}  # why it is refused; whether it came to no end

    def unfinished(self, formula: Formula) -> str:
        """Why a browser would not come to an end with it either, or "". When the time is over, long formulas count
        among these. What KaTeX refuses is noted in `refused`."""
        key = (formula.latex, formula.display)
        if key not in self._known:
            if self._left > 0:
                self._known[key] = self._try(*key)
            elif len(formula.latex) > UNTRIED:
                self._known[key] = ("there was no time to try a formula of this length", True)
            else:
                self._known[key] = ("", False)
        why, unfinished = self._known[key]
        if unfinished:
            return why
        if why:
            self.refused.append(Failure(formula.source, why, formula.start))
        return ""

    def _try(self, latex: str, display: bool) -> tuple[str, bool]:
        verdict, begun = _kept if len(latex) <= KEPT_LENGTH else _tried, time.thread_time()
        try:
            why, seconds = verdict(latex, display)
        except Unfinished as error:
            self._left -= time.thread_time() - begun
            return str(error), True
        self._left -= seconds
        return why, False


def with_failures(document: Document, refused: list[Failure]) -> Document:
    """The document with more failures in its report."""
    failures = tuple(sorted((*document.report.failures, *refused), key=lambda failure: failure.start))
    return replace(document, report=replace(document.report, failures=failures))
