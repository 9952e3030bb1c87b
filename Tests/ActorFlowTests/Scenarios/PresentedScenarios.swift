import ActorFlow
import Testing

/// The steps of a flow do not depend on their presentation.
@Suite("Scenarios: in every presentation style") struct PresentedScenarios {
  static let styles: [Presentation] = [.push, .modal, .replace, .embed, .custom("split")]

  @Test(
    "SC-060 whichever steps skip, the others are presented in order and in their style",
    arguments: styles, ["a", "c", "bd", "e", "abcde", ""])
  func skipping(style: Presentation, skipped: String) async throws {
    let flow = Flow {
      for name in "abcde" {
        let output = skipped.contains(name) ? "" : nil as String?
        Step("\(name)") { Skipper(with: output) }
      }
    }
    let shown = try await pages(of: flow.presentation(style))
    #expect(shown == "abcde".filter { !skipped.contains($0) }.map { "\($0) \(style)" })
  }

  @Test(
    "SC-097 steps that are chosen when the flow is built are presented to the end of the flow", arguments: styles,
    [true, false])
  func chosen(style: Presentation, isLong: Bool) async throws {
    let flow = Flow {
      Step("a") { Automatic() }
      if isLong { Step("b") { Automatic() } }
      if isLong {
        Step("c") { Automatic() }
      } else {
        Step("d") { Automatic() }
      }
    }
    let shown = try await pages(of: flow.presentation(style))
    #expect(shown == (isLong ? "abc" : "ad").map { "\($0) \(style)" })
  }

  /// Returns the presented steps, each with its style.
  private func pages(of flow: Flow<String, String>) async throws -> [String] {
    let pages = Trace()
    let presenter = Shows { event, _ in
      if case .moved(_, let visit) = event.change, let style = visit.presentation {
        pages.add("\(visit.step.name) \(style)")
      }
      return true
    }
    _ = try await running(flow, with: "s", presentedBy: [presenter]).get()
    return pages.all
  }
}
