"""The bots of `mt-bot` and their tokens: who was killed comes back, who is done leaves nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
from mexican_train.client.bot_runner import play_as_first_free
from mexican_train.client.link import Link
from mexican_train.client.sdk import BotError, JoinDeclinedError, numbered
from mexican_train.client.tokens import FileTokens
from mexican_train.protocol import Hello, declined, refused

from .peers import HERE, TOKEN, ScriptedServer

NEWER = b"n" * 32


class Bots:
    """Bots that play one after the other from one folder, and whom they came as."""

    def __init__(self, folder: Path) -> None:
        self.tokens = FileTokens(folder)
        self.server = ScriptedServer()
        self.hellos: list[tuple[str, bytes | None]] = []
        self.played: list[str] = []

    async def answer(self, *answers: str) -> None:
        """Take one hello after the other: `""` welcomes it, a code refuses it."""
        for code in answers:
            peer = await self.server.accept()
            if not code:
                hello = await peer.greet(token=NEWER)
            else:
                message = await peer.receive()
                assert isinstance(message, Hello)
                hello = message
                await peer.send(refused(code))
            self.hellos.append((hello.name, hello.token))

    async def game(self, link: Link) -> None:
        """Note the name; the game is over."""
        await trio.lowlevel.checkpoint()
        assert await self.token(link.welcome.name) == NEWER
        self.played.append(link.welcome.name)

    async def play(self, names: Sequence[str], *answers: str) -> None:
        """A bot under one of `names`, at a server that answers so."""
        failure: BotError | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.answer, *answers)
            try:
                await play_as_first_free(
                    HERE, names, self.game, self.tokens, open_stream=self.server.open_stream
                )
            except BotError as error:
                failure = error
        if failure is not None:
            raise failure

    async def token(self, name: str) -> bytes | None:
        return await self.tokens.load(str(HERE), name)

    async def keep(self, name: str) -> None:
        """Leave a token behind, as a bot that was killed does."""
        await self.tokens.save(str(HERE), name, TOKEN)


@pytest.fixture
async def bots(tmp_path: Path) -> Bots:
    return Bots(tmp_path / "tokens")


async def test_a_bot_that_was_killed_comes_back_with_its_token(bots: Bots) -> None:
    """After the game the token is gone: the next bot of that name comes as a new one."""
    await bots.keep("Bot")
    await bots.play(["Bot"], "")
    assert await bots.token("Bot") is None
    await bots.play(["Bot"], "")
    assert bots.hellos == [("Bot", TOKEN), ("Bot", None)]


async def test_a_token_that_is_refused_gives_way_to_a_fresh_hello(bots: Bots) -> None:
    await bots.keep("Bot")
    await bots.play(["Bot"], "bad_token", "")
    assert bots.hellos == [("Bot", TOKEN), ("Bot", None)]


async def test_a_name_whose_token_is_here_is_tried_first(bots: Bots) -> None:
    await bots.keep("greedy-2")
    await bots.play(numbered("greedy"), "")
    await bots.play(numbered("greedy"), "name_taken", "")
    assert bots.hellos == [("greedy-2", TOKEN), ("greedy", None), ("greedy-2", None)]


async def test_two_bots_from_one_folder_never_share_a_name(bots: Bots) -> None:
    """The second would end the first one's connection: it takes the next name, or gives up."""
    await bots.keep("greedy")
    with bots.tokens.claim(str(HERE), "greedy"):
        await bots.play(numbered("greedy"), "")
        with pytest.raises(BotError, match="another mt-bot plays as greedy here"):
            await bots.play(["greedy"])
    assert bots.hellos == [("greedy-2", None)]
    assert await bots.token("greedy") == TOKEN


async def test_a_taken_name_is_told(bots: Bots) -> None:
    with pytest.raises(BotError, match="the name Bot is taken there"):
        await bots.play(["Bot"], "name_taken")


async def test_a_bot_that_is_stopped_in_a_game_keeps_its_token(bots: Bots) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bots.answer, "")

        async def stopped(link: Link) -> None:
            del link
            nursery.cancel_scope.cancel()
            await trio.sleep_forever()

        await play_as_first_free(
            HERE, ["Bot"], stopped, bots.tokens, open_stream=bots.server.open_stream
        )
    assert await bots.token("Bot") == NEWER


async def test_a_bot_without_a_table_leaves_no_token(bots: Bots) -> None:
    async def unseated(link: Link) -> None:
        del link
        await trio.lowlevel.checkpoint()
        raise JoinDeclinedError(declined(1, "no_such_table"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(bots.answer, "")
        with pytest.raises(JoinDeclinedError):
            await play_as_first_free(
                HERE, ["Bot"], unseated, bots.tokens, open_stream=bots.server.open_stream
            )
    assert await bots.token("Bot") is None
