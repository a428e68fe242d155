"""Names of strategies: what `--strategy`, `bot add` and the server's `--bots` accept."""

import difflib
from dataclasses import dataclass

from .planner import planner
from .strategies import Strategy, greedy, random_choice


@dataclass(frozen=True, slots=True)
class StrategyInfo:
    """A strategy with its name."""

    name: str
    choose: Strategy
    quick: bool
    """True if a choice takes under 5 ms, so that it may run inside an event loop."""
    summary: str


class UnknownStrategyError(ValueError):
    """Nothing is registered under the name; `nearest` is a known name much like it, or None."""

    def __init__(self, name: str) -> None:
        found = difflib.get_close_matches(name, _all_names(), n=1, cutoff=0.6)
        self.name = name
        self.nearest = found[0] if found else None
        hint = f"Did you mean {self.nearest!r}? " if self.nearest is not None else ""
        super().__init__(
            f"There is no strategy {name!r}. {hint}Known: {', '.join(strategy_names())}."
        )


_STRATEGIES = {
    info.name: info
    for info in (
        StrategyInfo("greedy", greedy, quick=True, summary="lays the heaviest tile it can"),
        StrategyInfo(
            "planner", planner, quick=True, summary="keeps the best line for its own train"
        ),
        StrategyInfo("random", random_choice, quick=True, summary="takes any choice"),
    )
}
_ALIASES = {"easy": "random", "medium": "greedy", "hard": "planner"}
"""Other names for the above."""


def strategy(name: str) -> StrategyInfo:
    """The strategy called `name` (or with that alias), whatever its case.

    Raises `UnknownStrategyError`, which names a known one that is much like it.
    """
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    if wanted not in _STRATEGIES:
        raise UnknownStrategyError(name)
    return _STRATEGIES[wanted]


def strategy_names() -> tuple[str, ...]:
    """Every name that `strategy` knows, aliases apart, in alphabetical order."""
    return tuple(sorted(_STRATEGIES))


def _all_names() -> list[str]:
    return [*_STRATEGIES, *_ALIASES]
