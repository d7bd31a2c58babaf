"""Receiving a file: streamed to a private temporary file, refused as soon as it is too large."""

from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler


class CappedFileHandler(TemporaryFileUploadHandler):
    """Stops at `limit` bytes; `refusal` then says so in the words `too_large`."""

    def __init__(self, limit: int, too_large: str) -> None:
        super().__init__()
        self.limit = limit
        self.too_large = too_large
        self.received = 0
        self.refusal = ""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received > self.limit:
            self.stop(self.too_large)
        super().receive_data_chunk(raw_data, start)

    def stop(self, refusal: str) -> None:
        """Abort the upload, with a reason."""
        self.refusal = refusal
        raise StopUpload(connection_reset=True)
