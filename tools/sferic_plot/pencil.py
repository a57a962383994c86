"""Decaying waves that a set of traces is the sum of: x_r(t) = Re sum_m a_mr exp(s_m t), with the s_m of all in common.

A band is moved to frequency 0, filtered and thinned. A filter of finite length leaves exponentials what they are, but for a
factor that is known, wherever it lies within the record. The matrix pencil (Hua and Sarkar 1990, IEEE Trans. Acoust. Speech
Signal Process. 38, 814) then takes z = exp(s dt) from the space that windows of all traces span.
SPDX-License-Identifier: MIT
"""
import numpy as np

ATTENUATION = 140  # dB, of what the filter keeps out
TAPS_BAND = (ATTENUATION - 8) / (2.285 * np.pi)  # length of the filter times the band (Kaiser 1974)
MOST_DIRECT = 700  # samples that are taken as they are
MOST_THINNED = 800
MOST_TRACES = 12  # combinations of traces that windows are taken of
NOISE = 0.01  # of the largest singular value in the later half: no floor of noise, but more waves
FLOOR = 1e-7  # of the largest singular value: what 32-bit numbers and the filter leave


class Band:
    """Traces (n, traces) at intervals dt, less all that lies outside of low .. high in Hz: `samples` at intervals `step`. A mode s of
    them has factor(s) times the amplitude that it has in the traces, at the time of the first of them."""

    def __init__(self, traces, dt, low, high):
        self.dt, self.step, self.centre, self.taps = dt, dt, 0.0, np.ones(1)
        n = len(traces)
        band = max(high - low, 3 * TAPS_BAND / (n * dt))  # the filter takes a third of the record at most
        every = int(1 / (2 * band * dt))
        if n <= MOST_DIRECT or every < 1:
            self.samples = traces[:MOST_THINNED].astype(complex)
            return
        self.centre, self.step = 0.5 * (low + high), every * dt
        length = int(np.ceil(TAPS_BAND / (band * dt))) | 1
        at = np.arange(length) - length // 2
        self.taps = 1.5 * band * dt * np.sinc(1.5 * band * dt * at) * np.kaiser(length, 0.1102 * (ATTENUATION - 8.7))
        moved = traces * np.exp(-2j * np.pi * self.centre * dt * np.arange(n))[:, None]
        starts = np.arange(0, n - length + 1, every)[:MOST_THINNED]
        self.samples = np.stack([self.taps @ moved[i:i + length] for i in starts])

    def is_thinned(self):
        return len(self.taps) > 1

    def modes(self, z):
        """s of z a step."""
        return np.log(z) / self.step + 2j * np.pi * self.centre

    def factor(self, s):
        moved = (s - 2j * np.pi * self.centre) * self.dt
        return np.exp(np.outer(moved, np.arange(len(self.taps)))) @ self.taps

    def amplitudes(self, s):
        """|a| (modes, traces) at the first sample, by least squares; s: all that the samples hold. Of real traces half of a is at s and
        half at its conjugate, of which the filter leaves the first."""
        moved = (s - 2j * np.pi * self.centre) * self.step
        size = np.exp(np.maximum(moved.real, 0) * len(self.samples))  # growing ones are counted from their end
        basis = np.exp(np.outer(np.arange(len(self.samples)), moved)) / size
        a = np.linalg.lstsq(basis, self.samples, rcond=None)[0]
        return 2 * np.abs(a / size[:, None] / self.factor(s)[:, None])


def principal(samples):
    """Combinations of traces, the largest first: those that hold anything."""
    _, size, combine = np.linalg.svd(samples, full_matrices=False)
    some = size > 1e-13 * size[0]
    return samples @ combine[some][:MOST_TRACES].conj().T


def windows_triangle(samples, length):
    """The triangle R of all windows of `length` + 1 samples as rows: it has their singular values, and spans what they span."""
    triangle = np.zeros((0, length + 1), complex)
    for trace in samples.T:
        rows = np.lib.stride_tricks.sliding_window_view(trace, length + 1)
        triangle = np.linalg.qr(np.concatenate([triangle, rows]), mode="r")
    return triangle


def order_of(size):
    """How many singular values stand out of what the later half, which is noise, has."""
    floor = max(30 * np.median(size[len(size) // 2:]), 1e-13 * size[0])
    return int((size > floor).sum())


def pencil(samples, length):
    """z of the exponentials, and the singular values."""
    _, size, right = np.linalg.svd(windows_triangle(samples, length))
    span = right[:order_of(size)].T
    return np.linalg.eigvals(np.linalg.lstsq(span[:-1], span[1:], rcond=None)[0]), size


def modes_find(band, low, high):
    """Modes from low to high in Hz that pencils of three lengths all find, sorted by frequency: their s, the mean over these; their spread
    (frequency in Hz and decay rate in 1/s); their amplitudes (modes, traces); and whether the singular values have no floor, so that
    there are more than fit."""
    x, n = principal(band.samples), len(band.samples)
    found, full = [], False
    for share in (0.33, 0.42, 0.5):
        z, size = pencil(x, int(share * n))
        found.append(band.modes(z[np.abs(z) > 1e-3]))
        middle = size[len(size) // 2] / size[0]
        full |= middle > (FLOOR if order_of(size) >= len(size) // 2 else NOISE)
    resolved = 1 / (n * band.step)  # Hz
    modes, spread, which = [], [], []
    for m, s in enumerate(found[0]):
        if not 2 * np.pi * low <= s.imag <= 2 * np.pi * high:
            continue
        near = np.array([other[np.argmin(np.abs(other - s))] for other in found if len(other)])
        if len(near) < len(found) or np.abs(near - s).max() > 2 * np.pi * 0.2 * resolved:
            continue
        off = near - near.mean()
        modes.append(near.mean())
        spread.append((np.abs(off.imag).max() / (2 * np.pi), np.abs(off.real).max()))
        which.append(m)
    order = np.argsort([m.imag for m in modes])
    amplitude = band.amplitudes(found[0])[which] if which else np.zeros((0, band.samples.shape[1]))
    return np.array(modes)[order], np.array(spread).reshape(-1, 2)[order], amplitude[order], full
