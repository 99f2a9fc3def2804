"""numba's parallel loops: one per call, its answer on stdout, the time that the repetitions took on stderr."""

import sys
import time

import numba
import numpy as np

OPTIONS = {"parallel": True, "cache": True}


@numba.njit(**OPTIONS)
def total(x):
    s = 0
    for i in numba.prange(x.size):
        s += x[i] * x[i] % 7
    return s


@numba.njit(**OPTIONS)
def row(t, i):
    for j in numba.prange(t.shape[1]):
        t[i, j] = (i * j) % 1009


@numba.njit(**OPTIONS)
def nested(n):
    t = np.zeros((n, n), np.int64)
    for i in numba.prange(n):
        row(t, i)
    return t


@numba.guvectorize(["void(int64[:], int64[:], int64[:])"], "(n),(n)->()", target="parallel", cache=True)
def dot(a, b, result):
    s = 0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    result[0] = s


def compute(what, n):
    if what == "sum":
        return int(total(np.arange(n * n)))
    if what == "nested":
        return int((nested(n) * np.arange(n)).sum())
    rows = np.arange(n * n, dtype=np.int64).reshape(n, n) % 1009
    return int((dot(rows, rows[::-1].copy()) % 1000003).sum())


def main():
    what, n, repetitions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answers = [compute(what, n)]
    start = time.perf_counter()
    answers += [compute(what, n) for _ in range(repetitions)]
    print(f"seconds {time.perf_counter() - start:.6f}", file=sys.stderr)
    print(what, numba.threading_layer(), sorted(set(answers)))


if __name__ == "__main__":
    main()
