"""Domains that forms suggest; any other word is welcome, as long as releases use the same one."""

from collections.abc import Mapping

RE2MATH = {
    "analysis_pde": "Analysis and PDE",
    "geometry_topology": "Geometry and topology",
    "algebra_number_theory": "Algebra and number theory",
    "probability_statistics_control": "Probability, statistics and control",
    "combinatorics_discrete": "Combinatorics and discrete mathematics",
}

ARXIV = {
    "math.AC": "Commutative algebra",
    "math.AG": "Algebraic geometry",
    "math.AP": "Analysis of PDEs",
    "math.AT": "Algebraic topology",
    "math.CA": "Classical analysis and ODEs",
    "math.CO": "Combinatorics",
    "math.CT": "Category theory",
    "math.CV": "Complex variables",
    "math.DG": "Differential geometry",
    "math.DS": "Dynamical systems",
    "math.FA": "Functional analysis",
    "math.GM": "General mathematics",
    "math.GN": "General topology",
    "math.GR": "Group theory",
    "math.GT": "Geometric topology",
    "math.HO": "History and overview",
    "math.IT": "Information theory",
    "math.KT": "K-theory and homology",
    "math.LO": "Logic",
    "math.MG": "Metric geometry",
    "math.MP": "Mathematical physics",
    "math.NA": "Numerical analysis",
    "math.NT": "Number theory",
    "math.OA": "Operator algebras",
    "math.OC": "Optimization and control",
    "math.PR": "Probability",
    "math.QA": "Quantum algebra",
    "math.RA": "Rings and algebras",
    "math.RT": "Representation theory",
    "math.SG": "Symplectic geometry",
    "math.SP": "Spectral theory",
    "math.ST": "Statistics theory",
}

# Two-digit classes of the Mathematics Subject Classification 2020 (msc2020.org, by AMS and zbMATH), shortened.
MSC = {
    "MSC 03": "Mathematical logic and foundations",
    "MSC 05": "Combinatorics",
    "MSC 06": "Order, lattices, ordered algebraic structures",
    "MSC 08": "General algebraic systems",
    "MSC 11": "Number theory",
    "MSC 12": "Field theory and polynomials",
    "MSC 13": "Commutative algebra",
    "MSC 14": "Algebraic geometry",
    "MSC 15": "Linear and multilinear algebra; matrix theory",
    "MSC 16": "Associative rings and algebras",
    "MSC 17": "Nonassociative rings and algebras",
    "MSC 18": "Category theory; homological algebra",
    "MSC 19": "K-theory",
    "MSC 20": "Group theory and generalizations",
    "MSC 22": "Topological groups, Lie groups",
    "MSC 26": "Real functions",
    "MSC 28": "Measure and integration",
    "MSC 30": "Functions of a complex variable",
    "MSC 31": "Potential theory",
    "MSC 32": "Several complex variables and analytic spaces",
    "MSC 33": "Special functions",
    "MSC 34": "Ordinary differential equations",
    "MSC 35": "Partial differential equations",
    "MSC 37": "Dynamical systems and ergodic theory",
    "MSC 39": "Difference and functional equations",
    "MSC 40": "Sequences, series, summability",
    "MSC 41": "Approximations and expansions",
    "MSC 42": "Harmonic analysis on Euclidean spaces",
    "MSC 43": "Abstract harmonic analysis",
    "MSC 44": "Integral transforms, operational calculus",
    "MSC 45": "Integral equations",
    "MSC 46": "Functional analysis",
    "MSC 47": "Operator theory",
    "MSC 49": "Calculus of variations and optimal control",
    "MSC 51": "Geometry",
    "MSC 52": "Convex and discrete geometry",
    "MSC 53": "Differential geometry",
    "MSC 54": "General topology",
    "MSC 55": "Algebraic topology",
    "MSC 57": "Manifolds and cell complexes",
    "MSC 58": "Global analysis, analysis on manifolds",
    "MSC 60": "Probability theory and stochastic processes",
    "MSC 62": "Statistics",
    "MSC 65": "Numerical analysis",
    "MSC 68": "Computer science",
    "MSC 70": "Mechanics of particles and systems",
    "MSC 74": "Mechanics of deformable solids",
    "MSC 76": "Fluid mechanics",
    "MSC 78": "Optics, electromagnetic theory",
    "MSC 80": "Classical thermodynamics, heat transfer",
    "MSC 81": "Quantum theory",
    "MSC 82": "Statistical mechanics, structure of matter",
    "MSC 83": "Relativity and gravitational theory",
    "MSC 85": "Astronomy and astrophysics",
    "MSC 86": "Geophysics",
    "MSC 90": "Operations research, mathematical programming",
    "MSC 91": "Game theory, economics, finance",
    "MSC 92": "Biology and other natural sciences",
    "MSC 93": "Systems theory; control",
    "MSC 94": "Information and communication theory, circuits",
    "MSC 97": "Mathematics education",
}

SUGGESTED = RE2MATH | ARXIV | MSC

# Which broad domains of a release a narrower statement covers: a person who states math.NT may judge items of
# "algebra_number_theory". Only this direction; a broad statement says nothing about every narrow field.
_COVERED_BY = {
    "analysis_pde": (
        "math.AP math.CA math.CV math.FA math.OA math.SP math.NA math.MP math.DS",
        "26 28 30 31 32 33 34 35 37 39 40 41 42 43 44 45 46 47 58 65 70 74 76 78 80 81 82",
    ),
    "geometry_topology": (
        "math.AG math.AT math.DG math.GN math.GT math.MG math.SG math.KT",
        "14 32 51 52 53 54 55 57 58 83",
    ),
    "algebra_number_theory": (
        "math.AC math.AG math.CT math.GR math.NT math.QA math.RA math.RT math.KT",
        "06 08 11 12 13 14 15 16 17 18 19 20 22",
    ),
    "probability_statistics_control": (
        "math.PR math.ST math.OC math.IT math.DS",
        "49 60 62 90 91 92 93 94",
    ),
    "combinatorics_discrete": ("math.CO math.LO", "03 05 06 52 68"),
}
_BROADER: dict[str, tuple[str, ...]] = {}
for _broad, (_arxiv, _msc) in _COVERED_BY.items():
    for _narrow in (*_arxiv.split(), *(f"MSC {code}" for code in _msc.split())):
        _BROADER[_narrow] = (*_BROADER.get(_narrow, ()), _broad)


def covered(stated: Mapping[str, int]) -> dict[str, int]:
    """Domain to confidence with the broad domains that the stated ones cover.

    What a person says about a domain itself counts before what follows from a narrower one; of several
    narrower ones the surest counts.
    """
    implied: dict[str, int] = {}
    for domain, confidence in stated.items():
        for broad in _BROADER.get(domain, ()):
            implied[broad] = max(implied.get(broad, 0), confidence)
    return implied | dict(stated)


def domain_words(domain: str) -> str:
    """A domain key in words for the page."""
    return SUGGESTED.get(domain, domain.replace("_", " "))
