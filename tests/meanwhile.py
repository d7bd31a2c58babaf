"""Something that another process does while this one is in the middle of its work."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from accounts.refusal import Refused


class Meanwhile:
    """`other` begins in a thread of its own where `owner.name` is left for the first time."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, other: Callable[[], Any]
    ) -> None:
        self.came_to: Any = None
        self.waited = False
        self._other, self._thread = other, threading.Thread(target=self._run)
        real = getattr(owner, name)

        def paused(*positional: Any, **named: Any) -> Any:
            found = real(*positional, **named)
            if not self._thread.ident:
                self._thread.start()
                self._thread.join(1)
                self.waited = self._thread.is_alive()
            return found

        monkeypatch.setattr(owner, name, paused)

    def _run(self) -> None:
        try:
            self.came_to = self._other()
        except Refused as refusal:
            self.came_to = refusal
        finally:
            connection.close()

    def end(self) -> Any:
        self._thread.join()
        return self.came_to
