"""The label rows behind a number, paged by key; streamed downloads of the label table and of a picture's data."""

from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from benchmark.models import Release
from reports.core.choosing import only_known
from reports.core.downloads import chosen_rows, csv_download, jsonl_download, table_download
from reports.core.requests import chosen_of, release_or_404, staff_page
from reports.core.wording import in_words
from reports.labels.cells import Row
from reports.labels.comments import comment_rows, comment_table
from reports.labels.filters import FILTERS
from reports.labels.pages import chosen_page
from reports.scores.figure_rows import figure_rows
from reports.scores.kept import kept_score
from stats.tables.labels import COLUMNS

PAGE = 100
_OF_COMMENTS = ("campaign", "identities")  # the parameters that the table of comments takes
_SHOWN_ELSEWHERE = ("release", "vote", "order", "step", "stratum_size", "sample_size", "attempt", "cluster")


@staff_page
def labels(request: HttpRequest, name: str) -> HttpResponse:
    """Rows of the label table by the address's filters; blinded unless identities=1 is asked for."""
    release = release_or_404(name)
    asked = request.GET.dict()
    after = asked.pop("after", "")
    page = chosen_page(release, asked, after=after, size=PAGE)
    query = request.GET.copy()
    query.pop("after", None)
    # columns that say something here; the download has them all
    shown = [column for column in COLUMNS if column not in _SHOWN_ELSEWHERE]
    columns = [column for column in shown if any(row.get(column) for row in page.rows)]
    context = {
        "release": release,
        "columns": [in_words(column) for column in columns],
        "rows": [[row.get(column, "") for column in columns] for row in page.rows],
        "wanted": [
            (in_words(column), asked[column]) for column in ("campaign", *FILTERS) if asked.get(column)
        ],
        "identities": asked.get("identities") == "1",
        "query": query.urlencode(),
        "comments_query": urlencode({key: asked[key] for key in _OF_COMMENTS if asked.get(key)}),
        "after": after,
        "next": page.next,
    }
    return render(request, "reports/labels/labels.html", context)


@staff_page
def labels_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The canonical label table as CSV; blinded unless identities=1 is asked for."""
    return _download(request, name, csv_download, "csv")


@staff_page
def labels_jsonl(request: HttpRequest, name: str) -> HttpResponseBase:
    """The same as JSON lines."""
    return _download(request, name, jsonl_download, "jsonl")


def _download(
    request: HttpRequest, name: str, send: Callable[[Iterable[Row], str], HttpResponseBase], ending: str
) -> HttpResponseBase:
    blind = "" if request.GET.get("identities") == "1" else "-blinded"
    rows = chosen_rows(get_object_or_404(Release, name=name), request.GET.dict())
    return send(rows, f"labels-{name}{blind}.{ending}")


@staff_page
def comments_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The comments on passages as CSV; blinded unless identities=1 is asked for."""
    return table_download(comment_table(chosen_comments(request.GET, name)), f"comments-{name}.csv")


def chosen_comments(asked: Mapping[str, str], name: str) -> list[dict[str, object]]:
    """The comments that a request means. They are read before anything is sent, for a text may have to be prepared."""
    only_known(asked, *_OF_COMMENTS)
    identities = asked.get("identities") == "1"
    release = release_or_404(name)
    return list(comment_rows(release, campaign=asked.get("campaign", ""), identities=identities))


@staff_page
def figure_csv(request: HttpRequest, name: str, figure: str) -> HttpResponseBase:
    """The numbers of one picture of the score page."""
    chosen = chosen_of(request, name)
    document = kept_score(chosen)
    return table_download(figure_rows(document, figure), f"{figure}-{name}-{chosen.track}.csv")
