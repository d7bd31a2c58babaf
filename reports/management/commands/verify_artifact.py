"""manage.py verify_artifact: recompute an artifact or a record's archive from its own inputs and say what differs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.models import STORABLE
from reports.artifact.verification import hash_of, read_artifact, read_file, verify_file, with_tuple_files
from reports.records.archive import artifact_in, is_archive, verify_archive


class Command(TouchstoneCommand):
    help = "Recompute the score of an artifact or a record's archive from its own inputs; needs no stored release."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("artifact", type=Path)
        for entry in STORABLE:
            parser.add_argument(
                f"--{entry}",
                type=Path,
                metavar="FILE",
                help=f"the {entry} file of its frozen tuple, to be compared",
            )

    def run(self, **options: Any) -> dict[str, object]:
        content = read_file(options["artifact"])
        given = {entry: hash_of(options[entry]) for entry in STORABLE if options[entry]}
        verification = verify_archive(content) if is_archive(content) else verify_file(content)
        artifact = read_artifact(artifact_in(content) if is_archive(content) else content)
        verification = with_tuple_files(verification, artifact, given)
        if not verification.verified:
            if options["json"]:
                self.stdout.write(json.dumps(verification.as_json(), ensure_ascii=False, indent=2))
            listed = "\n".join(map(str, [*verification.differences, *verification.notes]))
            raise Refused(f"The artifact does not verify:\n{listed}", code="does_not_verify")
        return verification.as_json()

    def text(self, document: Mapping[str, Any]) -> str:
        said = f"verified: every number follows from the inputs (sha256 {document['sha256']})"
        return "\n".join([said, *document["notes"]])
