"""A proxy on the loopback interface that delivers every piece of a conversation late."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SlowProxy:
    """Passes bytes on to `target` (a port of the loopback interface), each piece `delay` seconds after it came."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.delay = 0.0
        self.port = 0

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        listener = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = listener.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        listener.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            behind = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(self._pass(reader, behind[1]), self._pass(behind[0], writer))
        writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65536):
                await asyncio.sleep(self.delay)
                writer.write(piece)
                await writer.drain()
        finally:
            writer.close()


@contextmanager
def slow_proxy(target: int) -> Iterator[SlowProxy]:
    """A proxy in a thread of its own; `port` is where it listens, `delay` may be changed at any time."""
    proxy, started, stop, loops = SlowProxy(target), threading.Event(), asyncio.Event(), []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        await proxy.serve(started, stop)

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    if not started.wait(10):
        raise RuntimeError("the proxy did not start")
    try:
        yield proxy
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join()
