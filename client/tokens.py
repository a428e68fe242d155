"""Where resume tokens are kept: one for each pair of server address and player name.

The rule: a new token is safe on the disk before any byte leaves on the connection that brought
it, so that a cut or a crash at any moment leaves one that the server still takes.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import trio

try:
    import fcntl
except ImportError:  # not on Windows: there nothing is claimed
    fcntl = None  # type: ignore[assignment]


HOLD_SECONDS = 20.0
"""Longer than a server may take to answer a hello."""
POLL_SECONDS = 0.02
LEFT_SECONDS = 60.0
"""A file that was written beside a token so long ago is no longer being written."""


class TokenStore(Protocol):
    """Keeps resume tokens. `address` is `HOST:PORT`, `name` the player's name."""

    def hold(self, address: str, name: str) -> AbstractAsyncContextManager[None]:
        """Keep others from this pair while a token is shown to the server and the next one saved.

        Two that did so at once could keep the older of two new tokens, which opens nothing.
        """

    async def load(self, address: str, name: str) -> bytes | None:
        """The token kept for this pair, or None."""

    async def save(self, address: str, name: str, token: bytes, *, tls: bool = False) -> None:
        """Keep `token` in place of an older one; durable on return. Raises `OSError`.

        `tls`: it was got by TLS, and is for no other eyes.
        """

    async def forget(self, address: str, name: str) -> None:
        """Drop the token of this pair, if there is one. Raises `OSError`."""


class MemoryTokens:
    """Tokens for as long as the program runs: for bots, tests and private games."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[str, str], bytes] = {}

    def hold(self, address: str, name: str) -> AbstractAsyncContextManager[None]:
        """As `TokenStore.hold`: there are no others."""
        del address, name
        return contextlib.nullcontext()

    async def load(self, address: str, name: str) -> bytes | None:
        """As `TokenStore.load`."""
        return self._tokens.get((address, name))

    async def save(self, address: str, name: str, token: bytes, *, tls: bool = False) -> None:
        """As `TokenStore.save`; never fails."""
        del tls
        self._tokens[address, name] = token

    async def forget(self, address: str, name: str) -> None:
        """As `TokenStore.forget`; never fails."""
        self._tokens.pop((address, name), None)


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """That a token is kept: whose, for the server at `address`, and when it was last renewed.

    Attributes:
        tls: the token was got by TLS.
        since: seconds since the epoch.
    """

    address: str
    name: str
    tls: bool
    since: float


class FileTokens:
    """Tokens in `folder`, one JSON file each, readable by the user alone (mode 0600).

    A file is written beside its place, synced, and moved over the old one. A file that cannot
    be read counts as no token.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_user(cls) -> "FileTokens":
        """Those in the platform's state folder."""
        import platformdirs  # noqa: PLC0415 - only the programs need it

        return cls(platformdirs.user_state_path("mexican-train", appauthor=False) / "tokens")

    def path(self, address: str, name: str) -> Path:
        """The file for this pair, whether it exists or not."""
        key = hashlib.sha256(f"{address}\0{name}".encode()).hexdigest()
        return self._folder / f"{key[:32]}.json"

    @contextlib.contextmanager
    def claim(self, address: str, name: str) -> Iterator[bool]:
        """Have this pair to oneself for the block; False where another claim on it lives.

        Programs that start by themselves ask for it, since a token in two hands makes each end
        the other's connection. A claim ends with its process, however that ends; where the folder
        cannot be written nothing is claimed, and the answer is True.
        """
        with lock_file(self.path(address, name).with_suffix(".lock")) as descriptor:
            yield try_to_lock(descriptor)

    @contextlib.asynccontextmanager
    async def hold(self, address: str, name: str) -> AsyncIterator[None]:
        """As `TokenStore.hold`; whoever holds it for too long is not waited for."""
        with lock_file(self.path(address, name).with_suffix(".held")) as descriptor:
            with trio.move_on_after(HOLD_SECONDS):
                while not try_to_lock(descriptor):  # noqa: ASYNC110 - another process has it
                    await trio.sleep(POLL_SECONDS)
            yield

    async def load(self, address: str, name: str) -> bytes | None:
        """As `TokenStore.load`."""
        return await trio.to_thread.run_sync(_read, self.path(address, name))

    async def save(self, address: str, name: str, token: bytes, *, tls: bool = False) -> None:
        """As `TokenStore.save`."""
        entry = {"address": address, "name": name, "token": token.hex(), "tls": tls}
        path = self.path(address, name)
        await trio.to_thread.run_sync(write_durably, path, json.dumps(entry).encode())

    async def forget(self, address: str, name: str) -> None:
        """As `TokenStore.forget`."""
        path = self.path(address, name)
        await trio.to_thread.run_sync(lambda: path.unlink(missing_ok=True))

    def seats(self) -> list[HeldSeat]:
        """What is kept here, the latest first."""
        found = [_held(path) for path in self._folder.glob("*.json")]
        return sorted((each for each in found if each), key=lambda each: -each.since)


class TokensOfOne:
    """The tokens of `store` for one server that is at another address each time."""

    def __init__(self, store: TokenStore, address: str) -> None:
        self._store = store
        self._address = address

    def hold(self, address: str, name: str) -> AbstractAsyncContextManager[None]:
        """As `TokenStore.hold`."""
        del address
        return self._store.hold(self._address, name)

    async def load(self, address: str, name: str) -> bytes | None:
        """As `TokenStore.load`."""
        del address
        return await self._store.load(self._address, name)

    async def save(self, address: str, name: str, token: bytes, *, tls: bool = False) -> None:
        """As `TokenStore.save`."""
        del address
        await self._store.save(self._address, name, token, tls=tls)

    async def forget(self, address: str, name: str) -> None:
        """As `TokenStore.forget`."""
        del address
        await self._store.forget(self._address, name)


def _held(path: Path) -> HeldSeat | None:
    try:
        entry = json.loads(path.read_bytes())
        tls = entry.get("tls") is True
        return HeldSeat(str(entry["address"]), str(entry["name"]), tls, path.stat().st_mtime)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@contextlib.contextmanager
def lock_file(path: Path) -> Iterator[int | None]:
    """A file for a lock that ends with the block or the process; None where it cannot be made.

    The file stays: removing it would let two hold it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_to_lock(descriptor: int | None) -> bool:
    """Lock a file of `lock_file` unless somebody holds it; true where nothing can be locked."""
    if descriptor is None:
        return True
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
    return True


def _read(path: Path) -> bytes | None:
    try:
        entry = json.loads(path.read_bytes())
        return bytes.fromhex(entry["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_durably(path: Path, content: bytes) -> None:
    """Put a file of mode 0600 in the place of an older one, whole and synced. Raises `OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.new")
    beside.unlink(missing_ok=True)
    _sweep(path)
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sweep(path: Path) -> None:
    """Remove what a program that was killed has left beside `path` while it wrote."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{path.stem}.*.new"):
            if left.stat().st_mtime < time.time() - LEFT_SECONDS:
                left.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` durable, where the system can do that (Windows cannot)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
