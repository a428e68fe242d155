"""Count the move sequences of tests/engine/perft.toml again, by both implementations.

Without an option it says whether the table still holds. With --write it writes the table, unless
the engine and the literal procedure differ: then the one that is wrong has to be found first.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mexican_train.engine import preset_names  # noqa: E402 - after the path to the tests is known

from tests.engine.perft import (  # noqa: E402 - likewise
    TABLE,
    Position,
    count_by_engine,
    count_by_literal,
    counts,
    positions,
)

Counts = dict[str, dict[str, list[int]]]


def count(position: Position, preset: str) -> list[int]:
    """The sequences to the depth of the position; SystemExit where the two differ."""
    ours = count_by_engine(position, preset, position.depth)
    literal = count_by_literal(position, preset, position.depth)
    if ours != literal:
        sys.exit(f"{preset}, {position.name}: the engine counts {ours}, the literal one {literal}")
    return ours


def count_all() -> Counts:
    """Every preset and position, told as it goes."""
    table: Counts = {}
    for preset in preset_names():
        table[preset] = {}
        for position in positions():
            table[preset][position.name] = count(position, preset)
            print(f"{preset:10} {position.name:7} {table[preset][position.name]}", flush=True)
    return table


def write(table: Counts) -> None:
    """Put the counts below the deals of the table."""
    deals, _, _ = TABLE.read_text(encoding="utf-8").partition("\n[counts")
    groups = [
        "\n".join([f"[counts.{preset}]", *(f"{name} = {row}" for name, row in rows.items())])
        for preset, rows in table.items()
    ]
    TABLE.write_text("\n\n".join([deals.rstrip("\n"), *groups]) + "\n", encoding="utf-8")


def main() -> None:
    """Count, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the counts into the table")
    is_writing = parser.parse_args().write
    table = count_all()
    if is_writing:
        write(table)
    elif table != counts():
        sys.exit("the table is stale: run scripts/perft.py --write")


if __name__ == "__main__":
    main()
