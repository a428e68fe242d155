"""The line in which a person types an entry: text, cursor, what was typed before. Pure."""

from dataclasses import dataclass, field

HISTORY_MAX = 100
TYPED_CHARS_MAX = 1000
"""More than any entry may have."""


@dataclass(slots=True)
class EntryLine:
    """A line under the cursor. `press` edits it; whoever owns it takes Enter and Escape."""

    text: str = ""
    cursor: int = 0
    history: list[str] = field(default_factory=list)
    _past: int = 0
    """How many lines back in the history; 0: the one that is being typed."""
    _draft: str = ""

    def start(self, text: str = "") -> None:
        """Begin a new line with `text` in it."""
        self.text, self.cursor, self._past = text, len(text), 0

    def finish(self) -> str:
        """The line as it was typed; it goes into the history."""
        done = self.text
        if done.strip() and self.history[-1:] != [done]:
            self.history.append(done)
            del self.history[:-HISTORY_MAX]
        self.start()
        return done

    def insert(self, text: str) -> None:
        """Put `text` at the cursor: its first line, without what cannot be printed."""
        first = text.replace("\r", "\n").partition("\n")[0]
        kept = "".join(char for char in first if char.isprintable())
        kept = kept[: max(0, TYPED_CHARS_MAX - len(self.text))]
        self.text = self.text[: self.cursor] + kept + self.text[self.cursor :]
        self.cursor += len(kept)

    def press(self, key: str) -> bool:
        """Do what a key does in a line; whether it does anything."""
        if len(key) == 1:
            self.insert(key)
        elif key in ("left", "right", "home", "end", "c-a", "c-e", "c-b", "c-f"):
            self._go(key)
        elif key in ("backspace", "delete", "c-u", "c-k", "c-w"):
            self._cut(key)
        elif key in ("up", "down"):
            self._recall(1 if key == "up" else -1)
        else:
            return False
        return True

    def _go(self, key: str) -> None:
        end = len(self.text)
        self.cursor = {
            "left": max(0, self.cursor - 1),
            "c-b": max(0, self.cursor - 1),
            "right": min(end, self.cursor + 1),
            "c-f": min(end, self.cursor + 1),
            "home": 0,
            "c-a": 0,
            "end": end,
            "c-e": end,
        }[key]

    def _cut(self, key: str) -> None:
        """Take away: a character before or at the cursor, a word before it, all to one side."""
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        if key == "delete":
            after = after[1:]
        elif key == "c-k":
            after = ""
        elif key == "backspace":
            before = before[:-1]
        elif key == "c-u":
            before = ""
        else:
            before = before.rstrip()
            before = before[: before.rfind(" ") + 1]
        self.text, self.cursor = before + after, len(before)

    def _recall(self, by: int) -> None:
        past = max(0, min(len(self.history), self._past + by))
        if past == self._past:
            return
        if self._past == 0:
            self._draft = self.text
        self._past = past
        self.text = self.history[-past] if past else self._draft
        self.cursor = len(self.text)
