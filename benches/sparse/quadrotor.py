"""The flight of a quadrotor as a problem: where a solver begins, and between which bounds. Each node has twelve states (place,
angles, speeds, rates of turning) and four thrusts."""

import numpy as np

GOAL = [2.0, 1.0, 1.5] + 9 * [0.0]
HOVER = 1.22625


def start(nodes):
    """A straight line to the goal, hovering."""
    z = np.zeros((nodes, 16))
    z[:, :12] = np.linspace(0.0, 1.0, nodes)[:, None] * GOAL
    z[:, 12:] = HOVER
    return z


def bounds(nodes):
    """Thrusts and tilts are limited, and the flight begins and ends at rest."""
    lower, upper = np.full((nodes, 16), -np.inf), np.full((nodes, 16), np.inf)
    lower[:, 12:], upper[:, 12:] = 0.0, 4.0
    lower[:, 3:5], upper[:, 3:5] = -1.2, 1.2
    lower[0, :12] = upper[0, :12] = 0.0
    lower[-1, :12] = upper[-1, :12] = GOAL
    return lower, upper
