"""One step of each optimizer, in NumPy and float64, after the papers' formulas.

`model(p, g, lr, s, t)` gives the parameter after step t (counted from 1); `s` is a dict of what is remembered, changed
in place.
"""

from __future__ import annotations

import numpy as np


def sgd(p, g, lr, s, t):
    return p - lr * g


def momentum(p, g, lr, s, t, mu=0.9, nesterov=False):
    s["velocity"] = mu * s.get("velocity", 0.0) + g
    return p - lr * (g + mu * s["velocity"] if nesterov else s["velocity"])


def _means(s, g, beta1, beta2):
    m = s["moment1"] = beta1 * s.get("moment1", 0.0) + (1 - beta1) * g
    v = s["moment2"] = beta2 * s.get("moment2", 0.0) + (1 - beta2) * g**2
    return m, v


def adam(p, g, lr, s, t, beta1=0.9, beta2=0.999, epsilon=1e-8, amsgrad=False):
    m, v = _means(s, g, beta1, beta2)
    if amsgrad:
        v = s["moment2_max"] = np.maximum(s.get("moment2_max", 0.0), v)
    return p - lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + epsilon)


def adamw(p, g, lr, s, t, decay=0.01, **options):
    return adam(p * (1 - lr * decay), g, lr, s, t, **options)


def adamax(p, g, lr, s, t, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m = s["moment"] = beta1 * s.get("moment", 0.0) + (1 - beta1) * g
    n = s["inf_norm"] = np.maximum(beta2 * s.get("inf_norm", 0.0) + epsilon, np.abs(g))
    return p - lr / (1 - beta1**t) * m / n


def nadam(p, g, lr, s, t, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0.004):
    m, v = _means(s, g, beta1, beta2)
    mu = [beta1 * (1 - 0.5 * 0.96 ** (i * decay)) for i in range(1, t + 2)]
    now, then = np.prod(mu[:-1]), np.prod(mu)
    ahead = mu[-1] * m / (1 - then) + (1 - mu[-2]) * g / (1 - now)
    return p - lr * ahead / (np.sqrt(v / (1 - beta2**t)) + epsilon)


def radam(p, g, lr, s, t, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m, v = _means(s, g, beta1, beta2)
    mean = m / (1 - beta1**t)
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * t * beta2**t / (1 - beta2**t)
    if length <= 5:
        return p - lr * mean
    share = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
    return p - lr * mean * share * np.sqrt(1 - beta2**t) / (np.sqrt(v) + epsilon)


def adagrad(p, g, lr, s, t, epsilon=1e-6, first=0.0):
    s["moment"] = s.get("moment", first) + g**2
    return p - lr * g / (np.sqrt(s["moment"]) + epsilon)


def adadelta(p, g, lr, s, t, epsilon=1e-6, rho=0.95):
    a = s["_avg_squared_grad"] = rho * s.get("_avg_squared_grad", 0.0) + (1 - rho) * g**2
    b = s.get("_avg_squared_update", 0.0)
    d = np.sqrt((b + epsilon) / (a + epsilon)) * g
    s["_avg_squared_update"] = rho * b + (1 - rho) * d**2
    return p - lr * d


def rmsprop(p, g, lr, s, t, rho=0.95, epsilon=1e-6, mu=0.0, centered=False):
    r = s["mean_square"] = rho * s.get("mean_square", 0.0) + (1 - rho) * g**2
    if centered:
        s["mean_grad"] = rho * s.get("mean_grad", 0.0) + (1 - rho) * g
        r = r - s["mean_grad"] ** 2
    s["momentum"] = mu * s.get("momentum", 0.0) + lr * g / np.sqrt(r + epsilon)
    return p - s["momentum"]


def lamb(p, g, lr, s, t, decay=0.01, beta1=0.9, beta2=0.999, epsilon=1e-6, adapt=False):
    m, v = _means(s, g, beta1, beta2)
    r = (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + epsilon) + decay * p
    long, short = np.linalg.norm(p), np.linalg.norm(r)
    trust = long / short if (decay or adapt) and long > 0 and short > 0 else 1.0
    return p - lr * trust * r


def asgd(p, g, lr, s, t, n=1):
    seen = s.setdefault("seen", [np.zeros_like(g)] * n)
    seen[(t - 1) % n] = g
    s["d"] = sum(seen)
    return p - lr * s["d"] / min(t, n)


def rprop(p, g, lr, s, t, low=1e-5, high=50.0, shrink=0.5, grow=1.2):
    rates = s.setdefault("learning_rates", np.full_like(g, lr))
    same = g * s.get("prevs", 0.0)
    rates = s["learning_rates"] = np.clip(rates * np.where(same > 0, grow, np.where(same < 0, shrink, 1.0)), low, high)
    g = s["prevs"] = np.where(same < 0, 0.0, g)
    return p - rates * np.sign(g)
