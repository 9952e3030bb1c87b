import ActorFlow
import Testing

@Suite("Presenters: the presentation style of a step") struct PresentationTokenTests {
  /// Returns the presentations of each move forward and back.
  private func shown(
    _ flow: Flow<String, String>, _ body: (FlowCoordinator) async throws -> Void = { _ in }
  ) async throws -> [String] {
    let lines = Trace()
    let presenter = Shows { event, _ in
      switch event.change {
      case .moved(_, let visit): lines.add("show \(visit.step.name) \(visit.presentation.map { "\($0)" } ?? "-")")
      case .leaving(let visit, _): lines.add("hide \(visit.step.name) \(visit.presentation.map { "\($0)" } ?? "-")")
      case .backedUp(_, let visit, _): lines.add("back \(visit.step.name) \(visit.presentation.map { "\($0)" } ?? "-")")
      default: break
      }
      return true
    }
    _ = try await running(flow, with: "", presentedBy: [presenter], body).get()
    return lines.all
  }

  @Test("FL-04 a step's own style wins over the flow's; the others keep the flow's, and the nearest around them wins")
  func nearestWins() async throws {
    let flow = Flow {
      Step("a") { Automatic() }
      Step("b") { Automatic() }.presentation(.modal)
      Flow {
        Step("c") { Automatic() }
        Step("d") { Automatic() }.presentation(.replace)
      }.presentation(.embed)
      Step("e") { Automatic() }
    }
    #expect(
      try await shown(flow.presentation(.push)) == [
        "show a push", "show b modal", "show c embed", "show d replace", "show e push",
      ])
    #expect(try await shown(flow) == ["show a -", "show b modal", "show c embed", "show d replace", "show e -"])
  }

  @Test("FL-05 a step that overrides only its removal is presented as any other")
  func otherPolicies() async throws {
    let flow = Flow {
      Step("a") { Automatic() }.onFailure(.suspend)
      Step("b") { Automatic() }.onBackUp(.oneWay)
    }
    #expect(try await shown(flow.presentation(.modal)) == ["show a modal", "show b modal"])
  }

  @Test("FL-20 an inserted step is shown and hidden in the style of its neighbours")
  func putInLater() async throws {
    func flow(withExtra: Bool) -> Flow<String, String> {
      Flow {
        Step("a") { Asker() }
        if withExtra { Step("extra") { Asker() } }
      }.presentation(.push)
    }
    let lines = try await shown(flow(withExtra: true)) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "extra")
    }
    #expect(
      lines == ["show a push", "show extra push", "hide extra push", "back a push", "show extra push"])
  }

  @Test("SC-075 a style, constant or computed when the flow is built, applies to first and later steps")
  func howeverComeBy() async throws {
    let chosen: @Sendable (Bool) -> Presentation = { $0 ? .modal : .custom("sheet") }
    let flow = Flow {
      Step("a") { Automatic() }.presentation(chosen(true))
      Step("b") { Automatic() }.presentation(chosen(false))
      for token in [Presentation.push, .embed] { Step("\(token)") { Automatic() }.presentation(token) }
    }
    #expect(
      try await shown(flow) == ["show a modal", "show b custom(sheet)", "show push push", "show embed embed"])
  }

  @Test("SC-078 the built-in styles are pairwise different; custom ones equal those of their name and no built-in one")
  func tokens() {
    let builtIn: [Presentation] = [.push, .modal, .replace, .embed]
    #expect(Set(builtIn).count == 4)
    #expect(Presentation.custom("sheet") == .custom("sheet"))
    #expect(Presentation.custom("sheet") != .custom("drawer"))
    #expect(Set(builtIn + [.custom("push")]).count == 5)
  }
}
