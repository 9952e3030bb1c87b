import Testing

@testable import ActorFlow

/// Flows that are taken up where each of their commits left them.
@Suite("Kept flows: a crash at every commit") struct CrashTests {
  private static func asker(_ name: String) -> Step<String, String> { Step(name) { Asker() } }

  /// A step that charges once and can refund.
  private static func charger(_ name: String, _ trace: Trace) -> Step<String, String> {
    .scripted(
      name,
      backUp: { context in
        switch await context.record("charge", as: String.self) {
        case .none: trace.add("\(name) nothing")
        case .done(let receipt): trace.add("\(name) refund \(receipt)")
        case .interrupted(let key): trace.add("\(name) void \(key)")
        }
      }
    ) { input, context in
      let receipt = try await context.once("charge") { key in
        trace.add("charge \(key)")
        return "r"
      }
      return input + receipt
    }
  }

  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let flow: @Sendable (Trace) -> Flow<String, String>
    /// What a step is answered.
    var answer: @Sendable (StepID, String) -> String = { step, _ in "(\(step.name))" }
  }

  static let scenes: [Scene] = [
    Scene(testDescription: "steps") { trace in
      Flow("f") {
        asker("a")
        charger("b", trace)
        asker("c")
      }
    },
    Scene(testDescription: "branches") { trace in
      Flow("f") {
        asker("a")
        Parallel {
          asker("x")
          Flow<String, String>("y") {
            asker("y1")
            charger("y2", trace)
          }
        } join: {
          $0 + "|" + $1
        }
        asker("c")
      }
    },
  ]

  @Test("however often the process dies, the flow comes to the same end", arguments: scenes)
  func everyCommit(_ scene: Scene) async throws {
    let kept = KeptFlow(scene.flow(Trace()))
    let first = try await kept.start(with: "-")
    await first.answerAll(scene.answer)
    let expected = try await first.result.get()
    let commits = kept.all.map(\.snapshot)
    #expect(commits.count > 5)
    for (index, snapshot) in commits.enumerated() where snapshot.ending == nil {
      let trace = Trace()
      let again = KeptFlow(scene.flow(trace))
      let run = try again.resume(snapshot)
      await run.answerAll(scene.answer)
      #expect(try await run.result.get() == expected, "after commit \(index)")
      let charges = trace.all.filter { $0.hasPrefix("charge") }
      #expect(Set(charges).count == charges.count, "after commit \(index)")
    }
  }

  @Test("what is read back and written again is the same", arguments: scenes)
  func roundTrip(_ scene: Scene) async throws {
    let kept = KeptFlow(scene.flow(Trace()))
    let first = try await kept.start(with: "-")
    await first.answerAll(scene.answer)
    for snapshot in kept.all.map(\.snapshot) where snapshot.ending == nil {
      let once = try kept.machine(of: snapshot).snapshot(kept.names, with: JSONCodec())
      let twice = try kept.machine(of: once).snapshot(kept.names, with: JSONCodec())
      #expect(once == twice)
      #expect(once.main.places == snapshot.main.places)
      #expect(once.main.question == snapshot.main.question)
      #expect(once.branches.map(\.question) == snapshot.branches.map(\.question))
    }
  }
}
