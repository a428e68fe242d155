"""Playing: games started, rounds dealt, moves made by players and by those who stand in for them.

Pure. Every method that can refuse raises `Decline` before anything has changed.
"""

import hmac
from dataclasses import dataclass
from typing import Final

import msgspec
from mexican_train import engine
from mexican_train.protocol import (
    AnyCommand,
    Choice,
    Done,
    Draw,
    Foul,
    Knock,
    Pass,
    Play,
)

from .clocks import is_due
from .course import SKIP, Course
from .declines import Decline
from .effects import Effect, GameBrokenOff, GameStarted, RoundDealt, Save, report
from .players import Answer, Player
from .progress import Progress
from .seats import Seats
from .table_settings import Charter, TableSettings
from .telling import Telling

SEED_BYTES: Final = 32

_PLAIN_MOVES: Final = {"draw": engine.DRAW, "pass": engine.PASS, "done": engine.DONE}

GuardedMove = Play | Draw | Pass | Done
"""The commands that carry the table's `turn`."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A bot's move that came before its time."""

    player: Player
    command: GuardedMove
    due: float


class Playing:
    """Plays the games of one table."""

    def __init__(
        self,
        charter: Charter,
        seats: Seats,
        course: Course,
        telling: Telling,
        settings: TableSettings,
    ) -> None:
        self._charter: Final = charter
        self._seats: Final = seats
        self._course: Final = course
        self._telling: Final = telling
        self._settings: Final = settings
        self._held: list[_Held] = []

    # --- starting, rounds -----------------------------------------------------------------

    def go_on_if_ready(self, now: float) -> list[Effect]:
        """Start the game or the next round, if nothing is awaited any more."""
        if self._course.state == "waiting" and self._may_start():
            return self.start(now)
        if self._course.state == "between" and self._may_deal(now):
            return self._deal(now)
        return []

    def _may_start(self) -> bool:
        if self._charter.start == "manual" or self._seats.empty_seats():
            return False
        everybody_here = all(
            seat.strategy or (seat.player is not None and self._seats.is_present(seat.player))
            for seat in self._seats
        )
        if self._charter.start == "full":
            return everybody_here
        return everybody_here and all(seat.is_ready for seat in self._seats.persons())

    def _may_deal(self, now: float) -> bool:
        """Whether the next round may begin: bots and the absent do not hold it up for long."""
        persons = self._seats.persons()
        if self._course.is_paused:
            return False
        if not persons or now >= self._course.round_ended_at + self._settings.between_seconds:
            return True
        present = [seat for seat in persons if seat.player and self._seats.is_present(seat.player)]
        return bool(present) and all(seat.is_ready for seat in present)

    def start(self, now: float) -> list[Effect]:
        """Begin a game; every seat must be taken.

        Raises:
            Decline: `already_started`.
        """
        if self._course.state != "waiting":
            raise Decline("already_started")
        names = [seat.player.name if seat.player else "" for seat in self._seats]
        before = self._course.progress
        started = GameStarted(
            self._charter.name,
            self._course.games + 1,
            tuple(names),
            turn=before.turn if before else 0,
            last_event=before.last_event if before else 0,
        )
        progress = self._course.begin(started, now)
        line = report(
            "game started",
            table=self._charter.label,
            game=self._course.games,
            rules=self._charter.rules.hash[:12],
            seats=len(names),
            rounds=progress.game.rounds,
        )
        return [Save((started,)), line, *self._deal(now)]

    def _deal(self, now: float) -> list[Effect]:
        number = self._course.game_on().game.round_number + 1
        laid_out = self._settings.fixed_deal
        fixed = laid_out(number) if laid_out is not None else None
        dealt = RoundDealt(self._charter.name, number, self._seed(number), fixed)
        count = self._course.lay_out(dealt)
        self._course.moved_at = now
        self._course.start_clock(now, is_anew=True)
        return [
            Save((dealt,)),
            *self._telling.news(now),
            *self._telling.broadcast(count, now),
            *self._after_move(now),
        ]

    def _seed(self, number: int) -> bytes:
        """The secret of a round: fresh, or derived from the fixed one."""
        fixed = self._settings.fixed_seed
        if fixed is None:
            return self._settings.random_bytes(SEED_BYTES)
        text = f"mexican-train fixed seed\n{self._charter.name}\n{self._course.games}\n{number}"
        return hmac.digest(fixed, text.encode(), "sha256")

    # --- moves ----------------------------------------------------------------------------

    def owes_move(self, player: Player, turn: int) -> bool:
        """Whether it is this player's turn, and the present one."""
        progress = self._course.progress
        if self._course.state != "playing" or progress is None or progress.turn != turn:
            return False
        seat = progress.game.turn
        return seat is not None and self._seats[seat].player is player

    def move(
        self, player: Player, command: GuardedMove, now: float
    ) -> tuple[list[Effect], Answer | None]:
        """Carry out play, draw, pass or done; the effects, and the answer.

        No answer yet: a bot's move is held until its time (`pace_seconds`).

        Raises:
            Decline: `not_seated`, `not_started`, `stale`, `out_of_turn`, `slow_down`, or what
                the rules say.
        """
        progress, seat = self._seat_in_game(player)
        to_act = progress.game.turn
        if self._course.is_paused and player.kind != "bot":
            raise Decline("paused")
        if self._course.state != "playing" or command.turn != progress.turn:
            raise Decline("stale", params={"turn": progress.turn})
        if to_act != seat:
            raise Decline("out_of_turn", params={"to_act": to_act})
        due = self._due(player)
        if now < due or self._course.is_paused:
            if any(held.player is player for held in self._held):
                raise Decline("slow_down")
            self._held.append(_Held(player, command, due))
            return [], None
        return self._carry_out(player, seat, _engine_move(command), command, now)

    def _due(self, player: Player) -> float:
        """The earliest time for the move of this player."""
        return self._course.moved_at + self._course.pace() if player.kind == "bot" else 0.0

    def knock(self, player: Player, command: Knock, now: float) -> tuple[list[Effect], Answer]:
        """Knock.

        Raises:
            Decline: `not_seated`, `not_started`, or what the rules say.
        """
        _, seat = self._seat_in_game(player)
        self._check_going()
        return self._carry_out(player, seat, engine.KNOCK, command, now)

    def foul(self, player: Player, command: Foul, now: float) -> tuple[list[Effect], Answer]:
        """Call a foul on the seat that the named event left with one tile.

        Raises:
            Decline: `no_foul`, `not_seated`, `not_started`, or what the rules say.
        """
        progress, seat = self._seat_in_game(player)
        self._check_going()
        if not progress.is_debt_of(command.seat, command.event):
            raise Decline("no_foul", params={"seat": command.seat, "event": command.event})
        return self._carry_out(player, seat, engine.Move.foul(command.seat), command, now)

    def _seat_in_game(self, player: Player) -> tuple[Progress, int]:
        seat = self._seats.seat_of(player)
        if seat is None:
            raise Decline("not_seated")
        return self._course.game_on(), seat

    def _check_going(self) -> None:
        """Raise `paused`, or `wrong_state` if the game was broken off."""
        if self._course.is_paused:
            raise Decline("paused")
        if self._course.game_on().is_broken_off:
            raise Decline("wrong_state")

    def _carry_out(
        self, player: Player, seat: int, move: engine.Move, command: AnyCommand, now: float
    ) -> tuple[list[Effect], Answer]:
        progress = self._course.game_on()
        turn = progress.turn
        at_ms = self._course.at_ms(now)
        try:
            count = progress.apply(seat, move, at_ms)
        except engine.IllegalMove as error:
            why = error.reason
            raise Decline(why.code, why.text, option=why.option, params=why.params) from None
        made = self._course.made(seat, str(move), now)
        # before what follows: the next round may be dealt at once, and is no part of the answer
        last = progress.last_event
        answer = Answer("update", events=(last - count + 1, last))
        return [made, *self._moved(count, now, turn, player, command.id)], answer

    def _moved(
        self, count: int, now: float, turn: int, mover: Player | None = None, answers: int = 0
    ) -> list[Effect]:
        """What follows from a move that is made: clocks, updates, the end of a round."""
        progress = self._course.game_on()
        self._course.moved_at = now
        if progress.turn != turn:
            self._course.start_clock(now, is_anew=progress.is_turn_fresh)
        # the updates first: what follows may deal the next round at once
        return [*self._telling.broadcast(count, now, mover, answers), *self._after_move(now)]

    def _after_move(self, now: float) -> list[Effect]:
        """The end of a round or of the game, if this was it."""
        game = self._course.game_on().game
        if game.phase == "play":
            return []
        self._course.clocks.stop(now)
        self._course.round_ended_at = now
        number, scores = game.round.number, list(game.scores[-1])
        ended = report("round over", table=self._charter.label, round=number, scores=scores)
        if game.phase == "round_over":
            self._course.state = "between"
            return [ended, *self._telling.news(now), *self.go_on_if_ready(now)]
        over = report(
            "game over",
            table=self._charter.label,
            game=self._course.games,
            totals=list(game.totals),
            places=list(game.places),
        )
        return [*self._course.finish(now), ended, over, *self._telling.news(now)]

    def break_off(self, number: int, now: float) -> list[Effect]:
        """End the game before its time."""
        progress = self._course.game_on()
        broken_off = Save((GameBrokenOff(self._charter.name, number),))
        count = progress.break_off(number)
        self._course.clocks.stop(now)
        told = self._telling.broadcast(count, now)
        freed = self._course.finish(now)
        over = report(
            "game over",
            table=self._charter.label,
            game=self._course.games,
            totals=list(progress.game.totals),
            broken_off=True,
        )
        return [broken_off, *told, *freed, over]

    # --- held back ------------------------------------------------------------------------

    def is_held_for_turn(self) -> bool:
        """Whether the move that is awaited has come and only waits for its time."""
        if not self._held:
            return False
        progress = self._course.progress
        return progress is not None and any(
            held.command.turn == progress.turn for held in self._held
        )

    def take_held(self, now: float) -> list[tuple[Player, GuardedMove]]:
        """The bots' moves whose time has come, to be carried out by `move`."""
        if self._course.is_paused:
            return []
        due = [(held.player, held.command) for held in self._held if held.due <= now]
        self._held = [held for held in self._held if held.due > now]
        return due

    def held_back(self) -> list[_Held]:
        """The bots' moves that wait for their time."""
        return [*self._held]

    def carry_over(self, before: "Playing") -> None:
        """Go on holding the bots' moves that wait for their time."""
        self._held = before.held_back()

    def held_until(self) -> list[float]:
        """When the moves that are held may be made."""
        return [] if self._course.is_paused else [held.due for held in self._held]

    # --- for those who are away or late ---------------------------------------------------

    def turn_due(self) -> float | None:
        """When the table moves for the seat to act; None: it does not."""
        progress = self._course.progress
        if self._course.state != "playing" or self._course.is_paused or progress is None:
            return None
        seat = progress.game.turn
        if seat is None:
            return None
        is_away = self._course.absences.choice(seat) in {"skip", "bot"}
        if is_away or self._course.stands_in_for == seat:
            return self._course.moved_at + self._course.pace()
        return None if self.is_held_for_turn() else self._course.clocks.deadline()

    def act_if_due(self, now: float) -> list[Effect]:
        """Move for a seat whose owner is away or late."""
        if not is_due(self.turn_due(), now):
            return []
        progress = self._course.game_on()
        seat = progress.game.turn
        if seat is None:
            return []
        choice = self._course.absences.choice(seat)
        if choice == "skip":
            return self._skip(seat, now, "absent skipped")
        if choice == "bot" or self._course.stands_in_for == seat:
            return self._play_for(seat, now, "substitute moved")
        ran_out = self._course.time_up(now)
        line = report(
            "time is up",
            table=self._charter.label,
            seat=seat,
            budget_ms=ran_out.budget_ms,
            bank_ms=ran_out.bank_ms,
            credit_ms=ran_out.credit_ms,
            rtt_ms=ran_out.rtt_ms,
        )
        return [Save((ran_out,)), line, *self._act_late(seat, now, progress.note_time_up(ran_out))]

    def _act_late(self, seat: int, now: float, told: int) -> list[Effect]:
        """Move for a seat whose time is up; `told`: the events that say so."""
        if self._seats[seat].kind == "bot":
            return self._play_for(seat, now, "bot late", told)
        if self._charter.terms.on_timeout == "skip":
            return self._skip(seat, now, "late skipped", told)
        self._course.stands_in_for = seat
        return self._play_for(seat, now, "late replaced", told)

    def _skip(self, seat: int, now: float, event: str, told: int = 0) -> list[Effect]:
        """End a turn without a chosen tile; `told`: events before it, to be told with it."""
        progress = self._course.game_on()
        turn = progress.turn
        made = self._course.made(seat, SKIP, now)
        count = told + progress.skip(self._course.at_ms(now))
        # the turn may stay the same one (a draw of many), so the clock is set anew in any case
        self._course.start_clock(now, is_anew=True)
        line = report(event, table=self._charter.label, seat=seat)
        return [made, line, *self._moved(count, now, turn)]

    def _play_for(self, seat: int, now: float, event: str, told: int = 0) -> list[Effect]:
        """Have the substitute move for a seat, and knock if it has to; `told`: as for `_skip`."""
        progress = self._course.game_on()
        turn = progress.turn
        move = self._substitute_move(seat, now)
        if move is None:
            return self._skip(seat, now, event, told)
        effects: list[Effect] = []
        at_ms = self._course.at_ms(now)
        count = told + progress.apply(seat, move, at_ms)
        effects.append(self._course.made(seat, str(move), now, by_substitute=True))
        if engine.KNOCK in progress.legal_moves(seat):
            count += progress.apply(seat, engine.KNOCK, at_ms)
            effects.append(self._course.made(seat, str(engine.KNOCK), now, by_substitute=True))
        effects.append(report(event, table=self._charter.label, seat=seat, move=move.deed.value))
        return [*effects, *self._moved(count, now, turn)]

    def _substitute_move(self, seat: int, now: float) -> engine.Move | None:
        """What the substitute does for the seat to act, by what that seat sees; None: nothing."""
        if self._settings.substitute is None:
            return None
        progress = self._course.game_on()
        seen = self._telling.seen_by(seat, now)
        guarded = [choice for choice in seen.choices if choice.do not in {"knock", "foul"}]
        choice = self._settings.substitute(msgspec.structs.replace(seen, choices=guarded))
        move = _chosen_move(choice)
        return move if move in progress.legal_moves(seat) else None


def _chosen_move(choice: Choice) -> engine.Move | None:
    """A choice that ends nothing but a turn's decision, as a move of the engine."""
    if choice.do == "play" and choice.tile is not None and choice.train is not None:
        return engine.Move.play(engine.tile(*choice.tile), engine.parse_train(choice.train))
    return _PLAIN_MOVES.get(choice.do)


def _engine_move(command: GuardedMove) -> engine.Move:
    """The command as a move of the engine."""
    match command:
        case Play(tile=(one, other), train=train):
            return engine.Move.play(engine.tile(one, other), engine.parse_train(train))
        case Draw():
            return engine.DRAW
        case Pass():
            return engine.PASS
        case Done():
            return engine.DONE
