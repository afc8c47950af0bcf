"""Datasets with known topic shifts: what each format means, and what is refused."""

from __future__ import annotations

import json
import lzma

import pytest

from memcore.domain.errors import LogError, UsageError
from memcore.evaluation.topic_datasets import Stream, read_topic_datasets


@pytest.fixture
def write(tmp_path):
    """A file in the test's directory: text as it is, anything else as JSON, xz-packed by its name."""

    def to(name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(text.encode()) if name.endswith(".xz") else text.encode())
        return path

    return to


def read(*paths, **options):
    return read_topic_datasets(paths, **options)


def streams(*paths, **options):
    (dataset,) = read(*paths, **options)
    return list(dataset.streams)


def turns(*texts, **extra):
    return [{"role": ("user", "assistant")[i % 2], "content": t, **extra} for i, t in enumerate(texts)]


def haystack(*sessions, **extra):
    return {"question_id": "q", "haystack_sessions": [turns(*texts) for texts in sessions], **extra}


TEA, RAIN, CATS = ("tea?", "green tea."), ("rain?", "all week.", "oh no."), ("cats?", "two.")


# ---------------------------------------------------------------- TIAGE


def test_tiage_label_1_starts_a_topic(write):
    path = write(
        "anno_dev.json",
        {
            "7": [["hello", "-1"], ["hi", "0"], ["i like cats", "1"], ["me too", "0"], ["bye", "1"]],
            "8": [["yes", -1], ["no", 0]],
        },
    )
    (dataset,) = read(path)
    assert (dataset.name, dataset.file) == ("tiage", str(path))
    assert dataset.streams == (
        Stream(("hello", "hi", "i like cats", "me too", "bye"), (2, 4)),
        Stream(("yes", "no"), ()),
    )


@pytest.mark.parametrize(
    ("dialogues", "where"),
    [
        ({"1": [["a", "-1"], ["b", "0"]], "2": [["a", "-1"], ["b"]]}, "dialogue 2 turn 2"),
        ({"1": [["a", "-1"], ["b", "2"]]}, "dialogue 1 turn 2"),
        ({"1": [["a", "-1"], [None, "1"]]}, "dialogue 1 turn 2"),
        ({"1": [["a", "-1"]], "2": "b"}, "dialogue 2"),
    ],
)
def test_tiage_says_where_it_is_damaged(write, dialogues, where):
    with pytest.raises(LogError) as refused:
        read(write("anno_dev.json", dialogues))
    assert (refused.value.file, refused.value.where) == ("anno_dev.json", where)
    assert "anno_dev.json" in refused.value.cause and where in refused.value.cause


# ---------------------------------------------------------------- DialSeg711

TRAIN = {"dial_id": 0, "utterances": ["a train", "when?", "at noon", "rain?", "no"], "segments": [3, 2]}
TAXI = {"dial_id": 1, "utterances": ["taxi", "where?"], "segments": [1, 1], "set": "test"}
BOTH = [
    Stream(("a train", "when?", "at noon", "rain?", "no"), (3,)),
    Stream(("taxi", "where?"), (1,)),
]


@pytest.mark.parametrize(
    "content",
    [
        [TRAIN, TAXI],
        {"0": TRAIN, "1": TAXI},
        f"{json.dumps(TRAIN)}\n{json.dumps(TAXI)}\n",
        "call_id_0\n0 a train\n0 when?\n0 at noon\n1 rain?\n1 no\ncall_id_1\n0 taxi\n1 where?\n",
    ],
    ids=["list", "object", "lines", "numbered text"],
)
def test_dialseg_segments_are_sizes_in_every_way_it_is_published(write, content):
    (dataset,) = read(write("dialseg_711.json", content))
    assert dataset.name == "dialseg711"
    assert list(dataset.streams) == BOTH


def test_one_dialseg_dialogue_is_a_dataset(write):
    assert streams(write("one.json", TAXI)) == BOTH[1:]


def test_dialseg_texts_part_topics_with_equals_signs_a_dialogue_a_file(write, tmp_path):
    write("texts/0.txt", "a train\nwhen?\nat noon\n================\nrain?\nno\n")
    write("texts/1.txt", "taxi\n================\nwhere?\n================\n")
    assert streams(tmp_path / "texts") == BOTH
    assert streams(tmp_path / "texts" / "1.txt") == BOTH[1:]


@pytest.mark.parametrize(
    "wrong",
    [{"segments": [3, 3]}, {"segments": [5, 0]}, {"segments": "3 2"}, {"utterances": ["a", None]}],
)
def test_dialseg_says_where_it_is_damaged(write, wrong):
    with pytest.raises(LogError) as refused:
        read(write("dialseg.json", [TRAIN, TAXI | wrong]))
    assert (refused.value.file, refused.value.where) == ("dialseg.json", "record 2")


def test_numbered_text_says_which_line_has_no_number(write):
    with pytest.raises(LogError) as refused:
        read(write("reference.txt", "call_id_0\n0 taxi\nwhere?\n"))
    assert refused.value.where == "line 3"


# ---------------------------------------------------------------- LongMemEval


def test_a_haystack_is_its_sessions_one_after_the_other(write):
    (dataset,) = read(write("longmemeval_s.json", [haystack(TEA, RAIN, CATS)]))
    assert dataset.name == "longmemeval"
    assert dataset.streams == (Stream((*TEA, *RAIN, *CATS), (2, 5)),)


def test_a_haystack_is_cut_after_so_many_turns(write):
    path = write("official.json", [haystack(TEA, RAIN, CATS)])
    assert streams(path, turns=6) == [Stream((*TEA, *RAIN, "cats?"), (2, 5))]
    assert streams(path, turns=5) == [Stream((*TEA, *RAIN), (2,))], "a cut is no shift"
    assert streams(path, turns=4) == [Stream((*TEA, "rain?", "all week."), (2,))]


def test_identical_haystacks_are_evaluated_once_and_limit_counts_what_is_left(write):
    first, second = haystack(TEA, RAIN), haystack(RAIN, TEA)
    path = write("official.json", [first, first, second])
    assert len(streams(path)) == 2
    assert streams(path, limit=2) == streams(path)
    assert streams(path, limit=1) == streams(path)[:1]


def test_turns_and_sessions_without_text_are_none(write):
    path = write("official.json", [haystack(TEA, ("  ", ""), ("rain?", " ", "no."))])
    assert streams(path) == [Stream((*TEA, "rain?", "no."), (2,))]


@pytest.fixture
def joined(write, tmp_path):
    """A questions file with the sessions beside it."""
    sessions = {"s1": TEA, "s2": RAIN, "answer_s3": CATS}
    lines = [json.dumps({"id": name, "turns": turns(*texts)}) for name, texts in sessions.items()]
    write("sessions_dev.jsonl.xz", "\n".join(lines))
    asked = [{"question_id": "q", "haystack_session_ids": ["s2", "answer_s3", "s1"]}]
    return write("questions_dev.json", asked)


def test_sessions_beside_the_questions_are_joined_by_id(joined, tmp_path):
    expected = [Stream((*RAIN, *CATS, *TEA), (3, 5))]
    assert streams(joined) == expected
    assert streams(tmp_path) == expected, "their directory is the same dataset"
    assert streams(joined, tmp_path / "sessions_dev.jsonl.xz") == expected, "and so are both files"


def test_sessions_alone_are_no_dataset(joined, tmp_path):
    with pytest.raises(UsageError, match="haystack_session_ids"):
        read(tmp_path / "sessions_dev.jsonl.xz")


def test_questions_without_their_sessions_say_what_is_missing(joined, tmp_path):
    (tmp_path / "sessions_dev.jsonl.xz").unlink()
    with pytest.raises(LogError, match="sessions that it does not contain"):
        read(joined)


def test_a_session_that_no_file_has_is_named(write, joined):
    write("questions_dev.json", [{"haystack_session_ids": ["s1", "s9"]}])
    with pytest.raises(LogError) as refused:
        read(joined)
    assert refused.value.where == "record 1 session 2"
    assert "'s9'" in refused.value.cause


@pytest.mark.parametrize(
    ("session", "where"),
    [
        ("no list", "record 1 session 2"),
        ([{"role": "user"}], "record 1 session 2 turn 1"),
        ([*turns("a"), "b"], "record 1 session 2 turn 2"),
    ],
)
def test_a_damaged_haystack_says_where(write, session, where):
    record = haystack(TEA) | {"haystack_sessions": [turns(*TEA), session]}
    with pytest.raises(LogError) as refused:
        read(write("official.json", [record]))
    assert refused.value.where == where


def test_evidence_marks_and_session_ids_are_never_read(write):
    """Marks on other turns, other answers and other ids leave the streams as they are."""
    plain = haystack(TEA, RAIN, haystack_session_ids=["a", "b"], answer_session_ids=["a"])
    poisoned = {
        "question_id": "other",
        "haystack_session_ids": ["answer_b", {"not": "an id"}],
        "answer_session_ids": "nonsense",
        "answer": 7,
        "question": None,
        "haystack_dates": ["never"],
        "haystack_sessions": [turns(*TEA, has_answer=object.__name__), turns(*RAIN, has_answer=[True])],
    }
    assert streams(write("plain.json", [plain])) == streams(write("poisoned.json", [poisoned]))


def test_gold_session_ids_join_like_any_other(write, joined):
    expected = streams(joined)
    renamed = {"s1": "answer_x", "s2": "answer_y", "answer_s3": "plain"}
    for name in ("questions_dev.json", "sessions_dev.jsonl.xz"):
        path = joined.parent / name
        data = lzma.decompress(path.read_bytes()) if name.endswith("xz") else path.read_bytes()
        text = data.decode()
        for old, new in renamed.items():
            text = text.replace(f'"{old}"', f'"{new}"')
        write(name, text)
    assert streams(joined) == expected


# ---------------------------------------------------------------- whatever else


@pytest.mark.parametrize("content", ['[{"utterances": ["a", "b"], "segm', '{"1": [["a", "-1"], ["b"', "[}"])
def test_broken_json_is_refused_with_its_place(write, content):
    with pytest.raises(LogError, match="line 1"):
        read(write("cut_off.json", content))


@pytest.mark.parametrize(
    "content",
    ["just a text\nof two lines\n", [1, 2], [{"conversation": {}}], {"qa": [{"question": "?"}]}, {}],
)
def test_another_format_is_refused_with_those_that_are_known(write, content):
    with pytest.raises(LogError) as refused:
        read(write("other.json", content))
    assert refused.value.file == "other.json"
    assert all(name in refused.value.fix for name in ("TIAGE", "DialSeg711", "LongMemEval"))


@pytest.mark.parametrize("content", [{"1": []}, [haystack()], {"1": [["a", "-1"]]}], ids=repr)
def test_a_dataset_without_a_gap_is_refused(write, content):
    with pytest.raises(LogError):
        read(write("empty.json", content))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(LogError, match="cannot be read"):
        read(tmp_path / "nowhere.json")


def test_a_directory_without_data_is_refused(write, tmp_path):
    write("docs/README.md", "nothing here")
    with pytest.raises(LogError, match="holds no dataset"):
        read(tmp_path / "docs")


def test_every_path_is_a_dataset_of_its_own_in_order(write, tmp_path):
    write("b/anno_train.json", {"1": [["a", "-1"], ["b", "1"]]})
    write("b/anno_dev.json", {"1": [["c", "-1"], ["d", "0"]]})
    other = write("dialseg.json", [TRAIN])
    found = read(other, tmp_path / "b")
    assert [dataset.name for dataset in found] == ["dialseg711", "tiage", "tiage"]
    assert [dataset.streams[0].turns[0] for dataset in found] == ["a train", "c", "a"]
