"""Races: two things at the same time, in every order that there is.

Each test plays every permutation or every point of a turn from the same start; the outcome must
be the same law each time: the newest socket wins, one foul, one answer, nothing lost.
"""

from collections.abc import Awaitable, Callable
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.engine import Deal, Game, Move, RuleSet, tile_ends
from mexican_train.protocol import (
    Declined,
    Done,
    Draw,
    Foul,
    Goodbye,
    Hello,
    JoinTable,
    Knock,
    Pass,
    Ping,
    Play,
    Pong,
    Refused,
    ServerMessage,
    TableNews,
    Update,
    Welcome,
    decode_server,
)
from mexican_train.server import LIMITS
from mexican_train.server.effects import (
    Admit,
    Deliver,
    DeliverUpdate,
    Effect,
    HangUp,
    MoveMade,
    Save,
)
from mexican_train.server.lobby import Admission, Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.table_settings import TableSettings
from trio.testing import MockClock

OpenHall = Callable[..., Awaitable[Any]]
CLASSIC = RuleSet.preset("classic").with_options({"set.max_pip": 6, "game.rounds": 1})
KNOCKING = RuleSet.preset("bernie").with_options({"set.max_pip": 6, "game.rounds": 1})


class Scene:
    """A lobby with a table in play; commands in, messages and facts out."""

    def __init__(self, rules: RuleSet, seats: int, seed: int = 1) -> None:
        table = TableSettings(random_bytes=Random(seed).randbytes)
        settings = LobbySettings(table=table, limits=LIMITS, rules={}, strategies=("greedy",))
        self.lobby = Lobby(settings)
        self.now = 10.0
        self.inbox: dict[int, list[Any]] = {}
        self.moves: list[MoveMade] = []
        self.hung_up: list[tuple[int, int, str]] = []
        self.tokens: dict[int, bytes] = {}
        self._ids: dict[int, int] = {}
        plan = TablePlan(name="t", rules=rules, seats=seats)
        self.carry_out(self.lobby.open_standing(plan, self.now))
        self.players = [self.enter(f"guest {seat}") for seat in range(seats)]
        for player in self.players:
            self.send(player, JoinTable, table="t")

    @property
    def table(self) -> Any:
        """The table."""
        return self.lobby._tables["t"]

    def carry_out(self, effects: Any) -> list[Effect]:
        """Keep what is told and stored."""
        for effect in effects:
            match effect:
                case DeliverUpdate(player, payload):
                    self.inbox.setdefault(player, []).append(decode_server(payload))
                case Deliver(player, message):
                    self.inbox.setdefault(player, []).append(message)
                case Admit(player, _, Welcome() as welcome):
                    self.tokens[player] = welcome.token
                    self.inbox.setdefault(player, []).append(welcome)
                case HangUp(player, generation, code):
                    self.hung_up.append((player, generation, code))
                case Save(facts):
                    self.moves += [fact for fact in facts if isinstance(fact, MoveMade)]
        return list(effects)

    def hello(self, name: str, token: bytes | None = None, after: int = 0) -> Admission | Refused:
        """Come in; the admission or the refusal."""
        hello = Hello(versions=(1, 1), kind="person", name=name, token=token, last_event=after)
        answer = self.lobby.hello(hello, self.now)
        if not isinstance(answer, Refused):
            self.carry_out(answer.effects)
        return answer

    def enter(self, name: str) -> int:
        """Come in for the first time."""
        answer = self.hello(name)
        assert isinstance(answer, Admission)
        return answer.player

    def next_id(self, player: int) -> int:
        """The next command id of a player."""
        self._ids[player] = self._ids.get(player, 0) + 1
        return self._ids[player]

    def send(self, player: int, kind: type, **fields: Any) -> Any:
        """A new command; its answer."""
        return self.give(player, kind(id=self.next_id(player), **fields))

    def give(self, player: int, command: Any) -> Any:
        """A command as it is; its answer."""
        before = len(self.inbox.get(player, []))
        self.carry_out(self.lobby.handle(player, command, self.now))
        new = self.inbox[player][before:]
        answers = [each for each in new if getattr(each, "answers", 0) == command.id]
        assert len(answers) == 1
        return answers[0]

    def command(self, player: int, move: Move) -> Any:
        """A move as a command under the next id."""
        number, turn = self.next_id(player), self.table.progress.turn
        word, _, train = str(move).partition(">")
        if train:
            return Play(id=number, tile=tile_ends(move.tile), train=train, turn=turn)
        kinds: dict[str, Any] = {"draw": Draw, "pass": Pass, "done": Done}
        return Knock(id=number) if word == "knock" else kinds[word](id=number, turn=turn)

    def to_act(self) -> int:
        """The player whose turn it is."""
        seat: int = self.table.progress.game.turn
        return self.players[seat]

    def choose(self, random: Random) -> Any:
        """Some move of the seat to act, as a command."""
        game = self.table.progress.game
        moves = [m for m in game.legal_moves(game.turn) if not str(m).startswith("foul")]
        return self.command(self.to_act(), random.choice(moves))


def state_of(scene: Scene) -> Any:
    """The whole truth about the game, to compare."""
    return str(scene.table.progress.game.position()), scene.table.progress.turn


# --- one token, several sockets -----------------------------------------------------------


ORDERS = [
    order
    for order in permutations(("a", "b", "frame a", "frame b"))
    if order.index("a") < order.index("frame a") and order.index("b") < order.index("frame b")
]
"""A frame cannot come before its hello."""


@pytest.mark.parametrize("order", ORDERS)
def test_of_two_sockets_with_one_token_the_newest_is_the_player(order: tuple[str, ...]) -> None:
    """Whatever the order of hellos and first frames, one socket is left, and it can come back."""
    scene = Scene(CLASSIC, 2)
    player, token = scene.players[0], scene.tokens[scene.players[0]]
    scene.carry_out(scene.lobby.heard_from(player, scene.lobby._players[player].generation))
    generations: dict[str, int] = {}
    tokens: dict[str, bytes] = {}
    refused: set[str] = set()
    for step in order:
        known = scene.lobby._players[player]
        if step in ("a", "b"):
            answer = scene.hello("guest 0", token)
            if isinstance(answer, Refused):
                refused.add(step)
                continue
            generations[step] = known.generation
            tokens[step] = scene.tokens[player]
        elif generations.get(step[-1]) == known.generation:
            # the shell drops frames of a socket that is not the player's any more
            scene.carry_out(scene.lobby.heard_from(player, scene.lobby._players[player].generation))
    owner = scene.lobby._players[player]
    assert owner.is_connected
    newest = max(generations, key=generations.__getitem__)
    assert owner.generation == generations[newest]
    replaced = [each for each in scene.hung_up if each[0] == player]
    assert [code for *_, code in replaced] == ["replaced"] * len(generations)
    assert scene.table.seat_of(owner) == 0
    # the one that was refused came after a frame had shown that the first one's token arrived
    assert refused <= {order[max(order.index("a"), order.index("b"))]}
    assert not isinstance(scene.hello("guest 0", tokens[newest]), Refused)


@pytest.mark.parametrize("count", [2, 3])
async def test_sockets_with_one_token_at_the_same_moment(
    autojump_clock: MockClock, open_hall: OpenHall, count: int
) -> None:
    """All but one of the sockets get a last word that says why; the one left is alive."""
    hall = await open_hall()
    first = await hall.enter("Ann")
    token = first.inbox[0].token
    await first.ask(Ping)
    peers = [hall.connect() for _ in range(count)]
    hello = Hello(versions=(1, 1), kind="person", name="Ann", token=token)
    async with trio.open_nursery() as nursery:
        for peer in peers:
            nursery.start_soon(peer.send, hello)
    last_words: list[ServerMessage | None] = []
    alive = 0
    for peer in [first, *peers]:
        with trio.move_on_after(5) as scope:
            last_words.append((await peer.rest())[-1])
        if scope.cancelled_caught:
            alive += 1
            assert isinstance(await peer.ask(Ping), Pong)
    assert alive == 1
    for word in last_words:
        assert isinstance(word, Goodbye | Refused)
        assert word.code in {"replaced", "bad_token"}


# --- fouls and knocks ---------------------------------------------------------------------


def owing_scene(seed: int) -> tuple[Scene, int, int]:
    """A table where a seat owes a knock: the scene, that seat, and the event."""
    for attempt in range(200):
        scene = Scene(KNOCKING, 3, seed * 1000 + attempt)
        random = Random(attempt)
        for _ in range(200):
            progress = scene.table.progress
            if progress.game.turn is None:
                break
            fouls = [debt.seat for debt in progress.game.round.knocks if debt.foul]
            if fouls:
                return scene, fouls[0], progress.debt_events[fouls[0]]
            moves = [
                move
                for move in progress.game.legal_moves(progress.game.turn)
                if str(move) != "knock"
            ]
            scene.give(scene.to_act(), scene.command(scene.to_act(), random.choice(moves)))
    raise AssertionError("nobody ever forgets to knock")


@pytest.mark.parametrize("order", list(permutations(("foul 0", "foul 1", "knock"))))
def test_of_two_fouls_and_a_knock_the_first_counts(order: tuple[str, ...]) -> None:
    """The order at the server decides; whoever is late is told that there is none any more."""
    scene, debtor, event = owing_scene(1)
    callers = [seat for seat in range(3) if seat != debtor]
    drawn_before = scene.table.progress.game.round.hand_counts[debtor]
    answers: dict[str, Any] = {}
    for step in order:
        if step == "knock":
            answers[step] = scene.send(scene.players[debtor], Knock)
        else:
            caller = scene.players[callers[int(step[-1])]]
            answers[step] = scene.send(caller, Foul, seat=debtor, event=event)
    done = [step for step, answer in answers.items() if isinstance(answer, Update)]
    assert done == [order[0]]
    late = {step: answer for step, answer in answers.items() if step not in done}
    assert all(isinstance(answer, Declined) for answer in late.values())
    assert {answer.code for answer in late.values()} <= {"no_foul", "no_knock"}
    hand = scene.table.progress.game.round.hand_counts[debtor]
    assert (hand > drawn_before) == (order[0] != "knock")


def test_a_foul_for_another_event_is_none() -> None:
    scene, debtor, event = owing_scene(2)
    caller = scene.players[(debtor + 1) % 3]
    before = state_of(scene)
    for wrong in (0, event - 1, event + 1, 4_000_000):
        answer = scene.send(caller, Foul, seat=debtor, event=wrong)
        assert isinstance(answer, Declined)
        assert answer.code == "no_foul"
    assert state_of(scene) == before


# --- repeated ids -------------------------------------------------------------------------


@pytest.mark.parametrize("order", sorted(set(permutations((0, 1, 2, 2, 0)))))
def test_commands_in_any_order_and_repeated_do_each_once(order: tuple[int, ...]) -> None:
    """An id that was passed over is never done later; one that was done is answered the same."""
    scene = Scene(CLASSIC, 2)
    player = scene.to_act()
    commands = [
        Ping(id=(first := scene.next_id(player))),
        scene.choose(Random(3)),
        Play(id=first + 2, tile=(6, 6), train="p0", turn=0),
    ]
    answers: dict[int, Any] = {}
    highest = 0
    moves_before = len(scene.moves)
    for index in order:
        command = commands[index]
        answer = scene.give(player, command)
        if command.id < highest and index not in answers:
            assert isinstance(answer, Declined)
            assert answer.code == "too_old"
        elif index in answers:
            assert type(answer) is type(answers[index])
            assert getattr(answer, "code", "") == getattr(answers[index], "code", "")
        else:
            answers[index] = answer
        highest = max(highest, command.id)
    assert len(scene.moves) - moves_before == (1 in answers)


def test_a_repeated_move_is_answered_by_its_own_events_until_it_is_too_old() -> None:
    scene = Scene(CLASSIC, 2)
    random = Random(5)
    given: list[tuple[int, Any, Any]] = []
    while scene.table.progress.game.turn is not None:
        player = scene.to_act()
        command = scene.choose(random)
        given.append((player, command, scene.give(player, command)))
    before = state_of(scene)
    for player, command, answer in given:
        again = scene.give(player, command)
        if command.id > scene.lobby._players[player].last_id - 32:
            assert [event.n for event in again.events] == [event.n for event in answer.events]
        else:
            assert again.code == "too_old"
    assert state_of(scene) == before


# --- resume at every point of a turn ------------------------------------------------------


@pytest.mark.parametrize("rules", [CLASSIC, KNOCKING], ids=["classic", "bernie"])
def test_a_resume_at_every_point_of_a_game_misses_nothing(rules: RuleSet, scale: Any) -> None:
    """After each move every seat may come back, from any event it has seen, to the same table."""
    for seed in range(scale(2, 20)):
        scene = Scene(rules, 3, seed)
        random = Random(seed)
        while scene.table.progress.game.turn is not None:
            for seat, player in enumerate(scene.players):
                check_resume(scene, seat, player, random)
            scene.give(scene.to_act(), scene.choose(random))


def check_resume(scene: Scene, seat: int, player: int, random: Random) -> None:
    """Lose a connection, perhaps noticed and perhaps not, and resume."""
    before, progress = state_of(scene), scene.table.progress
    newest = [each for each in scene.inbox[player] if isinstance(each, Update)][-1]
    known = scene.lobby._players[player]
    if random.random() < 0.5:
        scene.carry_out(scene.lobby.disconnected(player, known.generation, scene.now))
    after = random.choice((0, newest.last_event, random.randint(0, newest.last_event)))
    count = len(scene.inbox[player])
    scene.hello(known.name, scene.tokens[player], after)
    welcome, news, update, *_ = scene.inbox[player][count:]
    assert isinstance(welcome, Welcome)
    assert welcome.table == "t"
    assert isinstance(news, TableNews)
    assert news.seat == seat
    assert isinstance(update, Update)
    assert [event.n for event in update.events] == [*range(after + 1, progress.last_event + 1)]
    assert (update.hand, update.turn, update.choices) == (newest.hand, newest.turn, newest.choices)
    assert update.view == newest.view
    assert state_of(scene) == before
    scene.carry_out(scene.lobby.heard_from(player, scene.lobby._players[player].generation))


# --- two seats at the same turn -----------------------------------------------------------


@pytest.mark.parametrize(("one", "other"), list(combinations(range(4), 2)))
def test_of_two_moves_for_one_turn_one_is_made(one: int, other: int) -> None:
    """The seat to act and somebody else, or the same seat twice: the counter lets one through."""
    scene = Scene(CLASSIC, 2)
    actor = scene.to_act()
    stranger = next(each for each in scene.players if each != actor)
    moves = [scene.choose(Random(seed)) for seed in (1, 1)]
    foreign = [
        type(moves[0])(
            **{
                name: getattr(moves[0], name) for name in moves[0].__struct_fields__ if name != "id"
            },
            id=scene.next_id(stranger),
        )
        for _ in range(2)
    ]
    candidates = [*((actor, each) for each in moves), *((stranger, each) for each in foreign)]
    before = len(scene.moves)
    answers = [scene.give(*candidates[index]) for index in (one, other)]
    made = sum(isinstance(each, Update) for each in answers)
    assert made == len(scene.moves) - before == (one < 2)
    codes = {each.code for each in answers if isinstance(each, Declined)}
    assert codes <= {"stale", "out_of_turn"}


def test_a_deal_is_the_same_for_whoever_asks() -> None:
    """The start of these races: two scenes of one seed are the same table."""
    assert state_of(Scene(CLASSIC, 2)) == state_of(Scene(CLASSIC, 2))
    game = Game.start(CLASSIC, 2)
    game.begin_round(Deal.from_seed(CLASSIC, 2, bytes(32), 1))
    assert game.turn is not None
