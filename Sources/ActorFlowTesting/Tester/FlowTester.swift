public import ActorFlow

/// Drives a flow in a test, and fails the test unless everything the flow did was asserted.
///
/// ``testFlow(_:with:by:id:exhaustivity:passivating:clock:patience:fileID:line:_:)`` makes one and passes it to a
/// closure:
///
/// ```swift
/// try await testFlow(checkout, with: cart) { tester in
///   let form = try await tester.question(AddressForm.self)
///   try await tester.answer(form, with: Address(street: "Main St 1"))
///   try await tester.expect(.moved(to: "pricing"))
///   try await tester.answer(PaymentForm.self, with: card)
///   let receipt = try await tester.finish()
///   #expect(receipt.total == 42)
/// }
/// ```
///
/// Each helper waits until the flow has reacted, and asserts the events that the helper names or implies:
///
/// | helper | asserts |
/// |---|---|
/// | ``question(_:at:fileID:line:)`` | the move to the step that asks, and the question |
/// | ``answer(_:with:by:fileID:line:)-(ShownQuestion<P>,_,_,_,_)`` | that the answer is accepted |
/// | ``questions(_:at:fileID:line:)`` | the moves and the questions of several branches, in any order |
/// | ``updated(_:fileID:line:)`` | the next update of a question |
/// | ``act(_:on:by:fileID:line:)``, ``conclude(_:on:by:fileID:line:)`` | the next rendering of a rendered step, or its end |
/// | ``send(_:to:key:fileID:line:)`` | that a step that waits for the signal receives it |
/// | ``advance(_:by:fileID:line:)`` | nothing; the test asserts what the passing time causes |
/// | ``backUp(to:landingAt:fileID:line:)``, ``backUp(from:landingAt:fileID:line:)`` | leaving, and landing, without errors |
/// | ``abandon(reason:rollingBack:fileID:line:)``, ``cancel(fileID:line:)`` | leaving, the ending and the rollback, without errors |
/// | ``failure(_:at:fileID:line:)`` | the move to the step that fails, the failure and the rollback, without errors |
/// | ``finish(fileID:line:)`` | the ending |
/// | ``expect(_:fileID:line:)``, ``expect(inAnyOrder:fileID:line:)`` | exactly the events that it names |
/// | ``refusal(of:fileID:line:_:)``, ``refusal(_:fileID:line:_:)`` | that a request is refused; no event |
///
/// Therefore name an automatic step between two questions with ``expect(_:fileID:line:)``. The test fails at its end if
/// an event was not asserted, a question is open, or the flow has not ended. The failure names what is left. With
/// ``Exhaustivity/partial``, only what is asserted counts.
///
/// Every helper throws a ``FlowTestFailure`` that names the line, and `CancellationError` if the test is cancelled. A
/// helper that failed has asserted nothing; with ``Exhaustivity/partial`` it has skipped or asserted the events before
/// the failure. If a flow does nothing for longer than the tester's ``Patience``, the failure says where the flow
/// stands, and names a step that was left and does not return.
///
/// A tester is not Sendable: it belongs to the test's own task. Other tasks use its ``coordinator``.
public final class FlowTester<Output: Sendable> {
  /// The coordinator that runs the flow, for everything that the tester has no helper for.
  ///
  /// Assert the events that its methods cause with ``expect(_:fileID:line:)``.
  public let coordinator: FlowCoordinator

  let run: RunUnderTest<Output>
  let tape: EventTape
  let exhaustivity: Exhaustivity
  let passivation: Passivation

  /// The facts that expectations have skipped so far, oldest first.
  ///
  /// Filled with ``Exhaustivity/partial``, and by ``skipRest(fileID:line:)``.
  public internal(set) var skipped: [SkippedFact] = []

  init<Input: Sendable>(
    _ flow: some FlowComponent<Input, Output>, with input: Input, by principal: Principal?,
    on coordinator: FlowCoordinator, exhaustivity: Exhaustivity, passivation: Passivation, patience: Patience
  ) {
    self.coordinator = coordinator
    self.exhaustivity = exhaustivity
    self.passivation = passivation
    tape = EventTape(coordinator, patience: patience)
    run = RunUnderTest(flow, with: input, by: principal, on: coordinator)
  }
}

@available(*, unavailable, message: "a tester belongs to the test's own task; other tasks use its coordinator")
extension FlowTester: Sendable {}
