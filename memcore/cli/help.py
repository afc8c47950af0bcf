"""Help pages: commands in groups, what may stand for a name, and examples.

Typer's plain help and not its rich one, whose import takes longer than everything else that
`--help` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from memcore.cli.names import NAMES
from memcore.scale import LOCAL

Function = TypeVar("Function", bound=Callable[..., Any])


class Group(TyperGroup):
    """A group of commands, listed under the headings they were given."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands, a section a heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None) or "Commands"
            sections.setdefault(heading, []).append((name, command.get_short_help_str(limit=UNCUT)))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


UNCUT = 1000
"""Characters of a command's first sentence in a list: all of it."""


class Command(TyperCommand):
    """A command whose help ends with the names its options take and with examples."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments without the name of their type in Python, then options."""
        records: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is None:
                continue
            if param.param_type_name == "argument":
                records["Arguments"].append((param.metavar or param.name.upper(), record[1]))
            else:
                records["Options"].append(record)
        for heading, rows in records.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The sections after the options."""
        taken = [kind for kind in NAMES if any(param.metavar == kind for param in self.params)]
        if taken:
            with formatter.section("Names"):
                formatter.write_dl([(kind, ", ".join(NAMES[kind]())) for kind in taken])
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  memcore {line}\n")


class Repeating(Command):
    """A command whose `--rate` takes several numbers at once, which Typer's options cannot."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`--rate 0.8 0.5` as `--rate 0.8 --rate 0.5`."""
        spread: list[str] = []
        for word in args:
            follows = spread[-2:-1] == ["--rate"] and _is_number(word)
            spread += ["--rate", word] if follows else [word]
        return super().parse_args(ctx, spread)


class OnCluster(Command):
    """A command whose `--ray` may stand alone, which Typer's options cannot."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`--ray`, with no address behind it, as `--ray local`."""
        named: list[str] = []
        for word, following in zip(args, [*args[1:], "--"], strict=True):
            named += [word, LOCAL] if word == "--ray" and following.startswith("-") else [word]
        return super().parse_args(ctx, named)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def group(text: str) -> typer.Typer:
    """A group of commands with this help."""
    return typer.Typer(cls=Group, help=text, rich_markup_mode=None, add_completion=False)


def command(
    app: typer.Typer, name: str, *examples: str, heading: str, cls: type[Command] = Command
) -> Callable[[Function], Function]:
    """Make a function a command; each example is what follows `memcore`."""
    return app.command(name, cls=cls, epilog="\n".join(examples), rich_help_panel=heading)
