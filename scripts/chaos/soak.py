"""Hours in minutes: does anything grow while games are played and attackers come and go?

`scripts/chaos/soak.py --minutes 60`: tables of four play game after game, beside a quarter of the
attackers, and every few seconds memory, descriptors, threads and the size of the given files are
noted. At the end the last quarter is held against the second. Loopback only; all processes are
this script's own and end with it. `--server-option` goes to mt-server, `--file` names a database
or its log to be watched; with `--calm` there are games alone, as attackers take new names all the
time and the server remembers ten thousand. Exit code 1 if something has grown past `--growth`.
"""

import argparse
import contextlib
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.load import Tables
from scripts.chaos.attack import attacked
from scripts.children import Weight, game_server

FILES = 4096
MIB = 1024 * 1024
WHAT: dict[str, Callable[[Weight], float]] = {
    "memory, MiB": lambda weight: weight.resident_bytes / MIB,
    "descriptors": lambda weight: weight.descriptors,
    "threads": lambda weight: weight.threads,
    "files, MiB": lambda weight: weight.file_bytes / MIB,
}


def soak(
    minutes: float, tables: int, options: Sequence[str], files: Sequence[Path], *, is_calm: bool
) -> list[Weight]:
    """Play for so long; what the server held, every few seconds."""
    weights: list[Weight] = []
    end = time.monotonic() + minutes * 60
    step = max(1.0, min(15.0, minutes * 60 / 40))
    moves = 0
    with game_server(options, files=files) as victim, closing(Tables()) as players:
        players.open(victim.port, tables)
        beside = (
            contextlib.nullcontext() if is_calm else attacked(victim.port, minutes * 60, share=4)
        )
        with beside:
            while time.monotonic() < end:
                moves += players.window(step).moves
                weights.append(victim.weigh())
                last = weights[-1]
                told = ", ".join(f"{name} {of(last):,.1f}" for name, of in WHAT.items())
                print(f"{moves:10,} moves   {told}", flush=True)
        with contextlib.suppress(OSError):
            weights.append(victim.weigh())
    return weights


def main() -> int:
    """Run, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--calm", action="store_true", help="without attackers")
    parser.add_argument("--growth", type=float, default=0.10, help="that is still called flat")
    parser.add_argument("--server-option", action="append", default=[], help="for mt-server")
    parser.add_argument("--file", action="append", default=[], type=Path, help="to be watched")
    asked = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(FILES, hard)), hard))
    files, options = asked.file, asked.server_option
    weights = soak(asked.minutes, asked.tables, options, files, is_calm=asked.calm)
    quarter = len(weights) // 4
    grown = []
    for name, of in WHAT.items():
        second = statistics.median(map(of, weights[quarter : 2 * quarter]))
        last = statistics.median(map(of, weights[-quarter:]))
        print(f"  {name:14}{second:10,.1f} -> {last:10,.1f}")
        if last > second * (1 + asked.growth) + 1:
            grown.append(name)
    print(f"grown: {', '.join(grown)}" if grown else "all is flat")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
