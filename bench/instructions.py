"""The instructions that the processor carries out: a measure of work that no other job on the machine changes.

Linux counts them for each thread (`man perf_event_open`); a kernel may forbid it, and other systems have no such call.
"""

import ctypes
import os
import platform
import struct
from functools import cache

CALLS = {"x86_64": 298, "aarch64": 241}  # the system call's number
HARDWARE, INSTRUCTIONS = 0, 1
USER_SPACE_ONLY = 1 << 5 | 1 << 6  # neither the kernel's nor the hypervisor's
SIZE = 64  # bytes of the first version of perf_event_attr, which every kernel takes


@cache
def _counter(process: int) -> int | None:
    """A file with this thread's count, one for each process (Pool forks); None where the kernel does not count."""
    number = CALLS.get(platform.machine()) if platform.system() == "Linux" else None
    if number is None:
        return None
    attributes = struct.pack("=IIQQQQQ", HARDWARE, SIZE, INSTRUCTIONS, 0, 0, 0, USER_SPACE_ONLY).ljust(
        SIZE, b"\0"
    )
    this_thread, any_processor, no_group, no_flags = 0, -1, -1, 0
    found = ctypes.CDLL(None).syscall(number, attributes, this_thread, any_processor, no_group, no_flags)
    return found if found >= 0 else None


def counted() -> int | None:
    """How many instructions this thread has carried out since the first call; None where nobody counts."""
    found = _counter(os.getpid())
    return None if found is None else int.from_bytes(os.read(found, 8), "little")
