"""manage.py ways_out SLUG"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as Base
from annotation.core.queries import campaign_called
from annotation.grading.ways_out import ways_out


class Command(Base):
    help = "List the issues that reviewers reported: cannot be judged, statement wrong, seen before, out of field."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return ways_out(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        totals = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in document["counts"].items())
        lines = [f"{document['campaign']}: {document['grades']} grades; {totals}"]
        lines += [f"  {count} x {words}" for words, count in document["reasons"].items()]
        lines += [_line(row) for row in document["items"]]
        return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    said = [
        f"{name.replace('_', ' ')} {row[name]}"
        for name in ("out_of_field", "statement_wrong", "seen_before")
        if row[name]
    ]
    said += [f"{each['words']}{': ' * bool(each['note'])}{each['note']}" for each in row["unjudged"]]
    said += [f"seen: {where}" for where in row["seen_where"]]
    return f"  {row['item']}  {row['problem']}: {'; '.join(said)}"
