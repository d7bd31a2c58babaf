"""What must not be reached: a port of the loopback interface, IPv4 and IPv6, that counts who connects."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Listener:
    """`connections` counts on both addresses; `port` is the same on 127.0.0.1 (hence 0.0.0.0) and ::1."""

    def __init__(self) -> None:
        self.connections = 0
        self.sockets = _both()
        self.port = self.sockets[0].getsockname()[1]

    def listen(self, which: socket.socket) -> None:
        while True:
            try:
                visitor, _ = which.accept()
            except OSError:
                return
            self.connections += 1
            visitor.close()


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener that runs until the block ends."""
    listener = Listener()
    threads = [
        threading.Thread(target=listener.listen, args=(each,), daemon=True) for each in listener.sockets
    ]
    for thread in threads:
        thread.start()
    try:
        yield listener
    finally:
        for each in listener.sockets:
            each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in threads:
            thread.join(5)


def _both() -> list[socket.socket]:
    first = socket.create_server(("127.0.0.1", 0))
    return [first, socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6)]


class NameServer:
    """A name server over UDP whose answers live 0 seconds: the n-th question gets the n-th address."""

    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self.asked = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def resolve(self, host: str, port: int) -> list[str]:
        """Asks this server over the network, as a stub resolver does."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(5)
            name = b"".join(bytes([len(label)]) + label.encode() for label in host.split(".")) + b"\0"
            header = struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0)
            asking.sendto(header + name + struct.pack("!2H", 1, 1), self._socket.getsockname())
            return [socket.inet_ntoa(asking.recv(512)[-4:])]

    def close(self) -> None:
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            question, sender = self._socket.recvfrom(512)
            if not question:
                return
            address = self.addresses[min(self.asked, len(self.addresses) - 1)]
            self.asked += 1
            header = question[:2] + struct.pack("!5H", 0x8180, 1, 1, 0, 0)
            record = struct.pack("!3HIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(address)  # TTL 0
            self._socket.sendto(header + question[12:] + record, sender)
