"""Stock strategies by name: pure choices, without network, clock or memory.

The face: `strategy(name)` finds one, `strategy_names()` lists them, `Strategy` is what one is.
"""

from .registry import StrategyInfo, UnknownStrategyError, strategy, strategy_names
from .strategies import Strategy, greedy, random_choice

__all__ = [
    "Strategy",
    "StrategyInfo",
    "UnknownStrategyError",
    "greedy",
    "random_choice",
    "strategy",
    "strategy_names",
]
