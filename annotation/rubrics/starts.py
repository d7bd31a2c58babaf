"""What a new form can begin with."""

from stats.core.scale import NAMED

_LEVELS = {
    "flawless": "Correct and complete; at most misprints.",
    "minor revision": "Correct; small gaps that any expert can fill.",
    "major revision": "A serious gap that may be repairable.",
    "reject": "Wrong, or an essential step is missing.",
}
_REPORT = {
    "key": "report",
    "text": "Report to the authors",
    "scale": "text",
    "help": "Two or three sentences. LaTeX between dollar signs works.",
    "required": True,
}


def _form(name: str, title: str, *questions: dict[str, object], **more: object) -> dict[str, object]:
    return {"name": name, "version": 1, "kind": "grade", "title": title, "questions": list(questions), **more}


def _yes_or_no(key: str, text: str, **more: object) -> dict[str, object]:
    scale = {"level": "nominal", "values": ["yes", "no"], "success": ["yes"]}
    return {"key": key, "text": text, "scale": scale, "required": True, **more}


# Name -> what it is called in the list, and the form.
STARTS: dict[str, tuple[str, dict[str, object]]] = {
    "four-levels": (
        "First Proof: four levels, and whether to accept",
        _form(
            "referee",
            "Referee's report",
            {
                "key": "level",
                "text": "Level",
                "scale": {
                    "level": "ordinal",
                    "values": [*_LEVELS],
                    "success": ["flawless", "minor revision"],
                },
                "help": "Judge the mathematics, not the style.",
                "required": True,
                "anchors": _LEVELS,
            },
            _yes_or_no("accept", "Would you accept it as a proof?"),
            _REPORT,
            rules=[
                {"question": "level", "values": ["reject"], "then": "accept", "allowed": ["no"]},
                {"question": "level", "values": ["reject"], "comments_at_least": "major"},
            ],
        ),
    ),
    "points": (
        "ProofBench: 0 to 7 points",
        _form(
            "points",
            "Points",
            {
                "key": "points",
                "text": "How many points does the proof deserve?",
                "scale": {
                    "level": "interval",
                    "values": [str(point) for point in range(8)],
                    "success": ["7"],
                },
                "required": True,
                "anchors": {"0": "Nothing of value.", "7": "Complete and correct."},
            },
            {**_REPORT, "required": False},
        ),
    ),
    "yes-or-no": (
        "Yes or no",
        _form(
            "verdict",
            "Verdict",
            _yes_or_no("solved", "Is the proof correct?"),
            {**_REPORT, "required": False},
        ),
    ),
    "blank": ("A blank form", _form("form", "")),
}
READY_MADE = tuple(name for name in NAMED if name not in ("text", "flag"))


def start_called(name: str) -> dict[str, object] | None:
    """The form to begin with, or None if there is none of this name."""
    return STARTS[name][1] if name in STARTS else None
