"""The owner of the truth: lobby, tables, connections.

The face is small and loads late, since `mt-server --help` passes through here: `Server` and its
`Config` to run one, `Lobby` and what it returns to drive the core without one.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import Server
    from .config import LIMITS, Config
    from .listeners import ListenError
    from .lobby import Lobby, LobbySettings, TablePlan
    from .sqlite_store import SqliteStore
    from .store import MemoryStore, Store, StoreError, StoreFullError
    from .table import Decline, TableSettings

__all__ = [
    "LIMITS",
    "Config",
    "Decline",
    "ListenError",
    "Lobby",
    "LobbySettings",
    "MemoryStore",
    "Server",
    "SqliteStore",
    "Store",
    "StoreError",
    "StoreFullError",
    "TablePlan",
    "TableSettings",
]

_HOMES = {
    "LIMITS": "config",
    "Config": "config",
    "Decline": "table",
    "ListenError": "listeners",
    "Lobby": "lobby",
    "LobbySettings": "lobby",
    "MemoryStore": "store",
    "Server": "app",
    "SqliteStore": "sqlite_store",
    "Store": "store",
    "StoreError": "store",
    "StoreFullError": "store",
    "TablePlan": "lobby",
    "TableSettings": "table",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"{__name__} has no {name}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
