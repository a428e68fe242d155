"""Views: the only place where game state becomes something that a viewer may see.

Every value is built up field by field from what that viewer may know; nothing is ever stripped
from a full state. A new field of the engine is hidden until somebody adds it here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from mexican_train import engine
from mexican_train import protocol as wire

_T = TypeVar("_T")

# --- small values -------------------------------------------------------------------------


def wire_tile(tile: int) -> wire.Tile:
    """A tile as the wire writes it, the higher end first."""
    return engine.tile_ends(tile)


def hand_of(game: engine.Game, seat: int) -> list[wire.Tile]:
    """The tiles of one seat. For that seat's own eyes."""
    return [engine.tile_ends(tile) for tile in game.round.hand(seat)]


_choices_made: Final[dict[engine.Move, wire.Choice]] = {
    engine.DRAW: wire.preencoded(wire.Choice(do="draw")),
    engine.PASS: wire.preencoded(wire.Choice(do="pass")),
    engine.DONE: wire.preencoded(wire.Choice(do="done")),
    engine.KNOCK: wire.preencoded(wire.Choice(do="knock")),
}
"""Moves are shared values, and so are the choices of them: each play is encoded once."""


def choice_of(move: engine.Move, foul_events: Mapping[int, int]) -> wire.Choice:
    """A legal move as the command to send, encoded already.

    `foul_events` tells which event a foul names.
    """
    choice = _choices_made.get(move)
    if choice is not None:
        return choice
    if move.deed is engine.Deed.FOUL:
        return wire.Choice(do="foul", seat=move.seat, event=foul_events.get(move.seat, 0))
    choice = wire.preencoded(
        wire.Choice(do="play", tile=wire_tile(move.tile), train=engine.train_text(move.train))
    )
    _choices_made[move] = choice
    return choice


def reason(move: engine.Move, refusal: wire.Declined | None) -> wire.Reason:
    """A move and what is said to it; None: it may be made. For the eyes of its own seat."""
    tile = wire_tile(move.tile) if move.deed is engine.Deed.PLAY else None
    train = engine.train_text(move.train) if move.deed is engine.Deed.PLAY else None
    allowed = "This can be done now."
    if tile is not None:
        allowed = f"{tile[0]}-{tile[1]} can be played on {train}."
    return wire.Reason(
        do=_DEEDS[move.deed],
        tile=tile,
        train=train,
        seat=move.seat if move.deed is engine.Deed.FOUL else None,
        code=refusal.code if refusal is not None else None,
        option=refusal.option if refusal is not None else None,
        params=refusal.params if refusal is not None else {},
        text=refusal.text if refusal is not None else allowed,
    )


_DEEDS: Final[Mapping[engine.Deed, wire.Deed]] = {
    engine.Deed.PLAY: "play",
    engine.Deed.DRAW: "draw",
    engine.Deed.PASS: "pass",
    engine.Deed.DONE: "done",
    engine.Deed.KNOCK: "knock",
    engine.Deed.FOUL: "foul",
}

# --- the table in play --------------------------------------------------------------------


class PublicViews:
    """The table of one game as everybody may see it; parts that have not changed are kept.

    With `for_sending` they are kept encoded: such a view can be sent and nothing else.
    """

    def __init__(
        self, game: engine.Game, names: Sequence[str], *, for_sending: bool = False
    ) -> None:
        self._game: Final = game
        self._is_encoded: Final = for_sending
        self._names: Final = self._kept(list(names))
        self._max_pip: Final = game.rules.number("set.max_pip")
        self._rounds_scored = -1
        self._scores: list[list[int]] = []
        self._totals: list[int] = []
        self._round: engine.Round | None = None
        self._trains: Final[dict[int, tuple[tuple[int, ...], int, wire.Train]]] = {}

    def view(self, debt_events: Mapping[int, int]) -> wire.View:
        """The present view; for viewers to read, never to change.

        `debt_events`: by seat that owes a knock, the number of the event that left it with one
        tile.
        """
        game = self._game
        state = game.round
        is_playing = game.phase == "play"
        if self._rounds_scored != len(game.scores):
            self._note_scores()
        return wire.View(
            round=state.number,
            rounds=game.rounds,
            phase="play" if is_playing else "over" if game.phase == "over" else "round_over",
            max_pip=self._max_pip,
            engine=engine.tile_ends(state.engine_tile),
            to_act=game.turn,
            awaited=_AWAITED[state.awaited] if is_playing else "",
            lap=state.lap,
            names=self._names,
            hand_counts=list(state.hand_counts),
            boneyard=state.boneyard_count,
            trains=self._shown_trains(state),
            open_doubles=[_open_double(each) for each in state.open_doubles],
            knocks=[
                wire.KnockOwed(seat=debt.seat, event=debt_events.get(debt.seat, 0), foul=debt.foul)
                for debt in state.knocks
            ],
            scores=self._scores,
            totals=self._totals,
        )

    def _kept(self, value: _T) -> _T:
        return wire.preencoded(value) if self._is_encoded else value

    def _note_scores(self) -> None:
        game = self._game
        self._rounds_scored = len(game.scores)
        self._scores = self._kept([list(row) for row in game.scores])
        self._totals = self._kept(list(game.totals))

    def _shown_trains(self, state: engine.Round) -> list[wire.Train]:
        """The trains; one is made anew when something was laid on it, or its marker moved."""
        if state is not self._round:
            self._round = state
            self._trains.clear()
        shown = []
        for number in state.train_numbers:
            line, mark = state.lines[number], state.marked >> number & 1
            kept = self._trains.get(number)
            if kept is None or kept[0] is not line or kept[1] != mark:
                kept = (line, mark, self._kept(_train(state.train(number))))
                self._trains[number] = kept
            shown.append(kept[2])
        return shown


def _train(train: engine.Train) -> wire.Train:
    return wire.Train(
        train=engine.train_text(train.train),
        owner=train.owner,
        open_end=train.open_end,
        tiles=list(train.line),
        marked=train.marked,
    )


_AWAITED: Final[Mapping[str, wire.Awaited]] = {
    "play": "play",
    "cover": "cover",
    "extra": "extra",
    "go_on": "go_on",
    "": "",
}


def _open_double(each: engine.OpenDouble) -> wire.OpenDouble:
    return wire.OpenDouble(
        train=engine.train_text(each.train),
        tile=engine.tile_ends(each.tile),
        seat=each.seat,
        binding=each.binding,
    )


# --- events -------------------------------------------------------------------------------


class SeenEvent(msgspec.Struct, frozen=True, gc=False):
    """A numbered event in the form for everybody and, where it differs, that for one seat."""

    public: wire.AnyEvent
    seat: int | None = None
    private: wire.AnyEvent | None = None

    def seen_by(self, seat: int | None) -> wire.AnyEvent:
        """The form for one seat; None is a watcher."""
        if self.private is not None and seat == self.seat:
            return self.private
        return self.public


def encoded_event(seen: SeenEvent) -> SeenEvent:
    """The same, each form encoded once for all who will ever be sent it."""
    private = None if seen.private is None else wire.preencoded(seen.private)
    return SeenEvent(wire.preencoded(seen.public), seen.seat, private)


def seen_event(number: int, event: engine.Event, game: engine.Game) -> SeenEvent:
    """What viewers may see of an event that has just happened in `game`.

    Raises:
        KeyError: an event without a form here. Nothing of it is shown to anybody.
    """
    return _FORMS[type(event)](number, event, game)


def _public(
    form: Callable[[int, Any], wire.AnyEvent],
) -> Callable[[int, Any, engine.Game], SeenEvent]:
    """An event that is the same for all."""
    return lambda number, event, _game: SeenEvent(form(number, event))


def _search_drew(number: int, event: engine.SearchDrew, game: engine.Game) -> SeenEvent:
    own = wire.SearchDrew(n=number, seat=event.seat, tile=wire_tile(event.tile))
    if event.tile == game.round.engine_tile:
        return SeenEvent(own)
    return SeenEvent(wire.SearchDrew(n=number, seat=event.seat, tile=None), event.seat, own)


def _tile_drawn(number: int, event: engine.TileDrawn, _game: engine.Game) -> SeenEvent:
    return SeenEvent(
        wire.TileDrawn(n=number, seat=event.seat, tile=None),
        event.seat,
        wire.TileDrawn(n=number, seat=event.seat, tile=wire_tile(event.tile)),
    )


def _foul_called(number: int, event: engine.FoulCalled, _game: engine.Game) -> SeenEvent:
    drawn = len(event.tiles)
    tiles = [wire_tile(tile) for tile in event.tiles]
    return SeenEvent(
        wire.FoulCalled(n=number, seat=event.seat, by=event.by, drawn=drawn, tiles=None),
        event.seat,
        wire.FoulCalled(n=number, seat=event.seat, by=event.by, drawn=drawn, tiles=tiles),
    )


def _round_over(number: int, event: engine.RoundEnded, game: engine.Game) -> SeenEvent:
    return SeenEvent(
        wire.RoundOver(
            n=number,
            round=event.number,
            winner=event.winner,
            hands=[[wire_tile(tile) for tile in hand] for hand in event.hands],
            scores=list(event.scores),
            totals=list(game.totals),
        )
    )


def _tile_laid(number: int, event: engine.TileLaid) -> wire.TileLaid:
    high, low = engine.tile_ends(event.tile)
    inward = low if event.open_end == high else high
    return wire.TileLaid(
        n=number,
        seat=event.seat,
        tile=(inward, event.open_end),
        train=engine.train_text(event.train),
    )


def _double_lapsed(number: int, event: engine.DoubleLapsed) -> wire.DoubleLapsed:
    return wire.DoubleLapsed(
        n=number,
        train=engine.train_text(event.train),
        tile=wire_tile(event.tile),
        reason="dead_number" if event.reason == "dead_number" else "boneyard_empty",
    )


_FORMS: Final[Mapping[type[engine.Event], Callable[[int, Any, engine.Game], SeenEvent]]] = {
    engine.RoundStarted: _public(
        lambda n, e: wire.RoundStarted(
            n=n,
            round=e.number,
            engine=wire_tile(e.engine_tile),
            hand_counts=list(e.hand_counts),
            boneyard=e.boneyard,
        )
    ),
    engine.SearchDrew: _search_drew,
    engine.EngineLaid: _public(
        lambda n, e: wire.EngineLaid(n=n, seat=e.seat, tile=wire_tile(e.tile), first=e.first)
    ),
    engine.TileLaid: _public(_tile_laid),
    engine.TileDrawn: _tile_drawn,
    engine.Passed: _public(lambda n, e: wire.Passed(n=n, seat=e.seat)),
    engine.TurnSkipped: _public(lambda n, e: wire.TurnSkipped(n=n, seat=e.seat)),
    engine.MarkerSet: _public(lambda n, e: wire.MarkerSet(n=n, seat=e.seat)),
    engine.MarkerRemoved: _public(lambda n, e: wire.MarkerRemoved(n=n, seat=e.seat)),
    engine.DoubleOpened: _public(
        lambda n, e: wire.DoubleOpened(
            n=n, seat=e.seat, train=engine.train_text(e.train), tile=wire_tile(e.tile)
        )
    ),
    engine.DoubleCovered: _public(
        lambda n, e: wire.DoubleCovered(
            n=n, seat=e.seat, train=engine.train_text(e.train), tile=wire_tile(e.tile)
        )
    ),
    engine.DoubleLapsed: _public(_double_lapsed),
    engine.OneTileLeft: _public(lambda n, e: wire.OneTileLeft(n=n, seat=e.seat)),
    engine.Knocked: _public(lambda n, e: wire.Knocked(n=n, seat=e.seat)),
    engine.FoulCalled: _foul_called,
    engine.WentOut: _public(lambda n, e: wire.WentOut(n=n, seat=e.seat)),
    engine.RoundBlocked: _public(lambda n, _e: wire.RoundBlocked(n=n)),
    engine.RoundEnded: _round_over,
    engine.GameEnded: _public(
        lambda n, e: wire.GameOver(n=n, totals=list(e.totals), places=list(e.places))
    ),
}

# --- rules --------------------------------------------------------------------------------


def rules_info(rules: engine.RuleSet) -> wire.RulesInfo:
    """Which rules these are, in one line of the lobby."""
    classic = engine.RuleSet.preset("classic")
    return wire.RulesInfo(
        name=rules.name[:40], hash=rules.hash, changed=len(rules.differences(classic))
    )


CARDS_KEPT: Final = 32
_cards: Final[dict[tuple[str, str], tuple[wire.RulesInfo, list[wire.CardLine]]]] = {}
"""By name and hash. One takes 60 µs to make and to encode, and anybody may ask all the time."""


def rule_card(rules: engine.RuleSet) -> tuple[wire.RulesInfo, list[wire.CardLine]]:
    """The rule card, encoded already: which rules, and each option.

    For a message to go out. The last few that were asked for are kept.
    """
    key = (rules.name, rules.hash)
    card = _cards.pop(key, None)
    if card is None:
        card = wire.preencoded(rules_info(rules)), wire.preencoded(card_lines(rules))
    _cards[key] = card
    if len(_cards) > CARDS_KEPT:
        del _cards[next(iter(_cards))]
    return card


def card_lines(rules: engine.RuleSet) -> list[wire.CardLine]:
    """The lines of the card, each option beside whether `classic` has another value."""
    changed = set(rules.differences(engine.RuleSet.preset("classic")))
    return [
        wire.CardLine(
            option=line.option,
            value=_option_value(line.value),
            differs=line.option in changed,
            text=line.text,
            idle_since=line.idle_since,
        )
        for line in rules.card()
    ]


def _option_value(value: object) -> wire.OptionValue:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple | list):
        return [each if isinstance(each, int) else str(each) for each in value]
    raise TypeError(f"an option's value cannot be a {type(value).__name__}")
