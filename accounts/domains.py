"""Domains that forms suggest; any other word is welcome, as long as releases use the same one."""

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

SUGGESTED = RE2MATH | ARXIV
