"""House bots: the server's own players, as ordinary clients over memory streams.

They see what any client sees. A bot that fails is started again a few times; its seat is the
table's to move for meanwhile.
"""

from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Final, Literal

import trio
from mexican_train.client import (
    LinkError,
    RefusedError,
    UnreachableError,
    explain,
    seat_bot,
    seat_view,
    strategy,
)
from mexican_train.protocol import Choice, Hint, Update
from trio.testing import memory_stream_pair

from . import logs
from .effects import SeatBot

ATTEMPTS: Final = 3
RESTART_SECONDS: Final = 1.0
SUBSTITUTE: Final = "planner"
"""The strategy that plays for those who are away or late."""

_Outcome = Literal["done", "failed", "refused"]
_OUTCOMES: Final[Mapping[str, _Outcome]] = {"storage_full": "refused", "shutdown": "done"}
"""By the code that a bot was turned away with; any other is a failure."""


def substitute(update: Update) -> Choice:
    """A choice for the seat of this update, by what that seat sees."""
    view = seat_view(update)
    if view is None:
        raise ValueError("a watcher has nothing to choose")
    rng = Random(update.turn)  # noqa: S311 - it guards nothing
    return strategy(SUBSTITUTE).choose(view, update.choices, rng)


def advise(update: Update) -> Hint:
    """What the planner would do in the seat of this update, by what that seat sees, and why."""
    view = seat_view(update)
    if view is None:
        raise ValueError("a watcher has nothing to choose")
    advice = explain(view, update.choices)
    return Hint(
        answers=update.answers,
        turn=update.turn,
        choice=advice.choice,
        code=advice.code,
        params=dict(advice.params),
        text=advice.text,
    )


class House:
    """Starts and stops house bots.

    `serve(stream, player)` serves the server's end of a bot's connection.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        serve: Callable[[trio.abc.Stream, int], Awaitable[None]],
        *,
        log: logs.Log,
    ) -> None:
        self._nursery: Final = nursery
        self._serve: Final = serve
        self._log: Final = log
        self._scopes: Final[dict[int, trio.CancelScope]] = {}

    def seat(self, effect: SeatBot) -> None:
        """Start a bot."""
        scope = trio.CancelScope()
        self._scopes[effect.player] = scope
        self._nursery.start_soon(self._run, effect, scope)

    def close(self, player: int) -> None:
        """Stop a bot; nothing if it has stopped."""
        scope = self._scopes.pop(player, None)
        if scope is not None:
            scope.cancel()

    async def _run(self, effect: SeatBot, scope: trio.CancelScope) -> None:
        with scope:
            failures = 0
            while failures < ATTEMPTS and (outcome := await self._play(effect)) != "done":
                failures += outcome == "failed"
                await trio.sleep(RESTART_SECONDS)
        self._scopes.pop(effect.player, None)

    async def _play(self, effect: SeatBot) -> _Outcome:
        """Play until the table lets it go; `refused`: there is no room to let it in now."""
        bot_end, server_end = memory_stream_pair()
        outcome: _Outcome = "done"
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve, server_end, effect.player)
                await seat_bot(
                    effect.strategy,
                    bot_end,
                    name=effect.name,
                    table=effect.table,
                    seat=effect.seat,
                    seed=effect.seed,
                )
        except* (RefusedError, UnreachableError) as turned_away:
            outcomes = {_OUTCOMES.get(code, "failed") for code in _codes(turned_away)}
            outcome = outcomes.pop() if len(outcomes) == 1 else "failed"
        except* Exception as failures:  # noqa: BLE001 - one net a bot: it is started again
            outcome = "failed"
            self._log.error(
                "house bot failed",
                player=effect.player,
                strategy=effect.strategy,
                **logs.told(failures),
            )
        return outcome


def _codes(errors: BaseExceptionGroup[LinkError]) -> set[str]:
    """The codes of all that are in the group, however deep."""
    codes: set[str] = set()
    for each in errors.exceptions:
        codes |= _codes(each) if isinstance(each, BaseExceptionGroup) else {each.code}
    return codes
