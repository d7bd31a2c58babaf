"""Where comparisons of two systems come from: experts' choices, AI judges, and what grades imply."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.models import Release
from reports.comparison.direct_pairs import direct_document, direct_kinds
from reports.comparison.implied_pairs import chosen_key, implied_document, implied_kinds
from reports.comparison.judged_pairs import JudgedPairs, judged_document, judged_kinds
from reports.exclusions.rules import left_out
from reports.scores.inputs import Inputs


@dataclass(frozen=True)
class PairSources:
    """The sources of one track: `direct` and `implied` are CAMPAIGN:QUESTION to a title, `judged` PREDICATE@JUDGE."""

    release: Release
    inputs: Inputs
    direct: Mapping[str, str]
    judged: Mapping[str, JudgedPairs]
    implied: Mapping[str, str]

    @classmethod
    def of(cls, release: Release, inputs: Inputs) -> "PairSources":
        """Those that there are."""
        direct = direct_kinds(release, inputs.track)
        return cls(release, inputs, direct, judged_kinds(release, inputs), implied_kinds(inputs))

    @property
    def titles(self) -> dict[str, str]:
        """Every key with its title; choices come before what grades imply."""
        judged = {key: kind.title for key, kind in self.judged.items()}
        return {**self.direct, **judged, **self.implied}

    def document(self, key: str = "") -> dict[str, object]:
        """The comparisons called `key`, "" for the first, with how many instances a primary exclusion rule leaves out.

        Raises Refused for another.
        """
        out = {row.instance for row in self.inputs.outputs} & set(left_out(self.inputs))
        return self._document(chosen_key(self.titles, key)) | ({"excluded": len(out)} if out else {})

    def _document(self, key: str) -> dict[str, object]:
        if key in self.direct:
            return direct_document(self.release, self.inputs, key, self.direct[key])
        if key in self.judged:
            return judged_document(self.release, self.inputs, key, self.judged[key])
        return implied_document(self.inputs, key)

    def others(self, shown: str) -> list[dict[str, object]]:
        """What other sources than the one shown say: experts' first choices, every judge, what grades imply first."""
        keys = [
            *([] if shown in self.direct else list(self.direct)[:1]),
            *(key for key in self.judged if key != shown),
            *([] if shown in self.implied else list(self.implied)[:1]),
        ]
        documents = [self.document(key) for key in keys]
        return [found for found in documents if found["comparisons"]]
