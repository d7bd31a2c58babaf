"""What a deployment may declare as an endpoint, and which addresses it may stand for."""

import json

import pytest

from llm import AddressRefused, Endpoint, EndpointError, parse_endpoints
from llm.addresses import checked_addresses, system_resolver

KEY = "sk-very-secret"


def declared(url: str, **settings: object) -> Endpoint:
    return parse_endpoints({"lab": {"base_url": url, **settings}})["lab"]


def test_json_and_toml_declare_the_same_endpoints() -> None:
    by_json = parse_endpoints('{"lab": {"base_url": "https://models.test/v1", "timeout": 30}}')
    by_toml = parse_endpoints('[lab]\nbase_url = "https://models.test/v1"\ntimeout = 30\n')
    assert by_json == by_toml == {"lab": Endpoint("lab", "https://models.test/v1", timeout=30.0)}


def test_a_stream_may_take_long_and_be_long_unless_it_is_declared_otherwise() -> None:
    plain, long = declared("https://models.test/v1"), declared("https://models.test/v1", stream=True)
    assert (plain.timeout, plain.max_reply_bytes, plain.stream) == (120, 4 * 2**20, False)
    assert (long.timeout, long.stall_seconds, long.max_reply_bytes) == (6 * 3600, 120, 32 * 2**20)
    bounded = declared(
        "https://models.test/v1", stream=True, timeout=60, max_reply_bytes=1024, stall_seconds=5
    )
    assert (bounded.timeout, bounded.stall_seconds, bounded.max_reply_bytes) == (60, 5, 1024)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_declared_is_no_endpoint(text: str) -> None:
    assert parse_endpoints(text) == {}


def test_the_key_is_not_shown() -> None:
    endpoint = declared("https://models.test/v1", api_key=KEY)
    assert endpoint.api_key == KEY
    assert KEY not in repr(endpoint)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, "base_url"),
        ({"base_url": "https://m.test", "retries": 3}, "retries"),
        ({"base_url": "https://m.test", "timeout": "30"}, "timeout"),
        ({"base_url": "https://m.test", "timeout": 0}, "timeout"),
        ({"base_url": "https://m.test", "private": 1}, "private"),
        ({"base_url": "https://m.test", "max_concurrency": 0}, "max_concurrency"),
        ({"base_url": "https://m.test", "requests_per_minute": 0}, "requests_per_minute"),
        ({"base_url": "https://m.test", "timeout": 3601}, "timeout"),
        ({"base_url": "https://m.test", "stream": "yes"}, "stream"),
        ({"base_url": "https://m.test", "stream": True, "stall_seconds": 0}, "stall_seconds"),
        ({"base_url": "https://m.test", "stall_seconds": 30}, "stall_seconds"),
        ({"base_url": 5, "api_key": KEY}, "base_url"),
        ({"base_url": "https://m.test", "api_key": f"{KEY}\r\nX-Other: 1"}, "api_key"),
        ("https://m.test", "table"),
    ],
)
def test_a_wrong_setting_is_named_and_the_key_kept_quiet(settings: object, named: str) -> None:
    with pytest.raises(EndpointError, match=named) as raised:
        parse_endpoints(json.dumps({"lab": settings}))
    assert "lab" in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"base_url": "https://m.test"}, "a": {"base_url": "https://n.test"}}',
        '{"a": {"base_url": "https://m.test"}',
        "lab = https://m.test",
    ],
)
def test_an_unreadable_declaration_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(EndpointError):
        parse_endpoints(text)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://models.test/v1",
        "file:///etc/hostname",
        "gopher://models.test/",
        "unix:/run/model.sock",
        "//models.test/v1",
        "models.test/v1",
        "https://",
        "https:///v1",
        "https://user@models.test/v1",
        "https://user:pass@models.test/v1",
        "https://models.test@127.0.0.1/v1",
        "https://models.test/v1#x",
        "https://models.test#@127.0.0.1/",
        "https://models.test/v1?x=1",
        "https://models.test:0/v1",
        "https://models.test:99999/v1",
        "https://models.test:port/v1",
        "https://models.test\\@127.0.0.1/v1",
        "https://models .test/v1",
        "https://models.test/v1\r\nHost: other",
        "https://127.1/v1",
        "https://0/v1",
        "https://0x7f000001/v1",
        "https://2130706433/v1",
        "https://0177.0.0.1/v1",
        "https://127.0.0.0x1/v1",
        "https://[::1/v1",
        "https://[fe80::1%25eth0]/v1",
        "https://mod%65ls.test/v1",
        "https://１２７.0.0.1/v1",
        "https://-models.test/v1",
        "https://models..test/v1",
    ],
)
def test_a_hostile_or_ambiguous_base_url_is_refused_when_it_is_declared(url: str) -> None:
    with pytest.raises(EndpointError, match="base_url"):
        declared(url, private=True)


def test_a_key_is_not_declared_for_plain_http() -> None:
    with pytest.raises(EndpointError, match="only sent over https"):
        declared("http://models.test/v1", api_key=KEY)
    assert declared("http://models.test/v1", api_key=KEY, private=True).port == 80


def test_host_and_port_are_read_from_the_address() -> None:
    assert (declared("https://Models.Test/v1").host, declared("https://m.test/v1").port) == (
        "models.test",
        443,
    )
    assert (declared("http://[::1]:8080/v1").host, declared("http://[::1]:8080/v1").port) == ("::1", 8080)


PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]
INNER = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1"]
DISGUISED = [  # 10.0.0.1 each
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::a00:1",
    "2002:a00:1::",
    "::10.0.0.1",
    "::ffff:0:10.0.0.1",
]
UNASSIGNED = ["fec0::1", "100::1", "4000::1", "5f00::1", "2001:db8::1", "198.18.0.1", "255.255.255.255"]
NEVER = [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::169.254.169.254",
    "::ffff:0:169.254.169.254",
    "64:ff9b:1::a9fe:a9fe",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "ff02::1",
]


def check(addresses: list[str], *, private: bool) -> tuple[str, ...]:
    return checked_addresses("models.test", 443, private=private, resolver=lambda host, port: addresses)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_called(address: str) -> None:
    assert check([address], private=False) == (address,)


@pytest.mark.parametrize("address", INNER)
def test_an_inner_address_needs_a_private_declaration(address: str) -> None:
    with pytest.raises(AddressRefused, match="private = true"):
        check([address], private=False)
    assert check([address], private=True) == (address,)


@pytest.mark.parametrize("address", DISGUISED)
def test_an_inner_address_in_disguise_is_recognised(address: str) -> None:
    with pytest.raises(AddressRefused, match="private = true"):
        check([address], private=False)


@pytest.mark.parametrize("address", UNASSIGNED)
def test_a_public_endpoint_stands_for_addresses_of_the_public_internet_only(address: str) -> None:
    with pytest.raises(AddressRefused, match="private = true"):
        check([address], private=False)


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("address", NEVER)
def test_link_local_and_metadata_addresses_are_never_called(address: str, private: bool) -> None:
    with pytest.raises(AddressRefused, match="never called"):
        check([address], private=private)


def test_one_bad_address_among_good_ones_refuses_the_name() -> None:
    with pytest.raises(AddressRefused):
        check([*PUBLIC, "10.0.0.1"], private=False)


def test_the_system_resolver_reads_literals_without_asking_anybody() -> None:
    assert system_resolver("127.0.0.1", 80) == ["127.0.0.1"]
