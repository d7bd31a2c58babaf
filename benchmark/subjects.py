"""The `subject` of the label table: names an output, a pair of outputs or an instance in one cell. Pure."""

from dataclasses import dataclass

DEFAULT_TRACK = "raw"
USUAL = "usual"  # how the usual condition is named where it has to be, which runs keep as ""
_INSTANCE = "/-/0"  # no system and no attempt; attempts of outputs count from 1


@dataclass(frozen=True)
class Subject:
    """An output by instance, system, attempt, track and condition. System slugs hold no "/", "@" or "+"."""

    instance: str
    system: str
    attempt: int
    track: str = DEFAULT_TRACK
    condition: str = ""

    @property
    def arm(self) -> str:
        """The system, on another track or condition `system@track+condition`."""
        usual = self.track == DEFAULT_TRACK and not self.condition
        return (
            self.system
            + ("" if usual else f"@{self.track}")
            + (f"+{self.condition}" if self.condition else "")
        )

    def __str__(self) -> str:
        """`instance/arm/attempt`."""
        return f"{self.instance}/{self.arm}/{self.attempt}"


@dataclass(frozen=True)
class PairSubject:
    """Two outputs of one instance and attempt, whatever order they were shown in."""

    one: Subject
    other: Subject

    @property
    def ordered(self) -> tuple[Subject, Subject]:
        """By the arms' names: the order that the label table counts as 1."""
        return (self.one, self.other) if self.one.arm <= self.other.arm else (self.other, self.one)

    def __str__(self) -> str:
        """`instance/arm|arm/attempt`."""
        first, second = self.ordered
        return f"{first.instance}/{first.arm}|{second.arm}/{first.attempt}"


@dataclass(frozen=True)
class InstanceSubject:
    """An instance itself, without any output."""

    instance: str

    def __str__(self) -> str:
        """`instance/-/0`."""
        return f"{self.instance}{_INSTANCE}"


def parse_subject(text: str) -> Subject | PairSubject | InstanceSubject:
    """The inverse of str(subject); instance keys may hold slashes. Raises ValueError with the reason."""
    if text.endswith(_INSTANCE) and text != _INSTANCE:
        return InstanceSubject(text.removesuffix(_INSTANCE))
    parts = text.rsplit("/", 2)
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"{text!r} does not read instance/system/attempt")
    instance, arms, attempt = parts
    if not attempt.isdecimal() or int(attempt) < 1:
        raise ValueError(f"attempt {attempt!r} is not a whole number from 1")
    found = [_of_arm(instance, arm, int(attempt)) for arm in arms.split("|")]
    if len(found) == 1:
        return found[0]
    if len(found) != 2 or not all(one.system for one in found) or found[0] == found[1]:
        raise ValueError(f"{arms!r} does not name one system or two")
    return PairSubject(*found)


def arm_of(text: str) -> Subject:
    """System, track and condition in `system@track+condition`, of no instance."""
    return _of_arm("", text, 1)


def _of_arm(instance: str, arm: str, attempt: int) -> Subject:
    name, _, place = arm.partition("@")
    track, _, condition = place.partition("+")
    return Subject(instance, name, attempt, track or DEFAULT_TRACK, condition)
