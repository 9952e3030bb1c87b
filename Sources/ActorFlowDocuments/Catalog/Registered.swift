import ActorFlow

/// A registered component.
struct Component: Sendable {
  let input: Any.Type
  let output: Any.Type
  let vocabulary: Vocabulary
  let make: Make

  enum Make: Sendable {
    case fixed([Segment])
    case options(@Sendable (FlowDocument.Value) -> (segments: [Segment]?, problems: [OptionsDecoder.Problem]))
  }
}

/// A registered case or loop condition, which looks at a value and may return another.
struct Condition: Sendable {
  let value: Any.Type
  let result: Any.Type
  let ask: @Sendable (any Sendable) throws -> (any Sendable)?
}

/// A registered join of several results.
struct Junction: Sendable {
  let values: [Any.Type]
  let result: Any.Type
  let join: @Sendable ([any Sendable]) throws -> any Sendable
}
