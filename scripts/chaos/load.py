"""Honest players beside every attack at once: how much slower are their moves?

`scripts/chaos/load.py --runs 5`: tables of four move at a fixed rate, first left alone, then with
the attackers of `attackers.py` on the same server, in turns; medians over the runs. The bar is a
p99 of at most twice the quiet value. Loopback only; server, load and attackers are processes of
this script and end with it. On two cores the attackers' own CPU time counts against the server.
"""

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.load import PacedTables, percentile
from scripts.chaos.attack import WARM_SECONDS, attacked
from scripts.children import Child, game_server

FILES = 4096
MS = 1e3
MIB = 1024 * 1024


def window(players: PacedTables, victim: Child, seconds: float, rate: float) -> Sequence[float]:
    """Latencies of one window, after a moment of warming up; the server's CPU share last."""
    players.paced(WARM_SECONDS / 2, rate)
    before, began = victim.cpu_seconds(), time.monotonic()
    seen = players.paced(seconds, rate)
    cpu = (victim.cpu_seconds() - before) / (time.monotonic() - began)
    if not seen.latencies:
        raise SystemExit("no honest move came through")
    return [*sorted(seen.latencies), cpu]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=12.0, help="of one window")
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--rate", type=float, default=200.0, help="honest moves a second in all")
    parser.add_argument("--share", type=int, default=1, help="a fraction of the attackers")
    parser.add_argument("--only", default="", help="one kind of attackers, as attackers.py has it")
    parser.add_argument("--server-option", action="append", default=[], help="for mt-server")
    asked = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(FILES, hard)), hard))
    quiet: list[Sequence[float]] = []
    loud: list[Sequence[float]] = []
    with game_server(asked.server_option) as victim, closing(PacedTables()) as players:
        players.open(victim.port, asked.tables)
        start = victim.weigh()
        for run in range(asked.runs):
            quiet.append(window(players, victim, asked.seconds, asked.rate))
            with attacked(victim.port, asked.seconds, share=asked.share, seed=run, only=asked.only):
                loud.append(window(players, victim, asked.seconds, asked.rate))
        end = victim.weigh()
    tell("p50", quiet, loud, 0.5)
    ratio = tell("p99", quiet, loud, 0.99)
    cpu = [statistics.median(each[-1] for each in side) for side in (quiet, loud)]
    print(f"  the server's CPU          {cpu[0]:8.0%}    {cpu[1]:8.0%}")
    print(f"  memory                    {start.resident_bytes / MIB:8.0f}    ", end="")
    print(f"{end.resident_bytes / MIB:8.0f} MiB")
    print(f"  descriptors               {start.descriptors:8}    {end.descriptors:8}")
    print(f"p99 under attack is {ratio:.2f} times the quiet one (bar: 2)")


def tell(
    name: str, quiet: Sequence[Sequence[float]], loud: Sequence[Sequence[float]], share: float
) -> float:
    """Print one line; the ratio."""
    figures = [[percentile(each[:-1], share) * MS for each in side] for side in (quiet, loud)]
    medians = [statistics.median(each) for each in figures]
    ratio: float = statistics.median(b / a for a, b in zip(*figures, strict=True))
    print(
        f"  {name} of honest moves       {medians[0]:8.2f} ms {medians[1]:8.2f} ms   x{ratio:.2f}"
    )
    return ratio


if __name__ == "__main__":
    main()
