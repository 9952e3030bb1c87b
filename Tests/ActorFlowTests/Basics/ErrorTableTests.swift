import ActorFlow
import Foundation
import Testing

/// The article that lists every code with its status.
@Suite("The table of errors") struct ErrorTableTests {
  private func rows() throws -> [String: Int] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appending(path: "Sources/ActorFlow/ActorFlow.docc/Errors.md")
    var rows: [String: Int] = [:]
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3 && !cells[2].isEmpty, "\(line)")
      let code = cells[0].trimmingCharacters(in: ["`"])
      #expect(rows.updateValue(try #require(Int(cells[1])), forKey: code) == nil, "\(code) stands twice")
    }
    return rows
  }

  @Test("every code stands in the article once, with the status that it has")
  func table() throws {
    let codes = FlowError.Code.all.map { ("\($0)", $0.httpStatus) }
    #expect(codes.count > 40)
    #expect(try rows() == Dictionary(uniqueKeysWithValues: codes))
  }

  @Test("a refusal has the status of its kind")
  func refusals() {
    #expect(Refusal.notAllowed("not yours").httpStatus == 403)
    #expect(Refusal.invalid("no street").httpStatus == 422)
  }
}
