"""`memcore evaluate grounding`: whether sentences made wrong are told from those that their turns carry."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.cli.options import Json, Paths, make_backends, settings_of
from memcore.cli.output import Block, Document, Table, one_line, spaced, write
from memcore.cli.progress import reported
from memcore.inspection.shares import figure
from memcore.runtime.caller import here


def grounding(paths: Paths, as_json: Json = False) -> None:
    """Whether a statement's cited words carry it: LoCoMo's observations, as they are and made wrong."""
    from memcore.evaluation.grounding import grounding_document, judge_observations
    from memcore.evaluation.observations import read_observed

    conversations = [one for path in paths for one in read_observed(here(path))]
    embedder = make_backends()(settings_of(None)).embedder()
    with reported() as progress:
        judged = judge_observations(conversations, embedder, progress=progress)
    write({"files": list(paths), **grounding_document(judged)}, show_grounding, as_json=as_json)


def show_grounding(document: Document) -> Sequence[Block]:
    """A row for each way in which the sentences were made wrong, then the verdicts."""
    found, verdicts = document["found_at_5_percent_false_alarms"], document["verdicts"]
    area = "none" if document["auc"] is None else f"{document['auc']:.3f}"
    columns = list(next(iter(verdicts.values())))
    rows = [
        [
            made.replace("_", " "),
            str(document["corrupted"].get(made, document["sentences"])),
            _figure(found.get(made)),
            *(_figure(shares[verdict]) for verdict in columns),
        ]
        for made, shares in verdicts.items()
    ]
    files = ", ".join(map(one_line, document["files"]))
    return spaced(
        [
            [f"{document['dataset']} ({files}): {document['sentences']} sentences, ROC AUC {area}"],
            [Table(["", "sentences", "found", *columns], rows)],
            ["in percent; found: above 95 % of the sentences as they are"],
        ]
    )


def _figure(share: float | None) -> str:
    return "" if share is None else figure(share, 1)
