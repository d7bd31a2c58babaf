"""Which network addresses an endpoint may resolve to: resolved once, checked, and then used as they are."""

import ipaddress
import socket
from collections.abc import Callable, Sequence

Resolver = Callable[[str, int], Sequence[str]]
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NEVER = (
    ipaddress.ip_network("0.0.0.0/8"),
    ipaddress.ip_network("169.254.0.0/16"),  # link-local: where clouds serve machine credentials
    ipaddress.ip_network("100.100.100.200/32"),  # the same service at other clouds
    ipaddress.ip_network("168.63.129.16/32"),
    ipaddress.ip_network("192.0.0.192/32"),
    ipaddress.ip_network("fe80::/10"),
    ipaddress.ip_network("fd00:ec2::/32"),
)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # all that is assigned to the public internet
_LAST_32_BITS = (  # where the last 32 bits are an IPv4 address
    ipaddress.ip_network("::/96"),  # IPv4-compatible; ::1 and :: are none
    ipaddress.ip_network("::ffff:0:0:0/96"),  # IPv4-translated
    ipaddress.ip_network("64:ff9b::/96"),  # NAT64
    ipaddress.ip_network("64:ff9b:1::/48"),  # NAT64 of a site
)


class AddressRefused(ValueError):
    """The host resolves to an address that must not be called."""


def system_resolver(host: str, port: int) -> list[str]:
    """All addresses of the host, in the system's order of preference, without repetition.

    Raises OSError when the name does not resolve.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def checked_addresses(
    host: str, port: int, *, private: bool, resolver: Resolver = system_resolver
) -> tuple[str, ...]:
    """The addresses of `host`, every one of them allowed.

    A public endpoint may only resolve to globally routed addresses. One declared private may also resolve to loopback
    and private ones. Link-local and metadata addresses are refused for both. One bad address among good ones refuses
    the host, because an attacker who controls the name mixes them. Raises AddressRefused, and OSError when the name
    does not resolve.
    """
    addresses = tuple(resolver(host, port))
    if not addresses:
        raise OSError(f"{host} has no address")
    for text in addresses:
        reason = _objection(ipaddress.ip_address(text.partition("%")[0]), private)
        if reason:
            raise AddressRefused(f"{host} resolves to {text}: {reason}")
    return addresses


def _objection(address: _Address, private: bool) -> str:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if int(address) > 1 and any(address in network for network in _LAST_32_BITS):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:  # it embeds an IPv4 address, and that is what is called
            return _objection(inner, private)
    if address.is_unspecified or address.is_multicast or any(address in network for network in _NEVER):
        return "a link-local, metadata, multicast or unspecified address is never called"
    public = address.is_global and (address.version == 4 or address in _GLOBAL_UNICAST)
    if not private and not public:
        return "not a public address; a local model needs private = true in its declaration"
    return ""
