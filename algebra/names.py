"""The words that the reader knows: letters, functions, relations."""

GREEK = frozenset([
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "varrho", "sigma", "tau", "upsilon", "phi", "varphi", "chi",
    "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi",
    "Omega", "ell", "hbar", "infty", "emptyset", "partial", "nabla",
])  # fmt: skip
ATOMS = {f"\\{name}" for name in GREEK} - {"\\partial", "\\nabla"}
FUNCTIONS = frozenset([
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp",
    "ln", "log", "min", "max", "gcd", "lcm", "Re", "Im", "det", "dim", "deg", "ker", "arg",
])  # fmt: skip
FONTS = frozenset([
    "\\mathbf", "\\mathbb", "\\mathcal", "\\mathfrak", "\\mathscr", "\\mathsf", "\\boldsymbol", "\\bm",
    "\\mathrm", "\\mathit",
])  # fmt: skip
ACCENTS = frozenset([
    "\\bar", "\\overline", "\\hat", "\\widehat", "\\tilde", "\\widetilde", "\\vec", "\\dot", "\\ddot",
    "\\check",
])  # fmt: skip
RELATIONS = {"=": "=", "\\lt": "<", "\\leq": "<=", "\\gt": ">", "\\geq": ">=", "\\ne": "!=", "\\in": "in"}
ASYMPTOTIC = frozenset({"O", "o", "\\Omega", "\\Theta", "\\mathcal{O}", "\\mathcal{o}"})
