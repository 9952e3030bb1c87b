package import ActorFlow

// The kinds of steps, for all types of values between steps.

package actor Puppet<Input: Carrier, Output: Carrier>: FlowStep {
  private let body: Body

  package init(_ plan: StepPlan, _ session: World.HostSession) {
    body = Body(plan, session)
    session.world.watch(self)
  }

  package func proceed(_ input: Input, context: StepContext) async throws -> Output {
    Output(carrying: try await body.proceed(input.value, note: nil, context))
  }

  package func backUp(context: RollbackContext) async throws { try await body.backUp(context) }
}

/// A step without input.
package actor AsidePuppet: FlowStep {
  private let body: Body

  package init(_ plan: StepPlan, _ session: World.HostSession) {
    body = Body(plan, session)
    session.world.watch(self)
  }

  package func proceed(_ input: Void, context: StepContext) async throws -> Value {
    try await body.proceed(Value(), note: nil, context)
  }

  package func backUp(context: RollbackContext) async throws { try await body.backUp(context) }
}

package actor SkippablePuppet<Input: Carrier, Output: Carrier>: SkippableStep {
  private let body: Body

  package init(_ plan: StepPlan, _ session: World.HostSession) {
    body = Body(plan, session)
    session.world.watch(self)
  }

  package func skip(_ input: Input, context: EntryContext) -> Skip<Output> {
    guard input.value.number % 2 == 1 else { return .enter }
    return .with(Output(carrying: input.value.with(input.value.number, adding: "-")))
  }

  package func proceed(_ input: Input, context: StepContext) async throws -> Output {
    Output(carrying: try await body.proceed(input.value, note: nil, context))
  }

  package func backUp(context: RollbackContext) async throws { try await body.backUp(context) }
}

package actor ReceivingPuppet<Input: Carrier, Output: Carrier>: ReceivingStep {
  private let body: Body
  private var note: Note?

  package init(_ plan: StepPlan, _ session: World.HostSession) {
    body = Body(plan, session)
    session.world.watch(self)
  }

  package func receive(_ note: Note) async throws {
    try await body.receive(note)
    if note.isDelivered { self.note = note }
  }

  package func proceed(_ input: Input, context: StepContext) async throws -> Output {
    Output(carrying: try await body.proceed(input.value, note: note, context))
  }

  package func backUp(context: RollbackContext) async throws {
    note = nil
    try await body.backUp(context)
  }
}

/// The first step of a `TypeRouter`, to which the second one may send an update.
package actor RouterPuppet: ReceivingStep {
  private let body: Body
  private var note: Note?

  package init(_ plan: StepPlan, _ session: World.HostSession) {
    body = Body(plan, session)
    session.world.watch(self)
  }

  package func receive(_ routed: RoutedNote) async throws {
    try await body.receive(routed.note)
    note = routed.note
  }

  package func proceed(_ input: Arrival, context: StepContext) async throws -> OneOf2<Middle, Departure> {
    OneOf2(carrying: try await body.proceed(input.value, note: note, context))
  }

  package func backUp(context: RollbackContext) async throws {
    note = nil
    try await body.backUp(context)
  }
}
