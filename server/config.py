"""Settings of a server: every limit by name, with its unit, and what the command line chose.

What a peer is told of them stands in the welcome. Nothing here imports trio.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from mexican_train.engine import RuleSet
from mexican_train.protocol import CLIENT_FRAME_BYTES_MAX, HELLO_FRAME_BYTES_MAX, Limits

from .certificates import Certificate
from .clocks import Terms
from .lobby_settings import TablePlan

PORT: Final = 12012

LIMITS: Final = Limits(
    hello_seconds=5,
    hello_bytes_max=HELLO_FRAME_BYTES_MAX,
    frame_bytes_max=CLIENT_FRAME_BYTES_MAX,
    frame_seconds=10,
    messages_per_second=20,
    messages_burst=40,
    chat_messages=8,
    chat_seconds=10,
    chat_chars_max=500,
    outbox_bytes_max=256 * 1024,
    outbox_frames_max=512,
    outbox_seconds=10,
    heartbeat_seconds=20,
    silence_seconds=40,
    faults_per_minute=20,
    create_seconds=5,
    bot_choice_seconds=10,
    lag_credit_ms_max=1000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One server.

    Attributes:
        host: an address or name to listen on; None: every interface.
        port: 0 takes a free one.
        limits: what a peer is held to, and told.
        connections_max: in all; more are refused with `server_full`.
        address_connections_max: from one address, of IPv6 from one /64; loopback is exempt.
        tables_max: open at once.
        tables: opened at the start.
        rules: those of new tables, by the name that `create` gives; presets need none.
        own_rules: of new tables for which `create` names none; None: `classic`.
        pace_seconds: between a bot's moves; None: 1 while a person is seated, else 0.
        between_seconds: how long the next round waits for persons who are not ready.
        terms: what tables do about time and absence that say nothing themselves.
        hints: whether persons may ask for one, at tables that do not say so themselves.
        grace_seconds: how long nothing is done about somebody gone.
        password_digest: of what everybody must know who comes in; None: no password.
        tls: what is shown to everybody who connects; None: plain TCP.
        fixed_seed: all deals follow from it; for tests and demonstrations.
        drain_seconds: how long a stopping server waits for what is under way.
        exits_when_done: stop once every table in `tables` has finished.
        idle_seconds: stop after no person has been connected for so long; None: never.
        announces: tell the local network of the server, unless it serves this machine alone.
        announced_name: what it is called there; None: as this machine is called.
        ready_file: written once connections are accepted.
        database: the file that the games are kept in; None: nothing outlives the server.
    """

    host: str | None = None
    port: int = PORT
    limits: Limits = LIMITS
    connections_max: int = 2000
    address_connections_max: int = 16
    tables_max: int = 500
    tables: tuple[TablePlan, ...] = ()
    rules: dict[str, RuleSet] = field(default_factory=dict)
    own_rules: RuleSet | None = None
    pace_seconds: float | None = None
    between_seconds: float = 30.0
    terms: Terms = field(default_factory=Terms)
    hints: bool = True
    grace_seconds: float = 60.0
    fixed_seed: bytes | None = field(default=None, repr=False)
    password_digest: bytes | None = field(default=None, repr=False)
    tls: Certificate | None = None
    drain_seconds: float = 10.0
    exits_when_done: bool = False
    idle_seconds: float | None = None
    announces: bool = False
    announced_name: str | None = None
    exits_with_stdin: bool = False
    ready_file: Path | None = None
    database: Path | None = None
    log_format: Literal["text", "json"] = "text"
    log_level: str = "info"
