"""Two deals that look the same to a seat give it the same bytes, errors and resume included.

A game is played by the engine alone. Then tiles that seat 0 has not seen are exchanged in the
deal, as long as all the same moves stay legal: a twin. Both are played through a lobby, with
everything that a curious seat may try, and nothing in its traffic may tell the two apart.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from mexican_train.engine import (
    Deal,
    Deed,
    Game,
    IllegalMove,
    Move,
    RuleSet,
    tile_ends,
    train_text,
)
from mexican_train.protocol import (
    AskHint,
    Declined,
    Done,
    Draw,
    Foul,
    Hello,
    Hint,
    JoinTable,
    Knock,
    Pass,
    Play,
    Refused,
    Resync,
    WatchTable,
    Welcome,
    Why,
    encode,
)
from mexican_train.server import LIMITS
from mexican_train.server.effects import Admit, Deliver, DeliverUpdate, Effect, Report
from mexican_train.server.house import advise
from mexican_train.server.lobby import Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.table_settings import TableSettings
from msgspec import structs

PRESETS = ("classic", "bernie", "boxcar", "official", "nm", "deluxe", "tournament")
SEATS = 3
EXCHANGES = 8
Hands = list[list[int]]
Script = list[tuple[int, Move]]


# --- deals that look the same -------------------------------------------------------------


def outside(game: Game) -> tuple[Any, ...]:
    """What seat 0 knows of a game."""
    state = game.round
    return (
        game.turn,
        state.hand(0),
        state.hand_counts,
        state.boneyard_count,
        state.trains,
        state.open_doubles,
        state.knocks,
        state.awaited,
        state.lap,
        game.legal_moves(0),
    )


def played(rules: RuleSet, deal: Deal, script: Script) -> list[tuple[Any, ...]] | None:
    """What seat 0 sees of a script, step by step; None if not all of it may be done."""
    game = Game.start(rules, SEATS)
    # in a search for the engine the seat sees which tiles it draws itself, one after another
    dealt = [event for event in game.begin_round(deal) if getattr(event, "seat", None) == 0]
    seen = [(*outside(game), dealt)]
    for seat, move in script:
        try:
            game.apply(seat, move)
        except IllegalMove:
            return None
        seen.append(outside(game))
    return seen


def some_script(rules: RuleSet, deal: Deal, random: Random) -> Script:
    """Random moves, to somewhere before the end of the round."""
    game = Game.start(rules, SEATS)
    game.begin_round(deal)
    script: Script = []
    while game.turn is not None:
        seat = game.turn
        move = random.choice(game.legal_moves(seat))
        script.append((seat, move))
        game.apply(seat, move)
    return script[: random.randrange(len(script) // 3, len(script))][:-1]


def twin_of(rules: RuleSet, deal: Deal, script: Script, random: Random) -> Deal | None:
    """Another deal that looks the same to seat 0 while the script lasts; None if none is found."""
    wanted = played(rules, deal, script)
    places: Hands = [[t for t in range(200) if hand >> t & 1] for hand in deal.hands]
    places.append(list(deal.boneyard))
    twin: Deal | None = None
    for _ in range(EXCHANGES * 6):
        changed = [list(each) for each in places]
        one, other = random.sample(range(1, SEATS + 1), 2)
        if random.random() < 0.2:
            one = other = SEATS
        first, second = (random.randrange(len(changed[each])) for each in (one, other))
        changed[one][first], changed[other][second] = changed[other][second], changed[one][first]
        candidate = Deal.fixed(changed[:SEATS], changed[SEATS], deal.engine_tile)
        if candidate != deal and played(rules, candidate, script) == wanted:
            places, twin = changed, candidate
    return twin


# --- a world ------------------------------------------------------------------------------


class Twin:
    """A lobby with one table from a fixed deal, and all that each player was sent."""

    def __init__(self, rules: RuleSet, deal: Deal, lobby_type: type[Lobby] = Lobby) -> None:
        fixed = (
            tuple(tuple(t for t in range(200) if hand >> t & 1) for hand in deal.hands),
            deal.boneyard,
            deal.engine_tile,
        )
        table = TableSettings(
            random_bytes=Random(7).randbytes, fixed_deal=lambda _round: fixed, adviser=advise
        )
        settings = LobbySettings(table=table, limits=LIMITS, rules={}, strategies=("greedy",))
        self.lobby = lobby_type(settings)
        self.now = 0.0
        self.traffic: dict[int, list[bytes]] = {}
        self.reports: list[str] = []
        self._tokens: dict[int, bytes] = {}
        self._ids: dict[int, int] = {}
        plan = TablePlan(name="t", rules=rules, seats=SEATS)
        self.carry_out(self.lobby.open_standing(plan, self.now))
        self.watcher = self.enter("looker", "watcher")
        self.send(self.watcher, WatchTable, table="t")
        self.players = [self.enter(f"guest {seat}", "person") for seat in range(SEATS)]
        for player in self.players:
            self.send(player, JoinTable, table="t")

    def carry_out(self, effects: Sequence[Effect]) -> None:
        """Keep what is told to anybody."""
        for effect in effects:
            match effect:
                case DeliverUpdate(player, payload):
                    self.traffic.setdefault(player, []).append(payload)
                case Deliver(player, message):
                    self.traffic.setdefault(player, []).append(encode(message))
                case Admit(player, _, Welcome() as welcome):
                    self._tokens[player] = welcome.token
                    self.traffic.setdefault(player, []).append(encode(welcome))
                case Report():
                    self.reports.append(repr(effect))

    def enter(self, name: str, kind: Any, *, token: bytes | None = None, after: int = 0) -> int:
        """Let somebody in."""
        hello = Hello(versions=(1, 1), kind=kind, name=name, token=token, last_event=after)
        answer = self.lobby.hello(hello, self.now)
        assert not isinstance(answer, Refused)
        self.carry_out(answer.effects)
        return answer.player

    def send(self, player: int, kind: type, **fields: Any) -> None:
        """A command under the next id."""
        self._ids[player] = self._ids.get(player, 0) + 1
        self.now += 0.25
        self.carry_out(self.lobby.handle(player, kind(id=self._ids[player], **fields), self.now))

    def move(self, seat: int, move: Move, *, late: int = 0) -> None:
        """What a seat does, for the present turn or one before."""
        table: Any = self.lobby._tables["t"]
        player, turn = self.players[seat], max(0, table.progress.turn - late)
        match move.deed:
            case Deed.PLAY:
                fields = {"tile": tile_ends(move.tile), "train": train_text(move.train)}
                self.send(player, Play, turn=turn, **fields)
            case Deed.KNOCK:
                self.send(player, Knock)
            case Deed.FOUL:
                event = table.progress.debt_events.get(move.seat, 0)
                self.send(player, Foul, seat=move.seat, event=event)
            case deed:
                kinds = {Deed.DRAW: Draw, Deed.PASS: Pass, Deed.DONE: Done}
                self.send(player, kinds[deed], turn=turn)

    def come_back(self, seat: int, after: int) -> None:
        """Lose the connection, and resume."""
        player = self.lobby._players[self.players[seat]]
        self.carry_out(self.lobby.disconnected(player.number, player.generation, self.now))
        self.enter(player.name, "person", token=self._tokens[player.number], after=after)

    def be_curious(self, random: Random, top: int) -> None:
        """Seat 0 tries to find out something."""
        tile = (random.randint(0, top), random.randint(0, top))
        train = random.choice(("p0", "p1", "p2", "m0", "m1"))
        table: Any = self.lobby._tables["t"]
        me, turn = self.players[0], table.progress.turn
        match random.randrange(7):
            case 0 | 1:
                self.send(me, Play, tile=tile, train=train, turn=turn)
            case 2:
                self.move(0, random.choice((Move(Deed.DRAW), Move(Deed.PASS), Move(Deed.DONE))))
            case 3:
                self.send(me, Foul, seat=random.randrange(SEATS), event=random.randint(1, 60))
            case 4:
                self.come_back(0, random.choice((0, random.randint(0, 60))))
            case 5:
                self.send(me, Resync)
            case 6:
                self.send(me, Play, tile=tile, train=train, turn=turn + 1)

    def ask(self, random: Random, top: int) -> None:
        """Seat 0 asks what it may, and what to do."""
        me = self.players[0]
        tile = (random.randint(0, top), random.randint(0, top))
        train = random.choice((None, "p0", "p1", "p2", "m0", "m1"))
        match random.randrange(4):
            case 0 | 1:
                self.send(me, Why, tile=tile, train=train)
            case 2:
                self.send(me, Why, do=random.choice(("draw", "pass", "done", "knock")))
            case 3:
                self.send(me, AskHint)


def traffic_in(
    rules: RuleSet, deal: Deal, script: Script, seed: int, lobby_type: type[Lobby] = Lobby
) -> tuple[list[bytes], list[bytes], list[str]]:
    """What seat 0 and a watcher are sent, and what is logged, while all this goes on."""
    random = Random(f"curious {seed}")
    world = Twin(rules, deal, lobby_type)
    top = rules.number("set.max_pip")
    for seat, move in script:
        # only what changes nothing, so that the script fits: in its own turn a guess may be legal
        if seat != 0 and random.random() < 0.6:
            world.be_curious(random, top)
        if random.random() < 0.5:
            world.ask(random, top)
        if random.random() < 0.1:
            world.move(seat, move, late=1)
        if random.random() < 0.1:
            world.come_back(random.randrange(1, SEATS), random.randint(0, 60))
        world.move(seat, move)
    table: Any = world.lobby._tables["t"]
    assert table.progress.game.phase == "play"
    return world.traffic[world.players[0]], world.traffic[world.watcher], world.reports


def pair(seed: int) -> tuple[RuleSet, Deal, Deal, Script] | None:
    """Two deals that look the same to seat 0, and what is played; None if chance finds none."""
    random = Random(f"twins {seed}")
    options: dict[str, Any] = {"set.max_pip": random.choice((6, 9)), "game.rounds": 1}
    rules = RuleSet.preset(random.choice(PRESETS)).with_options(options)
    deal = Deal.from_seed(rules, SEATS, random.randbytes(32), 1)
    script = some_script(rules, deal, random)
    twin = twin_of(rules, deal, script, random)
    return (rules, deal, twin, script) if twin is not None else None


def test_twin_worlds_cannot_be_told_apart(scale: Any) -> None:
    wanted, seed, refusals, moves, advice = scale(20, 200), 0, 0, 0, 0
    while wanted:
        seed += 1
        found = pair(seed)
        if found is None:
            continue
        rules, deal, twin, script = found
        one = traffic_in(rules, deal, script, seed)
        other = traffic_in(rules, twin, script, seed)
        assert one == other, f"pair {seed}"
        refusals += sum(b"declined" in payload for payload in one[0])
        advice += sum(b"\xa4type\xa4hint" in payload for payload in one[0])
        moves += len(script)
        wanted -= 1
    assert refusals > 20
    assert moves > 200
    assert advice > 10


class TellsWhereATileIs(Lobby):
    """Says another word for a tile in the boneyard than for one in somebody's hand."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table: Any = self._tables["t"]
        if not isinstance(command, Play) or table.progress is None:
            return effects
        left = [tile_ends(each) for each in table.progress.game.round.boneyard_left]
        return [self._told(each, command.tile, left) for each in effects]

    def _told(self, effect: Effect, tile: tuple[int, int], left: list[tuple[int, int]]) -> Effect:
        if not isinstance(effect, Deliver) or not isinstance(effect.message, Declined):
            return effect
        if (max(tile), min(tile)) not in left:
            return effect
        told = effect.message
        return Deliver(
            effect.player,
            Declined(
                answers=told.answers,
                code="no_such_tile",
                option=None,
                params=told.params,
                retry=False,
                text=told.text,
            ),
        )


class TellsWhatIsLeft(Lobby):
    """The log counts the doubles in the boneyard."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table: Any = self._tables["t"]
        if table.progress is None:
            return effects
        left = [tile_ends(each) for each in table.progress.game.round.boneyard_left]
        return [*effects, Report("left", (("pips", sum(map(sum, left))),))]


class HintsByWhatIsLeft(Lobby):
    """A hint keeps more tiles for later the more pips the boneyard has."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table: Any = self._tables["t"]
        if not isinstance(command, AskHint) or table.progress is None:
            return effects
        left = sum(sum(tile_ends(each)) for each in table.progress.game.round.boneyard_left)
        return [
            Deliver(each.player, structs.replace(each.message, params={"kept": left}))
            if isinstance(each, Deliver) and isinstance(each.message, Hint)
            else each
            for each in effects
        ]


@pytest.mark.parametrize("planted", [TellsWhereATileIs, TellsWhatIsLeft, HintsByWhatIsLeft])
def test_a_world_that_tells_is_found_out(planted: type[Lobby]) -> None:
    for seed in range(1, 60):
        found = pair(seed)
        if found is None:
            continue
        rules, deal, twin, script = found
        one = traffic_in(rules, deal, script, seed, planted)
        if one != traffic_in(rules, twin, script, seed, planted):
            return
    raise AssertionError("nobody has noticed")
