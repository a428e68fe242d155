"""Random rule sets, tables and walks through a round, for the tests that ask for any of them.

Presets with a few options changed and whole mixtures, 2 to 14 seats, double-6 to double-18. What
two options refuse together is mended, not thrown away, so that no mixture is wasted.
"""

from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st
from mexican_train.engine import (
    SEED_BYTES,
    Deal,
    Event,
    Game,
    Move,
    RuleSet,
    RuleSetError,
    check_table,
    preset_names,
)

from tests.literal.literal_presets import OPTION_VALUES

TILES = {6: 28, 9: 55, 12: 91, 15: 136, 18: 190}
"""By set, how many tiles it has."""
_FREE = tuple(name for name in OPTION_VALUES if name != "set.max_pip")


@dataclass(frozen=True)
class Setting:
    """What decides a whole round: the rules, the table, the deal and the walk through it."""

    rules: RuleSet
    seats: int
    first_seat: int
    deal_seed: bytes
    walk_seed: int

    def begin(self) -> tuple[Game, Deal, tuple[Event, ...]]:
        """The game in its first round, its deal, and the events of the deal."""
        game = Game.start(self.rules, self.seats, first_seat=self.first_seat)
        deal = Deal.from_seed(self.rules, self.seats, self.deal_seed, 1)
        return game, deal, game.begin_round(deal)

    @property
    def moves_max(self) -> int:
        """More moves than any round can have.

        Each tile is drawn and laid at most once, each brings at most a few words (a marker, a
        knock, a foul, `done`), and fewer passes than seats stand between two changes.
        """
        changes = 4 * TILES[self.rules.number("set.max_pip")] + self.seats
        return changes * (self.seats + 1)


@st.composite
def settings_of_rounds(draw: st.DrawFn) -> Setting:
    """A preset with some options changed, or all of them, at a table that can play so."""
    seats = draw(st.integers(2, 14))
    preset = draw(st.sampled_from(preset_names()))
    changed = draw(st.lists(st.sampled_from(_FREE), unique=True))
    options = {name: draw(st.sampled_from(OPTION_VALUES[name])) for name in changed}
    pips = draw(st.sampled_from([pips for pips in TILES if (TILES[pips] - 1) // seats >= 3]))
    rules = mended(preset, options | {"set.max_pip": pips, "game.players": [2, 14]})
    rules = with_a_hand(rules, seats, draw(st.sampled_from([0, 0, 3, 5])))
    return Setting(
        rules,
        seats,
        draw(st.integers(0, seats - 1)),
        draw(st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)),
        draw(st.integers(0, 2**32)),
    )


def random_setting(random: Random, preset: str | None = None) -> Setting:
    """A preset as it is in any of its sets and sizes, or without one a mixture of all options."""
    pips = random.choice((6, 9, 12, 12))
    if preset is None:
        options = {name: random.choice(OPTION_VALUES[name]) for name in _FREE}
        rules = mended("classic", options | {"set.max_pip": pips, "game.players": [2, 14]})
    else:
        rules = mended(preset, {"set.max_pip": pips})
    low, high = rules.range("game.players")
    seats = random.randint(low, min(high, (TILES[pips] - 1) // 3, 8))
    size = 0 if preset else random.choice((0, 0, 3, 4, 5))
    return Setting(
        with_a_hand(rules, seats, size),
        seats,
        random.randrange(seats),
        random.randbytes(SEED_BYTES),
        random.getrandbits(32),
    )


def mended(preset: str, options: dict[str, object]) -> RuleSet:
    """The preset with these options; of two that refuse each other one gives way."""
    yielding: dict[str, object] = {
        "round.first_player": "rotate_left",
        "doubles.per_turn": "one_open",
        "turn.play_limit": "one",
        "first_turn.starter_extra": "no",
        "game.rounds": "all",
    }
    while True:
        try:
            return RuleSet.preset(preset).with_options(options)
        except RuleSetError as error:
            if error.code != "contradiction":
                raise
            name = next(name for name in yielding if name in str(error))
            options = options | {name: yielding.pop(name)}


def with_a_hand(rules: RuleSet, seats: int, size: int) -> RuleSet:
    """The rules with hands of `size`, or with the largest that so many can be dealt."""
    most = (TILES[rules.number("set.max_pip")] - 1) // seats
    sized = rules.with_options({"deal.hand_size": min(size, most)})
    try:
        check_table(sized, seats)
    except RuleSetError:
        return rules.with_options({"deal.hand_size": most})
    return sized


def random_step(game: Game, random: Random, *, skips: float = 0.05) -> tuple[int, Move | None]:
    """Some seat and one of its moves; None for a skip of the seat to act."""
    seat = game.turn
    assert seat is not None
    if random.random() < skips:
        return seat, None
    # knocks and fouls of the others come between, or nobody would ever be called
    others = [other for other in range(game.seats) if other != seat and game.legal_moves(other)]
    if others and random.random() < 0.5:
        seat = random.choice(others)
    return seat, random.choice(game.legal_moves(seat))


def take(game: Game, step: tuple[int, Move | None]) -> tuple[Event, ...]:
    """Apply a step."""
    seat, move = step
    return game.skip(seat) if move is None else game.apply(seat, move)
