"""The options as the turn procedure reads them: a plain boolean or number each.

Made once a rule set. Reading `rules["doubles.extra_tile"] == "anywhere"` at every tile would
cost more than the tile.
"""

from dataclasses import dataclass
from functools import lru_cache

from .moves import MEXICAN, TRAINS_MAX
from .ruleset import RuleSet
from .tiles import TileMask, TileSet, tile_set


@dataclass(frozen=True, slots=True)
class Procedure:
    """The switches of `docs/rules.md`, by their option.

    The last ones sum others up: `announces` a knock or notice, `goes_on` a turn may have several
    tiles, `any_train` no option keeps a seat from an open train, `any_train_free` nor from starting
    a Mexican Train, so that by the length of `Round.ends` those below `mexican_reach` can be used;
    plays can be as `plain` has them (`plain`), in the first lap too (`plain_lap_one`), draws as
    well (`plain_draw`).
    """

    tiles: TileSet
    with_number: tuple[TileMask, ...]
    set_aside: bool
    search_all_draw: bool
    search_from_winner: bool
    engine_holder_first: bool
    one_per_open_train: bool
    must_play: bool
    build_own_train: bool
    own_only: bool
    starter_extra: bool
    starter_other_train: bool
    finish_lap: bool
    own_first_any: bool
    own_first_opponents: bool
    mexican_max: int
    mexican_any_turn: bool
    mexican_after_all: bool
    mexican_starter: bool
    until_playable: bool
    must_play_drawn: bool
    own_stuck: bool
    off_any_play: bool
    must_cover: bool
    extra_anywhere: bool
    draw_self: bool
    mark_self: bool
    draw_others: bool
    mark_others: bool
    many_doubles: bool
    cover_newest: bool
    cover_any: bool
    lapse_dead: bool
    lapse_empty: bool
    exempt_lap_one: bool
    out_uncovered: bool
    knock: bool
    foul_at_turn_end: bool
    penalty_tiles: int
    first_stuck: bool
    double_blank: int
    announces: bool
    goes_on: bool
    any_train: bool
    any_train_free: bool
    mexican_reach: tuple[int, ...]
    plain: bool
    plain_lap_one: bool
    plain_draw: bool


@lru_cache(maxsize=256)
def procedure_of(rules: RuleSet) -> Procedure:
    """The switches of a rule set."""
    tiles = tile_set(rules.number("set.max_pip"))
    reaches = rules.words("doubles.lapse")
    mexican_max = rules.number("mexican_train.max_trains") or tiles.max_pip
    one_tile = rules["turn.play_limit"] == "one"
    goes_on = (
        not one_tile
        or rules["first_turn.starter_extra"] != "no"
        or rules["first_turn.build_own_train"] is True
    )
    stuck = rules["marker.on"] == "stuck"
    must_play = rules["turn.must_play"] is True
    any_train = rules["first_turn.own_only"] is False and rules["train.own_first"] == "no"
    return Procedure(
        tiles=tiles,
        with_number=tiles.with_number,
        set_aside=rules["engine.source"] == "set_aside",
        search_all_draw=rules["engine.search"] == "all_draw",
        search_from_winner=rules["engine.search_from"] == "last_winner",
        engine_holder_first=rules["round.first_player"] == "engine_holder",
        one_per_open_train=rules["turn.play_limit"] == "one_per_open_train",
        must_play=must_play,
        build_own_train=rules["first_turn.build_own_train"] is True,
        own_only=rules["first_turn.own_only"] is True,
        starter_extra=rules["first_turn.starter_extra"] != "no",
        starter_other_train=rules["first_turn.starter_extra"] == "other_train",
        finish_lap=rules["first_turn.finish_lap"] is True,
        own_first_any=rules["train.own_first"] == "any",
        own_first_opponents=rules["train.own_first"] == "opponents",
        mexican_max=mexican_max,
        mexican_any_turn=rules["mexican_train.start"] in ("any_turn", "after_all_trains"),
        mexican_after_all=rules["mexican_train.start"] == "after_all_trains",
        mexican_starter=rules["mexican_train.start"] == "starter_first_lap",
        until_playable=rules["draw.limit"] == "until_playable",
        must_play_drawn=rules["draw.play_drawn"] == "must",
        own_stuck=rules["marker.on"] == "own_stuck",
        off_any_play=rules["marker.off"] == "any_play",
        must_cover=rules["doubles.must_cover"] is True,
        extra_anywhere=rules["doubles.extra_tile"] == "anywhere",
        draw_self=rules["doubles.draw_self"] is True,
        mark_self=rules["doubles.mark_self"] is True,
        draw_others=rules["doubles.draw_others"] is True,
        mark_others=rules["doubles.mark_others"] is True,
        many_doubles=rules["doubles.per_turn"] == "many",
        cover_newest=rules["doubles.cover_order"] == "newest_first",
        cover_any=rules["doubles.cover_order"] == "any",
        lapse_dead="dead_number" in reaches,
        lapse_empty="boneyard_empty" in reaches,
        exempt_lap_one=rules["doubles.first_turn_exempt"] is True,
        out_uncovered=rules["doubles.go_out_uncovered"] is True,
        knock=rules["announce.mode"] == "knock",
        foul_at_turn_end=rules["announce.deadline"] == "next_turn_end",
        penalty_tiles=rules.number("announce.penalty_tiles"),
        first_stuck=rules["round.blocked"] == "first_stuck",
        double_blank=rules.number("score.double_blank"),
        announces=rules["announce.mode"] != "off",
        goes_on=goes_on,
        any_train=any_train,
        mexican_reach=tuple(min(ends, MEXICAN + mexican_max) for ends in range(TRAINS_MAX + 2)),
        any_train_free=any_train and rules["mexican_train.start"] == "any_turn",
        plain=one_tile and stuck,
        plain_lap_one=one_tile and stuck and not goes_on,
        plain_draw=must_play and rules["draw.limit"] != "until_playable",
    )
