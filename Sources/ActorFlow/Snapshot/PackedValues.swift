package struct PackedPayload: Sendable, Equatable {
  package var value: PackedValue
  /// An index of ``MachineSnapshot/kept``.
  package var carried: Int?
  /// An index of ``MachineSnapshot/frames``.
  package var scopes: Int?

  package init(value: PackedValue, carried: Int? = nil, scopes: Int? = nil) {
    (self.value, self.carried, self.scopes) = (value, carried, scopes)
  }
}

package struct PackedCarried: Sendable, Equatable {
  package var value: PackedValue
  package var below: Int?

  package init(value: PackedValue, below: Int? = nil) {
    (self.value, self.below) = (value, below)
  }
}

package struct PackedFrame: Sendable, Equatable {
  package var scope: ScopeName
  package var payload: Int
  package var attempt: Int
  /// The principals whom a guard has admitted.
  package var admitted: Participants?

  package init(scope: ScopeName, payload: Int, attempt: Int, admitted: Participants? = nil) {
    (self.scope, self.payload, self.attempt, self.admitted) = (scope, payload, attempt, admitted)
  }
}

/// The name of a scope in a definition: the nth of its kind that begins with this step.
package struct ScopeName: Sendable, Hashable {
  package var kind: String
  package var step: StepID
  package var number: Int

  package init(kind: String, step: StepID, number: Int) {
    (self.kind, self.step, self.number) = (kind, step, number)
  }
}

/// A step that failed, and its error.
package struct PackedFault: Sendable, Equatable {
  package var step: StepID
  package var error: StoredFailure

  package init(step: StepID, error: StoredFailure) {
    (self.step, self.error) = (step, error)
  }
}
