"""Names of theorems: the nouns that make one, eponyms that are one by themselves, and descriptive names.

The lists hold standard terms of the textbooks, none of them taken from a release. A name that is not on them is still
found when a person's name precedes the noun.
"""

from benchmark.citations.folding import word_set

NOUNS = word_set(
    "theorem theorems lemma lemmas lemmata inequality inequalities formula formulas formulae criterion principle "
    "identity estimate reciprocity alternative proposition corollary"
)
TITLE_NOUNS = NOUNS | word_set("conjecture correspondence duality")

# What a person's name is put before without naming a theorem: structures, processes, properties.
STRUCTURES = word_set(
    "space spaces group groups measure measures set sets algebra algebras ring rings field fields module modules "
    "bundle bundles manifold manifolds surface surfaces variety varieties curve curves metric metrics norm norms "
    "function functions functional polynomial polynomials series product products form forms operator operators "
    "matrix matrices equation equations system systems flow process processes motion distribution distributions "
    "graph graphs graphon number numbers constant index basis cycle cycles class classes category categories "
    "functor complex complexes homology cohomology spectrum topology derivative integral transform kernel energy "
    "flux field potential problem problems tree trees path paths walk cover covering extension extensions subgroup "
    "subgroups subalgebra diagram diagrams lattice lattices order boundary curvature connection coordinates domain "
    "map maps mapping dimension distance capacity instability condition conditions type types factor factors "
    "presentation characteristic action chain chains condensate current triple plane geometry mechanics statistics"
)

# Eponyms that mean a theorem also without the noun.
EPONYMS = frozenset(
    tuple(name.split("-"))
    for name in word_set(
        "aubin-lions hahn-banach lax-milgram arzela-ascoli ascoli-arzela banach-alaoglu banach-steinhaus "
        "borel-cantelli cauchy-schwarz cauchy-kovalevskaya cayley-hamilton stone-weierstrass radon-nikodym "
        "krein-milman heine-borel "
        "bolzano-weierstrass riesz-thorin riemann-roch hirzebruch-riemann-roch atiyah-singer gauss-bonnet "
        "donaldson-uhlenbeck-yau bieri-groves borel-weil borel-weil-bott van-kampen seifert-van-kampen mayer-vietoris "
        "schroder-bernstein lowenheim-skolem robertson-seymour erdos-ko-rado erdos-stone kruskal-katona "
        "poincare-bendixson picard-lindelof peano-baker hopf-rinow cartan-hadamard nash-moser sard-smale "
        "feynman-kac girsanov-cameron cameron-martin perron-frobenius skolem-mahler-lech thue-siegel-roth "
        "chevalley-warning jordan-holder krull-schmidt hille-yosida rellich-kondrachov gagliardo-nirenberg "
        "hardy-littlewood brunn-minkowski prekopa-leindler alexandrov-fenchel aleksandrov-fenchel loewner-heinz "
        "bonnet-myers bishop-gromov cheeger-gromoll baker-campbell-hausdorff plucker-riemann-hurwitz"
    )
)

# Descriptive names, singular; a noun is part of the name where it needs one.
DESCRIPTIVE = frozenset(
    tuple(name.split("_"))
    for name in word_set(
        "central_limit_theorem law_of_large_numbers law_of_the_iterated_logarithm implicit_function_theorem "
        "inverse_function_theorem open_mapping_theorem closed_graph_theorem dominated_convergence monotone_convergence "
        "intermediate_value_theorem mean_value_theorem maximum_principle strong_maximum_principle prime_number_theorem "
        "four_color_theorem four_colour_theorem grid_minor_theorem excluded_grid_theorem graph_minor_theorem "
        "graph_minor_structure_theorem regularity_lemma removal_lemma max_flow_min_cut pigeonhole_principle "
        "uniformization_theorem geometrization_theorem ergodic_theorem spectral_theorem residue_theorem "
        "fundamental_theorem sheeting_theorem h_cobordism_theorem s_cobordism_theorem index_theorem snake_lemma "
        "five_lemma isomorphism_theorem hilbert_basis_theorem nullstellensatz chinese_remainder_theorem "
        "proper_base_change smooth_base_change flat_base_change weak_factorization minimal_model_program "
        "cone_theorem abundance_theorem hard_lefschetz decomposition_theorem universal_coefficient_theorem "
        "suspension_theorem excision_theorem comparison_theorem concentration_compactness compactness_theorem "
        "completeness_theorem incompleteness_theorem pumping_lemma local_lemma sunflower_lemma master_theorem "
        "pcp_theorem subspace_theorem modularity_theorem bounded_convergence optional_stopping_theorem "
        "martingale_convergence_theorem invariance_principle matrix_tree_theorem"
    )
)
