"""The options of a rule set: which there are, what each may be, and what each value means.

One table, `OPTIONS`, is the source for validation, the rule card, the documentation and the
command line. A rule set is a full mapping of these names; nothing here plays.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from .tiles import MAX_PIPS

OptionValue = bool | int | str | tuple[int, int] | tuple[str, ...]


class RuleSetError(ValueError):
    """A rule set, or a table that wants to play one, that cannot be.

    Attributes:
        code: `unknown_rules`, `unknown_option`, `bad_value`, `contradiction`, `bad_file`,
            `players` or `hand_size`.
        option: the option at fault, or None.
    """

    def __init__(self, code: str, option: str | None, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.option = option


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        name: `group.key`.
        default: the value where a preset is silent; that of `classic`.
        texts: by allowed value, the sentence on the rule card. A text for `int` covers every
            whole number from `least` on, with `{}` for the number.
        least, most: bounds of whole numbers, where they are allowed.
        kind: `choice`, `set` (any of the values) or `range` (lowest and highest).
    """

    name: str
    default: OptionValue
    texts: Mapping[bool | int | str, str]
    number_text: str = ""
    least: int = 0
    most: int = 0
    kind: str = "choice"

    def check(self, value: object) -> OptionValue:
        """The value in its one form; RuleSetError `bad_value` names what is allowed."""
        if self.kind == "range":
            return self._range(value)
        if self.kind == "set":
            return self._set(value)
        if isinstance(value, bool | str) and self._lists(value):
            return value
        if type(value) is int:
            if self._lists(value):
                return value
            if self.number_text and self.least <= value <= self.most:
                return value
        raise self._refuse(value)

    def _lists(self, value: bool | int | str) -> bool:
        """Whether `texts` has this very value: True is not 1 here."""
        return any(type(key) is type(value) and key == value for key in self.texts)

    def _range(self, value: object) -> tuple[int, int]:
        match value:
            case [int(low), int(high)] if self.least <= low <= high <= self.most:
                return (low, high)
        raise self._refuse(value)

    def _set(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list | tuple | set | frozenset) and all(
            isinstance(each, str) and each in self.texts and each != "none" for each in value
        ):
            return tuple(sorted(set(value)))
        raise self._refuse(value)

    def parse(self, text: str) -> OptionValue:
        """The value written on a command line: `yes`, `12`, `2-8`, `a+b`, `none`."""
        if self.kind == "range" and (span := re.fullmatch(r"(\d{1,4})-(\d{1,4})", text)):
            return self.check((int(span[1]), int(span[2])))
        if self.kind == "set":
            return self.check([] if text == "none" else text.split("+"))
        if text in ("yes", "no") and self._lists(text == "yes"):
            return text == "yes"
        if re.fullmatch(r"\d{1,9}", text):
            return self.check(int(text))
        return self.check(text)

    def write(self, value: OptionValue) -> str:
        """The value as `parse` reads it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if self.kind == "range" and isinstance(value, tuple):
            return "-".join(map(str, value))
        if self.kind == "set" and isinstance(value, tuple):
            return "+".join(map(str, value)) or "none"
        return str(value)

    def say(self, value: OptionValue) -> str:
        """The sentence on the rule card for a checked value."""
        if isinstance(value, tuple):
            if self.kind == "range":
                return self.number_text.format(*value)
            return " ".join(self.texts[str(each)] for each in value) or self.texts["none"]
        for key, text in self.texts.items():
            if type(key) is type(value) and key == value:
                return text
        return self.number_text.format(value)

    def allowed(self) -> str:
        """What may stand here, for an error or a table in the documentation."""
        if self.kind == "range":
            return f"{self.least}-{self.most} (lowest-highest)"
        words = [
            ("yes" if key else "no") if isinstance(key, bool) else str(key) for key in self.texts
        ]
        if self.number_text and self.kind == "choice":
            words.append(f"a number from {self.least} to {self.most}")
        return (" + " if self.kind == "set" else ", ").join(words)

    def _refuse(self, value: object) -> RuleSetError:
        shown = repr(value)[:40]
        hint = ""
        if isinstance(value, str):
            near = get_close_matches(value, [key for key in self.texts if isinstance(key, str)], 1)
            hint = f" Did you mean {near[0]}?" if near else ""
        return RuleSetError(
            "bad_value",
            self.name,
            f"{self.name} cannot be {shown}: allowed are {self.allowed()}.{hint}",
        )


def _yes_no(name: str, default: bool, yes: str, no: str) -> Option:
    return Option(name, default, {True: yes, False: no})


_ALL: Final = (
    Option(
        "set.max_pip",
        12,
        {pips: f"Played with a double-{pips} set." for pips in MAX_PIPS},
    ),
    Option("game.players", (2, 8), {}, "For {} to {} players.", 2, 14, "range"),
    Option(
        "deal.table",
        "common",
        {
            "common": "Hands: 15 tiles for up to 4 players, 12 for 5 or 6, 10 for 7 or 8, "
            "8 for 9 or 10.",
            "parsons": "Hands: 16 tiles for 2 or 3 players, then 15, 14, 12, 10, and 9 for 8.",
            "fundex": "Hands: 15 tiles for up to 4 players, 11 for 5 or 6, 8 for 7 or 8.",
            "cardinal": "Hands: 15 tiles for up to 4 players, 12 for 5 or 6, 11 for 7 or 8.",
            "nm": "Hands: 11 tiles, however many play.",
            "spruce": "Hands: 12 tiles for 4 to 6 players, 10 for 7 or 8.",
        },
    ),
    Option(
        "deal.hand_size",
        0,
        {0: "The size of a hand is that of the table of hands."},
        "Everybody is dealt {} tiles.",
        3,
        94,
    ),
    Option(
        "engine.source",
        "set_aside",
        {
            "set_aside": "The engine is taken out before the tiles are dealt.",
            "held": "The engine is dealt with the other tiles and laid by whoever holds it.",
        },
    ),
    Option(
        "engine.search",
        "in_turn",
        {
            "in_turn": "If nobody holds the engine, seats draw one tile each in turn until it "
            "appears, and keep what they drew.",
            "all_draw": "If nobody holds the engine, everybody draws one tile, again and again "
            "until it appears, and keeps what was drawn.",
        },
    ),
    Option(
        "engine.search_from",
        "first_seat",
        {
            "first_seat": "The first seat of the table draws first for the engine.",
            "last_winner": "The winner of the last round draws first for the engine.",
        },
    ),
    Option(
        "round.first_player",
        "rotate_left",
        {
            "engine_holder": "Whoever held the engine moves first.",
            "rotate_left": "The first move passes one seat to the left each round.",
        },
    ),
    Option(
        "turn.play_limit",
        "one",
        {
            "one": "One tile a turn.",
            "one_per_open_train": "One tile a turn on each train that is open to you.",
        },
    ),
    _yes_no(
        "turn.must_play",
        True,
        "If you can play, you must.",
        "You may draw or pass although you can play.",
    ),
    _yes_no(
        "first_turn.build_own_train",
        False,
        "In your first turn you may lay as many tiles as fit, end to end, on your own train.",
        "The first turn is a turn like any other.",
    ),
    _yes_no(
        "first_turn.own_only",
        False,
        "In the first lap you may play on your own train only.",
        "In the first lap you may play wherever the other rules allow.",
    ),
    Option(
        "first_turn.starter_extra",
        "no",
        {
            "no": "The first player has no extra tile.",
            "other_train": "The first player may lay a second tile in the first turn, on another "
            "train than the first.",
            "any_train": "The first player may lay a second tile in the first turn.",
        },
    ),
    _yes_no(
        "first_turn.finish_lap",
        False,
        "If somebody goes out in the first lap, the lap is still finished.",
        "Going out ends the round at once, in the first lap too.",
    ),
    Option(
        "train.own_first",
        "no",
        {
            "no": "You need not start your own train before you play elsewhere.",
            "any": "Until a tile lies on your own train you may play only there.",
            "opponents": "Until a tile lies on your own train you may not play on those of others.",
        },
    ),
    Option(
        "mexican_train.max_trains",
        1,
        {
            0: "There may be as many Mexican Trains as there are tiles to start them.",
            1: "There is one Mexican Train.",
        },
        "There may be {} Mexican Trains.",
        2,
        18,
    ),
    Option(
        "mexican_train.start",
        "any_turn",
        {
            "any_turn": "Anybody may start a Mexican Train in any turn.",
            "after_first_lap": "A Mexican Train may be started after the first lap.",
            "after_all_trains": "A Mexican Train may be started once every player's train has a "
            "tile.",
            "starter_first_lap": "In the first lap only the first player may start a Mexican "
            "Train, afterwards anybody.",
        },
    ),
    Option(
        "draw.limit",
        "one",
        {
            "one": "If nothing fits, draw one tile.",
            "until_playable": "If nothing fits, draw until something does.",
        },
    ),
    Option(
        "draw.play_drawn",
        "must",
        {
            "must": "A drawn tile that fits must be played.",
            "may": "A drawn tile that fits may be played or kept.",
        },
    ),
    Option(
        "marker.on",
        "stuck",
        {
            "stuck": "Your train is marked open when you cannot play anywhere.",
            "own_stuck": "Your train is marked open when you cannot play on it, even if you play "
            "elsewhere.",
        },
    ),
    Option(
        "marker.off",
        "own_play",
        {
            "own_play": "Your marker comes off when you play on your own train.",
            "any_play": "Your marker comes off when you play anywhere.",
        },
    ),
    _yes_no(
        "doubles.must_cover",
        True,
        "A double must be covered.",
        "A double is a tile like any other and need not be covered.",
    ),
    Option(
        "doubles.extra_tile",
        "on_double",
        {
            "on_double": "After a double you lay another tile, on the double.",
            "anywhere": "After a double you lay another tile, on the double or on any train that "
            "you may use.",
        },
    ),
    _yes_no(
        "doubles.draw_self",
        True,
        "If you cannot lay the tile after your double, you draw.",
        "If you cannot lay the tile after your double, you do not draw.",
    ),
    _yes_no(
        "doubles.mark_self",
        True,
        "If you still cannot, your train is marked open.",
        "Your train is not marked open for that.",
    ),
    _yes_no(
        "doubles.draw_others",
        True,
        "If you cannot cover another player's double, you draw.",
        "If you cannot cover another player's double, you do not draw.",
    ),
    _yes_no(
        "doubles.mark_others",
        True,
        "If you still cannot cover it, your train is marked open.",
        "Your train is not marked open for failing to cover.",
    ),
    Option(
        "doubles.per_turn",
        "one_open",
        {
            "one_open": "The tile after a double may not be another double.",
            "many": "The tile after a double may be another double.",
        },
    ),
    Option(
        "doubles.cover_order",
        "as_played",
        {
            "as_played": "Of several open doubles the oldest is covered first.",
            "newest_first": "Of several open doubles the newest is covered first.",
            "any": "Of several open doubles any may be covered.",
        },
    ),
    Option(
        "doubles.lapse",
        ("dead_number",),
        {
            "dead_number": "A double whose number is all on the table binds nobody.",
            "boneyard_empty": "Doubles bind nobody while the boneyard is empty.",
            "none": "A double binds until it is covered, or the round ends.",
        },
        kind="set",
    ),
    _yes_no(
        "doubles.first_turn_exempt",
        False,
        "Doubles laid in the first lap need no cover until the lap is over.",
        "Doubles laid in the first lap need a cover like any other.",
    ),
    _yes_no(
        "doubles.go_out_uncovered",
        True,
        "You may go out with a double.",
        "You cannot go out with a double that is not covered: you draw.",
    ),
    Option(
        "announce.mode",
        "off",
        {
            "off": "Nobody announces the last tile.",
            "notice": "When a player has one tile left, everybody is told.",
            "knock": "With one tile left you must knock, or be called foul.",
        },
    ),
    Option(
        "announce.deadline",
        "next_tile",
        {
            "next_tile": "A missing knock is foul once another player has laid a tile.",
            "next_turn_end": "A missing knock is foul once the next player's turn is over.",
        },
    ),
    Option(
        "announce.penalty_tiles",
        0,
        {0: "A foul costs no tile.", 1: "A foul costs one tile from the boneyard."},
        "A foul costs {} tiles from the boneyard.",
        2,
        10,
    ),
    Option(
        "round.blocked",
        "lap_stuck",
        {
            "lap_stuck": "The round is blocked when the boneyard is empty and nobody in a whole "
            "lap could do anything.",
            "first_stuck": "The round is over as soon as somebody must draw from an empty "
            "boneyard.",
        },
    ),
    Option(
        "score.double_blank",
        0,
        {value: f"The double blank left in a hand counts {value}." for value in (0, 25, 50)},
    ),
    Option(
        "game.rounds",
        "all",
        {"all": "One round for each double, down to the double blank."},
        "The game has {} rounds.",
        1,
        19,
    ),
    Option(
        "game.first_engine",
        "highest",
        {"highest": "The first engine is the highest double."},
        "The first engine is the double of {}.",
        0,
        18,
    ),
    Option(
        "game.tie",
        "shared",
        {
            "shared": "Equal totals share a place.",
            "zero_rounds": "Of equal totals the one with more rounds at zero is ahead, then the "
            "one with the smaller lowest other round.",
        },
    ),
)

OPTIONS: Final[Mapping[str, Option]] = {option.name: option for option in _ALL}
"""Every option by name, in the order of the rule card."""


def find_option(name: str) -> Option:
    """The option of that name; RuleSetError `unknown_option` names the nearest."""
    if name in OPTIONS:
        return OPTIONS[name]
    near = get_close_matches(name, OPTIONS, 1, 0.4)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise RuleSetError("unknown_option", name[:40], f"There is no option {name[:40]!r}.{hint}")


def parse_option(text: str) -> tuple[str, OptionValue]:
    """An option written `KEY=VALUE`; RuleSetError says what is wrong."""
    key, equals, value = text.partition("=")
    if not equals:
        raise RuleSetError("bad_value", None, f"{text[:40]!r} is no option: write KEY=VALUE.")
    return key.strip(), find_option(key.strip()).parse(value.strip())


def flatten(mapping: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    """The options of a mapping, flat or in groups as TOML tables give them."""
    for key, value in mapping.items():
        if isinstance(value, Mapping):
            for inner, each in value.items():
                yield f"{key}.{inner}", each
        else:
            yield key, value
