import ActorFlow

// Scenarios of finalizers, guards, policies by the input, and choices that suspend. A finalizer traces like a `backUp`.
extension RestartScenario {
  private static func finalized(
    _ trace: Trace, _ inner: some FlowComponent<String, String>, by name: String = "release"
  ) -> Flow<String, String> {
    inner.flow.finally(name) { _ in trace.add("\(name):backUp") }
  }

  private static func pair(_ trace: Trace) -> Flow<String, String> {
    Flow {
      tracedAsker("b", trace)
      tracedCharger("c", trace)
    }
  }

  private static func around(_ trace: Trace) -> Flow<String, String> {
    Flow("f") {
      tracedAsker("a", trace)
      finalized(trace, pair(trace))
      tracedAsker("z", trace)
    }
  }

  static let guarding: [RestartScenario] = [
    RestartScenario("a component with a finalizer ends", flow: around),
    RestartScenario(
      "a component with a finalizer is abandoned", at("b") { run, _ in try? await run.coordinator.abandon() }
    ) {
      around($0)
    },
    RestartScenario(
      "a component with a finalizer has ended before the flow is abandoned",
      at("z") { run, _ in try? await run.coordinator.abandon() }
    ) { around($0) },
    RestartScenario(
      "an abandon leaves effects, not finalizers",
      at("y") { run, _ in try? await run.coordinator.abandon(rollingBack: false) }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        finalized(
          trace,
          Flow {
            finalized(trace, pair(trace), by: "inner")
            tracedAsker("y", trace)
          })
      }
    },
    RestartScenario(
      "a back passes over a component that has ended",
      at("z") { run, question in
        if question.visit.number < 7 { try await run.coordinator.backUp() } else { try await run.answerIt(question) }
      }
    ) { around($0) },
    RestartScenario("finalizers in the branches of a fork, and around it") { trace in
      Flow("f") {
        finalized(
          trace,
          Parallel {
            finalized(trace, tracedAsker("x", trace), by: "free x")
            Flow<String, String>("y") { finalized(trace, pair(trace), by: "free y") }
          } join: {
            $0 + "|" + $1
          })
        tracedAsker("z", trace)
      }
    },
    RestartScenario("a finalizer of the loser of a race", at("x") { try await $0.answerIt($1) }) { trace in
      Flow("f") {
        Race {
          Flow<String, String>("y") { finalized(trace, pair(trace), by: "free y") }
          tracedAsker("x", trace)
        }
        tracedAsker("z", trace)
      }
    },
    RestartScenario("attempts, each with a finalizer, around a settling step") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        finalized(
          trace,
          Flow {
            tracedCharger("c", trace).onBackUp(.settling)
            tracedAsker("b", trace)
          }
        )
        .retry(2)
        tracedAsker("z", trace)
      }
    },
    RestartScenario("rounds with a finalizer, a guard and a choice that suspends") { trace in
      Flow("f") {
        Loop {
          finalized(trace, tracedAsker("b", trace)).guarded { input, _ in
            guard input.count < 100 else { throw Refused() }
          }
          Switch {
            Case("long", where: { (value: String) async in value.count > 4 }) {
              tracedAsker("long", trace).map { Again<String, String>.done($0) }
            }
            Case("short", where: { (_: String) async in true }) {
              tracedStep("short", trace) { input, _ in input }.map { Again<String, String>.again($0) }
            }
          }
        }
      }
    },
    RestartScenario(
      "policies by the input",
      at("z") { run, question in
        if question.visit.number < 6 { try? await run.coordinator.backUp() } else { try await run.answerIt(question) }
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedAsker("b", trace).onBackUp { (input: String) in input.count > 2 ? .passThrough : .automatic }
        tracedAsker("z", trace)
      }
    },
  ]
}
