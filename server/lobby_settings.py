"""What a lobby is told of the server around it, and a table as it is to be opened. Pure values."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from mexican_train import engine
from mexican_train.protocol import Limits, StartRule

from .clocks import Terms
from .table_settings import TableSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbySettings:
    """What the lobby needs to know of the server around it.

    Attributes:
        table: what all tables keep to.
        limits: told in every welcome.
        rules: those that `create` can name, beside the presets.
        own_rules: of a table for which `create` names none; None: `classic`.
        strategies: the house bots that there are; the first fills empty seats at `start`.
        tables_max: open tables at once.
        server, server_version: told in every welcome.
        features: what the server offers of what a hello may ask for.
        password_digest: of the password that a hello must bring; None: there is none.
    """

    table: TableSettings
    limits: Limits
    rules: Mapping[str, engine.RuleSet]
    strategies: Collection[str]
    own_rules: engine.RuleSet | None = None
    tables_max: int = 500
    server: str = "mt-server"
    server_version: str = ""
    features: tuple[str, ...] = ()
    password_digest: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """A table as it is to be opened."""

    name: str
    rules: engine.RuleSet
    seats: int = 4
    first_seat: int = 0
    bots: tuple[str, ...] = ()
    start: StartRule = "full"
    allows_watchers: bool = True
    password: str | None = None
    terms: Terms | None = None
    """None: those of the server."""
    hints: bool | None = None
    """Likewise."""
