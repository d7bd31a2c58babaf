"""Corpora with their statements, indexes over them, and what was searched for."""

from search.models.corpora import Corpus, Document, Source, Statement, Visibility
from search.models.indexes import Index, IndexState
from search.models.queries import Feedback, Purpose, Query, Reason, SearchesOfADay

__all__ = [
    "Corpus",
    "Document",
    "Feedback",
    "Index",
    "IndexState",
    "Purpose",
    "Query",
    "Reason",
    "SearchesOfADay",
    "Source",
    "Statement",
    "Visibility",
]
