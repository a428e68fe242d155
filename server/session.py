"""A session: one connection, from its first byte to its last word.

Everything that a peer can do wrong ends here, with a code, and touches nobody else. What comes is
taken in plain calls; what cannot be sent at once waits in a bounded outbox that one drain task
empties. No wait has a timeout of its own: activity is stamped, and `sweep` looks at the stamps.
"""

from collections import deque
from typing import Final

import trio
from mexican_train.protocol import (
    AnyClientMessage,
    AnyServerMessage,
    BadMessage,
    ClosingSoon,
    Done,
    Draw,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    Limits,
    LocalProtocolError,
    Pass,
    Play,
    Refused,
    RemoteProtocolError,
    ServerConnection,
    State,
    Update,
    declined,
    goodbye,
)

from . import logs
from .desk import Desk
from .lobby import Lobby
from .wires import Wire, WireClosedError

FAREWELL_SECONDS: Final = 2.0
"""For the last word to be read, before the wire is closed hard."""
FAREWELL_BYTES_MAX: Final = 64 * 1024
"""Read and thrown away meanwhile: closing over unread bytes would destroy the last word."""
BATCH_BYTES: Final = 64 * 1024
REPRIMANDS_MAX: Final = 200
"""Messages over the rate, answered `slow_down`, in one minute before `flood`."""
MINUTE: Final = 60.0


class Session:
    """One connection of a server.

    Attributes:
        player, generation: whose it is, from the welcome on.
        is_over: the last word is said, or the wire has gone.
    """

    def __init__(
        self,
        wire: Wire,
        desk: Desk,
        lobby: Lobby,
        limits: Limits,
        *,
        log: logs.Log,
        house_player: int | None = None,
        origin: str = "",
    ) -> None:
        self.player: int | None = None
        self.generation = 0
        self._house_player: Final = house_player
        self._origin: Final = origin
        self.is_over = False
        self._wire: Final = wire
        self._desk: Final = desk
        self._lobby: Final = lobby
        self._limits: Final = limits
        self._log: Final = log
        self._connection: Final = ServerConnection(
            hello_bytes_max=limits.hello_bytes_max, frame_bytes_max=limits.frame_bytes_max
        )
        now = trio.current_time()
        self._began_at: Final = now
        self._frame_since: float | None = None
        self._heard_at = now
        self._beat_at = now
        self._beats = 0
        self._is_beat_awaited = False
        self._is_token_seen = False
        self._allowance = float(limits.messages_burst)
        self._allowance_at = now
        self._free_turn = -1
        self._faults: Final[deque[float]] = deque()
        self._reprimands: Final[deque[float]] = deque()
        self._outbox: Final[deque[tuple[float, bytes]]] = deque()
        self._outbox_bytes = 0
        self._sending_since = now
        self._is_draining = False
        self._drained = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._reading: Final = trio.CancelScope()
        self._whole: Final = trio.CancelScope()

    @property
    def house_player(self) -> int | None:
        """The house bot that the server itself has at the other end, or None."""
        return self._house_player

    # --- life -----------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the connection to its end. Never raises an `Exception` of its own."""
        try:
            with self._whole:
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    with self._reading:
                        await self._read()
                    await self._farewell()
                    nursery.cancel_scope.cancel()
        finally:
            self.is_over = True
            self._connection.close()
            self._desk.gone(self)
            await self._wire.aclose()

    async def _read(self) -> None:
        """Take what comes, until the end of the stream or the last word."""
        try:
            await self._wire.deliver(self._hear)
        except WireClosedError:
            pass
        except Exception as error:  # noqa: BLE001 - one net a connection: it ends here
            self._fail(error)
        self.is_over = True

    def _hear(self, received: bytes) -> bool:
        """Take what has come, nothing at the end of the stream; whether more is wanted.

        What goes wrong ends this connection, whoever calls.
        """
        try:
            if received:
                self._take_bytes(received)
            else:
                self._connection.receive_eof()
                self.is_over = True
        except RemoteProtocolError as error:
            self._log.info(logs.BAD_PEER, code=error.code, length=error.length, player=self.player)
            reply = error.reply()
            if isinstance(reply, Goodbye | Refused):
                self.end(reply)
            self.is_over = True
        except Exception as error:  # noqa: BLE001 - one net a connection: it ends here
            self._fail(error)
        return not self.is_over

    def _fail(self, error: Exception) -> None:
        self._log.error("session failed", player=self.player, **logs.told(error))
        self.end(goodbye("internal"))

    async def _farewell(self) -> None:
        """Let the last word be read, for a moment."""
        with trio.move_on_after(FAREWELL_SECONDS):
            try:
                while self._is_draining:
                    await self._drained.wait()
                await self._wire.send_eof()
                left = FAREWELL_BYTES_MAX
                while left > 0 and (received := await self._wire.receive()):
                    left -= len(received)
            except WireClosedError:
                return

    def end(self, last_word: Goodbye | Refused) -> None:
        """Say the last word and close; the second time it does nothing."""
        if self.is_over:
            return
        try:
            framed = self._connection.send(last_word)
        except LocalProtocolError:
            framed = b""
        self.is_over = True
        if framed:
            self._post(framed)
        self._reading.cancel()

    def warn_of_closing(self, seconds: int) -> None:
        """Tell a peer that is past the welcome that the server stops."""
        if self._connection.state is State.OPEN:
            self.send(ClosingSoon(seconds=seconds))

    def abort(self) -> None:
        """Close at once, without a word."""
        self.is_over = True
        self._whole.cancel()

    # --- what comes in --------------------------------------------------------------------

    def _take_bytes(self, received: bytes) -> None:
        now = trio.current_time()
        came = False
        for message in self._connection.receive_data(received):
            came = True
            self._take(message, now)
            if self.is_over:
                return
        if came:
            self._heard_at = now
        if not self._connection.is_mid_frame:
            self._frame_since = None
        elif came or self._frame_since is None:
            self._frame_since = now

    def _take(self, message: AnyClientMessage | BadMessage, now: float) -> None:
        if isinstance(message, Hello):
            self._desk.hello(self, message, self._origin)
            return
        if not self._is_token_seen:
            self._is_token_seen = True
            self._desk.heard_from(self)
        if not self._may_pass(message, now):
            self._reprimand(message, now)
        elif isinstance(message, BadMessage):
            self._answer_bad(message, now)
        elif isinstance(message, HeartbeatAnswer):
            self._note_round_trip(message, now)
        else:
            self._desk.command(self, message)

    def _note_round_trip(self, answer: HeartbeatAnswer, now: float) -> None:
        """Hand the time since the last heartbeat to the core, once."""
        if answer.n == self._beats and self._is_beat_awaited and self.player is not None:
            self._is_beat_awaited = False
            self._lobby.note_round_trip(self.player, self.generation, now - self._beat_at)

    def _answer_bad(self, message: BadMessage, now: float) -> None:
        self.send(message.declined())
        if _count(self._faults, now) >= self._limits.faults_per_minute:
            self._log.info(logs.BAD_PEER, code="too_many_faults", player=self.player)
            self.end(goodbye("too_many_faults"))

    def _may_pass(self, message: AnyClientMessage | BadMessage, now: float) -> bool:
        """Take one from the allowance, which fills up with time; an owed move is free."""
        limits = self._limits
        filled = self._allowance + (now - self._allowance_at) * limits.messages_per_second
        self._allowance = min(float(limits.messages_burst), filled)
        self._allowance_at = now
        if self._is_owed(message):
            return True
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True

    def _is_owed(self, message: AnyClientMessage | BadMessage) -> bool:
        """Whether it is the move that this seat owes: the first try at each turn is free."""
        if not isinstance(message, Play | Draw | Pass | Done) or self.player is None:
            return False
        if message.turn == self._free_turn or not self._lobby.owes_move(self.player, message):
            return False
        self._free_turn = message.turn
        return True

    def _reprimand(self, message: AnyClientMessage | BadMessage, now: float) -> None:
        if _count(self._reprimands, now) >= REPRIMANDS_MAX:
            self._log.info(logs.BAD_PEER, code="flood", player=self.player)
            self.end(goodbye("flood"))
        elif isinstance(message, BadMessage):
            self._answer_bad(message, now)
        elif not isinstance(message, HeartbeatAnswer | Hello):
            self.send(declined(message.id, "slow_down"))

    # --- what goes out --------------------------------------------------------------------

    def send(self, message: AnyServerMessage) -> None:
        """Send a message; a peer that does not read is cut with `slow_consumer`.

        What cannot be sent is a fault of ours, and ends this connection alone.
        """
        if self.is_over:
            return
        try:
            framed = self._connection.send(message)
        except LocalProtocolError as error:
            self._fail(error)
        else:
            self._post(framed)

    def send_update(self, payload: bytes) -> None:
        """Send an encoded update, likewise."""
        if self.is_over:
            return
        try:
            framed = self._connection.send_encoded(payload, Update)
        except LocalProtocolError as error:
            self._fail(error)
        else:
            self._post(framed)

    def _post(self, framed: bytes) -> None:
        """Send at once if nothing waits, otherwise queue up."""
        if not self._is_draining:
            try:
                sent = self._wire.send_now(framed)
            except WireClosedError:
                self.abort()
                return
            if sent == len(framed):
                return
            framed = framed[sent:]
        self._outbox.append((trio.current_time(), framed))
        self._outbox_bytes += len(framed)
        if not self._is_draining and self._nursery is not None:
            self._is_draining = True
            self._drained = trio.Event()
            self._nursery.start_soon(self._drain)
        elif self._is_slow():
            self._cut_slow()

    def _is_slow(self) -> bool:
        limits = self._limits
        return (
            self._outbox_bytes > limits.outbox_bytes_max
            or len(self._outbox) > limits.outbox_frames_max
        )

    def _cut_slow(self) -> None:
        """Throw away what was not begun to be sent, and say why."""
        if self.is_over:
            return
        self._log.info(logs.BAD_PEER, code="slow_consumer", player=self.player)
        self._outbox.clear()
        self._outbox_bytes = 0
        self.end(goodbye("slow_consumer"))

    async def _drain(self) -> None:
        """Empty the outbox. Cancelled or failing, it leaves half a frame: the wire is closed."""
        try:
            while self._outbox:
                self._sending_since, batch = self._next_batch()
                await self._wire.send_all(batch)
                self._outbox_bytes = max(0, self._outbox_bytes - len(batch))
        except WireClosedError:
            self.abort()
        finally:
            self._is_draining = False
            self._drained.set()

    def _next_batch(self) -> tuple[float, bytes]:
        """Whole frames off the outbox, joined, and when the oldest of them came."""
        since, first = self._outbox.popleft()
        if not self._outbox or len(first) > BATCH_BYTES:
            return since, first
        frames, length = [first], len(first)
        while self._outbox and length < BATCH_BYTES:
            _, following = self._outbox.popleft()
            frames.append(following)
            length += len(following)
        return since, b"".join(frames)

    # --- time -----------------------------------------------------------------------------

    def sweep(self, now: float) -> None:
        """Look at the stamps; called about once a second."""
        limits = self._limits
        if self.is_over:
            return
        if self._connection.state is State.AWAIT_HELLO:
            if now >= self._began_at + limits.hello_seconds:
                self._give_up("slow")
        elif self._frame_since is not None and now >= self._frame_since + limits.frame_seconds:
            self._give_up("slow")
        elif self._is_draining and now >= self._sending_since + limits.outbox_seconds:
            self._cut_slow()
        elif now >= self._heard_at + limits.silence_seconds:
            self._give_up("silent")
        elif not self._beats or now >= self._beat_at + limits.heartbeat_seconds:
            self._beat(now)  # the first at once: it measures the connection

    def _beat(self, now: float) -> None:
        self._beat_at = now
        if self._connection.state is State.OPEN:
            self._beats += 1
            self._is_beat_awaited = True
            self.send(Heartbeat(n=self._beats))

    def _give_up(self, code: str) -> None:
        self._log.info(logs.BAD_PEER, code=code, player=self.player)
        self.end(goodbye(code))


def _count(times: deque[float], now: float) -> int:
    """Note one more of something, and how many of it there were within a minute."""
    times.append(now)
    while times[0] <= now - MINUTE:
        times.popleft()
    return len(times)
