"""Measured coverage of every interval that a user can see: python -m bench.coverage [--draws N] [family ...]

A family is a module here with `cells(draws)`, which yields one Cell per point of its grid. Data are drawn from a
population whose truth is known; a cell counts how often the nominal 95 % interval contains it, how wide it is on
average, and in how many draws the estimate lies in its own interval, which must be all.
"""
