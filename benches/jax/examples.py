"""The examples beside JAX: README.md says how to run this.

Arguments: the libraries of gradients.pull and forward.pull, and perhaps the names of the rows to measure.
"""

import sys

import forward
import gradbench
import larger
import programs
import small
import top
from harness import Library, table

gradients, values = Library(sys.argv[1]), Library(sys.argv[2])
draw, draws = values.call("resume_draws", [3], [1, 1])
draw()
small.ROWS.append(small.resume(*draws()))
table(gradients, top.ROWS + programs.ROWS + small.ROWS + gradbench.ROWS + larger.ROWS, sys.argv[3:])
table(values, gradbench.JACOBIANS + forward.ROWS, sys.argv[3:])
