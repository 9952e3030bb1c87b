import ActorFlow

/// The questions of the hosted flows in tests.
struct TextForm: Prompt, Codable {
  typealias Answer = String
  var text: String
}

struct WorkError: Error {}

extension Duration {
  static let day = Duration.seconds(86_400)
}

/// Asks for at most `days`, and reminds every day.
func patient(_ log: Trace, _ name: String = "patient", days: Int = 4) -> Flow<String, String> {
  Flow(name) {
    Step("ask") { (input: String, context: StepContext) in
      let answer = try await context.ask(
        TextForm(text: input), within: .day * days,
        reminding: .every(.day, max: 100) { number in log.add("\(input) \(number)") })
      return answer ?? "nobody"
    }
  }
}
