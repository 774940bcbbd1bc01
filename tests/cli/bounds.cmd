$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[0,1]

$ pullback bounds tests/cli/programs/bounds.pull product 1.0 2.0 --interval x=[-1,2] --interval y=[3,4]

$ pullback bounds tests/cli/programs/bounds.pull wave 0.0 --interval x=[0,2]

$ pullback bounds tests/cli/programs/bounds.pull pole 1.0 --interval x=[1,2]

$ pullback bounds tests/cli/programs/bounds.pull pole 1.0 --interval x=[-1,2]

$ pullback bounds tests/cli/programs/bounds.pull root 1.0 --interval x=[-1,4]

$ pullback bounds tests/cli/programs/bounds.pull root 1.0 --interval x=[-2,-1]

$ pullback bounds tests/cli/programs/bounds.pull relu 0.0 --interval x=[-1,1]

$ pullback bounds tests/cli/programs/bounds.pull larger 0.0 1.0 --interval x=[0,2]

$ pullback bounds tests/cli/programs/bounds.pull pair 0.5 '[1.0, 2.0]' --radius 0.5

$ pullback bounds tests/cli/programs/bounds.pull pair 0.5 '[1.0, 2.0]' --radius 0.5 --json --wrt v

$ pullback bounds tests/cli/programs/bounds.pull ruled 1.0 --interval x=[1,2]

$ pullback bounds tests/cli/programs/bounds.pull slope 1.0 --interval x=[1,2]

$ pullback bounds tests/cli/programs/bounds.pull halve 1.0 --interval x=[1,2]

$ pullback bounds tests/cli/programs/bounds.pull halve 1.0 --interval x=[0,inf]

$ pullback bounds tests/cli/programs/bounds.pull at 0.5 --interval x=[0,2]

$ pullback bounds tests/cli/programs/bounds.pull at 0.5 --interval x=[0.25,0.75]

$ pullback bounds tests/cli/programs/bounds.pull stopped 1.0 --interval x=[1,2]

$ pullback bounds tests/cli/programs/bounds.pull sorted '[3.0, 1.0, 2.0]' --radius 0.25

$ pullback bounds tests/cli/programs/bounds.pull sorted '[3.0, 1.0, 2.0]' --radius 2

$ pullback bounds tests/cli/programs/bounds.pull lot 1000 1.0 --interval x=[0,1]

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[1,0]

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[nan,0]

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[-inf,inf]

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval y=[0,1]

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x

$ pullback bounds tests/cli/programs/bounds.pull parabola '(0.0 / 0.0)' --radius 1

