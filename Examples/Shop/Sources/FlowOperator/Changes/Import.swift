import ActorFlow
import ActorFlowHosting
import ArgumentParser
import Foundation

/// `actorflow import`.
struct Import: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    abstract: "Brings flows in that `actorflow export --store` has printed.",
    discussion: """
      An open flow is suspended: make sure that no host runs it on the old store, and then retry it, unless it was \
      suspended before. No flow is written over. Without --apply the lines are only checked. Flows of a host with a codec \
      cannot be imported by the tool.

      actorflow export --store old-data > flows.jsonl
      actorflow import flows.jsonl --store sqlite:new.db --reason "moved to the database" --apply
      """)
  @Argument(help: "The file with the lines; - for standard input.", completion: .file()) var file: String
  @Option(help: "The reason, for the history.") var reason: String
  @Flag(help: "Import the flows. Without it they are checked and listed.") var apply = false
  @Flag(help: "Pass over flows that are there already, as after an import that has stopped.") var skipExisting = false
  @OptionGroup var service: ServiceOptions

  func validate() throws {
    try Reason.check(reason)
    guard !file.isEmpty else { throw ValidationError("The name of the file is empty.") }
  }

  func run(in session: Session) async throws {
    var (imported, skipped, failed) = (0, 0, 0)
    // Read line by line, because a file may have very many flows.
    for try await (number, line) in try lines() where !line.isEmpty {
      let exported: ExportedFlow
      do { exported = try ExportedFlow(line: line) } catch {
        let before =
          apply
          ? "Flows of the lines before are imported; --skip-existing passes over them" : "Nothing is imported"
        throw ToolFailure.refused(
          "line \(number) of \(name) cannot be read: \(error.message). Lines for an import come from `actorflow export` "
            + "with --store. \(before)")
      }
      let id = exported.flow.id.description
      guard apply else {
        let snapshot = exported.flow.snapshot
        try session.console.print(
          visible: "\(id): \(snapshot.definition) \(snapshot.version), \(snapshot.status.rawValue)".onOneLine)
        continue
      }
      var body = RequestBody(reason: reason)
      body.set("flow", json: line)
      do {
        let view = try await session.admin.post("/import", body, key: nil)
        imported += 1
        let before = exported.flow.snapshot.status.rawValue
        try session.console.print(
          visible: "\(id): \(view["status"].text ?? "imported"), was \(before)".onOneLine)
      } catch let failure as ToolFailure where failure.code == "alreadyStarted" {
        if skipExisting { skipped += 1 } else { failed += 1 }
        session.console.note("\(id): is there already, and is unchanged".onOneLine)
      } catch var failure as ToolFailure {
        failure.message = "line \(number) of \(name), the flow \(id.onOneLine): \(failure.message)"
        throw failure
      }
      if number % 100 == 0 { session.console.note("\(number) lines") }
    }
    guard apply else { return session.console.note("Nothing is imported. Give --apply to import these flows.") }
    session.console.note("\(imported) flows imported, \(skipped) passed over")
    guard failed == 0 else {
      throw ToolFailure.refused("\(failed) flows are there already; --skip-existing passes over them")
    }
  }

  private var name: String { file == "-" ? "standard input" : file }

  /// The lines of the file with their numbers.
  private func lines() throws -> some AsyncSequence<(Int, String), any Error> {
    guard let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file) else {
      throw ToolFailure.usage("the file \(file) cannot be read: check its path and its owner")
    }
    return NumberedLines(handle)
  }
}

/// The lines of a file, with their numbers from 1. A line break at the end begins no line.
private struct NumberedLines: AsyncSequence, AsyncIteratorProtocol {
  private static let chunk = 1 << 16
  private let handle: FileHandle
  private var read: [UInt8] = []
  private var start = 0
  private var number = 0

  init(_ handle: FileHandle) { self.handle = handle }

  func makeAsyncIterator() -> NumberedLines { self }

  mutating func next() async throws -> (Int, String)? {
    var searched = start
    while true {
      if let end = read[searched...].firstIndex(of: UInt8(ascii: "\n")) { return line(to: end, then: end + 1) }
      read.removeFirst(start)
      (searched, start) = (read.count, 0)
      guard let more = try handle.read(upToCount: Self.chunk), !more.isEmpty else {
        return read.isEmpty ? nil : line(to: read.count, then: read.count)
      }
      read += more
    }
  }

  private mutating func line(to end: Int, then next: Int) -> (Int, String) {
    number += 1
    defer { start = next }
    return (number, String(decoding: read[start..<end], as: UTF8.self))
  }
}
