$ pullback run tests/cli/programs/towers.pull many --engine ir
exit 0
> 0.0

$ pullback run tests/cli/programs/towers.pull power --engine ir
exit 0
> 93399452436.34145

$ pullback run tests/cli/programs/towers.pull looped --engine ir
exit 0
> 2.718281828459045

$ pullback run tests/cli/programs/towers.pull wrapped --engine ir
exit 0
> 116943.75
