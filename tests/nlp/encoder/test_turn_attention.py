"""LightMem's turn-level attention matrix, from attention that is known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.encoder.turn_attention import turn_attention_matrix, turn_windows


def even_attention(rows):
    """Every position attends to every position of its row equally."""
    return [np.full((len(row) + 2, len(row) + 2), 1.0 / (len(row) + 2), dtype=np.float32) for row in rows]


def test_a_turn_receives_the_attention_paid_to_all_its_tokens():
    matrix = turn_attention_matrix([[1], [2, 2, 2], [3, 3]], even_attention)
    assert np.allclose(matrix, [[0, 0, 0], [1, 0, 0], [0.25, 0.75, 0]])


def test_attention_to_special_positions_counts_for_no_turn():
    def to_the_frame(rows):
        matrices = even_attention(rows)
        for matrix in matrices:
            matrix[:, [0, -1]] = 100.0
        return matrices

    assert np.allclose(turn_attention_matrix([[1], [2], [3]], to_the_frame)[2], [0.5, 0.5, 0])


def test_turns_that_never_share_a_window_pay_each_other_nothing():
    matrix = turn_attention_matrix([[i] * 4 for i in range(10)], even_attention, window=14)
    assert matrix[9, 0] == 0
    assert np.all(np.diagonal(matrix, -1) > 0)


def test_one_turn_and_a_turn_without_tokens_have_no_attention():
    assert turn_attention_matrix([[1, 2]], even_attention).tolist() == [[0.0]]
    assert turn_attention_matrix([[1], [], [2]], even_attention).tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


@given(st.lists(st.integers(0, 10), min_size=1, max_size=60))
def test_windows_fit_cover_every_turn_once_and_let_neighbours_meet(lengths):
    plan = turn_windows(lengths, 20)
    assert all(sum(lengths[first:end]) <= 20 for first, end, _ in plan)
    assert [turn for _, end, new in plan for turn in range(new, end)] == list(range(len(lengths)))
    assert all(first < new for first, _, new in plan if new)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=40))
def test_the_matrix_is_strictly_lower_triangular_and_its_rows_sum_to_one(lengths):
    matrix = turn_attention_matrix([[7] * length for length in lengths], even_attention, window=32)
    assert np.allclose(np.triu(matrix), 0)
    assert np.allclose(matrix.sum(axis=1)[1:], 1.0, atol=1e-5)
