"""A position: one line of text for a whole table, or for what one seat knows of it.

    mt1 rules=78426c86e0b1 set=6 round=1 engine=6-6 first=0 turns=2 to=0:play
        p0=6-1 p1!= m0=6-5,5-5 hands=4-1,3-2/?5 bone=?13 open=m0:1

`?5` stands for five hidden tiles. Tokens of a turn in progress come after, each only when it
says something. Parsing refuses what cannot exist and says why.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .deal import engine_number, round_count
from .moves import MEXICAN, SEATS_MAX, parse_train, train_text
from .procedure import procedure_of
from .round import AWAITED, COVER, EXTRA, GO_ON, PLAY, Need, Round
from .ruleset import RuleSet
from .tiles import is_double, mask_of, parse_tile, tile, tile_ends, tile_set, tile_text, tiles_in
from .turn import settle

_RULES_DIGITS: Final = 12
_TEXT_MAX: Final = 4096


class PositionError(ValueError):
    """A position that cannot be read, or cannot exist; the message says why."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """So many tiles that the writer does not know."""

    count: int


Tiles = tuple[int, ...] | Hidden


@dataclass(frozen=True, slots=True)
class Uncovered:
    """An open double: the one at the end of `train`, laid by `seat`."""

    train: int
    seat: int


@dataclass(frozen=True, slots=True)
class TurnState:
    """How far the turn of the seat to act has come.

    Attributes:
        under_duty: the turn began with a double to cover.
        has_moved: its first move is made.
        drew: a tile was drawn for what is awaited now; `drawn` is it, None if hidden.
        laid_count: tiles laid, not counting those after doubles.
        first_train: where the first of them went.
        used: trains played on.
        extra_train: where the double lies that wants its extra tile.
        doubles: trains on which a double was laid.
        started_mexican: it started a Mexican Train.
        own_fitted: a tile fitted the own train at some moment (`marker.on` own_stuck).
    """

    under_duty: bool = False
    has_moved: bool = False
    drew: bool = False
    drawn: int | None = None
    laid_count: int = 0
    first_train: int | None = None
    used: tuple[int, ...] = ()
    extra_train: int | None = None
    doubles: tuple[int, ...] = ()
    started_mexican: bool = False
    own_fitted: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """A table in one moment; `str(position)` and `Position.parse` are a pair.

    Attributes:
        rules: the first digits of the rule set's hash.
        max_pip: the set.
        number: the round, from 1.
        engine_tile: the double in the middle.
        first: who moved first.
        turns: turns finished in this round.
        to_act: whose turn it is; None once the round is over.
        need: what is awaited of that seat.
        lines: by train, the tiles from the engine outwards.
        marked: seats whose marker stands.
        hands: by seat.
        boneyard: the tiles left, the next one first.
        uncovered: open doubles, the oldest first.
        passes: passes in a row that changed nothing.
        owed: seats that owe a knock.
        fouls: those of them that may be called.
        out: seats that went out, in that order.
        turn: the turn in progress.
    """

    rules: str
    max_pip: int
    number: int
    engine_tile: int
    first: int
    turns: int
    to_act: int | None
    need: Need
    lines: dict[int, tuple[int, ...]]
    marked: tuple[int, ...]
    hands: tuple[Tiles, ...]
    boneyard: Tiles
    uncovered: tuple[Uncovered, ...] = ()
    passes: int = 0
    owed: tuple[int, ...] = ()
    fouls: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    turn: TurnState = field(default_factory=TurnState)

    # --- from and to a round --------------------------------------------------------------

    @staticmethod
    def of(state: Round, rules: RuleSet, *, seat: int | None = None) -> "Position":
        """The whole table, or with `seat` what that seat knows of it."""
        started = range(MEXICAN, MEXICAN + state.mexican_count)
        whole = Position(
            rules=rules.hash[:_RULES_DIGITS],
            max_pip=state.procedure.tiles.max_pip,
            number=state.number,
            engine_tile=state.engine_tile,
            first=state.first,
            turns=state.turns,
            to_act=None if state.is_over else state.turn,
            need=PLAY if state.is_over else state.need,
            lines={train: state.lines[train] for train in (*range(state.seats), *started)},
            marked=_seats(state.marked),
            hands=tuple(tuple(tiles_in(hand)) for hand in state.hands),
            boneyard=state.boneyard_left,
            uncovered=tuple(Uncovered(train, by) for train, _, by in state.uncovered),
            passes=state.passes,
            owed=_seats(state.owed),
            fouls=_seats(state.fouls),
            out=state.out,
            turn=TurnState() if state.is_over else _turn_of(state),
        )
        return whole if seat is None else whole.known_to(seat)

    def known_to(self, seat: int) -> "Position":
        """The same moment as `seat` knows it: other hands and the boneyard hidden."""
        hands = tuple(
            hand if other == seat else _hide(hand) for other, hand in enumerate(self.hands)
        )
        is_own_turn = self.to_act == seat
        turn = self.turn if is_own_turn else replace(self.turn, drawn=None, own_fitted=False)
        return replace(self, hands=hands, boneyard=_hide(self.boneyard), turn=turn)

    @property
    def is_whole(self) -> bool:
        """Whether no tile is hidden."""
        return not any(isinstance(each, Hidden) for each in (*self.hands, self.boneyard))

    def unseen(self) -> tuple[int, ...]:
        """The tiles that stand nowhere in this position, lowest number first."""
        seen = mask_of(self.seen())
        return tuple(tiles_in(tile_set(self.max_pip).whole & ~seen))

    def filled(self, order: Sequence[int]) -> "Position":
        """The whole table in which the hidden tiles are those of `order`, hands first.

        Raises:
            PositionError: `order` is no arrangement of `unseen()`.
        """
        if sorted(order) != list(self.unseen()):
            raise PositionError("the tiles to fill in are not those that are unseen")
        rest = iter(order)
        filled = [
            tuple(sorted(next(rest) for _ in range(hand.count)))
            if isinstance(hand, Hidden)
            else hand
            for hand in self.hands
        ]
        boneyard = tuple(rest) if isinstance(self.boneyard, Hidden) else self.boneyard
        return replace(self, hands=tuple(filled), boneyard=boneyard)

    def to_round(self, rules: RuleSet) -> Round:
        """The round that stands so, to be played on.

        Raises:
            PositionError: tiles are hidden, or the position belongs to other rules.
        """
        if self.rules != rules.hash[:_RULES_DIGITS]:
            raise PositionError(f"the position belongs to rules {self.rules}, not to {rules!r}")
        _refuse_other_rules(self, rules)
        hands = [mask_of(hand) for hand in self.hands if not isinstance(hand, Hidden)]
        if len(hands) < len(self.hands) or isinstance(self.boneyard, Hidden):
            raise PositionError("tiles are hidden: fill them in first")
        state = Round(procedure_of(rules), self.number, hands, self.engine_tile)
        state.boneyard = self.boneyard
        self._restore_table(state)
        self._restore_turn(state)
        if self.to_act is not None and self.need in (PLAY, COVER):
            bound = bool(state.uncovered) and state.doubles_bind
            if bound != (self.need is COVER):
                raise PositionError("an open double must be covered first, and only then")
        if self.to_act is None:
            state.turn = -1
            state.blocked = not self.out
        settle(state, None)
        return state

    def _restore_table(self, state: Round) -> None:
        count = max((train - MEXICAN + 1 for train in self.lines if train >= MEXICAN), default=0)
        state.ends += [state.engine_number] * count
        state.lines += [()] * count
        for train, line in self.lines.items():
            state.lines[train] = line
            state.ends[train] = _open_end(state.engine_number, line)
            state.laid |= mask_of(line)
            if line and train < MEXICAN:
                state.started |= 1 << train
        state.marked = mask_of(self.marked)
        state.uncovered = tuple(
            (each.train, self.lines[each.train][-1], each.seat) for each in self.uncovered
        )
        state.owed, state.fouls, state.out = mask_of(self.owed), mask_of(self.fouls), self.out
        state.first, state.turns, state.passes = self.first, self.turns, self.passes

    def _restore_turn(self, state: Round) -> None:
        turn = self.turn
        state.turn = -1 if self.to_act is None else self.to_act
        state.need = self.need
        state.under_duty = turn.under_duty
        state.moved = turn.has_moved
        state.drew = turn.drew
        state.drawn = -1 if turn.drawn is None else turn.drawn
        state.laid_count = turn.laid_count
        state.first_train = -1 if turn.first_train is None else turn.first_train
        state.used = mask_of(turn.used)
        state.extra_train = -1 if turn.extra_train is None else turn.extra_train
        state.turn_doubles = mask_of(turn.doubles)
        state.mexican_started = turn.started_mexican
        state.own_fitted = turn.own_fitted

    def seen(self) -> list[int]:
        """Every tile that stands in this position, the engine first."""
        seen = [self.engine_tile]
        for line in self.lines.values():
            seen += line
        for tiles in (*self.hands, self.boneyard):
            if not isinstance(tiles, Hidden):
                seen += tiles
        return seen

    # --- text -----------------------------------------------------------------------------

    def __str__(self) -> str:
        to_act = "-" if self.to_act is None else f"{self.to_act}:{AWAITED[self.need]}"
        words = [
            "mt1",
            f"rules={self.rules}",
            f"set={self.max_pip}",
            f"round={self.number}",
            f"engine={tile_text(self.engine_tile)}",
            f"first={self.first}",
            f"turns={self.turns}",
            f"to={to_act}",
        ]
        for train, line in self.lines.items():
            mark = "!" if train in self.marked and train < MEXICAN else ""
            words.append(f"{train_text(train)}{mark}={_write_tiles(line)}")
        words.append("hands=" + "/".join(map(_write_tiles, self.hands)))
        words.append("bone=" + _write_tiles(self.boneyard))
        words += [f"{key}={text}" for key, text in self._written() if text]
        return " ".join(words)

    def _written(self) -> Iterable[tuple[str, str]]:
        turn = self.turn
        yield "open", "+".join(f"{train_text(each.train)}:{each.seat}" for each in self.uncovered)
        yield "passes", str(self.passes or "")
        yield "owed", _write_numbers(self.owed)
        yield "foul", _write_numbers(self.fouls)
        yield "out", _write_numbers(self.out)
        yield "duty", _write_flag(turn.under_duty)
        yield "moved", _write_flag(turn.has_moved)
        drawn = "?" if turn.drawn is None else tile_text(turn.drawn)
        yield "drew", drawn if turn.drew else ""
        yield "laid", str(turn.laid_count or "")
        yield "via", "" if turn.first_train is None else train_text(turn.first_train)
        yield "used", "+".join(map(train_text, turn.used))
        yield "extra", "" if turn.extra_train is None else train_text(turn.extra_train)
        yield "doubles", "+".join(map(train_text, turn.doubles))
        yield "mexican", _write_flag(turn.started_mexican)
        yield "fitted", _write_flag(turn.own_fitted)

    @staticmethod
    def parse(text: str) -> "Position":
        """Read a position as `str` writes it.

        Raises:
            PositionError: it cannot be read, or cannot exist; the message says why.
        """
        try:
            position = _read(text)
            _refuse_impossible(position)
        except PositionError:
            raise
        except ValueError as error:
            raise PositionError(str(error)) from error
        return position


def _refuse_impossible(position: Position) -> None:
    _refuse_wrong_tiles(position)
    _refuse_wrong_trains(position)
    seats = range(len(position.hands))
    if len(seats) < 2:
        raise PositionError("at least two seats play")
    named = (
        position.first,
        *([] if position.to_act is None else [position.to_act]),
        *(each.seat for each in position.uncovered),
        *position.marked,
        *position.owed,
        *position.fouls,
        *position.out,
    )
    for seat in named:
        if seat not in seats:
            raise PositionError(f"there is no seat {seat}")
    _refuse_wrong_debts(position)
    _refuse_wrong_turn(position)


def _refuse_other_rules(position: Position, rules: RuleSet) -> None:
    """What only the rules can tell: the engine of a round, how many trains, turns of many tiles."""
    procedure = procedure_of(rules)
    if position.max_pip != procedure.tiles.max_pip:
        raise PositionError(f"these rules are played with a double-{procedure.tiles.max_pip} set")
    if not 1 <= position.number <= round_count(rules):
        raise PositionError(f"there is no round {position.number}")
    number = engine_number(rules, position.number)
    if position.engine_tile != tile(number, number):
        raise PositionError(f"the engine of round {position.number} is {number}-{number}")
    if sum(train >= MEXICAN for train in position.lines) > procedure.mexican_max:
        raise PositionError(f"there can be {procedure.mexican_max} Mexican Trains at most")
    if position.need is GO_ON and not procedure.goes_on:
        raise PositionError("no turn has several tiles")


def _refuse_wrong_debts(position: Position) -> None:
    counts = [hand.count if isinstance(hand, Hidden) else len(hand) for hand in position.hands]
    if not set(position.fouls) <= set(position.owed):
        raise PositionError("a foul can be called only on a seat that owes a knock")
    for seats in (position.owed, position.fouls, position.out):
        if len(set(seats)) < len(seats):
            raise PositionError("a seat is named twice")
    for seat in position.owed:
        if counts[seat] != 1:
            raise PositionError(f"seat {seat} owes a knock with {counts[seat]} tiles")
    for seat in position.out:
        if counts[seat]:
            raise PositionError(f"seat {seat} is out with {counts[seat]} tiles")
    if position.passes > len(counts):
        raise PositionError(f"nobody passes {position.passes} times in a row")


def _refuse_wrong_tiles(position: Position) -> None:
    tiles = tile_set(position.max_pip)
    seen = position.seen()
    for each in seen:
        if each >= tiles.size:
            raise PositionError(f"a double-{position.max_pip} set has no {tile_text(each)}")
        if seen.count(each) > 1:
            raise PositionError(f"{tile_text(each)} is there twice")
    hidden = sum(
        each.count for each in (*position.hands, position.boneyard) if isinstance(each, Hidden)
    )
    if len(seen) + hidden != tiles.size:
        raise PositionError(f"there are {len(seen) + hidden} tiles of {tiles.size}")
    if not is_double(position.engine_tile):
        raise PositionError(f"the engine {tile_text(position.engine_tile)} is no double")


def _refuse_wrong_trains(position: Position) -> None:
    personal = [train for train in position.lines if train < MEXICAN]
    if sorted(personal) != list(range(len(position.hands))):
        raise PositionError("there must be one personal train a seat")
    mexican = sorted(train for train in position.lines if train >= MEXICAN)
    if mexican != list(range(MEXICAN, MEXICAN + len(mexican))):
        raise PositionError("Mexican Trains are numbered from m0 on")
    number = tile_ends(position.engine_tile)[0]
    for train, line in position.lines.items():
        if not line and train >= MEXICAN:
            raise PositionError(f"{train_text(train)} has not been started: leave it out")
        _follow(train, number, line)
    for each in position.uncovered:
        line = position.lines.get(each.train, ())
        if not _ends_in_double(line):
            raise PositionError(f"{train_text(each.train)} does not end in a double")
    if len({each.train for each in position.uncovered}) < len(position.uncovered):
        raise PositionError("two open doubles lie on one train")


def _refuse_wrong_turn(position: Position) -> None:
    turn = position.turn
    seats = len(position.hands)
    if position.to_act not in (None, (position.first + position.turns) % seats):
        raise PositionError(f"after {position.turns} turns it is not seat {position.to_act}'s")
    if turn.laid_count > sum(map(len, position.lines.values())):
        raise PositionError(f"{turn.laid_count} tiles cannot have been laid in this turn")
    named = [*turn.used, *turn.doubles]
    named += [train for train in (turn.first_train, turn.extra_train) if train is not None]
    for train in named:
        if train not in position.lines:
            raise PositionError(f"there is no train {train_text(train)}")
    if position.need is EXTRA and turn.extra_train is None:
        raise PositionError("extra= must say where the double lies that wants its tile")
    if turn.extra_train is not None and not _ends_in_double(position.lines[turn.extra_train]):
        raise PositionError(f"{train_text(turn.extra_train)} does not end in a double")
    if position.need is COVER and not position.uncovered:
        raise PositionError("nothing is there to cover")
    if position.to_act is None or not turn.drew:
        return
    hand = position.hands[position.to_act]
    if not isinstance(hand, Hidden) and turn.drawn is not None and turn.drawn not in hand:
        raise PositionError(f"the drawn tile {tile_text(turn.drawn)} is not in that hand")


def _ends_in_double(line: Sequence[int]) -> bool:
    return bool(line) and is_double(line[-1])


def _turn_of(state: Round) -> TurnState:
    drew = state.drew and state.need is not GO_ON
    return TurnState(
        under_duty=state.under_duty,
        has_moved=state.moved,
        drew=drew,
        drawn=state.drawn if drew else None,
        laid_count=state.laid_count,
        first_train=None if state.first_train < 0 else state.first_train,
        used=_trains(state.used),
        extra_train=state.extra_train if state.need is EXTRA else None,
        doubles=_trains(state.turn_doubles),
        started_mexican=state.mexican_started,
        own_fitted=state.own_fitted,
    )


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(SEATS_MAX) if mask >> seat & 1)


def _trains(mask: int) -> tuple[int, ...]:
    return tuple(train for train in range(mask.bit_length()) if mask >> train & 1)


def _hide(tiles: Tiles) -> Tiles:
    return tiles if isinstance(tiles, Hidden) else Hidden(len(tiles))


def _open_end(number: int, line: Iterable[int]) -> int:
    for each in line:
        high, low = tile_ends(each)
        number = low if high == number else high
    return number


def _follow(train: int, number: int, line: Iterable[int]) -> None:
    for each in line:
        if number not in tile_ends(each):
            raise PositionError(f"{tile_text(each)} on {train_text(train)} does not fit {number}")
        number = _open_end(number, (each,))


def _write_tiles(tiles: Tiles) -> str:
    return f"?{tiles.count}" if isinstance(tiles, Hidden) else ",".join(map(tile_text, tiles))


def _write_numbers(numbers: Iterable[int]) -> str:
    return "+".join(map(str, numbers))


def _write_flag(is_set: bool) -> str:
    return "yes" if is_set else ""


def _read(text: str) -> Position:
    if len(text) > _TEXT_MAX:
        raise PositionError("a position is one line of at most 4096 characters")
    version, *words = text.split()
    if version != "mt1":
        raise PositionError("a position begins with mt1")
    values: dict[str, str] = {}
    lines: dict[int, tuple[int, ...]] = {}
    marked: list[int] = []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key in values:
            raise PositionError(f"{word[:40]!r} is not KEY=VALUE, or stands twice")
        if key[:1] in ("p", "m") and key.rstrip("!")[1:].isdigit():
            train = parse_train(key.rstrip("!"))
            if train in lines:
                raise PositionError(f"the train {train_text(train)} stands twice")
            if key.count("!") > (train < MEXICAN):
                raise PositionError(f"{train_text(train)} cannot carry so many markers")
            lines[train] = _read_line(value)
            marked += [train] * key.count("!")
        else:
            values[key] = value
    unknown = values.keys() - _KEYS
    missing = _REQUIRED - values.keys()
    if unknown or missing:
        which = min(unknown or missing)
        raise PositionError(f"{which[:40]} is {'unknown' if unknown else 'missing'}")
    return _assemble(values, lines, tuple(marked))


_REQUIRED: Final = frozenset(
    {"rules", "set", "round", "engine", "first", "turns", "to", "hands", "bone"}
)
_KEYS: Final = _REQUIRED | {
    "open",
    "passes",
    "owed",
    "foul",
    "out",
    "duty",
    "moved",
    "drew",
    "laid",
    "via",
    "used",
    "extra",
    "doubles",
    "mexican",
    "fitted",
}


def _assemble(
    values: dict[str, str], lines: dict[int, tuple[int, ...]], marked: tuple[int, ...]
) -> Position:
    to_act, need = _read_awaited(values["to"])
    drew = values.get("drew", "")
    return Position(
        rules=values["rules"],
        max_pip=_read_number(values["set"]),
        number=_read_number(values["round"]),
        engine_tile=parse_tile(values["engine"]),
        first=_read_number(values["first"]),
        turns=_read_number(values["turns"]),
        to_act=to_act,
        need=need,
        lines=lines,
        marked=marked,
        hands=tuple(_read_tiles(hand) for hand in values["hands"].split("/")),
        boneyard=_read_tiles(values["bone"]),
        uncovered=tuple(_read_open(word) for word in _split(values.get("open", ""))),
        passes=_read_number(values.get("passes", "0")),
        owed=_read_numbers(values.get("owed", "")),
        fouls=_read_numbers(values.get("foul", "")),
        out=_read_numbers(values.get("out", "")),
        turn=TurnState(
            under_duty=_read_flag(values.get("duty")),
            has_moved=_read_flag(values.get("moved")),
            drew=bool(drew),
            drawn=parse_tile(drew) if drew not in ("", "?") else None,
            laid_count=_read_number(values.get("laid", "0")),
            first_train=parse_train(values["via"]) if "via" in values else None,
            used=tuple(map(parse_train, _split(values.get("used", "")))),
            extra_train=parse_train(values["extra"]) if "extra" in values else None,
            doubles=tuple(map(parse_train, _split(values.get("doubles", "")))),
            started_mexican=_read_flag(values.get("mexican")),
            own_fitted=_read_flag(values.get("fitted")),
        ),
    )


def _split(text: str) -> list[str]:
    return text.split("+") if text else []


def _read_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise PositionError(f"{text[:40]!r} is no number")
    return int(text)


def _read_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(_read_number, _split(text)))


def _read_flag(text: str | None) -> bool:
    if text not in (None, "yes"):
        raise PositionError(f"{text[:40]!r} is not yes")
    return text is not None


def _read_line(text: str) -> tuple[int, ...]:
    return tuple(parse_tile(word) for word in text.split(",")) if text else ()


def _read_tiles(text: str) -> Tiles:
    return Hidden(_read_number(text[1:])) if text.startswith("?") else _read_line(text)


def _read_open(word: str) -> Uncovered:
    train, _, seat = word.partition(":")
    return Uncovered(parse_train(train), _read_number(seat))


def _read_awaited(text: str) -> tuple[int | None, Need]:
    if text == "-":
        return None, PLAY
    seat, _, awaited = text.partition(":")
    if awaited not in AWAITED:
        raise PositionError(f"{awaited[:40]!r} is not awaited of anybody: {', '.join(AWAITED)}")
    return _read_number(seat), Need(AWAITED.index(awaited))
