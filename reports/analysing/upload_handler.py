"""Receiving a label file: streamed to a private temporary file, refused as soon as it cannot be one."""

from benchmark.importing.upload_handler import CappedFileHandler


class LabelFileHandler(CappedFileHandler):
    """Stops at `limit` bytes and at the first NUL, which no table has. `refusal` then says why."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, too_large(limit))

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if b"\0" in raw_data:
            self.stop(
                "The file contains NUL bytes, so it is no text table. Save it as CSV or JSONL in UTF-8."
            )
        super().receive_data_chunk(raw_data, start)


def too_large(limit: int) -> str:
    """What to do about a file of more than `limit` bytes."""
    return (
        f"The file is larger than {limit >> 20} MB. Leave columns out that the analysis does not need, "
        "or use manage.py analyse, which has no limit."
    )
