import ArgumentParser
import Foundation

/// `actorflow watch`.
struct Watch: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the numbers of flows by status, again and again.",
    discussion: """
      Numbers go up to 10,000. `due` is the number of timers that are due and have not fired, `live` the number of flows in \
      the memory of the process. End it with Ctrl-C. A service that is away after the first look is asked again.
      """)
  @OptionGroup var service: ServiceOptions
  @Option(help: ArgumentHelp("Flows of this definition.", valueName: "name")) var definition: String?
  @Option(help: "The seconds between two looks.") var every: Int64 = 2
  @Option(help: "The number of looks; without it there is no end.") var times: Int?

  func validate() throws {
    guard (1...86_400).contains(every) else { throw ValidationError("--every takes 1 to 86400 seconds.") }
    guard times.map({ $0 > 0 }) ?? true else { throw ValidationError("--times takes a number of 1 or more.") }
  }

  func run(in session: Session) async throws {
    var looks = 0
    while true {
      do {
        let counts = try await session.admin.get("/counts", [("definition", definition)])
        try session.console.print(session.isJSON ? counts.description : Self.line(of: counts, at: Date()))
      } catch let failure as ToolFailure where looks > 0 && failure.status == ExitStatus.notReached {
        session.console.note(failure.message)
      }
      looks += 1
      if let times, looks >= times { return }
      try await Task.sleep(for: .seconds(every))
    }
  }

  private static func line(of counts: JSONValue, at time: Date) -> String {
    var parts: [String] = []
    if case .object(let statuses) = counts["status"] {
      parts = statuses.sorted { $0.key < $1.key }.filter { $0.value != .integer(0) }.map { "\($0) \($1.text ?? "")" }
    }
    parts += ["due \(counts["due"].text ?? "0")", "live \(counts["live"].text ?? "0")"]
    if let oldest = counts["oldestDue"].text { parts.append("oldest due \(oldest)") }
    if !counts["isRunning"].isTrue { parts.append("the host does not run") }
    if let failed = counts["failedPolls"].count, failed > 0 { parts.append("failed polls \(failed)") }
    return "\(time.formatted(.iso8601))  \(parts.joined(separator: ", "))".visible
  }
}
