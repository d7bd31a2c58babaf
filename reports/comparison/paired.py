"""What was compared two at a time, as records and PDF files show it: wins, ties, win rates, strengths and ranks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.comparison.pair_sources import PairSources
from reports.comparison.pairs_page import never_compared
from reports.core.choosing import Chosen
from reports.core.estimates import with_estimates
from reports.core.wording import from_to
from reports.results.board import interval_of, value_of
from reports.scores.inputs import collect_chosen
from stats.core.display import rounded
from stats.core.estimate import Estimate


@dataclass(frozen=True)
class PairedSystem:
    """What a source says about a system; `rank` is the best and the worst place that the data leave open."""

    system: str
    wins: int
    ties: int
    losses: int
    win_rate: Estimate
    strength: Estimate
    rank: tuple[int, int] | None

    @property
    def win_rate_words(self) -> str:
        """ "50 % (9 to 91)"; "" where undefined."""
        ends = interval_of(self.win_rate)
        return value_of(self.win_rate) + (f" ({ends})" if ends else "")

    @property
    def strength_words(self) -> str:
        """ "0.41 (-0.20 to 1.02)"; "" where undefined."""
        if self.strength.value is None:
            return ""
        ends = " to ".join(rounded(end, places=2) for end in self.strength.ci or ())
        return rounded(self.strength.value, places=2) + (f" ({ends})" if ends else "")

    @property
    def rank_words(self) -> str:
        return from_to(self.rank)


@dataclass(frozen=True)
class PairSource:
    """Who compared: referees of a campaign, an AI judge, or all AI judges together."""

    key: str
    title: str
    comparisons: int
    flips: int | None
    systems: Sequence[PairedSystem]
    groups: Sequence[Sequence[str]] = ()


def pair_sources(plain: Mapping[str, Any]) -> list[PairSource]:
    """Documents of comparisons by source: referees first, then each AI judge, then all of them."""
    comparisons = with_estimates(plain)
    order = sorted(comparisons, key=lambda key: ("@" in key, key.endswith("@"), key))
    return [
        PairSource(
            key=key,
            title=found["grades"]["title"],
            comparisons=found["comparisons"],
            # None where nobody saw a pair in both orders, so that no choice could turn
            flips=found["order_flips"]
            if found["position_bias"] and found["position_bias"]["swapped_pairs"]
            else None,
            systems=[
                PairedSystem(
                    system=one["system"],
                    wins=one["wins"],
                    ties=one["ties"],
                    losses=one["losses"],
                    win_rate=one["win_rate"],
                    strength=one["strength"],
                    rank=tuple(one["rank"]) if one["rank"] else None,
                )
                for one in found["systems"]
            ],
            groups=never_compared(found["systems"]),
        )
        for key, found in ((key, comparisons[key]) for key in order)
    ]


def tables_of(sources: Iterable[PairSource], name_of: Callable[[str], str] = str) -> list[dict[str, object]]:
    """Template context of `reports/comparison/_paired.html`; `name_of` gives the name of a system."""
    return [
        {
            "source": source,
            "rows": [(name_of(one.system), one) for one in source.systems],
            "groups": [[name_of(slug) for slug in group] for group in source.groups],
        }
        for source in sources
    ]


def chosen_between(chosen: Chosen) -> list[dict[str, object]]:
    """The tables of what experts and AI judges chose between outputs of a track, as its page of comparisons has it."""
    sources = PairSources.of(chosen.release, collect_chosen(chosen))
    found = {key: sources.document(key) for key in (*sources.direct, *sources.judged)}
    return tables_of(pair_sources({key: one for key, one in found.items() if one["comparisons"]}))
