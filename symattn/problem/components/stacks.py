"""Several blocks one after the other, each starting from what the one before it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components.blocks import output_width
from symattn.problem.components.data import ProblemData
from symattn.problem.components.declarations import Gradient
from symattn.problem.components.gradients import gradients_of
from symattn.problem.components.positions import KINDS
from symattn.problem.schema.fields import BLOCK_FIELDS, MAX_BLOCKS, STACK_FIELDS, TOP_FIELDS
from symattn.problem.text.spelling import unknown
from symattn.problem.values.checks import check_table, describe, place_of

_OF_BLOCKS = frozenset(field.name for field in BLOCK_FIELDS)
_OWN = ("heads", "kv_heads", "mask")


def read_stack(tables: Mapping[str, Any], source: str, make: Callable[[Mapping[str, Any], str], Any]) -> dict[str, Any]:
    """Return the keyword arguments of the first block's `Problem`, with the later ones in it.

    Args:
        tables: the tables of the problem file.
        source: what messages call the file.
        make: makes the problem of one block from its tables.

    Raises:
        InputError: a key that is unknown or missing, or a value that cannot be used; the block is named.

    >>> from symattn.problem.model import Problem
    >>> own = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    >>> stack = Problem.build(X=[[2]], blocks=[{"inputs": own}, {"inputs": own}])
    >>> len(stack.later)
    1
    """
    checked = check_table(tables, TOP_FIELDS, source)
    first = _tokens(checked, source)
    pieces = _pieces(checked["blocks"], source)
    _check_shared(checked, pieces, source)
    made: list[ProblemData] = []
    goes_back = len(pieces) > 1 and "gradient" in checked
    for place, own in pieces:
        shared = _shared(checked, own, is_first=not made)
        block = {**checked.get("block", {}), **{key: value for key, value in own.items() if key in _OF_BLOCKS}}
        if own.get("norm") == "none":
            block = {key: value for key, value in block.items() if key in own or key not in {"eps", "placement"}}
        table = {**shared, **{key: own[key] for key in _OWN if key in own}, "block": block}
        table["inputs"] = _inputs(own, made[-1] if made else first)
        if goes_back:
            table = {key: value for key, value in table.items() if key not in {"gradient", "parts"}}
            if len(made) == len(pieces) - 1:
                gradient = {key: value for key, value in checked["gradient"].items() if key != "of" or not value}
                table |= {"gradient": gradient, **{key: checked[key] for key in ("parts",) if key in checked}}
        try:
            made.append(make(table, place))
        except InputError as error:
            # The keys of a block stand in its own table, not in [block].
            text = str(error).replace("[block] ", "") if _OF_BLOCKS & own.keys() else str(error)
            raise type(error)(text if place in text else f"{place}: {text}") from error
    if goes_back:
        made = _going_back(made, checked["gradient"].get("of", ()), source)
    later = tuple(made[1:])
    if later and made[0].batch:
        raise InputError(
            f"{place_of(source, 'inputs.X')} has a batch, and several blocks are worked out for one sequence; solve "
            "the sequences one by one."
        )
    opening = {name: getattr(made[0], name) for name in made[0].__dataclass_fields__ if name != "later"}
    return {**opening, "source": source, "later": later}


def _going_back(blocks: Sequence[ProblemData], of: str | Sequence[str], source: str) -> list[ProblemData]:
    """Return blocks each of which goes back from the gradient at the input of the next one, with the parts of the last.

    Args:
        blocks: the blocks, the last with the start of the backward pass.
        of: the gradients to show, of the blocks that have them; the gradient at the input of a block is always there.
        source: what messages call the file.
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    each = [gradients_of(block) for block in blocks]
    for name in names:
        if not any(name in known for known in each):
            known = tuple(dict.fromkeys(name for known in each for name in known))
            raise InputError(f"{place_of(source, 'gradient.of')}: {unknown('gradient', name, known)}")
    start, parts = blocks[-1].gradient, blocks[-1].parts
    found = []
    for number, (block, known) in enumerate(zip(blocks, each, strict=True), 1):
        wanted = tuple(name for name in known if name in names or name == f"d{input_of(block)}") if names else ()
        gradient = start if number == len(blocks) and start is not None else Gradient(next_block=number + 1)
        found.append(replace(block, gradient=replace(gradient, of=wanted), parts=parts))
    return found


def check_start(problem: ProblemData) -> None:
    """Refuse several blocks with a backward pass that starts anywhere but at the output of the last one.

    Raises:
        InputError: one sentence with the remedy.
    """
    blocks: tuple[ProblemData, ...] = (problem, *problem.later)
    starts = [None if block.gradient is None else block.gradient.next_block for block in blocks]
    if any(start is not None for start in starts) and starts != [*range(2, len(blocks) + 1), 0]:
        raise InputError(
            f"{place_of(problem.source, 'gradient')}: the backward pass of several blocks starts at the output of the "
            "last one; give [gradient] beside the blocks."
        )


def input_of(problem: ProblemData) -> str:
    """Return the name of the tokens that go into a block: ``X``, and beside a memory ``X_1``."""
    return "X" if problem.kind == "self" else "X_1"


def _check_shared(checked: Mapping[str, Any], pieces: list[tuple[str, Mapping[str, Any]]], source: str) -> None:
    """Refuse keys beside the blocks that do not say the same of each of them."""
    if len(pieces) > 1:
        if "online" in checked:
            raise InputError(
                f"{place_of(source, 'online')} works one plain softmax block by block, and there are several blocks of "
                "a network; leave it out."
            )
        if "cache" in checked:
            raise InputError(
                f"{place_of(source, 'cache')} holds the keys of one block, and each of several has keys of its own; "
                "leave it out."
            )
    _check_beside_memory(checked, ["memory" in own for _, own in pieces], source)


def _check_beside_memory(checked: Mapping[str, Any], with_memory: list[bool], source: str) -> None:
    """Refuse a mask or a bias beside the blocks where it would not hold for all of them, but for a causal mask."""
    if not any(with_memory):
        return
    mask = checked.get("mask")
    # An array of numpy is equal to nothing that could be asked for here.
    is_causal = isinstance(mask, (str, Mapping)) and mask in ("causal", {"causal": True})
    if "mask" in checked and not (is_causal and not all(with_memory)):
        raise InputError(
            f"{place_of(source, 'mask')} stands beside blocks that attend to memory, whose keys are others; put it "
            "into the table of each block that it holds for."
        )
    if "bias" in checked:
        raise InputError(
            f"{place_of(source, 'bias')} stands beside blocks that attend to memory, whose keys are others; leave it "
            "out."
        )


def _shared(checked: Mapping[str, Any], own: Mapping[str, Any], *, is_first: bool) -> dict[str, Any]:
    """Return the keys beside the blocks that hold for one of them.

    A mask there is causal where a block has memory, and what comes later in a memory is not the future: it holds for
    attention to own tokens alone. Positions that are added go into the first block.
    """
    left_out = {"blocks", "inputs", "block", *(("mask",) if "memory" in own else ())}
    positions = checked.get("positions", {})
    added = [word for word, kind in KINDS.items() if kind.is_added]
    if not is_first and isinstance(positions, Mapping) and positions.get("kind") in added:
        left_out.add("positions")
    return {key: value for key, value in checked.items() if key not in left_out}


def _tokens(checked: Mapping[str, Any], source: str) -> Any:
    raw = checked.get("inputs", {})
    if set(raw) != {"X"}:
        raise InputError(
            f"{place_of(source, 'inputs')} has X alone where there are blocks: the tokens that go into the first; "
            "its weights stand in the table of each block."
        )
    return raw["X"]


def _pieces(blocks: Any, source: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the tables of blocks, each decoder block as its two halves: its own tokens first, then the memory."""
    if not isinstance(blocks, (list, tuple)) or not 1 <= len(blocks) <= MAX_BLOCKS:
        raise InputError(f"{place_of(source, 'blocks')} is a list of 1 to {MAX_BLOCKS} tables, one for each block.")
    found: list[tuple[str, Mapping[str, Any]]] = []
    for number, table in enumerate(blocks, 1):
        place = place_of(source, f"blocks #{number}")
        if not isinstance(table, Mapping):
            raise InputError(f"{place} must be a table, not {describe(table)}.")
        own = check_table(table, STACK_FIELDS, source, f"blocks #{number}")
        if not own.get("decoder"):
            if "cross" in own:
                raise InputError(f"{place}: cross goes with decoder = true; say so, or leave it out.")
            found.append((place, own))
            continue
        for key in ("memory", "cross"):
            if key not in own:
                raise InputError(f"{place}: {key} is missing, which a decoder block attends to after its own tokens.")
        if "mask" in own:
            raise InputError(f"{place}: the mask of a decoder block is causal; leave mask out.")
        half = {key: value for key, value in own.items() if key not in {"inputs", "cross", "memory", "decoder"}}
        found.append((place, {**half, "inputs": own.get("inputs", {}), "mask": "causal"}))
        found.append((place, {**half, "inputs": own["cross"], "memory": own["memory"]}))
    return found


def _inputs(own: Mapping[str, Any], before: Any) -> dict[str, Any]:
    """Return the inputs of one block; zeros stand for the output of a block that is not worked out yet."""
    tokens = _zeros(before) if hasattr(before, "inputs") else before
    if "memory" in own:
        return {"X_1": tokens, "X_2": own["memory"], **own.get("inputs", {})}
    return {"X": tokens, **own.get("inputs", {})}


def _zeros(before: ProblemData) -> Matrix:
    count, width = before.n_q, output_width(before)
    rows, columns = (count, width) if before.tokens == "rows" else (width, count)
    return Matrix([[0] * columns] * rows)


def with_tokens(problem: ProblemData, tokens: Matrix) -> dict[str, Matrix]:
    """Return the inputs of a later block with what goes into it in the place of the zeros.

    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(X=[[0]], W_Q=[[1]], W_K=[[1]], W_V=[[1]])
    >>> str(with_tokens(p, Matrix([[3]]))["X"])
    '[[3]]'
    """
    return {**problem.inputs, input_of(problem): tokens}
