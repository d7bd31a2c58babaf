from itertools import product

import pytest

from annotation.core.phases import Phase
from annotation.core.visibility import Thing, Viewer, may_see, viewer

OWN = {Thing.MATERIAL, Thing.OWN_LABELS}


def expected(who: Viewer, thing: Thing, phase: Phase, submitted: bool) -> bool:
    """The promise in words: staff see all, blind staff all but identities; a reviewer sees the material and
    their own labels once the campaign has opened, and the judge after submitting; nobody else sees anything."""
    if who == Viewer.STAFF:
        return True
    if who == Viewer.BLIND_STAFF:
        return thing != Thing.IDENTITY
    if who != Viewer.ASSIGNED:
        return False
    granted = {
        (Phase.DRAFT, False): set(),
        (Phase.DRAFT, True): set(),
        (Phase.OPEN, False): OWN,
        (Phase.OPEN, True): OWN | {Thing.JUDGE},
        (Phase.CLOSED, False): OWN,
        (Phase.CLOSED, True): OWN | {Thing.JUDGE},
    }
    return thing in granted[phase, submitted]


@pytest.mark.parametrize(("who", "thing", "phase"), list(product(Viewer, Thing, Phase)))
def test_every_viewer_sees_exactly_what_was_promised(who, thing, phase):
    for submitted in (False, True):
        assert may_see(who, thing, phase, submitted=submitted) == expected(who, thing, phase, submitted)


@pytest.mark.parametrize(("phase", "submitted"), list(product(Phase, (False, True))))
@pytest.mark.parametrize("thing", [Thing.IDENTITY, Thing.OTHERS_LABELS, Thing.TOTALS])
def test_no_reviewer_ever_sees_identities_totals_or_others_labels(thing, phase, submitted):
    others = set(Viewer) - {Viewer.STAFF, Viewer.BLIND_STAFF}
    assert not any(may_see(who, thing, phase, submitted=submitted) for who in others)


@pytest.mark.parametrize("flags", list(product((False, True), repeat=5)))
def test_a_person_is_placed_by_the_strongest_fact_about_them(flags):
    signed_in, staff, informed, holds, released = flags
    placed = viewer(signed_in=signed_in, staff=staff, informed=informed, holds=holds, released=released)
    if not signed_in:
        assert placed == Viewer.NOBODY
    elif staff:
        assert placed == (Viewer.STAFF if informed else Viewer.BLIND_STAFF)
    elif not holds:
        assert placed == Viewer.OTHER
    else:
        assert placed == (Viewer.RELEASED if released else Viewer.ASSIGNED)
