"""Simulated evenings: the laws hold for every seed, the same bytes come twice, faults are caught.

Each planted fault changes one thing of the server; a law of the simulation must notice it. A
simulation that cannot fail would prove nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest
from mexican_train.engine import tile_ends
from mexican_train.protocol import Knock, Play, Refused
from mexican_train.server.effects import (
    CommandAnswered,
    Deliver,
    DeliverUpdate,
    Effect,
    Fact,
    MoveMade,
    Save,
)
from mexican_train.server.lobby import Admission, Lobby
from mexican_train.server.lobby_settings import LobbySettings

from .laws import LawBroken
from .shell import Disk, Shell
from .simulation import Evening, Outcome

SEEDS_TO_FIND = 40
"""A planted fault must be noticed within so many evenings."""


def test_every_evening_keeps_the_laws_and_comes_twice_the_same(scale: Any) -> None:
    checked: Counter[str] = Counter()
    told: list[Outcome] = []
    for seed in range(scale(20, 1000)):
        first, second = Evening(seed).run(), Evening(seed).run()
        assert first == second, f"seed {seed} is not the same twice"
        checked += first.checked
        told.append(first)
    assert len({each.trace for each in told}) == len(told)
    assert min(checked.values()) > len(told)
    assert sum(each.losses for each in told) > len(told)
    assert sum(each.restarts for each in told) > len(told) // 4
    assert all(each.acknowledged for each in told)


# --- planted faults -----------------------------------------------------------------------


class ForgetsMoves(Disk):
    """Moves are told, and were never written."""

    def commit(self) -> None:
        self.writing = [fact for fact in self.writing if not isinstance(fact, MoveMade)]
        super().commit()


class TellsBeforeItStores(Shell):
    """What is not on the disk yet is told already."""

    disk_type = ForgetsMoves


class ForgetsAnswers(Disk):
    """Moves are written without the answer to their command."""

    def commit(self) -> None:
        self.writing = [fact for fact in self.writing if not isinstance(fact, CommandAnswered)]
        super().commit()


class ForgetsWhoAsked(Shell):
    """After a crash a repeated command is a new one."""

    disk_type = ForgetsAnswers


class LosesALateFact(Disk):
    """What was written last before a crash is gone, though it was told."""

    def everything(self) -> list[Fact]:
        facts = super().everything()
        return facts[:-1] if facts and isinstance(facts[-1], MoveMade) else facts


class LosesTheLastMove(Shell):
    """The disk lies about the last move before a crash."""

    disk_type = LosesALateFact


class FullMeansDone(Disk):
    """A full disk is taken for a good one."""

    async def save(self, facts: Sequence[Fact]) -> None:
        if self.is_full:
            self.writing = []
            return
        await super().save(facts)


class TellsOnAFullDisk(Shell):
    """What found no room is told as if it had."""

    disk_type = FullMeansDone


class ForgetsToSave(Lobby):
    """A move is made, and its fact is not in the effects."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        return [each for each in effects if not (_facts(each, MoveMade) and command.id % 3 == 0)]


class ForgetsTheMarker(Lobby):
    """Now and then a marker is gone."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table = self._tables.get("t")
        if table is not None and table.progress is not None:
            table.progress.game.round.marked = 0
        return effects


class TakesStaleMoves(Lobby):
    """Whatever turn a move names, it is taken for the present one."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        table = self._tables.get("t")
        if isinstance(command, Play) and table is not None and table.progress is not None:
            turn = table.progress.turn
            command = Play(id=command.id, turn=turn, tile=command.tile, train=command.train)
        return super().handle(number, command, now)


class LeaksAHand(Lobby):
    """Every seat sees the hand of seat 0."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        return [self._leaking(each) for each in super().handle(number, command, now)]

    def _leaking(self, effect: Effect) -> Effect:
        table = self._tables.get("t")
        if not isinstance(effect, DeliverUpdate) or table is None or table.progress is None:
            return effect
        raw = msgpack.unpackb(effect.payload)
        if raw["seat"] is not None:
            return effect
        raw["hand"] = _hand(table, 0)
        return DeliverUpdate(effect.player, msgpack.packb(raw))


class LeaksADraw(LeaksAHand):
    """What a seat draws is told to a watcher."""

    def _leaking(self, effect: Effect) -> Effect:
        table = self._tables.get("t")
        if not isinstance(effect, DeliverUpdate) or table is None or table.progress is None:
            return effect
        raw = msgpack.unpackb(effect.payload)
        for event in raw["events"]:
            if event["event"] == "tile_drawn" and event["tile"] is None:
                held = _hand(table, event["seat"])
                event["tile"] = held[-1] if held else None
        return DeliverUpdate(effect.player, msgpack.packb(raw))


class ShowsAnotherView(Lobby):
    """Watchers see one tile less in the boneyard."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        return [self._changed(each) for each in super().handle(number, command, now)]

    def _changed(self, effect: Effect) -> Effect:
        if not isinstance(effect, DeliverUpdate):
            return effect
        raw = msgpack.unpackb(effect.payload)
        if raw["seat"] is None:
            raw["view"]["boneyard"] += 1
        return DeliverUpdate(effect.player, msgpack.packb(raw))


class AnswersTwice(Lobby):
    """Each refusal comes twice."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        again = [each for each in effects if isinstance(each, Deliver) and each.player == number]
        return [*effects, *again[-1:]]


class StaysSilent(Lobby):
    """Some commands get no answer."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        if command.id % 7:
            return effects
        told = (Deliver, DeliverUpdate)
        return [each for each in effects if not (isinstance(each, told) and each.player == number)]


class DoesItAgain(Lobby):
    """A repeated command is carried out a second time."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        player = self._players[number]
        player.last_id = min(player.last_id, command.id - 1)
        return super().handle(number, command, now)


class LosesATile(Lobby):
    """A tile falls out of the boneyard."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table = self._tables.get("t")
        if table is not None and table.progress is not None and command.id % 5 == 0:
            state = table.progress.game.round
            state.boneyard = state.boneyard[:-1]
        return effects


class CountsTooOften(Lobby):
    """A knock raises the turn counter."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        effects = super().handle(number, command, now)
        table = self._tables.get("t")
        if isinstance(command, Knock) and table is not None and table.progress is not None:
            table.progress.turn += any(_facts(each, MoveMade) for each in effects)
        return effects


class TakesAnyToken(Lobby):
    """Whoever knows a name gets the chair."""

    def hello(self, hello: Any, now: float, origin: str = "") -> Admission | Refused:
        answer = super().hello(hello, now, origin)
        known = self._players.named(hello.name)
        if isinstance(answer, Refused) and answer.code == "bad_token" and known is not None:
            return self._admit(known, hello, 1, now)
        return answer


class ForgetsAnEvent(Lobby):
    """Who comes back misses what happened meanwhile."""

    def hello(self, hello: Any, now: float, origin: str = "") -> Admission | Refused:
        later = type(hello)(
            versions=hello.versions,
            kind=hello.kind,
            name=hello.name,
            token=hello.token,
            last_event=hello.last_event + 1 if hello.last_event else 0,
        )
        return super().hello(later, now, origin)


class ForgetsThePlayer(Lobby):
    """Whoever is gone for a moment is gone for ever."""

    def disconnected(self, number: int, generation: int, now: float) -> list[Effect]:
        effects = super().disconnected(number, generation, now)
        if number in self._players and not self._players[number].is_connected:
            self._players[number].confirmed_hash = None
            self._players[number].newer_hashes = ()
        return effects


class BelievesWhoeverIsLate(Lobby):
    """A connection is credited whatever it seems to need."""

    def __init__(self, settings: LobbySettings) -> None:
        table = replace(settings.table, lag_credit_seconds=600.0)
        super().__init__(replace(settings, table=table))


class ShowsTheCredit(Lobby):
    """Whoever is far away is told of more time than the others."""

    def handle(self, number: int, command: Any, now: float) -> list[Effect]:
        return [self._shown(each) for each in super().handle(number, command, now)]

    def _shown(self, effect: Effect) -> Effect:
        if not isinstance(effect, DeliverUpdate):
            return effect
        raw = msgpack.unpackb(effect.payload)
        if raw["clock"] is not None and raw["deadline_ms"] is not None:
            raw["deadline_ms"] += raw["clock"]["credit_ms"]
        return DeliverUpdate(effect.player, msgpack.packb(raw))


class KeepsOneToken(Lobby):
    """A token ends as soon as another is issued, seen in use or not."""

    def hello(self, hello: Any, now: float, origin: str = "") -> Admission | Refused:
        answer = super().hello(hello, now, origin)
        known = self._players.named(hello.name)
        if isinstance(answer, Admission) and known is not None:
            known.confirmed_hash, known.newer_hashes = None, known.newer_hashes[-1:]
        return answer


class DealsNoMore(Lobby):
    """Time does nothing, so a move that waits for its time waits for ever."""

    def tick(self, name: str, now: float) -> list[Effect]:
        del name, now
        return []


def _hand(table: Any, seat: int) -> list[tuple[int, int]]:
    return [tile_ends(tile) for tile in table.progress.game.round.hand(seat)]


def _facts(effect: Effect, kind: type[Fact]) -> bool:
    return isinstance(effect, Save) and any(isinstance(each, kind) for each in effect.facts)


PLANTED: list[tuple[dict[str, Any], set[str]]] = [
    ({"shell_type": TellsBeforeItStores}, {"acknowledged"}),
    ({"shell_type": ForgetsWhoAsked}, {"a move has its command"}),
    (
        {"shell_type": LosesTheLastMove},
        {"one view", "token", "same answer", "no move twice", "facts are enough"},
    ),
    ({"shell_type": TellsOnAFullDisk}, {"acknowledged"}),
    ({"lobby_type": ForgetsToSave}, {"facts are enough"}),
    ({"lobby_type": ForgetsTheMarker}, {"facts are enough"}),
    ({"lobby_type": TakesStaleMoves}, {"no stale move"}),
    ({"lobby_type": LeaksAHand}, {"hidden tiles"}),
    ({"lobby_type": LeaksADraw}, {"hidden tiles"}),
    ({"lobby_type": ShowsAnotherView}, {"one view"}),
    ({"lobby_type": AnswersTwice}, {"answered once"}),
    ({"lobby_type": StaysSilent}, {"every command is answered", "games end", "no event missed"}),
    ({"lobby_type": DoesItAgain}, {"no move twice", "same answer"}),
    ({"lobby_type": LosesATile}, {"facts are enough"}),
    ({"lobby_type": CountsTooOften}, {"turn counter"}),
    ({"lobby_type": TakesAnyToken}, {"token"}),
    ({"lobby_type": ForgetsAnEvent}, {"no event missed"}),
    ({"lobby_type": ForgetsThePlayer}, {"token"}),
    ({"lobby_type": BelievesWhoeverIsLate}, {"credit"}),
    ({"lobby_type": ShowsTheCredit}, {"credit"}),
    ({"lobby_type": KeepsOneToken}, {"token"}),
    ({"lobby_type": DealsNoMore}, {"games end"}),
]


@pytest.mark.parametrize(
    ("planted", "laws"), PLANTED, ids=[next(iter(each.values())).__name__ for each, _ in PLANTED]
)
def test_a_planted_fault_is_caught(planted: dict[str, Any], laws: set[str]) -> None:
    found = (law_broken(seed, planted) for seed in range(SEEDS_TO_FIND))
    assert next(filter(None, found), "nobody has noticed") in laws


def law_broken(seed: int, planted: dict[str, Any]) -> str | None:
    """The law that does not hold in an evening with this fault, if one does not."""
    try:
        Evening(seed, **planted).run()
    except LawBroken as broken:
        return broken.law
    return None
