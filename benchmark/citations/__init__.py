"""Citations as strings and as records: identifiers, names, titles, and whether two of them are one work.

Pure. A citation comes as its publisher wrote it, often with LaTeX whose braces were lost on the way; so
nothing here trusts a string to be well formed, and every pattern takes time linear in its length.
"""
