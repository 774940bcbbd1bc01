$ pullback dev tests/cli/programs/einsum.pull chain 8 --count

$ pullback dev tests/cli/programs/einsum.pull chain 16 --count

$ pullback dev tests/cli/programs/einsum.pull at_once 8 --count

$ pullback dev tests/cli/programs/einsum.pull at_once 16 --count

$ pullback doc einsum

