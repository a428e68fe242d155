"""Count how many rounds of each preset end blocked when every seat plays at random.

Whole games, so that every engine has its share; deals and moves follow from `--seed`, so that the
same call gives the same figures. `--write` keeps them in `scripts/docs/rules.blocked.toml`, from
which `scripts/docs/rules.py` prints the table in `docs/rules.md`.
"""

import argparse
import hashlib
import random
from datetime import UTC, datetime
from pathlib import Path

from mexican_train.engine import Deal, Game, RuleSet, preset_names

FIGURES = Path(__file__).parents[1] / "docs" / "rules.blocked.toml"
SEATS = 4


def nearest_seats(rules: RuleSet) -> int:
    """Four seats, or the number nearest to it that the rules allow."""
    low, high = rules.range("game.players")
    return min(max(SEATS, low), high)


def play_game(rules: RuleSet, seats: int, seed: str) -> list[bool]:
    """Play one game at random; for each round whether it ended blocked."""
    chance = random.Random(seed)
    secret = hashlib.sha256(seed.encode()).digest()
    game = Game.start(rules, seats)
    blocked = []
    for number in range(1, game.rounds + 1):
        game.begin_round(Deal.from_seed(rules, seats, secret, number))
        while (turn := game.turn) is not None:
            game.apply(turn, chance.choice(game.legal_moves(turn)))
        blocked.append(game.round.blocked)
    return blocked


def main() -> None:
    """Print the figures, and with `--write` keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000, help="at least so many a preset")
    parser.add_argument("--seed", default="blocked", help="any text")
    parser.add_argument("--write", action="store_true", help=f"keep them in {FIGURES.name}")
    asked = parser.parse_args()
    lines = [
        "# Written by scripts/bench/blocked.py --write: rounds that ended blocked, random play.",
        f'date = "{datetime.now(UTC).date()}"',
    ]
    for name in preset_names():
        rules = RuleSet.preset(name)
        seats = nearest_seats(rules)
        ends: list[bool] = []
        while len(ends) < asked.rounds:
            ends += play_game(rules, seats, f"{asked.seed} {name} {len(ends)}")
        print(f"{name:12}{seats:3} seats{len(ends):8} rounds{sum(ends) / len(ends):8.1%} blocked")
        lines += [
            "",
            f"[{name}]",
            f"seats = {seats}",
            f"rounds = {len(ends)}",
            f"blocked = {sum(ends)}",
        ]
    if asked.write:
        FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{FIGURES.name} written")


if __name__ == "__main__":
    main()
