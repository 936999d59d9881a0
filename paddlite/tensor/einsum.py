"""Einstein summation, contracted pair by pair with matrix products."""

from __future__ import annotations

import functools
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops.arithmetic import cast, elementwise_mul
from paddlite.ops.matmul import matmul
from paddlite.ops.rearrange import diagonal
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import flatten, squeeze, transpose, unflatten, unsqueeze

# The labels of a term: letters, and for the axes of an ellipsis whole numbers, counted from the last one (0).
Labels = tuple


@functools.lru_cache(maxsize=512)
def _parsed(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """The labels of each operand and of the result.

    Raises:
        InvalidArgument: the equation is malformed or does not fit the operands.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise InvalidArgument(f"einsum: equation {equation!r} names {len(terms)} operands, but there are {len(ranks)}")
    labels = tuple([_term_labels(term, rank, equation) for term, rank in zip(terms, ranks)])
    every = [label for term in labels for label in term]
    extra = sorted({label for label in every if isinstance(label, int)}, reverse=True)
    if arrow:
        result = _result_labels(right, extra, equation)
        unknown = [label for label in result if label not in every]
        if unknown or len(set(result)) != len(result):
            raise InvalidArgument(
                f"einsum: the result of {equation!r} must name labels of the operands, each once; got {right!r}"
            )
    else:  # in alphabetical order, what occurs once
        result = (*extra, *sorted({label for label in every if isinstance(label, str) and every.count(label) == 1}))
    return labels, result


def _term_labels(term: str, rank: int, equation: str) -> Labels:
    before, dots, after = term.partition("...")
    letters = before + after
    if (letters and not letters.isalpha()) or "." in letters:
        raise InvalidArgument(f"einsum: term {term!r} of {equation!r} may hold letters and one '...' only")
    extra = rank - len(letters)
    if extra < 0 or (extra > 0 and not dots):
        raise InvalidArgument(
            f"einsum: term {term!r} of {equation!r} names {len(letters)} axes, but its operand has {rank}"
        )
    return (*before, *range(extra - 1, -1, -1), *after)


def _result_labels(right: str, extra: list[int], equation: str) -> Labels:
    before, dots, after = right.partition("...")
    if "." in before + after or (before + after and not (before + after).isalpha()):
        raise InvalidArgument(f"einsum: the result {right!r} of {equation!r} may hold letters and one '...' only")
    return (*before, *(extra if dots else ()), *after)


def einsum(equation: str, *operands: Any) -> Any:
    """The sum of products that `equation` describes: one letter an axis; letters not in the result are summed over.

    Args:
        equation: such as "bij,bjk->bik"; "..." stands for further axes, which are broadcast.  Without "->", the result
            has the letters that occur once, in alphabetical order.
        operands: one tensor a term (or one list of them).

    Raises:
        ValueError: the equation does not fit the operands.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.einsum("ij,jk->ik", x, x).tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    """
    tensors = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    labels, result = _parsed(equation, tuple([len(x._shape) for x in tensors]))
    terms = [_without_repeats(x, term, equation) for x, term in zip(tensors, labels)]
    _check_sizes(terms, equation)
    while len(terms) > 1:
        i, j = _cheapest(terms, result)
        y, term_y = terms.pop(j)
        x, term_x = terms.pop(i)
        wanted = {label for _, term in terms for label in term} | set(result)
        terms.append(_contract(x, term_x, y, term_y, wanted))
    x, term = _summed(*terms[0], set(result))
    order = tuple([term.index(label) for label in result])
    return x if order == tuple(range(len(order))) else transpose(x, perm=order)


def _without_repeats(x: Any, term: Labels, equation: str) -> tuple[Any, Labels]:
    """The diagonal over axes with one label."""
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            a, b = [k for k, found in enumerate(term) if found == label][:2]
            if x._shape[a] != x._shape[b] and -1 not in (x._shape[a], x._shape[b]):
                raise ShapeMismatch(
                    f"einsum: label {label!r} of {equation!r} has sizes {x._shape[a]} and {x._shape[b]} in one operand"
                )
            x = diagonal(x, axis1=a, axis2=b)
            term = (*[found for k, found in enumerate(term) if k not in (a, b)], label)
    return x, term


def _check_sizes(terms: list, equation: str) -> None:
    sizes: dict[Any, int] = {}
    for x, term in terms:
        for label, size in zip(term, x._shape):
            before = sizes.setdefault(label, size)
            if before != size and 1 not in (before, size) and -1 not in (before, size):
                raise ShapeMismatch(f"einsum: label {label!r} of {equation!r} has sizes {before} and {size}")
            sizes[label] = max(before, size)


def _sizes(*terms: tuple) -> dict[Any, int]:
    """The size of every label; an unknown one counts as 64."""
    sizes: dict[Any, int] = {}
    for x, term in terms:
        for label, size in zip(term, x._shape):
            sizes[label] = max(sizes.get(label, 1), 64 if size < 0 else size)
    return sizes


def _cheapest(terms: list, result: Labels) -> tuple[int, int]:
    """The pair whose contraction costs the fewest operations, of equal ones the first."""
    if len(terms) == 2:
        return 0, 1
    best, found = None, (0, 1)
    for i in range(len(terms)):
        for j in range(i + 1, len(terms)):
            cost = 1
            for size in _sizes(terms[i], terms[j]).values():
                cost *= size
            if best is None or cost < best:
                best, found = cost, (i, j)
    return found


def _summed(x: Any, term: Labels, wanted: set) -> tuple[Any, Labels]:
    """`x` without the labels that nobody wants."""
    axes = tuple([k for k, label in enumerate(term) if label not in wanted])
    if not axes:
        return x, term
    total = reduce_sum(x, axis=axes)
    total = total if total._dtype == x._dtype else cast(total, dtype=x._dtype)
    return total, tuple([label for label in term if label in wanted])


def _contract(x: Any, term_x: Labels, y: Any, term_y: Labels, wanted: set) -> tuple[Any, Labels]:
    """The product of two terms, summed over the labels that both have and nobody else wants."""
    x, term_x = _summed(x, term_x, wanted | set(term_y))
    y, term_y = _summed(y, term_y, wanted | set(term_x))
    shared = [label for label in term_x if label in term_y]
    inner = [label for label in shared if label not in wanted]
    for label in list(inner):  # a size of 1 against another cannot be multiplied by a matrix product
        sizes = x._shape[term_x.index(label)], y._shape[term_y.index(label)]
        if sizes[0] != sizes[1] and 1 in sizes:
            if sizes[0] == 1:
                y, term_y = _summed(y, term_y, set(term_y) - {label})
                x, term_x = _dropped(x, term_x, label)
            else:
                x, term_x = _summed(x, term_x, set(term_x) - {label})
                y, term_y = _dropped(y, term_y, label)
            inner.remove(label)
            shared.remove(label)
    batch = [label for label in shared if label not in inner]
    rows = [label for label in term_x if label not in shared]
    columns = [label for label in term_y if label not in shared]
    if not inner:
        return _elementwise(x, term_x, y, term_y, (*batch, *rows, *columns))
    x = _arranged(x, term_x, batch, rows, inner)
    y = _arranged(y, term_y, batch, inner, columns)
    found = matmul(x[0], y[0])
    found = _spread(found, len(batch) + 1, y[2])
    found = _spread(found, len(batch), x[1])
    return found, (*batch, *rows, *columns)


def _dropped(x: Any, term: Labels, label: Any) -> tuple[Any, Labels]:
    axis = term.index(label)
    return squeeze(x, axes=(axis,)), (*term[:axis], *term[axis + 1 :])


def _elementwise(x: Any, term_x: Labels, y: Any, term_y: Labels, result: Labels) -> tuple[Any, Labels]:
    """The product without a sum, both terms brought to the axes of `result`."""

    def aligned(z: Any, term: Labels) -> Any:
        order = tuple([term.index(label) for label in result if label in term])
        z = z if order == tuple(range(len(order))) else transpose(z, perm=order)
        missing = tuple([k for k, label in enumerate(result) if label not in term])
        return unsqueeze(z, axes=missing) if missing else z

    return elementwise_mul(aligned(x, term_x), aligned(y, term_y)), result


def _arranged(x: Any, term: Labels, batch: list, front: list, back: list) -> tuple[Any, tuple, tuple]:
    """`x` as [*batch, front, back] with one axis for each group, and the sizes of both groups."""
    order = tuple([term.index(label) for label in (*batch, *front, *back)])
    sizes = [x._shape[axis] for axis in order]
    if order != tuple(range(len(order))):
        x = transpose(x, perm=order)
    at, middle = len(batch), len(batch) + len(front)
    x = _merged(x, middle, len(back))
    x = _merged(x, at, len(front))
    return x, tuple(sizes[at:middle]), tuple(sizes[middle:])


def _merged(x: Any, start: int, count: int) -> Any:
    if count == 1:
        return x
    return flatten(x, start_axis=start, stop_axis=start + count - 1) if count else unsqueeze(x, axes=(start,))


def _spread(x: Any, axis: int, sizes: tuple) -> Any:
    """Axis `axis` taken apart into `sizes` again."""
    if len(sizes) == 1:
        return x
    return unflatten(x, axis=axis, shape=sizes) if sizes else squeeze(x, axes=(axis,))


__all__ = ["einsum"]
