"""The accounts that the demo makes and its sign-in page offers, read from the sample project."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

PUBLIC_PASSWORD = "touchstone demo"  # noqa: S105 # nosec B105 # the demo's accounts exist on loopback only


@dataclass(frozen=True)
class DemoAccount:
    """One account of sample/manifest.toml."""

    email: str
    name: str
    role: str


def demo_accounts(sample_dir: Path) -> list[DemoAccount]:
    """The accounts in the manifest's order. Raises OSError or KeyError for a broken sample project."""
    manifest = tomllib.loads((sample_dir / "manifest.toml").read_text("utf-8"))
    return [DemoAccount(entry["email"], entry["name"], entry["role"]) for entry in manifest["accounts"]]
