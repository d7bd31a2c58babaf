"""The label rows behind a number, as a table that is paged by key."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reports.core.access import staff_page
from reports.core.addresses import release_or_404
from reports.core.wording import in_words
from reports.labels.filters import FILTERS
from reports.labels.pages import chosen_page
from stats.tables.labels import COLUMNS

PAGE = 100
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
        "after": after,
        "next": page.next,
    }
    return render(request, "reports/labels/labels.html", context)
