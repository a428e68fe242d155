"""One simulated evening: a table, its guests, losses, crashes and strangers, from one seed."""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from mexican_train.engine import RuleSet
from mexican_train.protocol import Rematch
from mexican_train.server import LIMITS
from mexican_train.server.clocks import Terms
from mexican_train.server.lobby import Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.table_settings import TableSettings

from .guests import Honest, Rogue, Stranger, Street, Watcher
from .laws import Laws, hold
from .shell import Shell, on_the_heap
from .world import World

PRESETS = ("classic", "bernie", "boxcar", "official", "pagat", "nm", "deluxe", "reference")
TERMS = (Terms(), Terms(turn_seconds=20, bank_seconds=60, on_timeout="bot", on_absent="bot"))
EVENING_SECONDS = 2 * 3600.0
QUIET_SECONDS = 120.0


@dataclass(frozen=True)
class Outcome:
    """What a simulation came to."""

    trace: str
    steps: int
    moves: int
    acknowledged: int
    losses: int
    restarts: int
    checked: Counter[str]


class Evening:
    """All that one seed makes. Faults are planted through `lobby_type` and `shell_type`."""

    def __init__(
        self,
        seed: int,
        *,
        lobby_type: type[Lobby] = Lobby,
        shell_type: type[Shell] = Shell,
        laws_type: type[Laws] = Laws,
        preset: str | None = None,
    ) -> None:
        self.world = World(f"simulation {seed}")
        random = self.world.random
        rules = RuleSet.preset(preset or random.choice(PRESETS))
        rounds = random.choice((1, 1, 1, 2))
        self.rules = rules.with_options({"set.max_pip": 6, "game.rounds": rounds})
        self.seats = random.choice((2, 3, 4))
        self.laws = laws_type([self.rules])
        plan = TablePlan(name="t", rules=self.rules, seats=self.seats)
        self.shell = shell_type(self.world, self.laws, lobby_type, self._settings, plan)
        self.street = Street(self.world, self.shell, self.laws)

    def _settings(self) -> LobbySettings:
        secrets = Random(self.world.random.random())
        table = TableSettings(
            random_bytes=secrets.randbytes,
            terms=secrets.choice(TERMS),
            substitute=secrets.choice((None, lambda update: update.choices[0])),
        )
        rules = {self.rules.name: self.rules}
        return LobbySettings(table=table, limits=LIMITS, rules=rules, strategies=("greedy",))

    def run(self) -> Outcome:
        """Play to the end, and then until all is quiet."""
        with on_the_heap(self.shell):
            return self._run()

    def _run(self) -> Outcome:
        self.shell.start()
        self._invite()
        random = self.world.random
        for _ in range(random.choice((0, 1, 2))):
            self.world.after(self.world.between(5, 120), self._crash)
        for _ in range(random.choice((0, 0, 1, 2))):
            seconds = self.world.between(0.05, 20)
            self.world.after(self.world.between(5, 120), self.shell.fill_disk, seconds)
        is_over = self.world.run(EVENING_SECONDS, self._is_over)
        hold(is_over, "games end", self.world.steps)
        self.street.is_closing = True
        self.shell.disk.is_full = False
        for guest in self.street.honest:
            guest.settle()
        self.world.run(QUIET_SECONDS)
        for guest in self.street.honest:
            guest.check_settled()
        return self._outcome()

    def _invite(self) -> None:
        random = self.world.random
        self.street.rematches = random.choice((0, 0, 0, 1))
        kinds = [random.choice(("person", "bot")) for _ in range(self.seats)]
        for number, kind in enumerate(kinds):
            role = Rogue if random.random() < 0.3 else Honest
            self._enter(role(self.street, f"guest {number}", kind, "t"))
        self._enter(Watcher(self.street, "looker", "watcher", "t"))
        for number in range(2):
            self._welcome_stranger(Stranger(self.street, number))

    def _enter(self, guest: Honest) -> None:
        self.street.honest.append(guest)
        self.world.after(self.world.between(0, 2), guest.connect)

    def _welcome_stranger(self, stranger: Stranger) -> None:
        """Strangers come once the game is on: before it nobody has a chair to lose."""
        table = self.shell.lobby._tables["t"]
        ready = table.progress is not None and all(each.is_at_table for each in self.street.honest)
        self.world.after(
            1.0,
            stranger.connect if ready else self._welcome_stranger,
            *(() if ready else (stranger,)),
        )

    def _crash(self) -> None:
        self.shell.crash()

    def _is_over(self) -> bool:
        """Whether the last game has ended."""
        table: Any = self.shell.lobby._tables.get("t")
        if table is None or table.state != "over":
            return False
        wanted = self.street.rematches > 0 and table.host is not None
        asked = (each for guest in self.street.honest for each in guest.unanswered.values())
        return not wanted and not any(isinstance(each, Rematch) for each in asked)

    def _outcome(self) -> Outcome:
        return Outcome(
            trace=self.world.trace.hexdigest(),
            steps=self.world.steps,
            moves=sum(self.laws.moves_made.values()),
            acknowledged=self.street.acknowledged,
            losses=sum(guest.losses for guest in self.street.honest),
            restarts=self.shell.restarts,
            checked=self.laws.checked,
        )
