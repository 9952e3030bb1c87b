import ActorFlow
import Foundation
import Testing

@Suite("Diagrams: names with special characters, and Graphviz") struct DiagramTextTests {
  private static let dot = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Names that have a meaning in one of the two languages.
  private let nasty = [
    "end", "a\"b", "a\\", "a]b", "<b>&lt;", "line\nline", "1. one", "*big*", "ö 日本 🛒", "x;y", "a|b", "\u{1}", "#2",
    "`a`",
  ]

  private var flow: TextFlow {
    Flow(segments: nasty.flatMap { name in Flow("in \(name)") { Raw.step(name) }.segments })
  }

  @Test("names are written so that Mermaid does not interpret them")
  func mermaid() {
    let text = flow.diagram(.mermaid)
    for line in text.split(separator: "\n") where line.contains("\"") {
      #expect(line.count { $0 == "\"" } == 2, "one string in \(line)")
      #expect(line.contains(/^ *(subgraph c\d+\["[^"]*"\]|n\d+\(+"[^"]*"\)+)$/), "\(line)")
    }
    #expect(text.contains(#"n1("end")"#))
    #expect(text.contains(##"("a#34;b")"##))
    #expect(text.contains(##"("#60;b#62;#38;lt#59;")"##))
    #expect(text.contains(#"("line<br/>line")"#))
    #expect(text.contains(##"("1#46; one")"##))
    #expect(text.contains(#"("ö 日本 🛒")"#))
  }

  @Test("names are written so that DOT does not interpret them")
  func dotText() {
    let text = flow.diagram(.dot)
    #expect(text.contains(#"[label="a\"b"]"#))
    #expect(text.contains(#"[label="a\\"]"#))
    #expect(text.contains(#"[label="<b>&amp;lt;"]"#))
    #expect(text.contains(#"[label="line\nline"]"#))
  }

  @Test("Graphviz draws every name and every component, without a warning", .enabled(if: dot != nil))
  func graphviz() throws {
    for text in [flow.diagram(.dot), Raw.shop.diagram(.dot)] {
      let (picture, complaint, status) = try Self.draw(text)
      #expect(status == 0)
      #expect(complaint == "")
      #expect(picture.hasSuffix("</svg>\n"))
    }
    let (picture, _, _) = try Self.draw(flow.diagram(.dot))
    #expect(picture.contains(">a&quot;b</text>"))
    #expect(picture.contains(">a\\</text>"))
    #expect(picture.contains("&lt;b&gt;&amp;lt;</text>"))
  }

  @Test("the same definition makes the same text")
  func deterministic() {
    #expect(flow.diagram(.dot) == flow.diagram(.dot))
    #expect(flow.diagram(.mermaid) == flow.diagram(.mermaid))
  }

  /// Writes to files: a pipe that is not read would block a large picture.
  private static func draw(_ text: String) throws -> (picture: String, complaint: String, status: Int32) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "diagram-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "flow.dot")
    let picture = folder.appending(path: "flow.svg")
    try Data(text.utf8).write(to: source)
    let complaint = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: try #require(dot))
    process.arguments = ["-Tsvg", source.path(), "-o", picture.path()]
    process.standardError = complaint
    try process.run()
    let said = try complaint.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let drawn = (try? Data(contentsOf: picture)) ?? Data()
    return (String(decoding: drawn, as: UTF8.self), String(decoding: said, as: UTF8.self), process.terminationStatus)
  }
}
