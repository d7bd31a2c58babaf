"""Logs and result files that somebody made to harm, or that broke on their way, and what must be said of each.

Each is an ending, the content, and what its refusal says: the reason, and the member, field or line.
"""

import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import zstandard

HEADER = json.dumps({"version": 2, "status": "success", "eval": {"model": "made-up/1"}}).encode()
FIRST = "samples/p1_epoch_1.json"
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
Member = tuple[str, bytes]
Content = (
    bytes | Callable[[], bytes]
)  # what takes long is made by its test, not by every process that reads the tests


def sample(**changes: Any) -> dict[str, Any]:
    output = {"choices": [{"message": {"role": "assistant", "content": "So $a<b$."}}]}
    return {"id": "p1", "epoch": 1, "output": output, **changes}


def text(**changes: Any) -> bytes:
    return json.dumps(sample(**changes)).encode()


def zipped(*members: Member, mode: int = 0o100644, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", kind) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, content in members:
            info = zipfile.ZipInfo("x")
            info.filename, info.external_attr, info.compress_type = name, mode << 16, kind
            archive.writestr(info, content)
    return packed.getvalue()


def log(*members: Member, **how: Any) -> bytes:
    """An archive with a header that says that all went well, and these members."""
    return zipped(("header.json", HEADER), *members, **how)


def by_hand(
    data: bytes, content: bytes, *, method: int = ZSTANDARD, flags: int = 0, size: int | None = None,
    crc: int | None = None, offset: int = 0,
) -> bytes:  # fmt: skip
    """An archive whose only member, header.json, says of itself what it is told to."""
    name = b"header.json"
    told = len(content) if size is None else size, zlib.crc32(content) if crc is None else crc
    middle = struct.pack("<HHHHHIIIHH", 63, flags, method, 0, 0, told[1], len(data), told[0], len(name), 0)
    listed = b"PK\x01\x02" + struct.pack("<H", 63) + middle + struct.pack("<HHHII", 0, 0, 0, 0, offset) + name
    body = b"PK\x03\x04" + middle + name + data
    return body + listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), len(body), 0)


def arena(**changes: Any) -> bytes:
    spoken = [[{"role": "assistant", "type": "response", "content": "So $a<b$."}]]
    return json.dumps({"idx": "p1", "N": 1, "messages": spoken, **changes}).encode()


def answered(name: Any, **changes: Any) -> bytes:
    body = {"model": "m", "choices": [{"message": {"content": "So $a<b$."}}]}
    line = {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None, **changes}
    return json.dumps(line).encode() + b"\n"


_GOOD = log((FIRST, text()))
_FRAME = zstandard.compress(HEADER)


def _wide() -> bytes:
    """A window of 128 MB."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compress(b"x" * (1 << 27))
    return by_hand(packed, b"x" * (1 << 27))


# What is not an archive, or whose list of members lies.
_ARCHIVES: dict[str, tuple[Content, str, str]] = {
    "nothing": (b"", "not a readable zip archive", ""),
    "garbage": (b"\x00\xff" * 5_000, "not a readable zip archive", ""),
    "cut off": (_GOOD[:-30], "not a readable zip archive", ""),
    "its first half": (_GOOD[: len(_GOOD) // 2], "not a readable zip archive", ""),
    "a tar": (b"ustar".ljust(1_024, b"\0"), "not a readable zip archive", ""),
    "no sample": (log(), "has no outputs", ""),
    "no log": (zipped(("readme.txt", b"Hello.")), "is not a log of Inspect", ""),
    "only a journal": (zipped(("_journal/start.json", HEADER), (FIRST, text())), r"did not finish \(1 sample", ""),
    "a path that leads out": (log(("samples/../../../etc/x.json", text())), "leads out", "samples/../../../etc/x.json"),
    "an absolute path": (log(("/etc/passwd", b"x")), "leads out", "/etc/passwd"),
    "a path in Windows' way out": (log(("..", b"x")), "leads out", ".."),
    "forty folders deep": (log(("a/" * 40 + "x.json", b"x")), "too deep", "a/" * 40 + "x.json"),
    "thirty thousand members": (
        lambda: log(*((f"samples/p{number:030}_epoch_1.json", b"{}") for number in range(30_000))),
        "lists too many files", "",
    ),
    "a member at no place": (by_hand(_FRAME, HEADER, offset=40), "no member where the list says", "header.json"),
    "a member behind the end": (by_hand(_FRAME, HEADER, offset=1 << 20), "ends within a header", "header.json"),
}  # fmt: skip

# Members that cannot be unpacked as they say.
_MEMBERS: dict[str, tuple[Content, str, str]] = {
    "an encrypted member": (by_hand(_FRAME, HEADER, flags=1), "is encrypted", "header.json"),
    "a link": (log((FIRST, b"/etc/passwd"), mode=0o120777), "is not a regular file", "header.json"),
    "a device": (log((FIRST, text()), mode=0o020666), "is not a regular file", "header.json"),
    "an unknown method": (by_hand(HEADER, HEADER, method=99), "is broken", "header.json"),
    "another checksum": (by_hand(_FRAME, HEADER, crc=1), "checksum is different", "header.json"),
    "another checksum, deflated": (
        by_hand(zlib.compress(HEADER)[2:-4], HEADER, method=DEFLATED, crc=1), "is broken", "header.json",
    ),
    "a smaller size than it has": (by_hand(_FRAME, HEADER, size=3), "length or its checksum", "header.json"),
    "a larger size than it has": (by_hand(_FRAME, HEADER, size=1 << 31), "length or its checksum", "header.json"),
    "half a frame": (by_hand(_FRAME[:-8], HEADER), "is broken", "header.json"),
    "garbage for a frame": (by_hand(b"\xff" * 500, HEADER), "is broken", "header.json"),
    "a second frame": (by_hand(_FRAME + _FRAME, HEADER * 2), "is broken", "header.json"),
    "a window of 128 MB": (_wide, "is broken|unpacks to more", "header.json"),
    "a bomb of 1 GB": (
        lambda: by_hand(zstandard.compress(b"[" * (1 << 28)) * 4, b"", size=1 << 30), "unpacks to more", "header.json",
    ),
    "a deflated bomb": (lambda: log((FIRST, b" " * 60_000_000)), "unpacks to more", FIRST),
}  # fmt: skip

# Documents that are not what they should be.
_DOCUMENTS: dict[str, tuple[Content, str, str]] = {
    "an archive in the archive": (log((FIRST, _GOOD)), "not UTF-8|not JSON", FIRST),
    "an empty sample": (log((FIRST, b"")), "not JSON", FIRST),
    "UTF-16": (log((FIRST, text().decode().encode("utf-16"))), "not UTF-8", FIRST),
    "bytes that are not text": (log((FIRST, b'{"id": "\xff\xfe"}')), "not UTF-8", FIRST),
    "nested a million deep": (log((FIRST, b'{"id":' + b"[" * 1_000_000)), "nested deeper|not JSON", FIRST),
    "a number of a million digits": (log((FIRST, b'{"epoch": ' + b"9" * 1_000_000 + b"}")), "not JSON that can", FIRST),
    "a list for a sample": (log((FIRST, b"[]")), "object was expected", FIRST),
    "no name": (log((FIRST, text(id=None))), f"{FIRST}: must name the sample", "id"),
    "a blank name": (log((FIRST, text(id=" "))), f"{FIRST}: must name the sample", "id"),
    "a list for a name": (log((FIRST, text(id=["p1"]))), f"{FIRST}: must name the sample", "id"),
    "true for a name": (log((FIRST, text(id=True))), f"{FIRST}: must name the sample", "id"),
    "epoch 0": (log((FIRST, text(epoch=0))), f"{FIRST}: must be a whole number", "epoch"),
    "epoch -1": (log((FIRST, text(epoch=-1))), f"{FIRST}: must be a whole number", "epoch"),
    "epoch true": (log((FIRST, text(epoch=True))), f"{FIRST}: must be a whole number", "epoch"),
    "epoch 1.5": (log((FIRST, text(epoch=1.5))), f"{FIRST}: must be a whole number", "epoch"),
    "epoch NaN": (log((FIRST, text(epoch=float("nan")))), f"{FIRST}: must be a whole number", "epoch"),
    "a billionth epoch": (log((FIRST, text(epoch=10**9))), "1000|1,000|no instance", "attempt|instance_id"),
    "one sample and epoch in two members": (
        log((FIRST, text()), ("samples/again.json", text(output={"completion": "No."}))), "already in", "attempt",
    ),
    "tokens below 0": (log((FIRST, text(model_usage={"m": {"total_tokens": -1}}))), f"{FIRST}: tokens", "model_usage"),
    "half a token": (log((FIRST, text(model_usage={"m": {"input_tokens": 0.5}}))), f"{FIRST}: tokens", "model_usage"),
    "tokens NaN": (
        log((FIRST, text(model_usage={"m": {"output_tokens": float("nan")}}))), f"{FIRST}: tokens", "model_usage",
    ),
    "more tokens than there ever were": (
        log((FIRST, text(model_usage={"m": {"total_tokens": 10**30}}))), f"{FIRST}: tokens", "model_usage",
    ),
    "a problem that is not there": (log((FIRST, text(id="p9"))), "no instance 'p9'", "instance_id"),
    "a name of 10 MB": (
        log((FIRST, text(id="p" * 10_000_000)), kind=zipfile.ZIP_STORED), "longer than 5,000,000 bytes", "",
    ),
    "a name of 1 MB": (
        log((FIRST, text(id="p" * 1_000_000)), kind=zipfile.ZIP_STORED), "no instance 'p|200 characters",
        "instance_id",
    ),
    "an answer of 10 MB": (
        log((FIRST, text(output={"completion": "x" * 10_000_000})), kind=zipfile.ZIP_STORED),
        "longer than 5,000,000 bytes", "",
    ),
    "a header that is a list": (zipped(("header.json", b"[]"), (FIRST, text())), "object was expected", "header.json"),
    "a run that failed": (
        zipped(("header.json", b'{"status": "error"}'), (FIRST, text())), "status is error, with 1 samples", "status",
    ),
    "no status": (zipped(("header.json", b"{}"), (FIRST, text())), "status is unknown", "status"),
}  # fmt: skip

_OTHERS: dict[str, tuple[str, Content, str, str]] = {
    "a log without samples": (".json", HEADER[:-1] + b', "samples": []}', "has no samples", "samples"),
    "a log whose sample is a number": (".json", HEADER[:-1] + b', "samples": [7]}', "object was expected", "samples"),
    "MathArena: a problem without a name": (".json", arena(idx=None), "does not name its problem", "idx"),
    "MathArena: no list of conversations": (".json", arena(messages={}), "no list of conversations", "messages"),
    "MathArena: a problem that is not there": (".json", arena(idx="p9"), "no instance 'p9'", "instance_id"),
    "MathArena: tokens below 0": (
        ".json", arena(detailed_costs=[{"input_tokens": 1, "output_tokens": -1}]), "log.json: tokens", "detailed_costs",
    ),
    "batch: tokens below 0": (
        ".jsonl", answered("p1", response={"status_code": 200, "body": {"usage": {"prompt_tokens": -5}}}), "tokens are",
        "response.body.usage",
    ),
    "batch: half a line": (".jsonl", answered("p1") + b'{"custom_id"', "not JSON", ""),
    "batch: a name that is a number": (".jsonl", answered("p1") + answered(7), "must name the request", "custom_id"),
    "batch: the same request twice": (".jsonl", answered("p1") * 2, "already in", "attempt"),
    "batch: nested a million deep": (
        ".jsonl", answered("p1") + b'{"a":' + b"[" * 1_000_000 + b"\n", "nested deeper|not JSON", "",
    ),
    "batch: a request": (
        ".jsonl", answered("p1") + b'{"custom_id": "p2", "method": "POST", "body": {}}\n', "this is a request", "body",
    ),
}  # fmt: skip

HOSTILE: dict[str, tuple[str, Content, str, str]] = {
    **{name: (".eval", *told) for name, told in (_ARCHIVES | _MEMBERS | _DOCUMENTS).items()},
    **_OTHERS,
}
