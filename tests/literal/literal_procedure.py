"""The turn procedure a second time: slow, and as close to the words of the rules page as may be.

Written from the page alone, without a look at the engine, so that the two can be held against each
other. Every branch quotes the sentence that it follows; "3.4" is step 4 of its section 3, (Option)
its section 2, and (Turn), (Doubles), (Several), (Out), (Knock), (Deal) the headings of its precise
points. `Reading:` marks where two readings are possible, and the one taken. Tiles, trains and moves
are plain strings.
"""

from collections.abc import Mapping
from dataclasses import dataclass


class IllegalMove(ValueError):
    """The move is not among the legal ones; nothing has changed."""


@dataclass
class Double:
    """A double on the table that nobody has covered and whose duty has not lapsed."""

    train: str
    tile: str
    exempt: bool  # laid in lap 1 under `first_turn_exempt`, and lap 1 is not over


def ends(tile: str) -> tuple[int, int]:
    """The two numbers of a tile: "12-7" gives (12, 7)."""
    high, low = tile.split("-")
    return int(high), int(low)


def is_double(tile: str) -> bool:
    """Whether both ends are equal."""
    high, low = ends(tile)
    return high == low


class LiteralRound:
    """One round, from the dealt hands to the scores.

    `hands` and `boneyard` are as dealt, the front of the boneyard is drawn next. With
    `engine.source = set_aside` the engine tile is in neither; with `held` it is in one of them, and
    the search of "Deal" is carried out here. `hands` stay sorted as strings; `trains` has every
    personal train from the start and a Mexican Train once somebody has started it.
    """

    def __init__(
        self,
        options: Mapping[str, object],
        *,
        seats: int,
        hands: list[list[str]],
        boneyard: list[str],
        engine_tile: str,
        first_seat: int,
        round_number: int,
        last_winner: int | None,
    ) -> None:
        self.options = dict(options)
        self.seats = seats
        self.hands = [sorted(hand) for hand in hands]
        self.boneyard = list(boneyard)
        self.engine_tile = engine_tile
        self.trains: dict[str, list[str]] = {f"p{seat}": [] for seat in range(seats)}
        self.markers: set[int] = set()
        self.doubles: list[Double] = []  # in the order laid
        self.knock_owed: dict[int, bool] = {}  # seat -> is the foul window open
        self.went_out: list[int] = []
        self.scores: list[int] = []
        self.winner: int | None = None
        self.blocked = False
        self.phase = "play"
        self.turn: int | None = None
        self.turns_ended = 0
        self.idle_passes = 0  # "passes in a row that changed nothing"

        holder = self._find_engine(first_seat, last_winner)
        if holder is not None and self._is("round.first_player", "engine_holder"):
            self.first_player = holder
        else:
            # (Option) `rotate_left`: "starts at the table's first seat in round 1".
            self.first_player = (first_seat + round_number - 1) % seats
        self.begin_turn(self.first_player)
        self._settle()

    # ------------------------------------------------------------------ what may be asked

    @property
    def lap(self) -> int:
        """Turn: "A lap is one turn of every seat from the first player on"."""
        return self.turns_ended // self.seats + 1

    @property
    def open_doubles(self) -> list[tuple[str, str]]:
        """(train, tile) of each double that binds or will bind, in the order laid."""
        return [(double.train, double.tile) for double in self.doubles]

    def legal(self, seat: int) -> set[str]:
        """Every move of this seat, `knock` and `foul:N` out of turn too; empty after the round."""
        if self.phase != "play":
            return set()
        moves = set()
        if seat == self.turn:
            moves |= self._turn_moves()
        # (Knock) "`off` and `notice` know neither move".
        if self._is("announce.mode", "knock"):
            # (Knock) "`knock` is legal only while owed."
            if seat in self.knock_owed:
                moves.add("knock")
            # (Knock) "Any other seat may call it, in or out of turn"; 3.11: "A foul called outside
            # the window is refused".
            for offender, window_open in self.knock_owed.items():
                if offender != seat and window_open:
                    moves.add(f"foul:{offender}")
        return moves

    def apply(self, seat: int, move: str) -> None:
        """Do `move`; raises IllegalMove, and changes nothing, when it is not in `legal(seat)`."""
        if move not in self.legal(seat):
            raise IllegalMove(f"{move!r} is not legal for seat {seat}")
        if move == "knock":
            del self.knock_owed[seat]
        elif move.startswith("foul:"):
            self._foul(int(move.removeprefix("foul:")))
        else:
            self._old_knock_debt_ends(seat)
            if move == "draw":
                self._draw(seat)
            elif move == "pass":
                self._pass()
            elif move == "done":
                self._end_turn(mark=False, is_pass=False)
            else:
                tile, train = move.split(">")
                self._lay(seat, tile, train)
        self._settle()

    def skip(self, seat: int) -> None:
        """The table's move for a seat whose time is up or that is away.

        Turn: "It draws once if the seat was offered `draw` alone, lays nothing (not even a drawn
        tile that fits) and ends the turn."
        """
        if self.phase != "play" or seat != self.turn:
            raise IllegalMove(f"seat {seat} is not to act")
        offered = self._turn_moves()
        # Reading: a skip is the first move of a turn in the sense of Knock's "(tile, draw, pass)".
        self._old_knock_debt_ends(seat)
        owed_an_extra = self.owed is not None
        under_duty = bool(self._binding())
        if offered == {"draw"}:
            # Reading: the last tile drawn so ends only the turn, with `until_playable` and
            # `first_stuck` too ("draws once ... and ends the turn").
            self._draw(seat)
        if self.laid and not owed_an_extra:
            # "after a tile with nothing owed it is `done`."
            self._end_turn(mark=False, is_pass=False)
        else:
            # "Marked as by a pass (`mark_others` under a duty, `mark_self` while an extra tile is
            # owed)".
            if owed_an_extra:
                mark = self._yes("doubles.mark_self")
            elif under_duty:
                mark = self._yes("doubles.mark_others")
            else:
                mark = True
            # "Without a draw or a new marker it counts as a pass for `lap_stuck`". A turn in which
            # a tile was laid or drawn, by the skip or before it, has changed something.
            self._end_turn(mark=mark, is_pass=not self.laid and not self.drew_in_turn)
        self._settle()

    # ------------------------------------------------------------------ options

    def _is(self, option: str, value: str) -> bool:
        return self.options[option] == value

    def _yes(self, option: str) -> bool:
        return self.options[option] is True

    def _int(self, option: str) -> int:
        value = self.options[option]
        if not isinstance(value, int):
            raise TypeError(f"{option} is no number: {value!r}")
        return value

    def _lapses_by(self, cause: str) -> bool:
        causes = self.options["doubles.lapse"]
        return isinstance(causes, list | tuple) and cause in causes

    # ------------------------------------------------------------------ the deal

    def _find_engine(self, first_seat: int, last_winner: int | None) -> int | None:
        """Seat that held or drew the engine, its hand one short now; None when it was set aside."""
        if self._is("engine.source", "set_aside"):
            # (Option) "engine taken out before the deal".
            return None
        if not any(self.engine_tile in hand for hand in self.hands):
            self._search(first_seat, last_winner)
        for seat, hand in enumerate(self.hands):
            if self.engine_tile in hand:
                # 3.1: "Its holder's hand stays one short"; Deal: "The finder is the holder."
                hand.remove(self.engine_tile)
                return seat
        raise ValueError(f"the engine tile {self.engine_tile} was not dealt")

    def _search(self, first_seat: int, last_winner: int | None) -> None:
        # (Option) "`last_winner`: the last round's winner, in round 1 the table's first seat".
        seat = first_seat
        if self._is("engine.search_from", "last_winner") and last_winner is not None:
            seat = last_winner
        found = False
        drawn_in_cycle = 0
        while self.boneyard:
            # (Deal) "tiles come from the front of the boneyard"; option: "Drawn tiles are kept".
            tile = self.boneyard.pop(0)
            self.hands[seat] = sorted([*self.hands[seat], tile])
            found = found or tile == self.engine_tile
            drawn_in_cycle = (drawn_in_cycle + 1) % self.seats
            seat = (seat + 1) % self.seats
            if found and self._is("engine.search", "in_turn"):
                # (Option) "seats draw one tile each in turn until it appears".
                return
            if found and drawn_in_cycle == 0:
                # (Deal) "with `all_draw` every seat completes the cycle in which the engine
                # appears, as far as tiles go."
                return

    # ------------------------------------------------------------------ what fits where

    def _end_number(self, train: str) -> int:
        """Number at the open end; the engine's for an empty train or one not yet started."""
        number = ends(self.engine_tile)[0]
        for tile in self.trains.get(train, []):
            high, low = ends(tile)
            number = low if number == high else high
        return number

    def _fits(self, tile: str, train: str) -> bool:
        return self._end_number(train) in ends(tile)

    def _mexican_trains(self) -> list[str]:
        return [train for train in self.trains if train.startswith("m")]

    def _is_free_of_own_first(self, seat: int) -> bool:
        # (Several) "With `starter_first_lap` the first player is free of `own_first` in its first
        # turn, and only then."
        return self._is("mexican_train.start", "starter_first_lap") and self._is_first_turn_of_all(
            seat
        )

    def _is_first_turn_of_all(self, seat: int) -> bool:
        """The first player's first turn."""
        return self.lap == 1 and seat == self.first_player

    def _may_use(self, seat: int, train: str) -> bool:
        """3.3: whether this seat may play on this existing train, no double being in the way."""
        own = f"p{seat}"
        if train == own:
            return True
        # (Option) `own_only`: "in lap 1 only the own train may be played".
        if self.lap == 1 and self._yes("first_turn.own_only"):
            return False
        # 3.10: "Opened (for `train.own_first`): a tile lies on the train".
        if not self.trains[own] and not self._is_free_of_own_first(seat):
            # (Option) `own_first`: "before the own train is opened a seat may play only there
            # (`any`)".
            if self._is("train.own_first", "any"):
                return False
            # "or not on opponents' trains (`opponents`)".
            if self._is("train.own_first", "opponents") and train.startswith("p"):
                return False
        # 3.3: "on a Mexican Train that exists".
        if train.startswith("m"):
            return True
        # 3.3: "on marked trains of others (also one that has not been started ...)".
        return int(train[1:]) in self.markers

    def _may_start_mexican(self, seat: int) -> bool:
        """3.3: "start one where the options allow it"."""
        # (Option) `max_trains`: "0 = as many as the engine allows".
        most = self._int("mexican_train.max_trains")
        if most != 0 and len(self._mexican_trains()) >= most:
            return False
        # (Several) "A seat starts at most one new Mexican Train a turn".
        if self.started_mexican:
            return False
        if self.lap == 1 and self._yes("first_turn.own_only"):
            return False
        if (
            self._is("train.own_first", "any")
            and not self.trains[f"p{seat}"]
            and not self._is_free_of_own_first(seat)
        ):
            return False
        if self._is("mexican_train.start", "after_first_lap"):
            return self.lap > 1
        if self._is("mexican_train.start", "after_all_trains"):
            # (Several) "every personal train has a tile, whoever laid it."
            return all(self.trains[f"p{number}"] for number in range(self.seats))
        if self._is("mexican_train.start", "starter_first_lap"):
            # (Option) "the first player in lap 1, anybody after lap 1".
            return self.lap > 1 or seat == self.first_player
        return True  # `any_turn`

    def _usable(self, seat: int) -> list[str]:
        """3.3: every train that this seat may play on, and the one that it may start."""
        trains = [train for train in self.trains if self._may_use(seat, train)]
        if self._may_start_mexican(seat):
            trains.append(f"m{len(self._mexican_trains())}")
        return trains

    def _binding(self) -> list[Double]:
        # (Option) `first_turn_exempt`: "doubles laid in lap 1 bind nobody until lap 1 is over".
        return [double for double in self.doubles if not double.exempt]

    def _duty_trains(self) -> list[str]:
        """3.2: "a seat may only cover it (which one, when several are open: `cover_order`)"."""
        trains = [double.train for double in self._binding()]
        if self._is("doubles.cover_order", "as_played"):
            return trains[:1]
        if self._is("doubles.cover_order", "newest_first"):
            return trains[-1:]
        return trains  # `any`

    def _extra_trains(self, seat: int) -> list[str]:
        """Where the extra tile that is owed may go."""
        if self.owed is None:
            return []
        if self._is("doubles.extra_tile", "on_double"):
            return [self.owed[0]]
        # (Doubles) "may go on any double of this turn or any train the seat may use".
        # Reading: starting a Mexican Train is among "any train the seat may use".
        trains = self._usable(seat)
        for train, tile in self.doubles_of_turn:
            if self.trains[train][-1] == tile and train not in trains:
                trains.append(train)
        return trains

    def _may_go_on(self, seat: int, train: str) -> bool:
        """Whether a further tile of this turn may go on `train`: one lies, none is owed."""
        own = f"p{seat}"
        if self._is("turn.play_limit", "one_per_open_train"):
            # 3.9: "after the first tile a seat may go on, once on each train open to it".
            # Reading: `starter_extra` has no effect beside it ("its play limit gives it").
            return all(used != train for used, _ in self.laid)
        if self._yes("first_turn.build_own_train") and self.lap == 1:
            # (Several) "single plays on the own train ... A first tile elsewhere, where allowed,
            # ends the turn."
            return self.tiles_of_limit[0] == own and train == own
        if self._is_first_turn_of_all(seat) and len(self.tiles_of_limit) == 1:
            # (Option) `starter_extra`: "the first player's first turn may have a second tile ...
            # extra tiles of doubles do not count".
            if self._is("first_turn.starter_extra", "any_train"):
                return True
            if self._is("first_turn.starter_extra", "other_train"):
                return train != self.tiles_of_limit[0]
        return False

    def _plays(self, seat: int) -> set[str]:
        """Every tile that this seat may lay now."""
        if self.owed is not None:
            trains = self._extra_trains(seat)
        elif self._binding():
            # 3.2: "While a double is open, a seat may only cover it, wherever it lies: on a closed
            # train of another seat too, and by a seat whose own train has not started too."
            # (Doubles) "The duty to cover goes before `own_only` and `own_first`."
            # Reading: it also holds for the second tile of a turn whose own double, laid under
            # `anywhere`, is still open.
            trains = self._duty_trains()
        else:
            trains = self._usable(seat)
        if self.laid and self.owed is None:
            trains = [train for train in trains if self._may_go_on(seat, train)]
        plays = {(tile, train) for tile in self.hands[seat] for train in trains}
        plays = {(tile, train) for tile, train in plays if self._fits(tile, train)}
        if self.owed is not None and self._is("doubles.per_turn", "one_open"):
            # (Option) `per_turn`: "may the extra tile itself be a double".
            # Reading: where it may not, a double does not serve, and a seat with no other tile
            # that fits "cannot lay".
            plays = {(tile, train) for tile, train in plays if not is_double(tile)}
        if self.drawn is not None:
            of_drawn = {(tile, train) for tile, train in plays if tile == self.drawn}
            # (Turn) "`play_drawn = may` does not reach covers and extra tiles".
            must = (
                self._is("draw.play_drawn", "must")
                or self.owed is not None
                or bool(self._binding())
            )
            # (Turn) "After a draw with `must`, a drawn tile that fits is the only tile that may be
            # laid; if it fits nothing, any other tile that fits may be."
            if must and of_drawn:
                plays = of_drawn
        return {f"{tile}>{train}" for tile, train in plays}

    def _may_draw(self) -> bool:
        """Whether the rules let the seat to act draw now, if it has no play; tiles or no tiles."""
        # (Option) `draw.limit`; Turn: "with `until_playable` it is offered again until a tile fits
        # or the boneyard is empty, for covers and extra tiles too."
        if self.draws > 0 and self._is("draw.limit", "one"):
            return False
        if self.owed is not None:
            # (Doubles) "the empty hand draws whatever `draw_self` says".
            # Reading: so does, under `until_playable`, the hand that was empty when this began.
            return self.must_draw_when_empty or self._yes("doubles.draw_self")
        if self.laid:
            # (Several) "Only the first tile of a turn is owed or drawn for."
            return False
        if self._binding():
            # (Option) `draw_others`: "a later seat that cannot cover draws".
            return self._yes("doubles.draw_others")
        return True  # 3.4: "Nothing fits: draw"

    def _turn_moves(self) -> set[str]:
        """Moves of the seat to act but for knock and foul."""
        if self.turn is None:
            return set()
        plays = self._plays(self.turn)
        if self.laid and self.owed is None:
            # (Several) "When a tile lies and no extra tile is owed, `done` is offered beside every
            # further play".
            return plays | {"done"}
        if self.owed is not None:
            # (Turn) "The extra tile after a double stays compulsory."
            return plays or {"draw"}
        if not plays:
            # (Turn) "A seat with no play is offered `draw` alone while the boneyard has a tile,
            # `pass` alone when it is empty." Doubles: "With `draw_others = no` the move is `pass`."
            return {"draw"} if self._may_draw() and self.boneyard else {"pass"}
        if not self._yes("turn.must_play"):
            # (Turn) "With `must_play = no` a seat that can play may draw instead (or pass, where no
            # draw is possible), and then play or pass".
            # Reading: passing stays open under `play_drawn = must`, and when the tile just drawn
            # covers; those say only which tile may be laid.
            if self.draws == 0 and self._may_draw() and self.boneyard:
                return plays | {"draw"}
            return plays | {"pass"}
        if self.draws > 0 and self._is("draw.play_drawn", "may") and not self._binding():
            # (Turn) "`pass` is a move ...: `play_drawn = may` and the drawn tile fits".
            return plays | {"pass"}
        # 3.4: "A seat that can play may neither draw nor pass (`turn.must_play`)."
        return plays

    # ------------------------------------------------------------------ the turn

    def begin_turn(self, seat: int) -> None:
        """A turn begins; what then happens by itself is `_settle`'s."""
        self.turn = seat
        self.laid: list[tuple[str, str]] = []  # (train, tile) of this turn
        self.tiles_of_limit: list[str] = []  # trains of the tiles that are no extra tiles
        self.doubles_of_turn: list[tuple[str, str]] = []
        self.owed: tuple[str, str] | None = None  # the double that wants an extra tile
        self.must_draw_when_empty = False
        self.draws = 0  # for the tile that is wanted now
        self.drawn: str | None = None  # likewise
        self.drew_in_turn = False
        self.has_moved = False
        self.started_mexican = False
        # (Doubles) "`boneyard_empty` is looked at when a turn begins and when a tile is laid".
        self._lapse()
        # (Turn), `own_stuck`: "a turn that did not begin under a duty".
        self.began_under_duty = bool(self._binding())
        self.held_a_fit_for_own = False
        self._note_own_fit()

    def _note_own_fit(self) -> None:
        # (Turn), `own_stuck`: "at no moment of it (at its start, after each draw) the seat held a
        # tile that fits its own train". Reading: a moment after a penalty is a moment too.
        if self.turn is not None and any(
            self._fits(tile, f"p{self.turn}") for tile in self.hands[self.turn]
        ):
            self.held_a_fit_for_own = True

    def _settle(self) -> None:
        """Turn: "A turn ends by itself as soon as its seat has nothing left to decide"."""
        while self.phase == "play" and self.turn is not None:
            if self._plays(self.turn):
                return
            if self.laid and self.owed is None:
                # (Several) "with no further play the turn ends by itself."
                self._end_turn(mark=False, is_pass=False)
            elif self._may_draw() and self.boneyard:
                return
            elif self.must_draw_when_empty and not self.hands[self.turn]:
                # 3.6: "with an empty boneyard the seat is out"; Out: "Being out goes first."
                self._go_out(self.turn)
            elif self._may_draw() and self._is("round.blocked", "first_stuck"):
                # (Out) "`first_stuck` ends the round by itself, without `pass` or marker, when the
                # seat to act must draw (...) and the boneyard is empty, also when a penalty has
                # just emptied it. A failed draw of the last tile only ends the turn (with
                # `until_playable` the round)."
                self._end_round(blocked=True)
            elif self.owed is not None:
                # (Doubles) "A doubler who can neither lay nor draw for the extra tile ends its turn
                # without a `pass`, marked if `mark_self`."
                self._end_turn(mark=self._yes("doubles.mark_self"), is_pass=False)
            elif self.draws > 0:
                # 3.4: "Still nothing: marker on, turn over."
                # (Option) `mark_others`: "a later seat that cannot cover ... is marked".
                mark = self._yes("doubles.mark_others") if self._binding() else True
                self._end_turn(mark=mark, is_pass=False)
            else:
                return  # (Turn) "a turn begins with no legal play and no permitted draw": `pass`

    def _draw(self, seat: int) -> None:
        tile = self.boneyard.pop(0)
        self.hands[seat] = sorted([*self.hands[seat], tile])
        self.drawn = tile
        self.draws += 1
        self.drew_in_turn = True
        self.idle_passes = 0  # (Out) "a tile drawn ... put it to 0"
        self._note_own_fit()
        self._count_knock_debt(seat)

    def _pass(self) -> None:
        # (Turn) "A seat that passes in a normal turn is marked, whatever `marker.on` says, also
        # when it declined a tile that fits."
        # Reading: under a duty a voluntary pass marks by `mark_others` too.
        mark = self._yes("doubles.mark_others") if self._binding() else True
        # (Out) "passes in a row that changed nothing: a tile laid, a tile drawn ...".
        # Reading: a turn in which a tile was drawn has changed something; its pass is not counted.
        self._end_turn(mark=mark, is_pass=not self.drew_in_turn)

    def _lay(self, seat: int, tile: str, train: str) -> None:
        self.hands[seat].remove(tile)
        if train not in self.trains:
            self.trains[train] = []
            self.started_mexican = True
        # (Doubles) "A double is open from the moment it is laid until it is covered or lapses."
        self.doubles = [double for double in self.doubles if double.train != train]
        self.trains[train].append(tile)
        # (Option) `marker.off`: "it comes off when the owner plays on the own train; or anywhere".
        if train == f"p{seat}" or self._is("marker.off", "any_play"):
            self.markers.discard(seat)
        self.idle_passes = 0  # (Out) "a tile laid ... put it to 0"
        if self._is("announce.deadline", "next_tile"):
            # (Option) "when another seat lays a tile".
            for offender in self.knock_owed:
                if offender != seat:
                    self.knock_owed[offender] = True
        if self.owed is None:
            self.tiles_of_limit.append(train)
        self.laid.append((train, tile))
        self.owed = None
        self.must_draw_when_empty = False
        # 3.5: "A double drawn and laid owes its extra tile like any other, with a draw of its own."
        self.draws = 0
        self.drawn = None

        # (Doubles) "With `must_cover = no` a double is an ordinary tile".
        is_double_to_cover = is_double(tile) and self._yes("doubles.must_cover")
        exempt = self._yes("doubles.first_turn_exempt") and self.lap == 1
        if is_double_to_cover:
            self.doubles_of_turn.append((train, tile))
            self.doubles.append(Double(train, tile, exempt))
        self._lapse()
        is_open = (train, tile) in self.open_doubles
        # 3.5: "A double laid leaves its layer owing an extra tile at once".
        # (Doubles) "`first_turn_exempt`: such a double owes no extra tile". "A double that is dead
        # when laid ...: with `on_double` nothing is owed ...; with `anywhere` the extra tile is
        # still owed. A double laid while the boneyard is empty under `boneyard_empty` is treated
        # likewise."
        if (
            is_double_to_cover
            and not exempt
            and (is_open or self._is("doubles.extra_tile", "anywhere"))
        ):
            self.owed = (train, tile)

        self._count_knock_debt(seat)
        if not self.hands[seat]:
            # (Doubles) "If the double is dead, exempt or lapsed, or the boneyard is empty, the seat
            # is out at once."
            if (
                self.owed is not None
                and not self._yes("doubles.go_out_uncovered")
                and is_open
                and self.boneyard
            ):
                # 3.6: "a last tile that is a double leaves an empty hand that must draw".
                self.must_draw_when_empty = True
            else:
                self._go_out(seat)

    def _lapse(self) -> None:
        """3.8: the doubles whose duty ends without a cover; "A lapsed double never binds again"."""
        if self._lapses_by("dead_number"):
            # "an open double whose `max_pip + 1` tiles all lie on the table (engine included;
            # never look into hands) binds nobody any more."
            self.doubles = [
                double
                for double in self.doubles
                if self._lying(ends(double.tile)[0]) < self._int("set.max_pip") + 1
            ]
        if self._lapses_by("boneyard_empty") and not self.boneyard:
            # "every duty to cover ends while the boneyard is empty."
            # Reading: of an exempt double too, since the boneyard never fills again.
            self.doubles = []

    def _lying(self, number: int) -> int:
        """How many tiles with this number lie on the table."""
        table = [self.engine_tile]
        for tiles in self.trains.values():
            table += tiles
        return len([tile for tile in table if number in ends(tile)])

    def _end_turn(self, *, mark: bool, is_pass: bool) -> None:
        if self.turn is None:
            return
        seat = self.turn
        if (
            self._is("marker.on", "own_stuck")
            and not self.began_under_duty
            and not self.held_a_fit_for_own
        ):
            # (Turn) "`own_stuck`: at the end of a turn that did not begin under a duty the marker
            # goes on if at no moment of it ... the seat held a tile that fits its own train."
            mark = True
        if seat in self.went_out:
            mark = False  # (Turn) "A seat that goes out is not marked."
        if mark and seat not in self.markers:
            self.markers.add(seat)
            # (Out) "a pass that newly sets a marker put it to 0".
            self.idle_passes = 0
        elif is_pass:
            # (Turn) "A seat that fails while its marker is on stays marked; that is no newly set
            # marker."
            self.idle_passes += 1
        if self._is("announce.deadline", "next_turn_end"):
            # (Option) "when the next seat's turn ends".
            for offender in self.knock_owed:
                if offender != seat:
                    self.knock_owed[offender] = True
        # (Out) "at the number of seats the round is blocked."
        # Reading: also while the boneyard has tiles (skips of seats that could play); 3.7 names
        # the empty boneyard, the precise point does not.
        # (Doubles) "The pass count of `lap_stuck` then blocks the round ..., and does so under
        # `round.blocked = first_stuck` too."
        # Reading: the count always runs, so that a round in which every seat is skipped for a
        # whole lap, and nothing changes, ends under either value.
        if self.idle_passes >= self.seats:
            self._end_round(blocked=True)
            return
        if self.turns_ended + 1 == self.seats:
            # (Turn) "Lap 1 ends when the last seat's first turn ends."
            if self.went_out:
                # (Out) "each remaining seat still has its first turn, then the round ends".
                self._end_round(blocked=False)
                return
            # (Doubles) "when lap 1 is over, those still uncovered bind in the order laid."
            for double in self.doubles:
                double.exempt = False
        self.turns_ended += 1
        # (Turn) "The turn passes to the next higher seat number, wrapping round".
        self.begin_turn((seat + 1) % self.seats)

    def _go_out(self, seat: int) -> None:
        self.went_out.append(seat)
        self.knock_owed.pop(seat, None)
        if self._yes("first_turn.finish_lap") and self.lap == 1:
            # (Option) `finish_lap`: "somebody out in lap 1: the lap is still finished".
            self._end_turn(mark=False, is_pass=False)
        else:
            # 3.6: "the last tile ends the round at once."
            self._end_round(blocked=False)

    def _end_round(self, *, blocked: bool) -> None:
        self.phase = "round_over"
        self.turn = None
        self.blocked = blocked
        # 3.7: "Everybody scores the own hand, the lowest included."
        self.scores = [self._value(hand) for hand in self.hands]
        if self.went_out:
            # (Out) "The winner of a round is the first seat to go out, not whoever scores 0".
            # Reading: also when the lap that was being finished is then blocked.
            self.winner = self.went_out[0]
        else:
            # (Out) "after a block the lowest score, then the lowest seat number."
            self.winner = self.scores.index(min(self.scores))

    def _value(self, hand: list[str]) -> int:
        total = 0
        for tile in hand:
            # (Option) `double_blank`: "value of a 0-0 left in hand".
            total += self._int("score.double_blank") if tile == "0-0" else sum(ends(tile))
        return total

    # ------------------------------------------------------------------ the knock

    def _old_knock_debt_ends(self, seat: int) -> None:
        # (Knock) "The debt, and with it the window, ends by ... the offender's first move (tile,
        # draw, pass) of its next turn, whether the window had opened or not".
        if not self.has_moved:
            self.knock_owed.pop(seat, None)
        self.has_moved = True

    def _count_knock_debt(self, seat: int) -> None:
        """After a play or a draw of this seat."""
        if len(self.hands[seat]) == 1 and self._is("announce.mode", "knock"):
            # (Knock) "A hand that comes to hold exactly one tile, by a play or by its own draw,
            # owes a knock at once, also in mid-turn."
            self.knock_owed[seat] = False
        else:
            # (Knock) "The debt ... ends by ... any other number of tiles".
            self.knock_owed.pop(seat, None)

    def _foul(self, offender: int) -> None:
        # (Knock) "the first call closes the window, also when the boneyard gives fewer tiles or
        # none."
        del self.knock_owed[offender]
        for _ in range(self._int("announce.penalty_tiles")):
            if self.boneyard:
                # 3.11: "The penalty is drawn from the boneyard, as far as it goes; it opens no
                # train and is no draw of the turn."
                self.hands[offender] = sorted([*self.hands[offender], self.boneyard.pop(0)])
                # (Out) "a tile drawn (penalties included) ... put it to 0".
                self.idle_passes = 0
        if offender == self.turn:
            self._note_own_fit()


def places(tie: str, rounds: list[list[int]]) -> list[int]:
    """Place of each seat, 1 the best; `rounds` has the scores of all seats for each round."""
    seats = range(len(rounds[0]))

    def key(seat: int) -> list[int]:
        scores = [row[seat] for row in rounds]
        if tie == "shared":  # (Option) "equal totals share the place"
            return [sum(scores)]
        # (Out) "`zero_rounds`: among equal totals more rounds with score 0 (however reached), then
        # the smaller of their lowest rounds above 0, then shared."
        above = [score for score in scores if score > 0]
        return [sum(scores), -scores.count(0), min(above) if above else 0]

    # (Out) "The place after shared places is skipped (1, 1, 3)."
    return [1 + len([other for other in seats if key(other) < key(seat)]) for seat in seats]
