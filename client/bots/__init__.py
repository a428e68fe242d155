"""Stock strategies by name: pure choices, without network, clock or memory.

The face: `strategy(name)` finds one, `strategy_names()` lists them, `Strategy` is what one is.
`explain` gives the planner's choice with its reason, `best_chain` the line that it plans.
"""

from .chain import Chain, best_chain
from .explained import TEXTS, Explained
from .planner import explain, planner
from .registry import StrategyInfo, UnknownStrategyError, strategy, strategy_names
from .strategies import Strategy, greedy, random_choice

__all__ = [
    "TEXTS",
    "Chain",
    "Explained",
    "Strategy",
    "StrategyInfo",
    "UnknownStrategyError",
    "best_chain",
    "explain",
    "greedy",
    "planner",
    "random_choice",
    "strategy",
    "strategy_names",
]
