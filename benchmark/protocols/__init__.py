"""The registry: every folder next to this file is a protocol and exposes PROTOCOL."""

from functools import cache
from importlib import import_module
from pathlib import Path

from benchmark.protocol import Protocol

_HERE = Path(__file__).parent


def protocol_names() -> list[str]:
    """Names of all protocol folders, sorted."""
    return sorted(path.parent.name for path in _HERE.glob("*/__init__.py"))


@cache
def get_protocol(name: str) -> Protocol:
    """The protocol in folder `name`; raises KeyError naming those that exist."""
    if name not in protocol_names():
        raise KeyError(f"no protocol {name!r}; there are {', '.join(protocol_names())}")
    protocol: Protocol = import_module(f"benchmark.protocols.{name}").PROTOCOL
    return protocol


def protocol_choices() -> list[tuple[str, str]]:
    """(name, title) of every protocol, for a form."""
    return [(name, get_protocol(name).title) for name in protocol_names()]
