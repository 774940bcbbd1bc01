$ pullback repl < tests/cli/programs/prompt/first.txt

$ pullback repl < tests/cli/programs/prompt/definitions.txt

$ pullback repl < tests/cli/programs/prompt/commands.txt

$ pullback repl tests/cli/programs/calls.pull --engine dual < tests/cli/programs/prompt/loaded.txt
