"""Two artifacts side by side: what differs in what they were computed from, and what that did to the scores.

Scores of different releases or tracks are answers to different questions: their inputs are compared all the
same, their scores are not put into one table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

from accounts.refusal import Refused
from reports.artifact.manifest import Manifest
from reports.artifact.verification import read_artifact
from reports.core.canonical import canonical, sha256
from reports.scores.inputs import Inputs

_KEYS = {  # how many leading fields of a row name it; the others are what may change
    "manifest.instances": 1,
    "manifest.runs": 1,
    "inputs.outputs": 1,
    "inputs.votes": 4,
    "inputs.draws": 2,
}
_PLAIN = ("release", "release_sha256", "protocol", "track", "seed", "frozen", "is_sample")
Path = tuple[str, ...]
Entries = dict[str, list[dict[str, object]]]


def read_comparable(content: bytes) -> dict[str, Any]:
    """An artifact file whose hash is right, made with whatever code. Raises Refused for any other.

    Its score is taken as it is: that other code computes another score is what a comparison shows.
    """
    document = read_artifact(content)
    if sha256({key: value for key, value in document.items() if key != "sha256"}) != document.get("sha256"):
        raise Refused(
            "The content does not have the hash it claims; verify_artifact says where.", code="altered"
        )
    try:
        Inputs.from_json(document["inputs"])
        Manifest.from_json(document["manifest"])
    except ValueError as error:
        raise Refused(f"The artifact is not complete: {error}", code="not_an_artifact") from error
    return document


class Comparison(TypedDict):
    """`inputs` maps a part to its `added` (only right), `removed` (only left) and `changed` entries.

    Parts that are equal are left out. `scores` lists every estimate that differs, with `change` = right - left; it is
    null when the scores must not share a table, and `refused` then says why.
    """

    left: dict[str, object]
    right: dict[str, object]
    equal: bool
    inputs: dict[str, Entries]
    refused: str | None
    scores: list[dict[str, object]] | None


def compare(left: Mapping[str, Any], right: Mapping[str, Any]) -> Comparison:
    """The comparison of two documents that read_comparable gave."""
    one, other = left["inputs"], right["inputs"]
    conditions = [side.get("condition") or "usual" for side in (one, other)]
    refused = None
    if (one["release"], one["release_sha256"]) != (other["release"], other["release_sha256"]):
        refused = f"{one['release']} and {other['release']} are different releases or different content."
    elif one["track"] != other["track"]:
        refused = f"Track {one['track']} and track {other['track']} are different tasks."
    elif conditions[0] != conditions[1]:
        refused = f"Condition {conditions[0]} and condition {conditions[1]} are different experiments."
    named: list[dict[str, object]] = []
    for document in (left, right):
        inputs, judge = document["inputs"], document["inputs"]["judge"]
        named.append(
            {
                "sha256": document["sha256"],
                "release": inputs["release"],
                "track": inputs["track"],
                "judge": judge["label"] if judge else None,
                "touchstone": document["made_with"].get("touchstone"),
            }
        )
    scores: list[dict[str, object]] = []
    before, after = (
        dict(_estimates(one["score"])) | dict(_estimates(one.get("comparisons", {}), ("two at a time",)))
        for one in (left, right)
    )
    for path in sorted({*before, *after}):
        was, now = before.get(path), after.get(path)
        if was is None or now is None or canonical(was) != canonical(now):
            values = [estimate["value"] for estimate in (was, now) if estimate]
            comparable = len(values) == 2 and all(isinstance(value, int | float) for value in values)
            change = float(values[1] - values[0]) if comparable else None
            scores.append({"what": " / ".join(path), "left": was, "right": now, "change": change})
    return {
        "left": named[0],
        "right": named[1],
        "equal": left["sha256"] == right["sha256"],
        "inputs": {name: found for name, found in _parts(left, right) if any(found.values())},
        "refused": refused,
        "scores": None if refused else scores,
    }


def _parts(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[tuple[str, Entries]]:
    one, other = left["inputs"], right["inputs"]
    yield "release", _entries({k: one[k] for k in _PLAIN}, {k: other[k] for k in _PLAIN})
    for name, width in _KEYS.items():
        section, _, key = name.partition(".")
        yield key, _entries(_by_key(left[section][key], width), _by_key(right[section][key], width))
    # what people and judges said goes without their numbers, which change with their count
    labels = [
        _gathered(
            (" / ".join(field for field in (campaign, subject, question, step) if field), value or state)
            for subject, campaign, question, step, _rater, value, state in inputs["labels"]
        )
        for inputs in (one, other)
    ]
    yield "labels", _entries(*labels)
    for name in ("answers", "flags", "passages"):
        remarks = [
            _gathered(
                (f"{campaign} / {subject}", " / ".join(str(field) for field in rest if field))
                for subject, campaign, _rater, *rest in document.get("remarks", {}).get(name, [])
            )
            for document in (left, right)
        ]
        yield f"remarks: {name}", _entries(*remarks)
    choices = [
        _gathered(
            (f"{source} / {first} / {second}", value or state)
            for source, first, second, _rater, _vote, value, state in pairs.get("choices", [])
        )
        for pairs in (left.get("pairs", {}), right.get("pairs", {}))
    ]
    yield "choices between outputs", _entries(*choices)
    yield "judge", _entries(dict(_leaves(one["judge"])), dict(_leaves(other["judge"])))
    yield "campaigns", _entries(_campaigns(one["campaigns"]), _campaigns(other["campaigns"]))
    yield "code", _entries(dict(_leaves(left["made_with"])), dict(_leaves(right["made_with"])))


def _by_key(rows: Sequence[Sequence[object]], width: int) -> dict[str, object]:
    """Rows under the words that name them; what is left of a row of one value is that value."""
    found: dict[str, object] = {}
    for row in rows:
        rest = list(row[width:])
        name = " / ".join(str(field) for field in row[:width] if field != "")
        found[name] = rest[0] if len(rest) == 1 else rest
    return found


def _gathered(said: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What was said about each thing, in an order that does not depend on who said it first."""
    found: dict[str, list[str]] = {}
    for about, words in said:
        found.setdefault(about, []).append(words)
    return {about: sorted(every) for about, every in found.items()}


def _campaigns(campaigns: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    return {
        ".".join((campaign["slug"], name)): value
        for campaign in campaigns
        for name, value in _leaves({key: value for key, value in campaign.items() if key != "slug"})
    }


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(member, dict | list) for member in value):
        for at, member in enumerate(value):
            yield from _leaves(member, f"{path}[{at}]")
    elif path:
        yield path, value


def _entries(left: Mapping[str, object], right: Mapping[str, object]) -> Entries:
    both = sorted(set(left) & set(right))
    return {
        "added": [{"what": key, "right": right[key]} for key in sorted(set(right) - set(left))],
        "removed": [{"what": key, "left": left[key]} for key in sorted(set(left) - set(right))],
        "changed": [
            {"what": key, "left": left[key], "right": right[key]}
            for key in both
            if canonical(left[key]) != canonical(right[key])
        ],
    }


def _estimates(value: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every estimate of a score document with the words on its way; a list is named by what its members are."""
    if isinstance(value, dict):
        if {"value", "method", "ci"} <= set(value):
            yield path, {key: value[key] for key in ("value", "ci", "n", "method", "reason")}
            return
        for key, member in value.items():
            yield from _estimates(member, path if key in _SILENT else (*path, key))
    elif isinstance(value, list):
        for at, member in enumerate(value):
            named: dict[str, str] = member if isinstance(member, dict) else {}
            name = named.get("campaign", named.get("system", str(at)))
            yield from _estimates(member, (*path, name))


_SILENT = ("systems", "metrics", "questions", "estimate")  # levels that say nothing a reader misses
