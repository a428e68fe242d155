"""The laws: what must hold after every step of a simulated server, whatever chance brings.

A second game is played from the stored facts alone, by a turn counter of its own; what clients
are told is compared across all of them. Nothing here asks the server's own bookkeeping but to
compare it. A broken law is a `LawBroken` that names the law.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
from mexican_train.engine import (
    Deal,
    Deed,
    Game,
    IllegalMove,
    Move,
    RuleSet,
    tile,
    tile_text,
)
from mexican_train.protocol import (
    Declined,
    Hello,
    Play,
    Refused,
    TimeUp,
    TurnClock,
    Update,
    Welcome,
    encode,
)
from mexican_train.server import LIMITS
from mexican_train.server.effects import (
    Admit,
    CommandAnswered,
    Deliver,
    DeliverUpdate,
    Effect,
    Fact,
    GameStarted,
    MoveMade,
    PlayerForgotten,
    PlayerKnown,
    RoundDealt,
    TableClosed,
    TableOpened,
)
from mexican_train.server.lobby import Lobby

GUARDED = frozenset({Deed.PLAY, Deed.DRAW, Deed.PASS, Deed.DONE})
TOKENS_KEPT = 4
"""Of those that were never seen in use."""
COUNTS = frozenset({"hand_counts", "scores", "totals", "places"})
"""Fields that hold numbers of anything but pips: with two seats they look like tiles."""


class LawBroken(BaseException):
    """Something that must always hold does not. `law` names it.

    No `Exception`, so that no net of the server's catches it.
    """

    def __init__(self, law: str, told: object = "") -> None:
        super().__init__(f"{law}: {told}")
        self.law = law


def hold(is_so: bool, law: str, *told: object) -> None:
    """Raise unless it is so."""
    if not is_so:
        raise LawBroken(law, told)


# --- the second game ----------------------------------------------------------------------


@dataclass
class Shadow:
    """A table as the stored facts alone tell it, with its own count of turns."""

    rules: RuleSet
    first_seat: int
    game: Game | None = None
    turn: int = 0
    _choice: tuple[Any, ...] = (None, ())

    def take(self, fact: Fact) -> None:
        """Play on by one fact."""
        match fact:
            case GameStarted():
                # a log that was made short does not tell of earlier games
                is_same = self.game is None or self.turn == fact.turn
                hold(is_same, "turn counter", self.turn, fact.turn)
                self.turn = fact.turn
                self.game = Game.start(self.rules, len(fact.names), self.first_seat)
                self._choice = (None, ())
            case RoundDealt():
                game = self._on()
                if fact.fixed is not None:
                    game.begin_round(Deal.fixed(*fact.fixed))
                else:
                    game.begin_round(Deal.from_seed(self.rules, game.seats, fact.seed, fact.round))
                self._count()
            case MoveMade(_, seat, "skip"):
                self._on().skip(seat)
                self._count()
            case MoveMade(_, seat, move):
                try:
                    self._on().apply(seat, Move.parse(move))
                except IllegalMove as error:
                    raise LawBroken("facts are enough", error) from error
                self._count()

    def _on(self) -> Game:
        if self.game is None:
            raise LawBroken("facts are enough", "a move before the game")
        return self.game

    def _count(self) -> None:
        """The counter rises when the seat to act or its guarded choices change, and only then."""
        game = self._on()
        seat = game.turn
        legal = game.legal_moves(seat) if seat is not None else ()
        choice = (seat, tuple(move for move in legal if move.deed in GUARDED))
        self.turn += choice != self._choice
        self._choice = choice


def is_of_command(fact: MoveMade) -> bool:
    """Whether somebody has asked for this move: the table makes the others."""
    return fact.move != "skip" and not fact.by_substitute


# --- what may be seen ---------------------------------------------------------------------


def tiles_in(value: Any) -> Iterator[int]:
    """Everything in a decoded frame that could be a tile, but for fields of plain counts."""
    if isinstance(value, dict):
        if value.get("event") == "round_over":
            return  # all hands are laid open, and the next round may have been dealt since
        for name, inner in value.items():
            if name not in COUNTS:
                yield from tiles_in(inner)
    elif isinstance(value, list):
        if len(value) == 2 and all(type(each) is int and 0 <= each <= 18 for each in value):
            yield tile(*value)
        for inner in value:
            yield from tiles_in(inner)


def public_events(update: Update) -> Iterator[tuple[int, bytes]]:
    """The events of an update as everybody may see them, by number."""
    for event in update.events:
        raw = msgspec.to_builtins(event)
        # a private form differs in the tiles alone
        if raw["event"] in {"tile_drawn", "search_drew"}:
            raw["tile"] = None
        if raw["event"] == "foul_called":
            raw["tiles"] = None
        yield event.n, msgpack.packb(raw)


class Laws:
    """Follows one simulation.

    Attributes:
        rules: by hash, of every table that may be opened.
        moves_made: durable moves by (player's number, command id).
        checked: how often each law was looked at.
    """

    def __init__(self, rules: Sequence[RuleSet]) -> None:
        self.rules = {each.hash: each for each in rules}
        self.moves_made: Counter[tuple[int, int]] = Counter()
        self.checked: Counter[str] = Counter()
        self._shadows: dict[str, Shadow] = {}
        self._working: tuple[int, int] | None = None
        self._answering: tuple[int, int] | None = None
        self._tokens: dict[int, tuple[bytes | None, tuple[bytes, ...]]] = {}
        """By player the tokens that count: the one seen in use, and later ones, newest first."""
        self._generations: dict[int, int] = {}
        self._durable: dict[int, set[bytes | None]] = {}
        self._ended: set[bytes | None] = set()
        self._presented: bytes | None = None
        self._views: dict[tuple[str, int, int], bytes] = {}
        self._events: dict[tuple[str, int], bytes] = {}
        self._answers: dict[tuple[int, int], Any] = {}
        self._seeds: list[bytes] = []
        self._round_began: dict[str, int] = {}
        self._game_began: dict[str, int] = {}
        self.forgotten: dict[str, int] = {}
        """By table, the last event of earlier games when the table was last made from its log."""
        self._commands: dict[tuple[int, int], Any] = {}

    # --- the server's side ----------------------------------------------------------------

    def hello_answered(self, lobby: Lobby, hello: Hello, answer: Any) -> None:
        """A token lets in exactly its player, while it is the newest or not yet replaced."""
        known = lobby._players.named(hello.name)
        if hello.token is None:
            self._presented = None
            return
        self.checked["token"] += 1
        digest = hashlib.sha256(hello.token).digest()
        seen, newer = self._tokens.get(known.number if known else 0, (None, ()))
        valid = digest in (seen, *newer)
        hold(valid == (not isinstance(answer, Refused)), "token", hello.name, valid, answer)
        self._presented = digest

    def asked(self, player: int, command: Any) -> None:
        """A command has come: a tile that it names may be named in the answer."""
        self._commands.setdefault((player, command.id), command)

    def heard_from(self, player: int, generation: int) -> None:
        """From now on only the newest token counts, unless a newer one is on its way."""
        if self._generations.get(player) == generation and player in self._tokens:
            _, newer = self._tokens[player]
            self._tokens[player] = (newer[0], ()) if newer else self._tokens[player]

    def worked(self, lobby: Lobby, effects: Sequence[Effect]) -> None:
        """After each piece of work, before anybody is told."""
        for effect in effects:
            for fact in getattr(effect, "facts", ()):
                self._take_fact(fact)
            if isinstance(effect, Admit) and isinstance(effect.message, Welcome):
                self._generations[effect.player] = effect.generation
                self._note_token(effect.player, effect.message)
        for name, shadow in self._shadows.items():
            table = lobby._tables.get(name)
            if table is not None:
                self._compare(table, shadow)
        for effect in effects:
            self._look_for_canaries(lobby, effect)

    def _note_token(self, player: int, welcome: Welcome) -> None:
        """A new token counts, and until it is seen in use some of those before it."""
        newest, shown = hashlib.sha256(welcome.token).digest(), self._presented
        seen, newer = self._tokens.get(player, (None, ()))
        if shown is None:
            self._tokens[player] = (None, (newest,))
        else:
            shown_first = () if shown == seen else (shown,)
            rest = tuple(each for each in newer if each != shown)
            self._tokens[player] = (seen, (newest, *shown_first, *rest)[:TOKENS_KEPT])
        self._presented = None

    def _take_fact(self, fact: Fact, *, is_new: bool = True) -> None:
        if isinstance(fact, TableOpened):
            rules = self.rules[fact.rules_hash]
            self._shadows[fact.table] = Shadow(rules, fact.first_seat)
        elif isinstance(fact, TableClosed):
            self._shadows.pop(fact.table, None)
        elif isinstance(fact, PlayerForgotten):
            self._tokens.pop(fact.player, None)
        elif isinstance(fact, CommandAnswered):
            self._working = (fact.player, fact.command)
        elif isinstance(fact, GameStarted | RoundDealt | MoveMade):
            shadow = self._shadows[fact.table]
            if is_new and isinstance(fact, MoveMade) and is_of_command(fact):
                self._check_mover(fact, shadow)
            if isinstance(fact, RoundDealt):
                self._seeds.append(fact.seed)
            elif isinstance(fact, GameStarted):
                self._game_began[fact.table] = fact.last_event
            shadow.take(fact)

    def _check_mover(self, fact: MoveMade, shadow: Shadow) -> None:
        """A move comes from a command of that seat, made for the turn that it is."""
        hold(self._working is not None, "a move has its command", fact)
        command = self._commands.get(self._working or (0, 0))
        if command is not None:
            self.checked["no stale move"] += 1
            turn = getattr(command, "turn", shadow.turn)
            hold(turn == shadow.turn, "no stale move", command, shadow.turn)

    def _compare(self, table: Any, shadow: Shadow) -> None:
        """The facts tell the table as it is, and no tile is lost or doubled."""
        progress = table.progress
        hold((progress is None) == (shadow.game is None), "facts are enough", "a game")
        if progress is None or shadow.game is None:
            return
        self.checked["facts are enough"] += 1
        mine, theirs = shadow.game.round, progress.game.round
        for name in ("number", "turn", "hands", "lines", "marked", "uncovered", "owed", "fouls"):
            same = getattr(mine, name) == getattr(theirs, name)
            hold(same, "facts are enough", name, getattr(mine, name), getattr(theirs, name))
        hold(mine.boneyard_left == theirs.boneyard_left, "facts are enough", "boneyard")
        hold(shadow.game.scores == progress.game.scores, "facts are enough", "scores")
        hold(shadow.turn == progress.turn, "turn counter", shadow.turn, progress.turn)
        tiles = [each for line in theirs.lines for each in line]
        tiles += [each for seat in range(theirs.seats) for each in theirs.hand(seat)]
        tiles += [*theirs.boneyard_left]
        tiles += [] if theirs.engine_tile in tiles else [theirs.engine_tile]
        max_pip = shadow.rules.number("set.max_pip")
        whole = list(range((max_pip + 1) * (max_pip + 2) // 2))
        hold(sorted(tiles) == whole, "tiles are conserved", len(tiles))

    def _look_for_canaries(self, lobby: Lobby, effect: Effect) -> None:
        """No byte for a viewer holds a tile that is hidden from it."""
        if isinstance(effect, DeliverUpdate):
            payload = effect.payload
        elif isinstance(effect, Deliver | Admit):
            payload = encode(effect.message)
        else:
            return
        player = lobby._players.get(effect.player)
        table = lobby._tables.get(player.table or "") if player is not None else None
        if player is None or table is None or table.progress is None:
            return
        raw = msgpack.unpackb(payload)
        state = table.progress.game.round
        if raw["type"] == "update" and (
            raw["view"]["round"] != state.number
            or raw["last_event"] <= self._game_began.get(table.name, 0)
        ):
            return  # the next round was dealt in the same step; this tells the end of the last
        self.checked["hidden tiles"] += 1
        hidden = set(state.boneyard_left)
        if table.progress.game.phase == "play":
            own = table.seat_of(player)
            others = (seat for seat in range(state.seats) if seat != own)
            hidden |= {each for seat in others for each in state.hand(seat)}
        if raw["type"] == "update":
            began = [each["n"] for each in raw["events"] if each["event"] == "round_started"]
            first = max([self._round_began.get(table.name, 0), *began])
            self._round_began[table.name] = first
            raw["events"] = [each for each in raw["events"] if each["n"] >= first]
        command = self._commands.get((effect.player, raw.get("answers", 0)))
        if isinstance(command, Play) and raw["type"] == "declined":
            hidden.discard(tile(*command.tile))
        seen = set(tiles_in(raw)) & hidden
        hold(not seen, "hidden tiles", [tile_text(each) for each in seen], raw["type"])
        if raw["type"] == "declined":
            texts = [tile_text(each) for each in hidden]
            hold(not any(text in raw["text"] for text in texts), "hidden tiles", raw["text"])

    def is_ended(self, token: bytes) -> bool:
        """Whether this token counts no more, and no crash can make it count again."""
        return hashlib.sha256(token).digest() in self._ended

    def stored(self, facts: Sequence[Fact]) -> None:
        """A command makes one move at most."""
        for fact in facts:
            if isinstance(fact, PlayerKnown):
                known = {fact.confirmed_hash, *fact.newer_hashes} - {None}
                self._ended |= self._durable.get(fact.player, set()) - known
                self._durable[fact.player] = known
            elif isinstance(fact, CommandAnswered):
                self._answering = (fact.player, fact.command)
            elif isinstance(fact, MoveMade) and is_of_command(fact):
                hold(self._answering is not None, "a move has its command", fact)
                if self._answering is not None:
                    self.moves_made[self._answering] += 1
                    hold(self.moves_made[self._answering] == 1, "no move twice", fact)
                self._answering = None

    def put_back(
        self, names: Collection[str], numbers: Collection[int], facts: Sequence[Fact]
    ) -> None:
        """What is durable is what there is, as after an undoing."""
        self._put_back(names, numbers, facts, is_all=False)

    def restarted(self, facts: Sequence[Fact]) -> None:
        """What is durable is all that there is."""
        self._put_back([], [], facts, is_all=True)

    def _put_back(
        self,
        names: Collection[str],
        numbers: Collection[int],
        facts: Sequence[Fact],
        *,
        is_all: bool,
    ) -> None:
        for name in [*self._shadows] if is_all else names:
            self._shadows.pop(name, None)
        for number in [*self._tokens] if is_all else numbers:
            self._tokens.pop(number, None)
        durable = set()
        for fact in facts:
            if isinstance(fact, PlayerKnown):
                self._tokens[fact.player] = (fact.confirmed_hash, fact.newer_hashes[::-1])
            elif isinstance(fact, CommandAnswered):
                durable.add((fact.player, fact.command))
            else:
                self._take_fact(fact, is_new=False)
        for name in [*self._shadows] if is_all else names:
            self.forgotten[name] = self._game_began.get(name, 0)
        # an answer that was not durable may be another one when the command comes again
        for key in [*self._answers]:
            if (is_all or key[0] in numbers) and key not in durable:
                del self._answers[key]

    def logged(self, level: str, event: str, values: dict[str, Any]) -> None:
        """The log tells no mistakes and no secrets."""
        self.checked["log"] += 1
        is_expected = level == "info" or event == "no room to store anything"
        hold(is_expected, "the server makes no mistakes", event, values)
        line = f"{event} {values}"
        secrets = (form for seed in self._seeds for form in (seed.hex(), repr(seed)))
        hold(not any(form in line for form in secrets), "log", line)

    # --- the clients' side ----------------------------------------------------------------

    def seen(self, update: Update) -> None:
        """All viewers see the same table and the same events, by number."""
        self._check_clock(update)
        self.checked["one view"] += 1
        view = msgpack.packb(msgspec.to_builtins(update.view))
        key = (update.table, update.last_event, update.turn)  # `done` is no event
        first = self._views.setdefault(key, view)
        hold(first == view, "one view", key, msgpack.unpackb(first), msgpack.unpackb(view))
        for number, form in public_events(update):
            first = self._events.setdefault((update.table, number), form)
            hold(first == form, "one view", msgpack.unpackb(first), msgpack.unpackb(form))
        if update.seat is not None:
            hold(len(update.hand) == update.view.hand_counts[update.seat], "one view", "hand")

    def _check_clock(self, update: Update) -> None:
        """No connection is credited more than it was measured to need, nor than the bound."""
        for given in (update.clock, *update.events):
            if isinstance(given, TurnClock | TimeUp):
                self.checked["credit"] += 1
                most = min(given.rtt_ms or 0, LIMITS.lag_credit_ms_max)
                hold(given.credit_ms <= most, "credit", given)
        if update.clock is not None:
            shown = update.clock.budget_ms + update.clock.bank_ms
            hold((update.deadline_ms or 0) <= shown + 1, "credit", update.clock, "is not shown")

    def acknowledged(self, player: int, command: int) -> None:
        """Whoever is told that a move is made finds it stored, once."""
        self.checked["acknowledged"] += 1
        hold(self.moves_made[player, command] == 1, "acknowledged", player, command)

    def answered(self, player: int, command: int, message: Any) -> None:
        """The same id gets the same answer, however often it is asked."""
        self.checked["same answer"] += 1
        answer: Any = type(message).__name__
        if isinstance(message, Declined):
            if message.code == "storage_full":
                return  # nothing has happened, so the id is still free
            answer = encode(message)
        elif isinstance(message, Update):
            answer = tuple(msgpack.packb(msgspec.to_builtins(each)) for each in message.events)
            numbers = [event.n for event in message.events]
            known = self._answers.get((player, command))
            newest = known[-1][0] if isinstance(known, tuple) and known else 0
            if newest and not numbers and newest <= self.forgotten.get(message.table, 0):
                return  # of an earlier game, and the table was made from its log since
            answer = tuple(zip(numbers, answer, strict=True))
        first = self._answers.setdefault((player, command), answer)
        hold(first == answer, "same answer", command, first, answer)
