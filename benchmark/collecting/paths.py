"""Which part of a file's path names the system and which the problem: patterns, and guesses at them. Pure.

A pattern such as `{system}/{problem}` is compared with a path from its front, level by level and without the ending, so
that it fits `A/1.tex` as well as `A/1/proof.tex`. `{attempt}` is a number, `0` and `01` too, and `*` is any name.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from accounts.refusal import Refused

TEXTS = {".tex": "latex", ".md": "markdown", ".txt": "plain"}
MAX_PATTERN = 200
MOST_COMPARED = 1_000  # documents
_TOKEN = re.compile(r"\{(system|problem|attempt)\}|(\*)")
_NUMBER = r"(?P<attempt>\d{1,4})"
_ATTEMPT = rf"(?:attempt|sample|epoch|trial|try|run|seed|a)?[ :#._-]?{_NUMBER}"
_COUNTED = re.compile(rf"(?i)(?P<problem>.{{1,200}}?)[ :|#/@._-]{{1,3}}{_ATTEMPT}")
_CALLED_ATTEMPT = re.compile(r"[A-Za-z][ :#._-]?\{attempt\}")
_ALONE = re.compile(rf"(?i){_ATTEMPT}")
_SEPARATORS = ("_", "-", "__", " ", ".", " - ")
_OF_PROBLEMS = {"problems", "problem", "statements", "statement", "questions", "question", "tasks"}
_LIKE_A_PROBLEM = re.compile(
    r"(?i)(problem|prob|question|task|exercise|theorem|lemma|fp|p|q|ex|no|nr)?[ ._#-]*\d+[a-z]?"
)


@dataclass(frozen=True)
class Place:
    """What a pattern reads from a path; "" and 1 where it has no such part."""

    system: str = ""
    problem: str = ""
    attempt: int = 1


@dataclass(frozen=True)
class Guess:
    """Two patterns, of outputs and of problems ("" for none), and what they find in the documents."""

    outputs: str
    problems: str
    systems: tuple[str, ...]
    keys: tuple[str, ...]


@lru_cache(maxsize=500)
def readings_of(pattern: str) -> tuple[re.Pattern[str], ...]:
    """A pattern as expressions for the front of a path: names cut at the first place that fits, and at the last.

    Raises Refused for a pattern that cannot be read.
    """
    if not pattern.strip("/ ") or len(pattern) > MAX_PATTERN:
        raise Refused(f"A pattern has 1 to {MAX_PATTERN} characters, such as {{system}}/{{problem}}.")
    if len(_TOKEN.findall(pattern)) > 6:  # more would take long to compare, and mean nothing
        raise Refused("A pattern has at most six parts in braces and stars.")
    seen: set[str] = set()
    expression, end = "", 0
    for token in _TOKEN.finditer(pattern):
        expression += re.escape(pattern[end : token.start()])
        end, name = token.end(), token[1]
        if name is None:
            expression += "[^/]*"
        elif name in seen:  # a name that comes again is the same one again
            expression += f"(?P={name})"
        else:
            expression += _NUMBER if name == "attempt" else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    expression += re.escape(pattern[end:])
    if "problem" not in seen:
        raise Refused("The pattern does not say which part is the problem: write {problem} there.")
    return re.compile(expression), re.compile(expression.replace("[^/]+?", "[^/]+"))


def place_of(pattern: str, path: str) -> Place | None:
    """What the pattern reads from a path, or None where it does not fit."""
    pattern = pattern.strip("/ ")
    readings = readings_of(pattern)
    parts = PurePosixPath(path).parts
    depth = pattern.count("/") + 1
    front = (
        [*parts[: depth - 1], PurePosixPath(parts[-1]).stem if len(parts) == depth else parts[depth - 1]]
        if len(parts) >= depth
        else []
    )
    found = [match for reading in readings if (match := reading.fullmatch("/".join(front)))]
    if not found:
        return None
    # "deep-think-problem1" can be cut in two places: at the one that leaves something like the name of a problem
    named = next((match for match in found if _is_problem(match["problem"])), found[0]).groupdict()
    return Place(
        (named.get("system") or "").strip(), named["problem"].strip(), int(named.get("attempt") or 1)
    )


def attempt_in(name: str) -> int | None:
    """The number in what people call an attempt: "run0", "sample_01", "attempt-3" or "2"; None of another name."""
    found = _ALONE.fullmatch(name)
    return int(found["attempt"]) if found else None


def problem_in(name: str, pattern: str, names: "Names") -> tuple[str, int | None]:
    """The key of the problem that a name means, and the attempt, None where the name does not say it.

    With a pattern, `{problem}` and `{attempt}` are parts of the name. Without, the name is that of a problem, or that
    with the number of an attempt behind it ("p1:2", "p1-attempt-2"). A name that means nothing is given back as it is.
    """
    if pattern:
        found = [match for reading in readings_of(pattern) if (match := reading.fullmatch(name))]
        for match in found:
            parts = match.groupdict()
            if key := names.match(parts["problem"].strip()):
                return key, int(parts["attempt"]) if parts.get("attempt") else None
        return name, None
    if key := names.match(name, by_number=name.isdigit()):
        return key, None
    counted = _COUNTED.fullmatch(name)
    if counted and (key := names.match(counted["problem"], by_number=False)):
        return key, int(counted["attempt"])
    return name, None


class Names:
    """Keys of problems, to be found by the names that people give to files."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = set(keys)
        self._alike: dict[str, str] = {}
        for fold in (_number, _folded):
            found: dict[str, list[str]] = {}
            for key in self._keys:
                found.setdefault(fold(key), []).append(key)
            self._alike |= {
                f"{fold.__name__} {name}": keys[0] for name, keys in found.items() if name and len(keys) == 1
            }

    def match(self, name: str, *, by_number: bool = True) -> str | None:
        """The key that a name means: exactly, but for case and zeros, or by the only number in both."""
        if name in self._keys:
            return name
        folds = (_folded, _number) if by_number else (_folded,)
        return next(
            (key for fold in folds if (key := self._alike.get(f"{fold.__name__} {fold(name)}"))), None
        )


def _folded(name: str) -> str:
    words = re.findall(r"\d+|[^\W\d_]+", name.casefold())
    return "".join(word.lstrip("0") or "0" if word.isdigit() else word for word in words)


def _number(name: str) -> str:
    numbers = re.findall(r"\d+", name)
    return numbers[0].lstrip("0") or "0" if len(numbers) == 1 else ""


def guesses(
    paths: Sequence[str], known_problems: Collection[str] = (), known_systems: Collection[str] = ()
) -> list[Guess]:
    """Patterns that could be meant, the most likely first; `known_...` are names that the study already has."""
    texts = [path for path in paths if PurePosixPath(path).suffix.lower() in TEXTS]
    packed = [path for path in paths if PurePosixPath(path).suffix.lower() in (".zip", ".pdf")]
    documents = texts or packed
    problems = _pattern_of_problems(documents)
    rest = [path for path in documents if not (problems and place_of(problems, path))]
    keys = {place.problem for path in documents if problems and (place := place_of(problems, path))}
    known = Names({*known_problems, *keys})
    is_known = bool(known_problems or keys)
    if not rest:
        # the statements are texts; PDFs that have their names are outputs, and others belong to them
        rest = [
            path
            for path in packed
            if not place_of(problems, path)
            and any(known.match(part, by_number=False) for part in PurePosixPath(path).with_suffix("").parts)
        ]
    if not rest:
        return [Guess("", problems, (), tuple(sorted(keys)))] if problems else []
    # a folder has a plan that shows in some of its files, whatever their order
    some = sorted(random.Random(0).sample(rest, min(len(rest), MOST_COMPARED)))
    scored = []
    for pattern in _candidates(some) + (_with_attempts(some) if is_known else []):
        places = [place for path in some if (place := place_of(pattern, path))]
        if not places:
            continue
        systems = {place.system for place in places if place.system}
        named = {place.problem for place in places}
        groups, outputs = len({(place.system, place.problem) for place in places}), len(set(places))
        score = 4 * len(places) / len(some)
        score += 2 * groups / (max(1, len(systems)) * len(named)) + 1.5 * outputs / len(places)
        if is_known:
            score += _share(named, lambda name: known.match(name) is not None)
            score += _share(named, lambda name: known.match(name, by_number=False) is not None)
        else:
            score += 2 * _share(named, _is_problem)
        score += 0.5 * bool(systems) + 0.5 * bool(_CALLED_ATTEMPT.search(pattern))
        score -= 1.5 * _share(systems, _is_problem)
        score += _share(systems, lambda name: name in known_systems)
        score += 0.5 * (1 < len(systems) < len(named)) - 0.02 * len(pattern) - 0.2 * pattern.count("*")
        scored.append((score, pattern))
    scored.sort(key=lambda pair: -pair[0])
    found = []
    for score, pattern in scored[:4]:
        if score > scored[0][0] - 2.5:
            places = [place for path in rest if (place := place_of(pattern, path))]
            systems = {place.system for place in places if place.system}
            named = keys or {place.problem for place in places}
            found.append(Guess(pattern, problems, tuple(sorted(systems)), tuple(sorted(named))))
    return found


def _is_problem(name: str) -> bool:
    return _LIKE_A_PROBLEM.fullmatch(name) is not None


def _share(names: Iterable[str], holds: Callable[[str], bool]) -> float:
    every = list(names)
    return sum(map(holds, every)) / len(every) if every else 0.0


def _pattern_of_problems(documents: Sequence[str]) -> str:
    """Where the statements are: a folder of problems, or a file called "statement" for each problem."""
    for path in documents:
        parts = PurePosixPath(path).parts
        if len(parts) > 1 and parts[0].casefold() in _OF_PROBLEMS:
            return f"{parts[0]}/{{problem}}"
    for path in documents:
        *folders, last = PurePosixPath(path).parts
        stem = PurePosixPath(last).stem
        if folders and stem.casefold() in _OF_PROBLEMS:
            return "/".join(["*"] * (len(folders) - 1) + ["{problem}", stem])
    return ""


def _candidates(documents: Sequence[str]) -> list[str]:
    """Patterns to try: one or two levels below the folders that all documents share, and names cut at separators."""
    split = [PurePosixPath(path).parts for path in documents]
    shared = 0
    while all(len(parts) > shared + 1 for parts in split) and len({parts[shared] for parts in split}) == 1:
        shared += 1
    depth = max(len(parts) for parts in split)
    found = []
    for first in {0, shared}:
        front = "/".join([*split[0][:first], ""])
        for skipped in range(min(2, depth - first)):
            start = front + "*/" * skipped
            found += [start + "{system}/{problem}", start + "{problem}/{system}", start + "{problem}"]
            found += [start + "{system}/*/{problem}"] if depth - first - skipped > 2 else []
            for cut in _SEPARATORS:
                found += [start + f"{{system}}{cut}{{problem}}", start + f"{{problem}}{cut}{{system}}"]
                found += [
                    start + f"{{system}}/{{system}}{cut}{{problem}}",
                    start + f"{{system}}/{{problem}}{cut}{{system}}",
                ]
                found += [
                    start + f"{{problem}}/{{problem}}{cut}{{system}}",
                    start + f"{{problem}}/{{system}}{cut}{{problem}}",
                ]
    return list(dict.fromkeys(found))


def _with_attempts(documents: Sequence[str]) -> list[str]:
    """Patterns with the number of an attempt: as a level of its own ("run0"), or at the end of a name ("p1_01")."""
    levels, ends = Counter[str](), Counter[str]()
    for path in documents:
        found = PurePosixPath(path)
        for name in (*found.parts[:-1], found.stem):
            if alone := _ALONE.fullmatch(name):
                levels[name[: alone.start("attempt")]] += 1
            elif counted := _COUNTED.fullmatch(name):
                ends[name[counted.end("problem") : counted.start("attempt")]] += 1
    patterns = []
    for level, _ in levels.most_common(2):
        attempt = level + "{attempt}"
        for start in ("", "*/"):
            patterns += [
                f"{start}{{system}}/{{problem}}/{attempt}",
                f"{start}{{problem}}/{{system}}/{attempt}",
            ]
            patterns += [
                f"{start}{{system}}/{attempt}/{{problem}}",
                f"{start}{attempt}/{{system}}/{{problem}}",
            ]
            patterns += [f"{start}{{problem}}/{attempt}", f"{start}{attempt}/{{problem}}"]
    for end, _ in ends.most_common(2):
        attempt = end + "{attempt}"
        for start in ("", "*/"):
            patterns += [f"{start}{{system}}/{{problem}}{attempt}", f"{start}{{problem}}/{{system}}{attempt}"]
            patterns += [f"{start}{{system}}{attempt}/{{problem}}", f"{start}{{problem}}{attempt}"]
            patterns += [f"{start}{{system}}{cut}{{problem}}{attempt}" for cut in _SEPARATORS]
    return patterns
