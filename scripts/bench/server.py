"""Measure the server: moves, CPU, latency, memory, beside bare peers in the same run.

Each figure is the median of several alternations of both sides on loopback. The server runs in a
process of its own, this one is the load. Without `--db` the store is the one in memory, and the
rows that say "durable" are an upper bound. Linux only.
"""

import argparse
import gc
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.load import (
    Broadcasts,
    Echoes,
    Idlers,
    Load,
    Paced,
    PacedTables,
    Tables,
    Tally,
    percentile,
)
from scripts.bench.shuffle import SHUFFLE_US, shuffle_us
from scripts.children import Child, ending, game_server

WARM_SECONDS = 0.3
REST_SECONDS = 0.05
"""Between two windows, so that no side still works in the other's."""
FILES = 4096
"""Open files that 2,000 connections and the rest need."""
KIB = 1024
US = 1e6
MS = 1e3


def row(what: str, figure: str, goal: str = "") -> None:
    """Print one line of the table."""
    print(f"  {what:46}{figure:>14}   {goal}".rstrip(), flush=True)


def peer(name: str) -> AbstractContextManager[Child]:
    """A server of `peers.py`: `echo` or `broadcast`."""
    return ending([sys.executable, str(Path(__file__).with_name("peers.py")), name])


@contextmanager
def measured(folder: Path | None, profile: Path | None = None) -> Iterator[Child]:
    """The server under test; with `folder` it stores what happens in a new file there."""
    with ExitStack() as stack:
        options = []
        if folder is not None:
            files = stack.enter_context(tempfile.TemporaryDirectory(dir=folder))
            options = [f"--db={Path(files) / 'games.db'}"]
        yield stack.enter_context(game_server(options, profile=profile))


def window(load: Load, child: Child, seconds: float) -> tuple[Tally, float]:
    """One window of a load after a warm-up, and the child's CPU seconds a move in it."""
    load.window(WARM_SECONDS)
    before = child.cpu_seconds()
    tally = load.window(seconds)
    cpu = child.cpu_seconds() - before
    time.sleep(REST_SECONDS)
    if not tally.moves:
        raise SystemExit("nothing has moved")
    return tally, cpu / tally.moves


# --- the parts ----------------------------------------------------------------------------


def moves(
    runs: int, seconds: float, tables: int, folder: Path | None, profile: Path | None
) -> None:
    """Moves a second as a share of the round trips of a bare trio echo."""
    with ExitStack() as stack:
        server = stack.enter_context(measured(folder, profile))
        echo = stack.enter_context(peer("echo"))
        players = stack.enter_context(closing(Tables()))
        echoes = stack.enter_context(closing(Echoes()))
        players.open(server.port, tables)
        echoes.open(echo.port, 64)
        pairs = [
            (window(echoes, echo, seconds), window(players, server, seconds)) for _ in range(runs)
        ]
    median = statistics.median
    row("echo: round trips a second", f"{median(e.rate for (e, _), _ in pairs):,.0f}")
    row("server: moves a second", f"{median(m.rate for _, (m, _) in pairs):,.0f}")
    row("updates a move", f"{median(m.updates / m.moves for _, (m, _) in pairs):.2f}", "4")
    row("echo: CPU a round trip", f"{median(cpu for (_, cpu), _ in pairs) * US:.1f} µs")
    row("server: CPU a move", f"{median(cpu for _, (_, cpu) in pairs) * US:.1f} µs")
    shares = [m.rate / e.rate for (e, _), (m, _) in pairs]
    row("moves as a share of round trips", f"{median(shares):.3f}", "0.20, then 0.30 (durable)")
    shares = [e_cpu / m_cpu for (_, e_cpu), (_, m_cpu) in pairs]
    row("the same by CPU time", f"{median(shares):.3f}")


def tables(runs: int, seconds: float, counts: tuple[int, ...], folder: Path | None) -> None:
    """CPU a move, from one table to many, each count on a server of its own."""
    figures: dict[int, list[float]] = {count: [] for count in counts}
    with ExitStack() as stack:
        sides = []
        for count in counts:
            server = stack.enter_context(measured(folder))
            players = stack.enter_context(closing(Tables()))
            players.open(server.port, count)
            sides.append((count, server, players))
        for _ in range(runs):
            for count, server, players in sides:
                figures[count].append(window(players, server, seconds)[1])
    medians = {count: statistics.median(cpu) * US for count, cpu in figures.items()}
    for count, cpu in medians.items():
        row(f"CPU a move, {count} table{'s' * (count > 1)}", f"{cpu:.1f} µs")
    row("largest over smallest", f"{max(medians.values()) / min(medians.values()):.2f}", "1.5")
    last, first = figures[counts[-1]], figures[counts[0]]
    ratio = statistics.median(many / one for many, one in zip(last, first, strict=True))
    row(f"{counts[-1]} over {counts[0]}", f"{ratio:.2f}")


def latency(runs: int, seconds: float, count: int, rate: float, folder: Path | None) -> None:
    """From when a move is due until the last seat has its update, beside a bare broadcast."""
    with ExitStack() as stack:
        server = stack.enter_context(measured(folder))
        bare = stack.enter_context(peer("broadcast"))
        players = stack.enter_context(closing(PacedTables()))
        askers = stack.enter_context(closing(Broadcasts()))
        players.open(server.port, count)
        size = update_bytes(players, rate)
        askers.open(bare.port, count, size)
        askers.paced(WARM_SECONDS, rate)
        pairs = [(askers.paced(seconds, rate), players.paced(seconds, rate)) for _ in range(runs)]
        memory = server.weigh().resident_bytes
    row("mean update", f"{size:,} bytes")
    for share, goal in ((0.50, ""), (0.99, "3")):
        theirs = [percentile(each.latencies, share) * MS for each, _ in pairs]
        ours = [percentile(each.latencies, share) * MS for _, each in pairs]
        name = f"p{share * 100:.0f}"
        row(f"broadcast: {name} to the last seat", f"{statistics.median(theirs):.2f} ms")
        limit = "25 ms (durable)" if count == 500 and share == 0.99 else ""
        row(f"server: {name} to the last seat", f"{statistics.median(ours):.2f} ms", limit)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        row(f"ratio of {name}", f"{ratio:.2f}", goal)
    for side, name in ((0, "broadcast"), (1, "server")):
        longest = statistics.median(max(pair[side].latencies) * MS for pair in pairs)
        row(f"{name}: the longest of a window", f"{longest:.2f} ms")
    row("moves not sent, the one before being under way", overrun(each for _, each in pairs), "0")
    row("memory of the server", f"{memory / KIB / KIB:.0f} MiB", "200 MiB" * (count == 500))


def update_bytes(players: PacedTables, rate: float) -> int:
    """Bytes of an update in the mean, while the tables are warmed up."""
    players.paced(4 * WARM_SECONDS, rate)
    return players.update_bytes // max(1, players.updates)


def overrun(seen: Iterator[Paced]) -> str:
    """How many moves could not be sent in their turn, over all runs."""
    return str(sum(each.overrun for each in seen))


def memory(runs: int, count: int) -> None:
    """Memory of a session that does nothing among many, in a fresh server each time."""
    first = count // 10
    idle: list[float] = []
    seated: list[float] = []
    for _ in range(runs):
        with game_server() as server, closing(Idlers()) as idlers:
            idlers.open(server.port, first)
            before = server.weigh().resident_bytes
            idlers.open(server.port, count - first)
            idle.append((server.weigh().resident_bytes - before) / (count - first) / KIB)
        with game_server() as server, closing(Idlers()) as idlers, closing(Tables()) as players:
            idlers.open(server.port, first)
            before = server.weigh().resident_bytes
            players.open(server.port, (count - first) // 4)
            time.sleep(REST_SECONDS)
            seated.append((server.weigh().resident_bytes - before) / (count - first) / KIB)
    row(f"a session in the lobby, of {count:,}", f"{statistics.median(idle):.1f} KiB", "16 KiB")
    row("a session in a seat, its part of the table too", f"{statistics.median(seated):.1f} KiB")


def main() -> None:
    """Measure the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help="moves tables latency crowd memory; all by default"
    )
    parser.add_argument("--runs", type=int, default=5, help="alternations of each part")
    parser.add_argument(
        "--seconds", type=float, default=1.5, help="of one window; of latency a third"
    )
    parser.add_argument(
        "--profile", type=Path, help="part moves: run it under cProfile, write here"
    )
    parser.add_argument(
        "--db", type=Path, metavar="FOLDER", help="store what happens, in new files in this folder"
    )
    asked = parser.parse_args()
    runs, seconds, folder = asked.runs, asked.seconds, asked.db
    parts: dict[str, tuple[str, Callable[[], None]]] = {
        "moves": (
            "64 tables of four, as fast as they can",
            lambda: moves(runs, seconds, 64, folder, asked.profile),
        ),
        "tables": ("from 1 table to 500", lambda: tables(runs, seconds, (1, 8, 64, 500), folder)),
        "latency": (
            "100 tables, 1,000 moves a second",
            lambda: latency(runs, 3 * seconds, 100, 1000, folder),
        ),
        "crowd": (
            "500 tables, 1,000 moves a second",
            lambda: latency(runs, 3 * seconds, 500, 1000, folder),
        ),
        "memory": ("memory", lambda: memory(runs, 2000)),
    }
    if unknown := set(asked.parts) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    raise_file_limit()
    gc.disable()
    shuffles = []
    for name, (title, measure) in parts.items():
        if asked.parts and name not in asked.parts:
            continue
        shuffles.append(shuffle_us())
        start = time.perf_counter()
        print(f"{name}: {title}")
        measure()
        gc.collect()
        print(f"  ({runs} alternations, {time.perf_counter() - start:.0f} s)")
    shuffle = statistics.median(shuffles)
    print(f"shuffle of 90 ints: {shuffle:.1f} µs (the goals were set at {SHUFFLE_US:.0f})")


def raise_file_limit() -> None:
    """Allow so many connections, or say that the machine does not."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        raise SystemExit(f"this needs {FILES} open files; the hard limit here is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))


if __name__ == "__main__":
    main()
