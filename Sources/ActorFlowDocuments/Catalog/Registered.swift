import ActorFlow

// Types are stored as `any Sendable.Type`, not `Any.Type`: only those can be opened where a generic type is made of them.

/// A registered component.
struct Component: Sendable {
  let input: any Sendable.Type
  let output: any Sendable.Type
  let vocabulary: Vocabulary
  let make: Make

  enum Make: Sendable {
    case fixed([Segment])
    case options(@Sendable (FlowDocument.Value) -> (segments: [Segment]?, problems: [OptionsDecoder.Problem]))
  }
}

/// A registered case or loop condition, which looks at a value and may return another.
struct Condition: Sendable {
  let value: any Sendable.Type
  let result: any Sendable.Type
  let ask: @Sendable (any Sendable) throws -> (any Sendable)?
}

/// A registered join of several results.
struct Junction: Sendable {
  let values: [any Sendable.Type]
  let result: any Sendable.Type
  let join: @Sendable ([any Sendable]) throws -> any Sendable
}

/// A registered list of elements in a value.
struct ElementList: Sendable {
  let value: any Sendable.Type
  let element: any Sendable.Type
  let find: @Sendable (any Sendable) throws -> [any Sendable]
}

/// A registered tally of results.
struct RegisteredTally: Sendable {
  let result: any Sendable.Type
  let output: any Sendable.Type
  let goal: Fork.Goal
}

/// A registered transform of a value.
struct RegisteredTransform: Sendable {
  let value: any Sendable.Type
  let result: any Sendable.Type
  let transform: Segment.Transform
}

/// A registered recovery from an error.
struct Recovery: Sendable {
  let result: any Sendable.Type
  let recover: @Sendable (any Error) async throws -> any Sendable
}
