import ActorFlow
import ActorFlowTesting
import Testing

private struct Refused: Error, Equatable {}

private struct Guarded: Prompt {
  typealias Answer = Int
  func authorize(_ principal: Principal?) async throws { if principal?.id != "ada" { throw Refused() } }
  func validate(_ answer: Int) throws { if answer > 100 { throw Refused() } }
}

/// Near misses that compile: the guards have other names.
private struct Unguarded: Prompt {
  typealias Answer = Int
  func authorize(by principal: Principal?) throws { throw Refused() }
  static func authorize(_ principal: Principal?) throws { throw Refused() }
  func validates(_ answer: Int) throws { throw Refused() }
}

private struct OfKnown: Prompt {
  typealias Answer = Int
  func authorize(_ principal: Principal) throws {}
}

@Suite("Expecting the refusal of a prompt") struct PromptGuardTests {
  @Test("a guard that refuses passes the test, with its error")
  func refused() async throws {
    #expect(try await expectRefusal(ofPrincipal: nil, by: Guarded()) is Refused)
    #expect(try await expectRefusal(ofPrincipal: Principal(id: "bob"), by: Guarded()) is Refused)
    #expect(try await expectRefusal(ofAnswer: 101, by: Guarded()) is Refused)
    #expect((try await expectRefusal(ofPrincipal: nil, by: OfKnown()) as? FlowError)?.code == .principalNeeded)
  }

  @Test("a guard that accepts fails the test, at the line of the test")
  func admitted() async throws {
    var failure: FlowTestFailure?
    let line = #line + 1
    do { try await expectRefusal(ofPrincipal: Principal(id: "ada"), by: Guarded()) } catch let error as FlowTestFailure
    {
      failure = error
    }
    #expect(failure?.line == line)
    #expect(failure?.message.contains("authorize(_:) of Guarded to refuse the principal ada") == true)
    await #expect(throws: FlowTestFailure.self) { try await expectRefusal(ofAnswer: 100, by: Guarded()) }
  }

  @Test("a misnamed guard fails the test, because the default guard is called")
  func nearMisses() async throws {
    await #expect(throws: FlowTestFailure.self) { try await expectRefusal(ofPrincipal: nil, by: Unguarded()) }
    await #expect(throws: FlowTestFailure.self) { try await expectRefusal(ofAnswer: 1, by: Unguarded()) }
  }

  @Test("a cancelled test is cancelled, not passed")
  func cancelled() async throws {
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await expectRefusal(ofPrincipal: nil, by: Guarded())
    }
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
  }
}
