"""Record some turns on the full screen as an asciicast file, which asciinema plays and converts.

`scripts/record.py play.cast`: the game of the screenshots, at the pace of people. It takes about
four seconds a turn.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.docs.screenshots import NEXT_TILE, game, take_turn
from scripts.terminals import Terminal

COLUMNS, ROWS = 100, 30


def cast(terminal: Terminal) -> str:
    """All that the terminal was sent, as asciicast version 2: a head, then a line a piece."""
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "Mexican Train"}
    pieces = [[round(at, 3), "o", piece.decode(errors="replace")] for at, piece in terminal.written]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in [head, *pieces])


def main() -> None:
    """Play and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--turns", type=int, default=8)
    asked = parser.parse_args()
    with game(pace="1", size=(COLUMNS, ROWS)) as terminal:
        for _ in range(asked.turns):
            terminal.see("YOUR TURN")
            terminal.press(NEXT_TILE)
            terminal.rest()
            take_turn(terminal)
    asked.file.write_text(cast(terminal), encoding="utf-8")
    print(f"{asked.file} written: {len(terminal.written)} pieces")


if __name__ == "__main__":
    main()
