"""The options of a rule set: which there are, what each may be, and what each value means.

One table, `OPTIONS`, is the source for validation, the rule card, the documentation and the
command line. A rule set is a full mapping of these names; nothing here plays.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
        needs: another option and the value that it must have for this one to have an effect.
    """

    name: str
    default: OptionValue
    texts: Mapping[bool | int | str, str]
    number_text: str = ""
    least: int = 0
    most: int = 0
    kind: str = "choice"
    needs: tuple[str, OptionValue] | None = None

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
        if self.kind == "range" and (span := re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", text)):
            return self.check((int(span[1]), int(span[2])))
        if self.kind == "set":
            return self.check([] if text == "none" else text.split("+"))
        if text in ("yes", "no") and self._lists(text == "yes"):
            return text == "yes"
        if re.fullmatch(r"[0-9]{1,9}", text):
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
        if self.kind != "choice" and isinstance(value, str):
            form = '["dead_number"]' if self.kind == "set" else "[2, 8]"
            hint = f" In a file it is a list, as in {form}."
        elif value in ("yes", "no") and True in self.texts:
            hint = " In a file it is true or false."
        elif isinstance(value, str):
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
        {
            pips: f"The set is double-{pips}: {(pips + 1) * (pips + 2) // 2} tiles."
            for pips in MAX_PIPS
        },
    ),
    Option("game.players", (2, 8), {}, "For {} to {} players.", 2, 14, "range"),
    Option(
        "deal.table",
        "common",
        {
            "common": "In a double-12 set a hand has 15 tiles for 2 to 4 players, 12 for 5 or 6, "
            "10 for 7 or 8, and 8 for 9 or 10.",
            "parsons": "In a double-12 set a hand has 16 tiles for 2 or 3 players, 15 for 4, 14 "
            "for 5, 12 for 6, 10 for 7, and 9 for 8.",
            "fundex": "In a double-12 set a hand has 15 tiles for 2 to 4 players, 11 for 5 or 6, "
            "and 8 for 7 or 8.",
            "cardinal": "In a double-12 set a hand has 15 tiles for 2 to 4 players, 12 for 5 or "
            "6, and 11 for 7 or 8.",
            "nm": "In a double-12 set a hand has 11 tiles for 2 to 8 players.",
            "spruce": "In a double-12 set a hand has 12 tiles for 4 to 6 players, and 10 for 7 "
            "or 8.",
        },
    ),
    Option(
        "deal.hand_size",
        0,
        {0: "The size of a hand follows from the number of players."},
        "Every player is dealt {} tiles, however many play.",
        3,
        94,
    ),
    Option(
        "engine.source",
        "set_aside",
        {
            "set_aside": "The engine is taken out before the tiles are dealt.",
            "held": "The engine is dealt with the other tiles, and whoever holds it lays it.",
        },
    ),
    Option(
        "engine.search",
        "in_turn",
        {
            "in_turn": "If the engine was dealt with the other tiles and nobody holds it, players "
            "draw one tile each in turn until it appears; they keep what they draw.",
            "all_draw": "If the engine was dealt with the other tiles and nobody holds it, every "
            "player draws a tile, again and again until it appears; they keep what they draw.",
        },
    ),
    Option(
        "engine.search_from",
        "first_seat",
        {
            "first_seat": "The table's first seat is the first to draw in a search for the engine.",
            "last_winner": "The winner of the last round is the first to draw in a search for the "
            "engine; in round 1 it is the table's first seat.",
        },
    ),
    Option(
        "round.first_player",
        "rotate_left",
        {
            "engine_holder": "The player who laid the engine has the first turn.",
            "rotate_left": "The table's first seat has the first turn in round 1, the seat to its "
            "left in round 2, and so on.",
        },
    ),
    Option(
        "turn.play_limit",
        "one",
        {
            "one": "A turn has one tile, not counting the tile that must follow a double.",
            "one_per_open_train": "A turn may have one tile on each train that the player may "
            "use, not counting the tile that must follow a double.",
        },
    ),
    _yes_no(
        "turn.must_play",
        True,
        "A player who can play must lay a tile. Only the first tile of a turn is owed.",
        "A player who can play may draw instead, and may then pass; with nothing to draw, the "
        "player may pass at once.",
    ),
    _yes_no(
        "first_turn.build_own_train",
        False,
        "In the first lap a player may lay as many tiles as fit, end to end, on the own train.",
        "A player may not build a whole train in one turn of the first lap.",
    ),
    _yes_no(
        "first_turn.own_only",
        False,
        "In the first lap a player may play on the own train only, except to cover a double.",
        "In the first lap a player may play wherever the other rules allow it.",
    ),
    Option(
        "first_turn.starter_extra",
        "no",
        {
            "no": "The first player of a round may lay no more tiles than the others.",
            "other_train": "In the first turn of a round the player may lay a second tile, on "
            "another train than the first tile.",
            "any_train": "In the first turn of a round the player may lay a second tile, on any "
            "train that may be used.",
        },
    ),
    _yes_no(
        "first_turn.finish_lap",
        False,
        "If a player goes out in the first lap, the others still have their first turn; then the "
        "round ends.",
        "The round ends as soon as a player goes out, in the first lap too.",
    ),
    Option(
        "train.own_first",
        "no",
        {
            "no": "A player need not start the own train before playing elsewhere.",
            "any": "Until a tile lies on the own train, a player may play only there, except to "
            "cover a double.",
            "opponents": "Until a tile lies on the own train, a player may not play on the trains "
            "of others, except to cover a double.",
        },
    ),
    Option(
        "mexican_train.max_trains",
        1,
        {
            0: "There may be as many Mexican Trains as there are tiles to start them.",
            1: "There is at most one Mexican Train.",
        },
        "There may be up to {} Mexican Trains.",
        2,
        18,
    ),
    Option(
        "mexican_train.start",
        "any_turn",
        {
            "any_turn": "Any player may start a Mexican Train, in any turn.",
            "after_first_lap": "Any player may start a Mexican Train, but only after the first "
            "lap.",
            "after_all_trains": "Any player may start a Mexican Train, but only once a tile lies "
            "on every player's own train.",
            "starter_first_lap": "In the first lap only the first player may start a Mexican "
            "Train, even before the own train; after it any player may.",
        },
    ),
    Option(
        "draw.limit",
        "one",
        {
            "one": "A player who cannot play draws one tile.",
            "until_playable": "A player who cannot play draws until a tile fits or the boneyard "
            "is empty.",
        },
    ),
    Option(
        "draw.play_drawn",
        "must",
        {
            "must": "A drawn tile that fits must be played.",
            "may": "A drawn tile that fits may be played or kept, but where a double asks for it, "
            "it must be played.",
        },
    ),
    Option(
        "marker.on",
        "stuck",
        {
            "stuck": "A player who cannot play, even after drawing, puts a marker on the own "
            "train: now everybody may play there.",
            "own_stuck": "A player who had no tile for the own train in a turn puts a marker on "
            "it, even after playing elsewhere: now everybody may play there.",
        },
    ),
    Option(
        "marker.off",
        "own_play",
        {
            "own_play": "A marker comes off when its owner plays on the own train.",
            "any_play": "A marker comes off when its owner plays, on whatever train.",
        },
    ),
    _yes_no(
        "doubles.must_cover",
        True,
        "A double must be covered: while it is open, the next players may do nothing else.",
        "A double is a tile like any other and need not be covered.",
    ),
    Option(
        "doubles.extra_tile",
        "on_double",
        {
            "on_double": "A player who lays a double must lay another tile on it at once.",
            "anywhere": "A player who lays a double must lay another tile at once, on the double "
            "or on any other train that may be used.",
        },
    ),
    _yes_no(
        "doubles.draw_self",
        True,
        "A player who lays a double and has no tile to follow it draws.",
        "A player who lays a double and has no tile to follow it does not draw.",
    ),
    _yes_no(
        "doubles.mark_self",
        True,
        "A player who lays a double and in the end cannot follow it puts a marker on the own "
        "train.",
        "A player who lays a double and in the end cannot follow it puts no marker on the own "
        "train.",
    ),
    _yes_no(
        "doubles.draw_others",
        True,
        "A player whose turn begins with a double to cover, and who cannot cover it, draws.",
        "A player whose turn begins with a double to cover, and who cannot cover it, passes "
        "without drawing.",
    ),
    _yes_no(
        "doubles.mark_others",
        True,
        "A player whose turn begins with a double to cover, and who in the end cannot cover it, "
        "puts a marker on the own train.",
        "A player whose turn begins with a double to cover, and who in the end cannot cover it, "
        "puts no marker on the own train.",
    ),
    Option(
        "doubles.per_turn",
        "one_open",
        {
            "one_open": "The tile that follows a double may not be a double.",
            "many": "The tile that follows a double may be a double, which wants a tile to follow "
            "it in its turn.",
        },
    ),
    Option(
        "doubles.cover_order",
        "as_played",
        {
            "as_played": "Of several open doubles the one laid first must be covered first.",
            "newest_first": "Of several open doubles the one laid last must be covered first.",
            "any": "Of several open doubles any one may be covered first.",
        },
    ),
    Option(
        "doubles.lapse",
        ("dead_number",),
        {
            "dead_number": "A double binds nobody once all tiles with its number lie on the table.",
            "boneyard_empty": "No double binds anybody while the boneyard is empty.",
            "none": "A double binds until it is covered or the round ends.",
        },
        kind="set",
    ),
    _yes_no(
        "doubles.first_turn_exempt",
        False,
        "Doubles laid in the first lap bind nobody until the lap is over.",
        "Doubles laid in the first lap bind like any other.",
    ),
    _yes_no(
        "doubles.go_out_uncovered",
        True,
        "A player may go out with a double.",
        "A player whose last tile is a double that binds draws for it, and is out only if the "
        "drawn tile can follow the double or there is none to draw.",
    ),
    Option(
        "announce.mode",
        "off",
        {
            "off": "Nobody announces a last tile.",
            "notice": "Everybody is told when a player has one tile left.",
            "knock": "A player with one tile left must knock, or may be called foul.",
        },
    ),
    Option(
        "announce.deadline",
        "next_tile",
        {
            "next_tile": "A player who had to knock may be called foul once another player has "
            "laid a tile.",
            "next_turn_end": "A player who had to knock may be called foul once the next player's "
            "turn is over.",
        },
    ),
    Option(
        "announce.penalty_tiles",
        0,
        {
            0: "Whoever is called foul draws no tile for it.",
            1: "Whoever is called foul draws one tile for it.",
        },
        "Whoever is called foul draws {} tiles for it.",
        2,
        10,
    ),
    Option(
        "round.blocked",
        "lap_stuck",
        {
            "lap_stuck": "The round is blocked, and ends, when every player in turn has passed "
            "and nothing has changed.",
            "first_stuck": "The round is blocked, and ends, as soon as a player must draw and the "
            "boneyard is empty.",
        },
    ),
    Option(
        "score.double_blank",
        0,
        {
            0: "The double blank left in a hand counts nothing.",
            25: "The double blank left in a hand counts 25 points.",
            50: "The double blank left in a hand counts 50 points.",
        },
    ),
    Option(
        "game.rounds",
        "all",
        {"all": "There is one round for each double from the first engine to the double blank."},
        "Rounds in the game: {}.",
        1,
        19,
    ),
    Option(
        "game.first_engine",
        "highest",
        {"highest": "The first engine is the highest double of the set."},
        "The first engine is the {0}-{0}.",
        0,
        18,
    ),
    Option(
        "game.tie",
        "shared",
        {
            "shared": "Players with equal totals share the place.",
            "zero_rounds": "Of players with equal totals, the one with more rounds at zero is "
            "ahead, then the one whose lowest other round is lower; else they share the place.",
        },
    ),
)

_COVERED: Final = ("doubles.must_cover", True)
_NEEDS: Final[Mapping[str, tuple[str, OptionValue]]] = {
    "deal.table": ("deal.hand_size", 0),
    "engine.search": ("engine.source", "held"),
    "engine.search_from": ("engine.source", "held"),
    "first_turn.starter_extra": ("turn.play_limit", "one"),
    "announce.deadline": ("announce.mode", "knock"),
    "announce.penalty_tiles": ("announce.mode", "knock"),
    **{
        option.name: _COVERED
        for option in _ALL
        if option.name.startswith("doubles.") and option.name != _COVERED[0]
    },
}

OPTIONS: Final[Mapping[str, Option]] = {
    option.name: replace(option, needs=_NEEDS.get(option.name)) for option in _ALL
}
"""Every option by name, in the order of the rule card."""


def find_option(name: str) -> Option:
    """The option of that name; RuleSetError `unknown_option` names the nearest."""
    if name in OPTIONS:
        return OPTIONS[name]
    near = get_close_matches(name, OPTIONS, 1)
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
