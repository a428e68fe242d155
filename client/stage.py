"""What the full screen remembers beside the model: what is selected, opened, typed and told.

The model is what the server said; the stage is what this person is doing with it. Painting looks
at both and changes neither.
"""

from dataclasses import dataclass, field
from typing import Literal

from mexican_train.protocol import Choice, CreateTable, StartRule, Tile

from .bots import strategy_names
from .bots.strategies import high_low, train_rank
from .entries import Topic
from .hand_order import HandOrder
from .model import Model

Cover = Topic | Literal["keys", "said"]
"""What lies over the trains: something that was asked for, the help, or a longer answer."""
NOTICES_MAX = 3
NOTICE_SECONDS = 15.0
"""After so long a notice goes with the next thing that happens."""
RULES = (
    *("classic", "official", "reference", "tournament", "bernie", "boxcar"),
    *("deluxe", "nm", "pagat", "spruce"),
)
"""The presets by name, to leaf through; a server may have more, which can be typed."""
STARTS: tuple[StartRule, ...] = ("ready", "full", "manual")


@dataclass(slots=True)
class Form:
    """A table that is about to be opened."""

    name: str = ""
    rules: str = ""
    """Empty: what the server plays."""
    seats: int = 4
    bots: int = 0
    strategy: str = "planner"
    start: StartRule = "ready"
    row: int = 0
    """Which of `ROWS` is being filled in."""

    ROWS = ("name", "rules", "seats", "bots", "strategy", "start", "open")

    @property
    def field(self) -> str:
        """What is being filled in."""
        return self.ROWS[self.row]

    def move(self, by: int) -> None:
        """Go to another row."""
        self.row = (self.row + by) % len(self.ROWS)

    def change(self, by: int) -> None:
        """The next or the last value of a row that has a list of them."""
        if self.field == "rules":
            self.rules = _neighbour(("", *RULES), self.rules, by)
        elif self.field == "seats":
            self.seats = max(2, min(14, self.seats + by))
            self.bots = min(self.bots, self.seats - 1)
        elif self.field == "bots":
            self.bots = max(0, min(self.seats - 1, self.bots + by))
        elif self.field == "strategy":
            self.strategy = _neighbour(strategy_names(), self.strategy, by)
        elif self.field == "start":
            self.start = STARTS[(STARTS.index(self.start) + by) % len(STARTS)]

    def type(self, text: str) -> None:
        """Put `text` at the end of a row that is typed."""
        if self.field == "name":
            self.name = (self.name + text)[:20]
        elif self.field == "rules":
            self.rules = (self.rules + text.strip())[:40]

    def erase(self) -> None:
        """Take the last character of a row that is typed away."""
        if self.field == "name":
            self.name = self.name[:-1]
        elif self.field == "rules":
            self.rules = self.rules[:-1]

    def command(self) -> CreateTable:
        """What to send; the name must not be empty."""
        return CreateTable(
            id=0,
            name=self.name.strip(),
            rules=self.rules or None,
            seats=self.seats,
            bots=[self.strategy] * self.bots,
            start=self.start,
        )


def _neighbour(values: tuple[str, ...], value: str, by: int) -> str:
    place = values.index(value) if value in values else 0
    return values[(place + by) % len(values)]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that was told below the trains."""

    sentence: str
    at: float


@dataclass(slots=True)
class Stage:
    """The state of the screen. `now` and the other times are seconds of one clock."""

    selected: Tile | None = None
    """A tile of the hand, higher end first."""
    target: str | None = None
    """The train that it is to go on."""
    asks_target: bool = False
    """Whether Enter was pressed while there were several."""
    order: HandOrder = field(default_factory=HandOrder)
    cover: Cover | None = None
    said: list[str] = field(default_factory=list)
    """The longer answer that `cover` "said" shows."""
    scroll: int = 0
    """Lines of the page above the first one that is shown."""
    typed: str | None = None
    """The entry line; None while it is closed and letters are keys."""
    cursor: int = 0
    notices: list[Notice] = field(default_factory=list)
    row: int = 0
    """The table that is selected in the lobby."""
    form: Form | None = None
    joining: str | None = None
    """The table whose rules are shown before sitting down there."""
    asks_quit: bool = False
    keeps_seat: bool = True
    """Whether the game goes on without this person."""
    has_mouse: bool = False
    is_cut: bool = False
    waiting: str = ""
    """What was chosen and is not answered yet, in words."""
    now: float = 0.0
    news_at: float = 0.0
    update_at: float = 0.0

    def clear_choice(self) -> None:
        """Nothing is selected any more."""
        self.selected = self.target = None
        self.asks_target = False

    def uncover(self) -> None:
        """Nothing lies over the trains any more."""
        self.cover = self.joining = None
        self.scroll = 0

    def notice(self, sentence: str) -> None:
        """Tell something below the trains; the oldest notices go first."""
        self.notices = [*self.notices, Notice(sentence, self.now)][-NOTICES_MAX:]

    def drop_old(self) -> None:
        """Forget what was told long enough ago to have been read."""
        kept = [each for each in self.notices if each.at > self.now - NOTICE_SECONDS]
        self.notices = kept


# --- questions about both ---------------------------------------------------------------------


def own_end(model: Model) -> int:
    """The number that the own train goes on with; that of the engine before it is begun."""
    view = model.view
    if view is None:
        return 0
    for train in view.trains:
        if train.owner is not None and train.owner == model.seat:
            return train.open_end
    return view.engine[1]


def arranged_hand(model: Model, stage: Stage) -> list[Tile]:
    """The hand as this person keeps it; a tile of the plan is turned as it would be laid."""
    return stage.order.arranged(own_end(model))


def train_order(model: Model) -> list[str]:
    """The trains from the top of the screen: the own one, the others in turn, the Mexican."""
    view = model.view
    if view is None:
        return []
    names = {train.train for train in view.trains}
    names |= {choice.train for choice in model.offers if choice.train is not None}
    seats = len(view.names)
    first = model.seat or 0

    def place(name: str) -> tuple[int, int]:
        number = int(name[1:])
        return (0, (number - first) % seats) if name[0] == "p" else (1, number)

    return sorted(names, key=place)


def targets_of(model: Model, tile: Tile | None) -> list[str]:
    """The trains that `tile` can go on now, or any tile of the hand where it is None."""
    found = {
        choice.train
        for choice in model.offers
        if choice.tile is not None
        and choice.train is not None
        and (tile is None or high_low(choice.tile) == tile)
    }
    return [train for train in train_order(model) if train in found]


def deeds_of(model: Model) -> list[Choice]:
    """The choices that lay no tile."""
    return [choice for choice in model.offers if choice.do != "play"]


def chosen(model: Model, stage: Stage) -> Choice | None:
    """The choice that the selection stands for; None while it stands for none or for several."""
    if stage.selected is None:
        return None
    targets = targets_of(model, stage.selected)
    train = stage.target if stage.target in targets else None
    if train is None and len(targets) == 1:
        train = targets[0]
    return next(
        (
            choice
            for choice in model.offers
            if choice.tile is not None
            and high_low(choice.tile) == stage.selected
            and choice.train == train
        ),
        None,
    )


def favourite(model: Model, targets: list[str]) -> str:
    """Of several targets the one to offer first: the own train, a Mexican one, another."""
    return min(targets, key=lambda train: train_rank(train, model.seat))


def clock_ms(model: Model, stage: Stage) -> int | None:
    """What is left of the time of whose turn it is; None where no clock runs."""
    update, table = model.update, model.table
    if update is None or update.deadline_ms is None or not model.is_playing:
        return None
    if table is not None and table.paused:
        return None
    return max(0, update.deadline_ms - round((stage.now - stage.update_at) * 1000))


def ticks(model: Model) -> bool:
    """Whether something on the screen counts seconds."""
    table = model.table
    if table is None:
        return False
    is_timed = model.update is not None and model.update.deadline_ms is not None
    is_away = any(seat.away_ms and not seat.present for seat in table.seats)
    return (is_timed and model.is_playing and not table.paused) or (
        is_away and table.state != "waiting"
    )
