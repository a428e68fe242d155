"""The game at home that goes on another time: its store, its token, a note of how far it is.

There is one of each kind. Whoever plays it holds a lock, which its server inherits and so holds
for as long as it runs: two never play the same game, and a new one begins only when the server of
the old one has ended. The note is for the question whether to go on; the store alone is the truth.
"""

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from mexican_train.protocol import AnyServerMessage, TableLeft, TableNews, Update

from .tokens import FileTokens, TokensOfOne, TokenStore, lock_file, try_to_lock, write_durably

Kind = Literal["solo", "lan"]
RELEASE_SECONDS = 15.0
"""Longer than a server takes to stop once its client has gone."""
POLL_SECONDS = 0.02


class TakenError(Exception):
    """Another program plays the game; `pid` is its process, 0 if that is not known."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"process {pid} plays this game")
        self.pid = pid


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """How far a game is.

    Attributes:
        began: seconds since the epoch.
        name: under which its person plays.
        round, rounds: the round that was begun last, of so many.
        address: where its server listens for others; None if it does not.
        pid: its server, likewise.
        host, password_file: with which it was opened, likewise.
    """

    began: float
    name: str
    round: int = 0
    rounds: int = 0
    address: str | None = None
    pid: int | None = None
    host: str | None = None
    password_file: str | None = None

    @property
    def is_begun(self) -> bool:
        """Whether anything was dealt yet."""
        return self.round > 0


class KeptGame:
    """The files of one game: a folder in `place`, and beside it the lock."""

    def __init__(self, place: Path, kind: Kind) -> None:
        self._kind = kind
        self._folder = place / kind
        self._older = place / f"{kind}.old"
        self._lock = place / f"{kind}.lock"
        self._playing: Note | None = None

    @classmethod
    def of_user(cls, kind: Kind) -> "KeptGame":
        """The one in the platform's data folder."""
        import platformdirs  # noqa: PLC0415 - only needed for a game at home

        return cls(platformdirs.user_data_path("mexican-train", appauthor=False), kind)

    @property
    def database(self) -> Path:
        """The store of its server."""
        return self._folder / f"{self._kind}.db"

    @property
    def log(self) -> Path:
        """Where its server may write what it has to say."""
        return self._folder / "server.log"

    @property
    def hands(self) -> Path:
        """Where the order of the hand is kept."""
        return self._folder / "hands"

    @property
    def tokens(self) -> TokenStore:
        """The token of its person."""
        return TokensOfOne(FileTokens(self._folder / "tokens"), self._kind)

    @property
    def _note_file(self) -> Path:
        return self._folder / "game.json"

    # --- who plays it ---------------------------------------------------------------------

    @contextmanager
    def claimed(self) -> Iterator[int | None]:
        """Keep all others from the game; what a server inherits to do so for its own time.

        A server whose client has died is waited for. Raises `TakenError`.
        """
        with lock_file(self._lock) as descriptor:
            give_up_at = time.monotonic() + RELEASE_SECONDS
            while not try_to_lock(descriptor):
                holder = _pid_in(descriptor)
                if _is_alive(holder) or time.monotonic() > give_up_at:
                    raise TakenError(holder)
                time.sleep(POLL_SECONDS)  # another process ends: nothing but time tells
            note_holder(descriptor, os.getpid())
            self._settle()
            yield descriptor

    def is_free_after(self, seconds: float) -> bool:
        """Whether nobody plays it any more, at the latest after so long."""
        give_up_at = time.monotonic() + seconds
        with lock_file(self._lock) as descriptor:
            while not try_to_lock(descriptor):
                if time.monotonic() > give_up_at:
                    return False
                time.sleep(POLL_SECONDS)  # as above
        return True

    # --- how far it is --------------------------------------------------------------------

    def unfinished(self) -> Note | None:
        """The note of a game that can be gone on with, or None."""
        try:
            note = Note(**json.loads(self._note_file.read_bytes()))
            numbers = (note.began, note.round, note.rounds, note.pid or 0)
            texts = (note.name, note.address or "", note.host or "", note.password_file or "")
            is_sound = all(isinstance(each, str) for each in texts) and min(numbers) >= 0
        except (OSError, ValueError, TypeError):
            return None
        return note if is_sound and self.database.exists() else None

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Begin from nothing within the block; an older game is gone once another has begun there.

        Until then it is only set aside, and comes back at the end of the block, or when the game
        is claimed the next time. Raises `OSError` where no game can be kept.
        """
        self._settle()
        if self._folder.exists():
            self._folder.replace(self._older)
        self._folder.mkdir(mode=0o700, parents=True)
        self.database.touch(mode=0o600)
        try:
            yield
        finally:
            self._settle()

    def _settle(self) -> None:
        """Decide between the game and an older one that is set aside, if there is one."""
        if self._older.exists():
            gone = self._older if self._note_file.exists() else self._folder
            shutil.rmtree(gone, ignore_errors=True)
            with suppress(OSError):
                self._older.replace(self._folder)

    @property
    def is_left_unfinished(self) -> bool:
        """Whether what was begun here is to be gone on with."""
        return self._playing is not None and self._playing.is_begun

    def begin(self, note: Note) -> None:
        """Take `note` down, as soon as something is dealt where nothing is known but who plays."""
        self._playing = note
        if note.is_begun or note.address is not None:
            self._write(note)

    def follow(self, message: AnyServerMessage) -> None:
        """Learn from what the server says."""
        is_over = isinstance(message, TableLeft) or (
            isinstance(message, TableNews) and message.table.state == "over"
        )
        if isinstance(message, Update):
            is_over = message.view.phase == "over"
            if not is_over:
                self._note_round(message.view.round, message.view.rounds)
        if is_over and self._playing is not None and self._playing.is_begun:
            self._playing = replace(self._playing, began=time.time(), round=0, rounds=0)
            with suppress(OSError):
                self._note_end(self._playing)

    def _note_round(self, number: int, rounds: int) -> None:
        note = self._playing
        if note is not None and number != note.round:
            self._write(replace(note, round=number, rounds=rounds))

    def _note_end(self, note: Note) -> None:
        if note.address is None:
            self._note_file.unlink(missing_ok=True)
        else:
            self._write(note)

    def _write(self, note: Note) -> None:
        """Keep the note. A disk that takes none costs no more than the question the next time."""
        self._playing = note
        with suppress(OSError):
            write_durably(self._note_file, json.dumps(asdict(note)).encode())
            shutil.rmtree(self._older, ignore_errors=True)


def note_holder(descriptor: int | None, pid: int) -> None:
    """Write into a lock file who holds it, for whoever comes next."""
    if descriptor is not None:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, str(pid).encode())


def _pid_in(descriptor: int | None) -> int:
    if descriptor is None:
        return 0
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = os.read(descriptor, 20)
    return int(text) if text.isdigit() else 0


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
