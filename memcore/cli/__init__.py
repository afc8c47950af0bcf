"""`python -m memcore`: the command line. What can be asked; `cli_commands` does it, `cli_text` prints it.

With `--json` exactly one JSON document goes to stdout; everything else goes to stderr. Exit codes:
0 ok, 1 failed, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from memcore.cli import commands as commands
from memcore.cli import evaluate as evaluate
from memcore.cli import evaluate_retrieval as evaluate_retrieval
from memcore.cli.text import (
    Document,
    fail,
    print_json,
    show_ask,
    show_doctor,
    show_history,
    show_plain,
    show_review,
    show_search,
    visible,
)
from memcore.domain.errors import MemcoreError, UsageError
from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE
from memcore.evaluation.ranking import KS
from memcore.evaluation.retrieval_datasets import DATASETS
from memcore.evaluation.topic_datasets import STREAM_TURNS
from memcore.exporting import FORMATS as FORMATS_OUT
from memcore.logs import FORMATS
from memcore.runtime.config import load_settings
from memcore.stages.segmentation.scores import METHODS
from memcore.systems.registry import RECIPES


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", " ".join(self.format_usage().split()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in arguments
    try:
        options = _parser().parse_args(arguments)
        settings = load_settings(options.store, llm=getattr(options, "llm", None))
        document: Document | None = options.run(settings, options)
    except MemcoreError as error:
        fail(error.cause, error.fix, as_json=as_json)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        fail("Stopped.", "Finished steps are kept; run it again to continue.", as_json=as_json)
        return 1
    if document is None:
        return 0
    if as_json:
        print_json(document)
    else:
        print(visible(options.show(document)))
    return 1 if document.get("failed") else 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="memcore", description="See, check and correct what an assistant remembers.")
    groups = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(
        name: str,
        run: commands.Command,
        text: str,
        show: Callable[[Document], str] = show_plain,
        under: Any = groups,
        *,
        owned: bool = False,
    ) -> argparse.ArgumentParser:
        sub: argparse.ArgumentParser = under.add_parser(name, help=text, description=text)
        sub.add_argument("--store", type=Path, default=None, metavar="DIR", help="the store's directory")
        if owned:
            sub.add_argument(
                "--owner", default=DEFAULT_OWNER, metavar="NAME", help="whose memory (default: me)"
            )
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(run=run, show=show)
        return sub

    ingest = command(
        "ingest",
        commands.opened(commands.ingest, makes_store=True),
        "Read conversation logs into memory.",
        owned=True,
    )
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    ingest.add_argument("--recipe", default="memscope", choices=sorted(RECIPES))
    ingest.add_argument("--llm", choices=("none", "ollama", "openai"))
    ingest.add_argument("--format", default="auto", choices=("auto", *FORMATS))
    ingest.add_argument(
        "--base-date", metavar="D", help="date of messages whose log states none (2023-05-08)"
    )

    search = command(
        "search",
        commands.opened(commands.search),
        "Find memories and the words they came from.",
        show_search,
        owned=True,
    )
    search.add_argument("query")
    search.add_argument("-k", type=int, default=10)
    search.add_argument("--as-of", metavar="TIME", help="answer from what was valid then (2023-05-08)")
    search.add_argument("--recipe", choices=sorted(RECIPES), help="search only what this recipe remembers")
    search.add_argument("--explain", action="store_true", help="add the plan and each view's ranking")

    ask = command(
        "ask",
        commands.opened(commands.ask),
        "Assemble the context for a question; answer it if a model is chosen.",
        show_ask,
        owned=True,
    )
    ask.add_argument("query")
    ask.add_argument("--budget", type=int, default=2000, metavar="TOKENS")
    ask.add_argument("--as-of", metavar="TIME")
    ask.add_argument("--recipe", choices=sorted(RECIPES), help="answer only from what this recipe remembers")
    ask.add_argument("--llm", choices=("none", "ollama", "openai"))

    consolidate = command(
        "consolidate",
        commands.opened(commands.consolidate),
        "Propose updates (nothing changes until approved).",
        owned=True,
    )
    consolidate.add_argument("--llm", choices=("none", "ollama", "openai"))
    consolidate.add_argument("--recipe", choices=sorted(RECIPES), help="only this recipe's memories")
    consolidate.add_argument(
        "--dry-run", action="store_true", help="say what would be proposed; store not even that"
    )
    consolidate.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="with --dry-run: which of these would retrieve differently (a line each, or a JSON list)",
    )
    consolidate.add_argument("-k", type=int, default=10, help="with --questions: results compared (10)")

    review = groups.add_parser("review", help="List, decide and undo proposals.")
    actions = review.add_subparsers(dest="action", required=True, parser_class=_Parser)
    listing = command(
        "list", commands.opened(commands.review_list), "Proposals.", show_review, actions, owned=True
    )
    listing.add_argument(
        "--state",
        default="pending",
        choices=("pending", "approved", "rejected", "applied", "superseded", "all"),
    )
    listing.add_argument("--recipe", choices=sorted(RECIPES), help="only of this recipe's memories")
    command(
        "show", commands.opened(commands.review_show), "One proposal with diff and evidence.", under=actions
    ).add_argument("id")
    for action in ("approve", "reject"):
        decide = command(
            action,
            commands.opened(commands.review_decide),
            f"{action.capitalize()} proposals.",
            under=actions,
        )
        decide.add_argument("ids", nargs="+", metavar="ID")
        decide.add_argument("--actor", default="person")
    edit = command(
        "edit",
        commands.opened(commands.review_edit),
        "Change the text a proposal would store.",
        under=actions,
    )
    edit.add_argument("id")
    edit.add_argument("--text", required=True)
    edit.add_argument("--actor", default="person")
    undo = command(
        "undo",
        commands.opened(commands.review_undo),
        "Undo an event and all that happened with it.",
        under=actions,
    )
    undo.add_argument("event")
    undo.add_argument("--actor", default="person")

    history = command(
        "history", commands.opened(commands.history), "What happened, newest last.", show_history
    )
    history.add_argument("object", nargs="?")
    history.add_argument("--limit", type=_count, metavar="N", help="only the newest N")

    export = command(
        "export", commands.opened(commands.export), "Write what is stored to a file, in one of many formats."
    )
    export.add_argument("--to", required=True, metavar="FILE")
    export.add_argument(
        "--format", default="jsonl", choices=tuple(FORMATS_OUT), help="default: jsonl, the whole store"
    )
    export.add_argument("--owner", metavar="NAME", help="only this owner's (default: everyone's)")
    export.add_argument("--recipe", choices=sorted(RECIPES), help="only what this recipe made")
    export.add_argument("--overwrite", action="store_true", help="replace FILE if it is there already")
    command(
        "import", commands.opened(commands.import_store, makes_store=True), "Read an exported store back."
    ).add_argument("file")
    served = command(
        "mcp",
        commands.mcp,
        "Serve other assistants over the Model Context Protocol, on stdin and stdout.",
        owned=True,
    )
    served.add_argument("--recipe", choices=sorted(RECIPES), help="serve only what this recipe remembers")
    command("reembed", commands.reembed, "Move a store to the embedding model that is now active.")

    measures = groups.add_parser("evaluate", help="Measure on annotated datasets.").add_subparsers(
        dest="measure", required=True, parser_class=_Parser
    )
    found = command(
        "retrieval",
        evaluate_retrieval.retrieval,
        "How well a recipe finds the evidence of annotated questions: LoCoMo, LongMemEval.",
        evaluate_retrieval.show_retrieval,
        measures,
    )
    found.add_argument("paths", nargs="+", metavar="PATH")
    found.add_argument("--dataset", required=True, choices=DATASETS)
    found.add_argument("--recipe", default=DEFAULT_RECIPE, choices=sorted(RECIPES))
    found.add_argument("-k", type=_ranks, default=KS, metavar="K,K...", help="ranks to score at")
    found.add_argument("--limit", type=_several, metavar="N", help="only the first N questions of each file")
    found.add_argument("--llm", choices=("none", "ollama", "openai"))
    kept = found.add_mutually_exclusive_group()
    kept.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help="where memories are kept (MEMSCOPE_CACHE, ~/.cache/memscope)",
    )
    kept.add_argument("--no-cache", action="store_true", help="build memories anew and keep none")
    topics = command(
        "segmentation",
        evaluate.segmentation,
        "Topic boundaries against known ones: TIAGE, DialSeg711, LongMemEval.",
        evaluate.show_segmentation,
        measures,
    )
    topics.add_argument("paths", nargs="+", metavar="PATH")
    topics.add_argument(
        "--method", action="append", choices=tuple(METHODS), help="only this one (repeatable; default: all)"
    )
    topics.add_argument(
        "--turns",
        type=_several,
        default=STREAM_TURNS,
        metavar="N",
        help=f"turns of each LongMemEval haystack (default: {STREAM_TURNS})",
    )
    topics.add_argument(
        "--limit", "--streams", type=_several, metavar="N", help="only the first N streams of each dataset"
    )
    answers = command(
        "compression",
        evaluate.compression,
        "What survives compression of what LoCoMo asks for.",
        evaluate.show_compression,
        measures,
    )
    answers.add_argument("paths", nargs="+", metavar="PATH")
    answers.add_argument("--rate", type=_share, nargs="+", metavar="R", help="shares of tokens to keep")

    command(
        "doctor", commands.doctor, "What is installed, active, reachable; is the store sound.", show_doctor
    )
    return parser


def _ranks(written: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, in order, each once."""
    return tuple(sorted({_several(one.strip()) for one in written.split(",")}))


def _several(written: str) -> int:
    return _whole(written, at_least=1)


def _count(written: str) -> int:
    return _whole(written, at_least=0)


def _whole(written: str, *, at_least: int) -> int:
    if not written.isdecimal() or int(written) < at_least:
        raise argparse.ArgumentTypeError(f"{written!r} is no whole number from {at_least} up")
    return int(written)


def _share(written: str) -> float:
    try:
        number = float(written)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{written!r} is no number above 0 and up to 1")
    return number
