"""The owner of the truth: lobby, tables, connections.

The face is small and loads late, since `mt-server --help` passes through here: `Server` and its
`Config` to run one, `Lobby` and what it returns to drive the core without one.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import Server
    from .config import LIMITS, Config
    from .declines import Decline
    from .listeners import ListenError
    from .lobby import Lobby
    from .lobby_settings import LobbySettings, TablePlan
    from .sqlite_store import SqliteStore
    from .store import MemoryStore, Store, StoreError, StoreFullError
    from .table_settings import TableSettings

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
    "Decline": "declines",
    "ListenError": "listeners",
    "Lobby": "lobby",
    "LobbySettings": "lobby_settings",
    "MemoryStore": "store",
    "Server": "app",
    "SqliteStore": "sqlite_store",
    "Store": "store",
    "StoreError": "store",
    "StoreFullError": "store",
    "TablePlan": "lobby_settings",
    "TableSettings": "table_settings",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"{__name__} has no {name}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
