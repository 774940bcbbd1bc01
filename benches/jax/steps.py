"""What several programs in JAX do at every step."""


def runge_kutta(slope, y, h):
    """A point a step of length `h` on, by the classical method of Runge and Kutta."""
    k1 = slope(y)
    k2 = slope(y + h / 2 * k1)
    k3 = slope(y + h / 2 * k2)
    k4 = slope(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
