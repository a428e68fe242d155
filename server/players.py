"""Players: names that cannot be mistaken for one another, resume tokens, answered commands.

A token is known by its SHA-256 alone and compared in constant time, before anything else is
touched. A name belongs to a player who is connected or holds a seat, and to nobody else.
"""

import hashlib
import hmac
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec
from mexican_train.protocol import ClientKind, Declined

from .effects import AnswerKind, CommandAnswered, PlayerForgotten, PlayerKnown

TOKEN_BYTES: Final = 32
NAME_CHARS_MAX: Final = 20
ANSWERS_KEPT: Final = 32
ROUND_TRIPS_KEPT: Final = 5
NEWER_TOKENS_MAX: Final = 4
"""Tokens of one player that were issued and not yet seen in use."""
IDLE_PLAYERS_MAX: Final = 10_000
"""Players known though neither connected nor seated; past it the longest gone are forgotten."""

_MARKS_IN_A_ROW_MAX: Final = 2
_INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
"""Drawn as nothing, though Unicode counts them as letters, marks or symbols."""
_LOOKALIKES: Final = str.maketrans(
    {
        **dict.fromkeys(
            "i\u01311|!\u00a6\u01c0\u04cf\u03b9\u0456\u0457\u013e\u013a\u05c0\u05d5\u2223", "l"
        ),
        **dict.fromkeys("0\u03bf\u043e\u0585\u05e1\u03c3\u0665\u06f5", "o"),
        **dict.fromkeys("\u0430\u03b1\u0251", "a"),
        **dict.fromkeys("\u044c\u0432", "b"),
        **dict.fromkeys("\u0441\u03f2\u1d04", "c"),
        **dict.fromkeys("\u0435\u03b5\u0454", "e"),
        **dict.fromkeys("\u04bb\u043d", "h"),
        **dict.fromkeys("\u0458\u03f3", "j"),
        **dict.fromkeys("\u043a\u03ba", "k"),
        **dict.fromkeys("\u043f\u03b7\u057c", "n"),
        **dict.fromkeys("\u0440\u03c1", "p"),
        **dict.fromkeys("\u0433\u1d26", "r"),
        **dict.fromkeys("\u0455\ua731", "s"),
        **dict.fromkeys("\u0442\u03c4", "t"),
        **dict.fromkeys("\u03c5\u057d\u1d1c", "u"),
        **dict.fromkeys("\u03bd\u0475", "v"),
        **dict.fromkeys("\u0445\u03c7\u00d7", "x"),
        **dict.fromkeys("\u0443\u03b3\u04af", "y"),
        **dict.fromkeys("\u051d\u0461\u03c9", "vv"),
        **dict.fromkeys("\u043c", "rn"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        "w": "vv",
        "m": "rn",
    }
)
"""Letters of other scripts, and of this one, that are read as one another.

Written as escapes, since nobody could tell them from Latin letters here.
"""
_LOOKALIKE_CAPITALS: Final = str.maketrans("\u0392\u0396\u0397\u039c\u039d\u03a5", "BZHMNY")
"""Greek capitals that are read as a Latin letter, where their small form is not, or as another."""


class BadName(ValueError):
    """The name cannot be used."""


def clean_name(raw: str) -> str:
    """The name as the server writes it: NFKC, single spaces, 1 to 20 printable characters.

    Raises:
        BadName: it is empty or too long, or has control characters, bidi controls, invisible
            letters, or more than two combining marks in a row.
    """
    name = " ".join(unicodedata.normalize("NFKC", raw).split(" ")).strip()
    name = " ".join(part for part in name.split(" ") if part)
    if not 1 <= len(name) <= NAME_CHARS_MAX:
        raise BadName(f"a name has 1 to {NAME_CHARS_MAX} characters")
    if not name.isprintable() or not any(letter.isalnum() for letter in name):
        raise BadName("a name is made of printable characters, a letter or digit among them")
    if any(letter in _INVISIBLE or _is_variation_selector(letter) for letter in name):
        raise BadName("a name has no invisible characters")
    if _longest_pile(name) > _MARKS_IN_A_ROW_MAX or unicodedata.combining(name[0]):
        raise BadName("a name has no piles of marks")
    return name


def clean_text(raw: str) -> str:
    """A line of chat that is safe to show; empty if nothing is left of it."""
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", raw):
        is_mark = unicodedata.category(letter).startswith("M")
        marks = marks + 1 if is_mark else 0
        if letter.isspace():
            kept.append(" ")
        elif letter.isprintable() and marks <= _MARKS_IN_A_ROW_MAX and letter not in _INVISIBLE:
            kept.append(letter)
    return " ".join("".join(kept).split())


@lru_cache(maxsize=4096)
def skeletons(name: str) -> frozenset[str]:
    """What is left of a name when letters that look alike are one: the keys of uniqueness.

    Two names that have one in common cannot be told apart. There are two where a capital looks
    like another letter than its small form does.
    """
    bare = _without_marks(unicodedata.normalize("NFKC", name))
    return frozenset(_folded(form) for form in (bare, bare.translate(_LOOKALIKE_CAPITALS)))


def _folded(name: str) -> str:
    return _without_marks(name.casefold()).translate(_LOOKALIKES)


def _without_marks(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _is_variation_selector(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _longest_pile(name: str) -> int:
    longest = run = 0
    for letter in name:
        run = run + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        longest = max(longest, run)
    return longest


class Answer(msgspec.Struct, frozen=True, gc=False):
    """How a command was answered, so that repeating it gets the same.

    Attributes:
        kind: what kind of message it was; `again` for a question, which is simply asked anew.
        declined: the message, where it was that.
        events: for `update` the numbers of its first and last event. The view that goes with
            them is the present one: an old one would take a client back in time.
    """

    kind: AnswerKind
    declined: Declined | None = None
    events: tuple[int, int] = (0, 0)


AGAIN: Final = Answer("again")
OK: Final = Answer("ok")
TABLE: Final = Answer("table")
PENDING: Final = Answer("pending")
"""Held back by the table; its answer is still to come."""
LOST: Final = Answer("pending")
"""Held back by the table before a crash: whoever repeats the command gives it anew."""


@dataclass(eq=False, slots=True)
class Player:
    """A person, bot or watcher known to the server.

    Attributes:
        number: names the player inside the server, for ever.
        confirmed_hash: of the last token that was seen in use; None: none was yet.
        newer_hashes: of those issued since, the newest last.
        generation: rises with each connection; tells two sockets of one player apart.
        round_trips: the seconds of the last few of the present one.
        table: the name of the table where the player sits or watches, or None.
        seats: the names of the tables that keep a seat for this player.
        is_house: the server's own bot, which needs no token.
        answers: by command id, the last `ANSWERS_KEPT`.
        unsaved: those of them that no transaction has stored yet.
        serial: how many answers were stored.
        muted: the numbers of those whom this player does not want to hear.
    """

    number: int
    name: str
    kind: ClientKind
    confirmed_hash: bytes | None = field(default=None, repr=False)
    newer_hashes: tuple[bytes, ...] = field(default=(), repr=False)
    generation: int = 0
    round_trips: tuple[float, ...] = ()
    is_connected: bool = False
    absent_since: float = 0.0
    is_house: bool = False
    table: str | None = None
    seats: set[str] = field(default_factory=set)
    last_id: int = 0
    answers: dict[int, Answer] = field(default_factory=dict)
    unsaved: dict[int, Answer] = field(default_factory=dict)
    serial: int = 0
    created_at: float | None = None
    said_at: deque[float] = field(default_factory=deque)
    nudged_at: float | None = None
    muted: set[int] = field(default_factory=set)

    @property
    def is_idle(self) -> bool:
        """Whether nothing would be lost with this player but the name."""
        return not self.is_connected and not self.seats and self.table is None

    def note_round_trip(self, seconds: float) -> None:
        """Take in how long an update and the answer to it were on their way."""
        self.round_trips = (*self.round_trips, seconds)[-ROUND_TRIPS_KEPT:]

    @property
    def round_trip(self) -> float | None:
        """How long an update and the answer to it are on their way; None: not measured yet.

        The middle one of the last few: a single answer that was late does not count.
        """
        ordered = sorted(self.round_trips)
        return ordered[len(ordered) // 2] if ordered else None

    def keep_answer(self, command: int, answer: Answer) -> None:
        """Remember how `command` was answered, as the newest; the oldest answers are dropped."""
        for kept in (self.answers, self.unsaved):
            kept.pop(command, None)
            kept[command] = answer
        while len(self.answers) > ANSWERS_KEPT:
            oldest = next(iter(self.answers))
            del self.answers[oldest]
            self.unsaved.pop(oldest, None)

    def answered(self) -> tuple[CommandAnswered, ...]:
        """The answers that are not stored yet, as facts; the newest last."""
        facts = []
        for command, answer in self.unsaved.items():
            facts.append(
                CommandAnswered(
                    self.number, command, self.serial, answer.kind, answer.declined, answer.events
                )
            )
            self.serial += 1
        self.unsaved.clear()
        return tuple(facts)

    def known(self) -> PlayerKnown:
        """This player as a fact to store."""
        hashes = (self.confirmed_hash, self.newer_hashes)
        return PlayerKnown(self.number, self.name, self.kind, *hashes, self.is_house)

    def recall(self, fact: CommandAnswered) -> None:
        """Know an answer again that was stored; they come in the order in which they were given."""
        answer = Answer(fact.kind, fact.declined, fact.events)
        self.answers[fact.command] = LOST if answer == PENDING else answer
        self.last_id = max(self.last_id, fact.command)
        self.serial = fact.serial + 1


class Players:
    """All players, by number and by name.

    `random_bytes(count)` is the only source of tokens.
    """

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self._random_bytes = random_bytes
        self._by_number: dict[int, Player] = {}
        self._by_skeleton: dict[str, Player] = {}
        self._last_number = 0

    def __getitem__(self, number: int) -> Player:
        return self._by_number[number]

    def get(self, number: int) -> Player | None:
        """The player of that number, or None."""
        return self._by_number.get(number)

    def __contains__(self, number: int) -> bool:
        return number in self._by_number

    def __iter__(self) -> Iterator[Player]:
        return iter(self._by_number.values())

    def __len__(self) -> int:
        return len(self._by_number)

    def named(self, name: str) -> Player | None:
        """The player whose name is read as this one, or None."""
        for each in sorted(skeletons(name)):
            if (player := self._by_skeleton.get(each)) is not None:
                return player
        return None

    def add(self, name: str, kind: ClientKind, *, is_house: bool = False) -> Player:
        """A new player under a clean name that is free."""
        self._last_number += 1
        player = Player(self._last_number, name, kind, is_house=is_house)
        self._by_number[player.number] = player
        self._by_skeleton |= dict.fromkeys(skeletons(name), player)
        return player

    def forget(self, player: Player) -> None:
        """Let a player and the name go."""
        del self._by_number[player.number]
        for each in skeletons(player.name):
            if self._by_skeleton.get(each) is player:
                del self._by_skeleton[each]

    def recall(self, fact: PlayerKnown | PlayerForgotten) -> None:
        """Know a player again as it was stored, as yet without answers and seats.

        A player who is known here already stays the same object.
        """
        self._last_number = max(self._last_number, fact.player)
        player = self._by_number.get(fact.player)
        if isinstance(fact, PlayerForgotten):
            if player is not None:
                self.forget(player)
            return
        if player is None:
            player = Player(fact.player, fact.name, fact.kind, is_house=fact.is_house)
            self._by_number[fact.player] = player
        self._by_skeleton |= dict.fromkeys(skeletons(fact.name), player)
        player.confirmed_hash, player.newer_hashes = fact.confirmed_hash, fact.newer_hashes
        player.last_id = player.serial = 0
        player.answers.clear()
        player.unsaved.clear()

    def free_name(self, base: str) -> str:
        """`base-1`, or with the first number that nobody's name has."""
        number = 1
        while self.named(f"{base}-{number}") is not None:
            number += 1
        return f"{base}-{number}"

    def issue_token(self, player: Player, presented: bytes | None = None) -> bytes:
        """A new token. Those before it count on until it is seen in use, the confirmed one first.

        Which of them the player holds is not known: any welcome may have been lost, and a hello
        may come late. Of those never seen in use the longest unmentioned goes, so the one that was
        `presented` now stays. None was: a seat code let the player in, and all older ones end.
        """
        token = self._random_bytes(TOKEN_BYTES)
        newer: list[bytes] = []
        if presented is None:
            player.confirmed_hash = None
        else:
            shown = hashlib.sha256(presented).digest()
            newer = [each for each in player.newer_hashes if each != shown]
            if shown != player.confirmed_hash:
                newer.append(shown)
        newer.append(hashlib.sha256(token).digest())
        player.newer_hashes = tuple(newer[-NEWER_TOKENS_MAX:])
        return token

    def overdue(self) -> list[Player]:
        """Once there are too many, a tenth more than that of the idle, the longest gone first."""
        if len(self._by_number) <= IDLE_PLAYERS_MAX:
            return []
        idle = [player for player in self if player.is_idle]
        idle.sort(key=lambda player: player.absent_since)
        return idle[: max(0, len(idle) - IDLE_PLAYERS_MAX * 9 // 10)]


def is_token_of(player: Player, token: bytes) -> bool:
    """Whether this is one of the player's tokens that still count."""
    digest = hashlib.sha256(token).digest()
    known = [player.confirmed_hash or b"", *player.newer_hashes]
    fitting = [each for each in known if hmac.compare_digest(digest, each)]
    return bool(fitting)


def is_token_confirmed(player: Player) -> bool:
    """Note that the newest token has arrived at its owner; whether that changed anything."""
    if not player.newer_hashes:
        return False
    player.confirmed_hash, player.newer_hashes = player.newer_hashes[-1], ()
    return True
