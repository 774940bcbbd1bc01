(definition name: (identifier) @name) @definition.function
(type_declaration name: (type_identifier) @name) @definition.type
(constructor name: (constructor_identifier) @name) @definition.constant
(application function: (identifier) @name) @reference.call
