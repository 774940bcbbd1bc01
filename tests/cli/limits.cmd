$ pullback run tests/cli/programs/limits.pull recursion --max-memory 20M

$ pullback run tests/cli/programs/limits.pull mutual --max-memory 20M

$ pullback run tests/cli/programs/limits.pull doubling --max-memory 20M

$ pullback run tests/cli/programs/limits.pull taped --max-memory 20M
