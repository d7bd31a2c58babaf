"""A run of RMA in the scripted world, begun in the shell of a deployment."""

BEGIN = """
from benchmark.models import Benchmark, Instance, Release
from solving.runs.actions import Order, System, begin, make_solver
from tests.solving.site import rma
from tests.solving.world import Shape
benchmark = Benchmark.objects.create(slug="b", name="B", protocol="proofs")
release = Release.objects.create(benchmark=benchmark, name="r", sha256="0" * 64)
payload = {{"title": "One", "statement": "Show that it holds."}}
Instance.objects.create(release=release, key="p1", domain="algebra", payload=payload, sha256="1" * 64)
solver = make_solver(actor=None, system=System("rma", "rma", "local", "scripted", rma({shape!r})))
order = Order(release, attempts={attempts}, attempt_tokens=10_000_000, seed={seed})
begin(actor=None, solver=solver, order=order)
"""
