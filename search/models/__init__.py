"""Corpora with their statements, indexes over them, and what was searched for."""

from search.models.checks import CheckState, Decision, Finding, Kind, ReleaseCheck
from search.models.corpora import Corpus, Document, Source, Statement, Visibility
from search.models.indexes import Index, IndexState
from search.models.queries import Feedback, Purpose, Query, Reason, SearchesOfADay
from search.models.slogans import Reads, Slogan, SloganCall, SloganRun, SloganTask
