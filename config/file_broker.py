"""Celery's file-system transport for the embedded way to run, with files that are never seen half written.

kombu's own writes each file in place: a worker may read a part of one, and a process that is killed while it writes
leaves a part for ever. Either ends every worker that reads it. Here a file appears under its name when it is complete,
and a message that cannot be read is set aside: it carried a signal only, and the database knows what there is to do
(ADR 0005).
"""

import fcntl
import logging
import uuid
from pathlib import Path
from queue import Empty
from time import monotonic_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)
_PARTS = {"body", "headers", "properties", "content-type", "content-encoding"}


class Channel(filesystem.Channel):
    """Reads and writes messages as files of one folder, and the tables of exchanges as files of another."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu names it so
        name = f"{monotonic_ns():020}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out) / name, payload)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message of the queue that can be read. Raises Empty."""
        for found in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = found.with_name(f"{found.name}.{uuid.uuid4()}.taken")
            try:
                found.rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            message = _read(taken)
            if isinstance(message, dict) and message.keys() >= _PARTS:
                taken.unlink()
                return message
            logger.warning("The message %s cannot be read; it is set aside.", found.name)
            taken.rename(found.with_name(f"{found.name}.unreadable"))
        raise Empty

    def get_table(self, exchange: str) -> list[Any]:
        try:
            return [filesystem.exchange_queue_t(*row) for row in _read(self._table_of(exchange))]
        except TypeError:  # no file yet, or no table in it: workers bind their queues again
            return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        file = self._table_of(exchange)
        file.parent.mkdir(exist_ok=True)
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            bound, row = self.get_table(exchange), (routing_key or "", pattern or "", queue or "")
            if row not in bound:
                _write(file, [row, *bound])

    def _table_of(self, exchange: str) -> Path:
        return Path(self.control_folder) / f"{exchange}.exchange"


def _write(file: Path, content: Any) -> None:
    unfinished = file.with_name(f"{file.name}.{uuid.uuid4()}.unfinished")
    try:
        unfinished.write_text(dumps(content), encoding="utf-8")
        unfinished.rename(file)
    except OSError:  # a full disk: beat alone would leave thousands of files a day
        unfinished.unlink(missing_ok=True)
        raise


def _read(file: Path) -> Any:
    """What the file holds; None if it is not there or no JSON."""
    try:
        return loads(file.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None


class Transport(filesystem.Transport):
    """`CELERY_BROKER_TRANSPORT` of the embedded way to run."""

    Channel = Channel
