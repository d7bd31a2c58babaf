"""Time and memory of importing 10,000 instances of 3 kB, on a fresh SQLite file. Target: below 10 s.

Run it from the project's root: python -m bench.import_bench [instances ...]; several sizes show that memory
does not grow with the file.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEXT = "Let $X$ be a compact space and $f\\colon X\\to\\mathbb{R}$ continuous. Show that $f$ is bounded. "


def write_release(path: Path, instances: int) -> None:
    """A proofs release of `instances` problems of 3 kB each, one paper to two problems."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(instances):
            problem = {
                "instance_id": f"bench-{number:07d}",
                "domain": f"domain-{number % 5}",
                "title": f"Problem {number}",
                "statement": TEXT * 15,
                "reference_solution": TEXT * 15,
                "guidance": {"target_claim": "bounded", "objects": ["X", "f"], "common_issues": []},
                "paper": {"key": f"paper-{number // 2}", "title": "On compactness", "year": 2020},
                "split": "test",
            }
            file.write(json.dumps(problem) + "\n")


def main(sizes: list[int]) -> None:
    """Import a file of each size into a database of its own and print what it took."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "release.jsonl"
            write_release(path, size)
            environment = os.environ | {"TOUCHSTONE_DEMO": "1", "TOUCHSTONE_RUNTIME_DIR": folder}
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
            command = ["import_release", "proofs", str(path), "--release", "bench"]
            script = (
                "import resource, django; django.setup(); "
                "from django.core.management import call_command; "
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
                f"call_command(*{command!r}); "
                "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
                "print('memory before', before // 1024, 'MB, peak', after // 1024, 'MB')"
            )
            environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", script], env=environment, check=True)
            took = time.perf_counter() - start
            print(f"{size:,} instances, {path.stat().st_size / 1e6:.0f} MB: {took:.1f} s with start-up\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000])
