"""What all programs have in common: help that opens with an example, and their errors.

Whatever goes wrong is one line on standard error: exit code 2 for bad usage, 1 for a failure. At
Ctrl-C the program ends without a word, with the exit code that shells expect.
"""

import sys
from typing import Any

import click

INTERRUPTED = 130


class Failure(click.ClickException):
    """Something that went wrong though the usage was right."""

    exit_code = 1


class ExampleCommand(click.Command):
    """A program whose `--help` opens with examples, one a line."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then what click writes."""
        if self.examples:
            formatter.write("Example:\n" if len(self.examples) == 1 else "Examples:\n")
            formatter.write("".join(f"  {example}\n" for example in self.examples))
            formatter.write_paragraph()
        super().format_help(ctx, formatter)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command; as a program (`standalone_mode`) it ends the process."""
        run: Any = super().main
        if not extra.pop("standalone_mode", True):
            return run(*args, **extra, standalone_mode=False)
        try:
            code = run(*args, **extra, standalone_mode=False)
        except click.ClickException as error:
            click.echo(f"{self.name}: {' '.join(error.format_message().split())}", err=True)
            code = error.exit_code
        except click.Abort:
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


class ExampleGroup(ExampleCommand, click.Group):
    """A program with subcommands; each of them may be an `ExampleCommand`."""
