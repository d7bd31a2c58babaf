"""The `subject` of the label table: names one output of a release in one cell. Pure."""

from dataclasses import dataclass

DEFAULT_TRACK = "raw"


@dataclass(frozen=True)
class Subject:
    """An output by instance, system, attempt, track and condition. System slugs hold no "/", "@" or "+"."""

    instance: str
    system: str
    attempt: int
    track: str = DEFAULT_TRACK
    condition: str = ""

    def __str__(self) -> str:
        """`instance/system/attempt`; on another track or condition the system reads `system@track+condition`."""
        arm = "" if self.track == DEFAULT_TRACK and not self.condition else f"@{self.track}"
        arm += f"+{self.condition}" if self.condition else ""
        return f"{self.instance}/{self.system}{arm}/{self.attempt}"


def parse_subject(text: str) -> Subject:
    """The inverse of str(subject); instance keys may hold slashes. Raises ValueError with the reason."""
    parts = text.rsplit("/", 2)
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"{text!r} does not read instance/system/attempt")
    instance, system, attempt = parts
    name, _, arm = system.partition("@")
    track, _, condition = arm.partition("+")
    if not attempt.isdecimal() or int(attempt) < 1:
        raise ValueError(f"attempt {attempt!r} is not a whole number from 1")
    return Subject(instance, name, int(attempt), track or DEFAULT_TRACK, condition)
