import ActorFlow
import Testing

@Suite("Diagrams as SVG") struct SVGTests {
  private let names = ["a\"b", "<b>&lt;", "]]><script>alert(1)", "line\nline", "\u{1}", "ö 日本 🛒"]

  /// A flow that goes past a step, back to another, and through two branches.
  private var flow: Flow<Int, Int> {
    Flow("order") {
      Step("first") { (number: Int) in number }
      Switch {
        Case("large", where: { (number: Int) in number > 9 }) {
          Step("check") { (number: Int) in number }
        }
        Otherwise { Step("skip") { (number: Int) in number } }
      }
      Parallel {
        Step("left") { (number: Int) in number }
        Step("right") { (number: Int) in number }
      } join: { left, right in
        left + right
      }
      Step("last") { (number: Int) in number }
    }
  }

  @Test("names are texts, and never markup")
  func escaping() {
    let whole = names.reduce(Flow<Int, Int>("all") { Step("begin") { (number: Int) in number } }) { flow, name in
      Flow("all") {
        flow
        Step(name) { (number: Int) in number }
      }
    }
    let svg = whole.diagram(.svg)
    #expect(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains("\u{1}"))
    #expect(svg.contains(">a&quot;b</text>") && svg.contains(">ö 日本 🛒</text>"))
    #expect(svg.contains("]]&gt;&lt;script&gt;"))
    #expect(svg.ranges(of: ">line</text>").count == 2)
    #expect(tagsAreClosed(svg))
  }

  @Test("every step, arrow and label is drawn, without styles and scripts, and always in the same way")
  func whole() {
    let svg = flow.diagram(.svg)
    for step in ["first", "check", "skip", "left", "right", "last", "large"] {
      #expect(svg.contains(">\(step)</text>"))
    }
    #expect(svg.ranges(of: "marker-end").count == flow.diagram(.mermaid).ranges(of: "-->").count)
    #expect(!svg.contains("style") && !svg.contains("href") && svg == flow.diagram(.svg))
    #expect(tagsAreClosed(svg))
  }

  @Test("the position is marked in the picture")
  func position() async throws {
    let flow = Flow("order") {
      Step("first") { (number: Int) in number }
      Step("second") { (number: Int, context: StepContext) in try await context.ask(Form()) }
    }
    let coordinator = FlowCoordinator()
    async let output = coordinator.run(flow, with: 1)
    let position = try await coordinator.settled()
    let svg = flow.diagram(.svg, of: position)
    #expect(svg.contains("#cfe2f3") && svg.contains("#ffd966") && svg.contains(">waiting for an answer</text>"))
    try await coordinator.answer(Form.self, with: 2)
    #expect(try await output == 2)
  }

  @Test("frames that begin at the same step have their texts one above the other")
  func nestedFrames() throws {
    let steps = Flow {
      Step("first") { (number: Int) in number }
      Step("second") { (number: Int) in number }
    }
    let flow = Flow("order") { steps.expires(afterIdle: .seconds(900)) }
    let svg = flow.diagram(.svg)
    let places = try svg.matches(of: /y="(\d+)" fill="#555" text-anchor="start">/).map { try #require(Int($0.1)) }
    #expect(places.count == 2 && abs(places[0] - places[1]) >= 14, "\(svg)")
  }

  private struct Form: Prompt { typealias Answer = Int }

  /// Whether each tag that is opened is closed, in the right order.
  private func tagsAreClosed(_ svg: String) -> Bool {
    var open: [Substring] = []
    for match in svg.matches(of: /<(\/?)([a-z]+)[^>]*?(\/?)>/) {
      if !match.3.isEmpty { continue }
      if match.1.isEmpty { open.append(match.2) } else if open.popLast() != match.2 { return false }
    }
    return open.isEmpty
  }
}
