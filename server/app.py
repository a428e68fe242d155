"""The server: listeners, connections under supervision, time, and a stop without loss.

`Server` works inside one nursery and needs no network: `serve_stream` takes any trio stream. A
fault in one connection, table or house bot is logged and ends there.
"""

import contextlib
import errno
import secrets
import socket
import ssl
import time
from collections import Counter
from functools import partial
from importlib.metadata import version
from typing import Final

import trio
from mexican_train.client import strategy_names
from mexican_train.protocol import FEATURES, Announcement, ServerConnection, goodbye, refused

from . import logs
from .certificates import Certificate
from .config import Config
from .desk import Desk
from .discovery import ZeroconfResponder, keep_announced, machine_name, service_of
from .effects import Report
from .house import House, advise, substitute
from .hub import Hub, open_hub
from .listeners import close_all, is_loopback, name_of, open_listeners, origin_of, tune
from .lobby import Lobby
from .lobby_settings import LobbySettings
from .session import Session
from .sqlite_store import SqliteStore
from .store import MemoryStore, Store
from .table_settings import TableSettings
from .tls_wire import NoTlsError, TlsWire
from .wires import SocketWire, StreamWire, Wire, WireClosedError

SWEEP_SECONDS: Final = 1.0
ACCEPT_PAUSE_SECONDS: Final = 0.1
"""After running out of descriptors or memory, before the next try."""
TURNED_AWAY_MAX: Final = 100
"""Told at a time that there is no room; past them a connection is closed without a word."""
DONE_GRACE_SECONDS: Final = 2.0
"""For clients to leave by themselves after the last game of `exits_when_done`."""
COME_BACK_SECONDS: Final = 10.0
"""For clients to come back where that game was over before a crash: a few tries of theirs."""
_FILL_STRATEGY: Final = "planner"
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Server:
    """One server.

    Start it with `await nursery.start(server.run)`; it ends after `stop()`. Without `listens` it
    opens no socket.

    Attributes:
        addresses: (host, port) of each listener, once started.
    """

    def __init__(
        self,
        config: Config,
        *,
        store: Store | None = None,
        log: logs.Log | None = None,
        listens: bool = True,
    ) -> None:
        self.config: Final = config
        self.addresses: list[tuple[str, int]] = []
        self.lobby: Final = Lobby(_lobby_settings(config))
        self._store: Final = store or _store(config)
        self._log: Final = log or logs.make_log(config.log_format, config.log_level)
        self._listens: Final = listens
        self._sessions: Final[set[Session]] = set()
        self._handshakes: Final[set[trio.CancelScope]] = set()
        self._by_origin: Final[Counter[str]] = Counter()
        self._connected = 0
        self._turned_away = 0
        self._stopping: Final = trio.Event()
        self._done: Final = trio.Event()
        self._left = trio.Event()
        self._nearer = trio.Event()
        self._armed_for: float | None = None
        self._desk: Desk | None = None
        self._hub: Hub | None = None
        self._log_emfile_at = float("-inf")
        self._company_at = float("-inf")

    # --- life -----------------------------------------------------------------------------

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until `stop()`, then say goodbye and return.

        Raises:
            ListenError: the address cannot be had.
            StoreError: something could not be stored.
            Decline: a table of the configuration cannot be opened.
        """
        listeners = self._listeners()
        try:
            async with trio.open_nursery() as services:
                async with trio.open_nursery() as connections:
                    desk = await self._start(services, connections)
                    accepting = [trio.CancelScope() for _ in listeners]
                    for listener, scope in zip(listeners, accepting, strict=True):
                        connections.start_soon(self._accept, listener, connections, scope)
                    task_status.started()
                    await self._stopping.wait()
                    for scope in [*accepting, *self._handshakes]:
                        scope.cancel()
                    close_all(listeners)
                    # what is not gone by then is cut
                    connections.cancel_scope.deadline = (
                        trio.current_time() + self.config.drain_seconds
                    )
                    await self._say_goodbye(desk)
                services.cancel_scope.cancel()
        finally:
            close_all(listeners)
            if self._hub is not None:
                self._hub.close()
            with trio.CancelScope(shield=True):
                await self._store.aclose()

    def _listeners(self) -> list[socket.socket]:
        if not self._listens:
            return []
        listeners = list(open_listeners(self.config.host, self.config.port))
        self.addresses = [name_of(listener) for listener in listeners]
        return listeners

    async def _start(self, services: trio.Nursery, connections: trio.Nursery) -> Desk:
        """Start what a running server consists of, and open its tables."""
        house = House(connections, self.serve_house_bot, log=self._log)
        desk = Desk(
            self.lobby,
            self._store,
            log=self._log,
            bots=house,
            on_report=self._on_report,
            on_deadline=self._on_deadline,
        )
        stored = await self._store.load()
        self._desk = desk
        self._company_at = trio.current_time()
        desk.follow(self.lobby.recover(stored, trio.current_time(), time.time()))
        if self.config.fixed_seed is not None:
            self._log.warning("all deals follow from a fixed seed: nothing is secret here")
        if self.config.password_digest is not None:
            self._log.info("a password is wanted")
        if self.config.tls is not None:
            self._log_certificate(self.config.tls)
        for plan in self.config.tables:
            effects = self.lobby.open_standing(plan, trio.current_time())
            desk.follow(effects)
        desk.follow(self.lobby.note_company(trio.current_time()))
        services.start_soon(self._keep_announced)
        for service in (desk.run, self._keep_time, self._sweep, self._stop_when_done):
            services.start_soon(service)
        self._hub = open_hub()
        if self._hub is not None:
            services.start_soon(self._hub.run)
        return desk

    def _log_certificate(self, certificate: Certificate) -> None:
        self._log.info("TLS only", fingerprint=certificate.fingerprint)
        if certificate.fault:
            self._log.warning("clients may not take the certificate", reason=certificate.fault)

    def stop(self) -> None:
        """Begin to stop; `run` returns when everybody has been told, or after the drain time."""
        self._stopping.set()

    async def _keep_announced(self) -> None:
        """Have clients on the network find the server, unless it serves this machine alone."""
        config = self.config
        is_local = all(is_loopback(host) for host, _ in self.addresses)
        if is_local or not config.announces:
            return
        announcement = Announcement(
            config.announced_name or machine_name(),
            tls=config.tls is not None,
            password=config.password_digest is not None,
        )
        await keep_announced(
            partial(service_of, announcement, self.addresses, is_everywhere=config.host is None),
            self._stopping.wait,
            log=self._log,
            responder=ZeroconfResponder(),
        )

    async def _say_goodbye(self, desk: Desk) -> None:
        """Tell everybody, and store what is under way; the last words are read meanwhile."""
        for session in list(self._sessions):
            session.warn_of_closing(round(self.config.drain_seconds))
        await desk.settle()
        for session in list(self._sessions):
            session.end(goodbye("shutdown"))
        desk.follow(self.lobby.put_away_finished())
        await desk.settle()

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` has been called."""
        return self._stopping.is_set()

    def _on_report(self, report: Report) -> None:
        is_end = report.event in {"game over", "table closed"}
        if is_end and self.config.exits_when_done and self.lobby.is_done:
            self._done.set()

    async def _stop_when_done(self) -> None:
        """Stop after the last game, when the players have had a moment to see it and to leave."""
        if self.config.exits_when_done and self.lobby.is_done:
            if self.lobby.is_awaited:
                await trio.sleep(COME_BACK_SECONDS)
            self._done.set()
        await self._done.wait()
        self._log.info("every table has finished")
        with trio.move_on_after(DONE_GRACE_SECONDS):
            while any(session.house_player is None for session in self._sessions):
                await self._left.wait()
        self.stop()

    # --- connections ----------------------------------------------------------------------

    async def serve_stream(self, stream: trio.abc.Stream) -> None:
        """Serve one connection over any stream, to its end."""
        await self._serve(StreamWire(stream))

    async def serve_house_bot(self, stream: trio.abc.Stream, player: int) -> None:
        """Serve a bot of this server's own."""
        await self._serve(StreamWire(stream), house_player=player)

    async def _serve(
        self, wire: Wire, *, house_player: int | None = None, origin: str = ""
    ) -> None:
        """One session under supervision: whatever it raises is logged and ends here."""
        if self._desk is None:
            raise RuntimeError("the server is not running")
        if self.is_stopping:  # all sessions that there are have been told
            await self._turn_away(wire, "shutdown")
            await wire.aclose()
            return
        session = Session(
            wire,
            self._desk,
            self.lobby,
            self.config.limits,
            log=self._log,
            house_player=house_player,
            origin=origin,
        )
        self._sessions.add(session)
        try:
            await session.run()
        except* Exception as failures:  # noqa: BLE001 - one net a connection: it ends here
            self._log.error("session failed", **logs.told(failures))
        finally:
            self._sessions.discard(session)
            self._left.set()
            self._left = trio.Event()

    async def _serve_socket(self, sock: socket.socket, address: str) -> None:
        wire = SocketWire(sock, self._hub)
        origin = origin_of(address)
        self._by_origin[origin] += 1
        is_full = self._is_full(origin, is_own=is_loopback(address))
        self._connected += not is_full
        self._turned_away += is_full
        try:
            if not is_full or self._turned_away <= TURNED_AWAY_MAX:
                await self.serve_wire(wire, origin, is_full=is_full)
        finally:
            self._connected -= not is_full
            self._turned_away -= is_full
            self._by_origin[origin] -= 1
            if not self._by_origin[origin]:
                del self._by_origin[origin]
            with trio.CancelScope(shield=True):
                await wire.aclose()

    def _is_full(self, origin: str, *, is_own: bool) -> bool:
        config = self.config
        if self._connected >= config.connections_max:
            return True
        return not is_own and self._by_origin[origin] > config.address_connections_max

    async def serve_wire(self, wire: Wire, origin: str, *, is_full: bool = False) -> None:
        """Serve a connection from `origin`, under TLS where the server wants it, to its end."""
        tls = self.config.tls
        secured = wire if tls is None else await self._shake_hands(wire, tls.context)
        if secured is not None:
            await (
                self._turn_away(secured, "server_full")
                if is_full
                else self._serve(secured, origin=origin)
            )

    async def _shake_hands(self, wire: Wire, context: ssl.SSLContext) -> Wire | None:
        """The wire under TLS; None where nothing came of it, whatever the peer did."""
        if self.is_stopping:
            return None
        scope = trio.move_on_after(self.config.limits.hello_seconds)
        self._handshakes.add(scope)
        try:
            with scope:
                secured = TlsWire(wire, context)
                await secured.shake_hands()
                return secured
            self._log.info(logs.BAD_PEER, code="slow")
        except NoTlsError:
            self._log.info(logs.BAD_PEER, code="no_tls")
            await self._turn_away(wire, "tls")
        except WireClosedError as error:
            if _is_fault_of_peer(error.__cause__):
                self._log.info(logs.BAD_PEER, code="bad_tls")
        except Exception as error:  # noqa: BLE001 - one net a connection: it ends here
            self._log.error("handshake failed", **logs.told(error))
        finally:
            self._handshakes.discard(scope)
        return None

    async def _turn_away(self, wire: Wire, code: str) -> None:
        """Say why to a connection that gets no session."""
        with trio.move_on_after(SWEEP_SECONDS), contextlib.suppress(WireClosedError):
            await wire.send_all(_refusal(code))
            await wire.send_eof()
            while await wire.receive():
                pass

    async def _accept(
        self, listener: socket.socket, connections: trio.Nursery, scope: trio.CancelScope
    ) -> None:
        """Take connections in, for ever; running out of descriptors only makes it wait."""
        with scope:
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    sock, peer = listener.accept()
                except OSError as error:
                    if error.errno in _EXHAUSTED:
                        self._log_exhausted()
                        await trio.sleep(ACCEPT_PAUSE_SECONDS)
                    continue
                tune(sock)
                address = str(peer[0]) if peer else ""
                connections.start_soon(self._serve_socket, sock, address)

    def _log_exhausted(self) -> None:
        """Say so once a minute: the line itself must not become the load."""
        now = trio.current_time()
        if now >= self._log_emfile_at + 60:
            self._log_emfile_at = now
            self._log.warning("no descriptors left for another connection")

    # --- time -----------------------------------------------------------------------------

    def _on_deadline(self) -> None:
        deadline = self.lobby.next_deadline()
        if deadline is not None and (self._armed_for is None or deadline < self._armed_for):
            self._nearer.set()

    async def _keep_time(self) -> None:
        """Have each table do what its time demands."""
        desk = self._desk
        while desk is not None:
            self._armed_for = self.lobby.next_deadline()
            self._nearer = trio.Event()
            until = float("inf") if self._armed_for is None else self._armed_for
            with trio.move_on_at(until):
                await self._nearer.wait()
            for table in self.lobby.due(trio.current_time()):
                desk.tick(table)

    async def _sweep(self) -> None:
        """Look at every session's stamps, and for company, once a second."""
        while True:
            await trio.sleep(SWEEP_SECONDS)
            now = trio.current_time()
            self._sweep_once(now)
            self._stop_when_idle(now)

    def _sweep_once(self, now: float) -> None:
        for session in list(self._sessions):
            session.sweep(now)

    def _stop_when_idle(self, now: float) -> None:
        """Stop if no person has been here for as long as the configuration says."""
        limit = self.config.idle_seconds
        if limit is None or self.lobby.has_company:
            self._company_at = now
        elif now >= self._company_at + limit and not self.is_stopping:
            self._log.info("nobody has been here for long", seconds=round(limit))
            self.stop()


def _store(config: Config) -> Store:
    return MemoryStore() if config.database is None else SqliteStore(config.database)


def _lobby_settings(config: Config) -> LobbySettings:
    names = strategy_names()
    return LobbySettings(
        table=TableSettings(
            random_bytes=secrets.token_bytes,
            pace_seconds=config.pace_seconds,
            between_seconds=config.between_seconds,
            bot_choice_seconds=config.limits.bot_choice_seconds,
            lag_credit_seconds=config.limits.lag_credit_ms_max / 1000,
            fixed_seed=config.fixed_seed,
            grace_seconds=config.grace_seconds,
            terms=config.terms,
            substitute=substitute,
            adviser=advise,
            hints=config.hints,
        ),
        limits=config.limits,
        rules=config.rules,
        own_rules=config.own_rules,
        strategies=sorted(names, key=lambda name: (name != _FILL_STRATEGY, name)),
        tables_max=config.tables_max,
        server_version=version("mexican-train"),
        features=FEATURES,
        password_digest=config.password_digest,
    )


def _is_fault_of_peer(cause: BaseException | None) -> bool:
    """Whether a peer broke TLS. One that does not take the certificate sends an alert or goes."""
    if not isinstance(cause, ssl.SSLError) or isinstance(cause, ssl.SSLEOFError):
        return False
    return "ALERT" not in (cause.reason or "")


def _refusal(code: str) -> bytes:
    return ServerConnection().send(refused(code))
