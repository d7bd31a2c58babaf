"""`analyse gold`: a judge's choices between two outputs against the gold choice, in one or both orders."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from stats.analyses.options import Options, chosen_question
from stats.core.bootstrap import Ints
from stats.core.estimate import Reason, undefined
from stats.core.intervals import proportion
from stats.scores.clusters import cluster_totals, wilson_on_effective_n
from stats.tables.columns import Table
from stats.tables.groups import first_rows, group_codes, refuse_many, refuse_repeats
from stats.tables.label_pairs import OrderRule, pair_clusters, pair_results, system_pairs
from stats.tables.labels import ADJUDICATOR, GRADERS, independent
from stats.tables.raw_rows import TableError

Document = dict[str, object]


@dataclass(frozen=True)
class _PairVotes:
    """Per pair (P,): how many usable votes, their sum (above zero: for the first system by name), the least and the
    greatest of them, and in how many orders they were given."""

    count: Ints
    net: Ints
    low: Ints
    high: Ints
    orders: Ints

    def take(self, pairs: Ints) -> "_PairVotes":
        """Some of the pairs."""
        return _PairVotes(*(getattr(self, name)[pairs] for name in ("count", "net", "low", "high", "orders")))


@dataclass(frozen=True)
class _Ballots:
    """Per row (R,): its pair, whose `n` there are, its vote (1: for the first system by name, -1, 0), which order it is
    in, and whether it is usable."""

    pair: Ints
    n: int
    vote: Ints
    forward: np.ndarray
    usable: np.ndarray

    @classmethod
    def of(cls, table: Table) -> "_Ballots":
        """The rows of a table, whose systems are pairs. Raises TableError for another form."""
        first, second, systems = system_pairs(table)
        pairs = group_codes(table, ("release", "question", "subject"))
        for ends in (np.minimum(first, second), np.maximum(first, second)):
            pairs = np.unique(pairs * len(systems) + ends, return_inverse=True)[1].astype(np.int64)
        answered = table["state"].is_in("answered")
        worth = np.array([1, -1, 0])  # of Result: first, second, tie
        shown = np.zeros(len(table), dtype=np.int64)
        shown[answered] = worth[pair_results(table.select(answered))]
        return cls(
            pair=pairs,
            n=int(pairs.max(initial=-1)) + 1,
            vote=np.where(first < second, shown, -shown),
            forward=first < second,
            usable=~table["state"].is_in("unavailable"),
        )

    def gold(self, table: Table, decisions: np.ndarray) -> Ints:
        """(pairs,) 1 or -1 for the better system, 0 where nobody or no majority says; a decision replaces experts."""
        experts, n = _graders(table, "expert") & self.usable, max(1, self.n)
        cells = table["rater"].codes[experts].astype(np.int64) * n + self.pair[experts]
        kinds, at = np.unique(cells, return_inverse=True)
        of_expert = np.sign(np.bincount(at, weights=self.vote[experts], minlength=len(kinds)))
        for_first = np.bincount(kinds % n, weights=of_expert, minlength=self.n).astype(np.int64)
        decided = self.votes(decisions)
        return np.where(decided.count > 0, np.sign(decided.net), np.sign(for_first))

    def votes(self, rows: np.ndarray) -> _PairVotes:
        """What the rows of a mask say together."""
        rows = rows & self.usable
        at, vote, n = self.pair[rows], self.vote[rows], self.n
        low, high = np.full(n, 1), np.full(n, -1)
        np.minimum.at(low, at, vote)
        np.maximum.at(high, at, vote)
        ways = [np.bincount(at[self.forward[rows] == way], minlength=n) > 0 for way in (True, False)]
        net = np.bincount(at, weights=vote, minlength=n).astype(np.int64)
        return _PairVotes(np.bincount(at, minlength=n), net, low, high, np.sum(ways, axis=0, dtype=np.int64))


# Several votes about one pair as one choice: 1 or -1 for one of the systems, 0 for a tie.
_CHOICE: Mapping[OrderRule, Callable[[_PairVotes], Ints]] = {
    "net": lambda votes: np.sign(votes.net),
    "agree": lambda votes: np.where(votes.low == votes.high, votes.low, 0),
}
_RULE = "pairs with a gold choice and a usable vote; a tie is no correct choice"


def gold_document(table: Table, *, options: Options) -> Document:
    """For every judge, and for each rule about its two orders, the share of pairs of which it names the better output.

    The gold choice about a pair of systems is an adjudicator's, unless it is an amendment, else what most experts
    say. Pairs without one, or with a gold tie, are counted and left out. All votes of a judge about a pair, in
    either order, are put together: `net` adds them, so that one decisive order and a tie are decisive (the rule of
    JudgeBench, Tan and others 2025); `agree` is decisive only where all votes are the same. An abstention is a tie.
    A pair without a usable vote is counted, leaves the denominator, and is bounded. Raises TableError for a table that
    lacks one kind of rater.
    """
    table = chosen_question(table, options.question)
    decisions = table["rater_kind"].is_in(ADJUDICATOR) & ~table["amendment"].is_in("yes")
    others, left_out = independent(table)
    refuse_repeats(others, also=("system",))
    for kind in GRADERS:
        if not others["rater_kind"].is_in(kind).any():
            raise TableError(f"no row is by a rater of the kind {kind!r}", column="rater_kind")
    ballots = _Ballots.of(table)
    gold = ballots.gold(table, decisions)
    decided = np.flatnonzero(gold)
    labelled = np.unique(ballots.pair[_graders(table, "expert")])
    clusters = pair_clusters(table)[first_rows(ballots.pair)]
    judges, names = _graders(table, "judge"), group_codes(table, ("rater", "judge_version"))
    refuse_many(len(np.unique(names[judges])), "rater")
    rows = []
    for code in np.unique(names[judges]).tolist():
        mine = judges & (names == code)
        row = int(np.argmax(mine))
        judge, version = (table[name].values[table[name].codes[row]] for name in ("rater", "judge_version"))
        found = _judge(ballots.votes(mine), gold, decided, clusters, options.confidence)
        rows.append({"judge": judge, "judge_version": version or None} | found)
    return {
        "primary": "net",
        "unit": "cluster" if len(np.unique(clusters[decided])) < len(decided) else "pair",
        "pairs": ballots.n,
        "gold": len(decided),
        "gold_ties": len(np.setdiff1d(labelled, decided)),
        "without_gold": ballots.n - len(np.union1d(labelled, decided)),
        **{f"n_{name}": count for name, count in left_out.items()},
        "judges": rows,
    }


def _graders(table: Table, kind: str) -> np.ndarray:
    return np.asarray(table["rater_kind"].is_in(kind) & ~table["verdict_seen"].is_in("yes"))


def _judge(votes: _PairVotes, gold: Ints, decided: Ints, clusters: Ints, level: float) -> Document:
    """Counts, and for each rule the accuracy: Wilson, on the effective number of pairs where some share a problem."""
    kept = decided[votes.count[decided] > 0]
    units, votes = np.unique(clusters[kept], return_inverse=True)[1], votes.take(kept)
    n, missing = len(kept), len(decided) - len(kept)
    document: Document = {
        "judged": n,
        "missing": missing,
        "one_order": int((votes.orders == 1).sum()),
        "order_flips": int((votes.low != votes.high).sum()),
        "opposite": int(((votes.low == -1) & (votes.high == 1)).sum()),
    }
    for rule, choose in _CHOICE.items():
        choice = choose(votes)
        right, wrong = choice == gold[kept], choice == -gold[kept]
        k = int(right.sum())
        if not n:
            accuracy = undefined("wilson", Reason.NO_ITEMS, n=0, level=level)
        else:
            if int(units.max()) + 1 == n:
                found = proportion(k, n, level=level)
            else:
                found = wilson_on_effective_n(cluster_totals(right, units), level=level)
            bounds = (k / (n + missing), (k + missing) / (n + missing)) if missing else None
            accuracy = replace(found, denom_rule=_RULE, bounds=bounds)
        document[rule] = {
            "correct": k,
            "incorrect": int(wrong.sum()),
            "ties": int((~right & ~wrong).sum()),
            "accuracy": accuracy.as_json(),
        }
    return document
