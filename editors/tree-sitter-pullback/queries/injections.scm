; What an expectation says is text of the language.
((expectation_body) @injection.content
  (#set! injection.language "pullback"))

((comment) @injection.content
  (#set! injection.language "comment"))
