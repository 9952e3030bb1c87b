import ActorFlow

typealias TextFlow = Flow<String, String>

/// Flows of text that are built from bare segments: every component, without its typed interface.
enum Raw {
  static func step(_ name: String) -> TextFlow { Step(name) { (input: String) in input + name }.flow }

  static func within(_ kind: Scope.Kind, _ flow: TextFlow) -> TextFlow {
    Flow(segments: [.enter(kind)] + flow.segments + [.leave])
  }

  static func presented(_ token: Presentation, _ flow: TextFlow) -> TextFlow {
    Flow(segments: [.begin(.presentation(token))] + flow.segments + [.end])
  }

  /// A choice that takes the first case whose label the text begins with.
  static func choose(_ cases: [(String, TextFlow)], otherwise: TextFlow? = nil) -> TextFlow {
    Flow(segments: [.choice(choice(cases, otherwise: otherwise))])
  }

  /// A loop that repeats while the text is shorter than `length`.
  static func loop(until length: Int, _ body: TextFlow) -> TextFlow {
    let decide: @Sendable (any Sendable) throws -> Repetition.Verdict = { value in
      guard let text = value as? String else { throw Refused() }
      return text.count < length ? .again(text) : .done(text)
    }
    return Flow(segments: [.loop(Repetition(body: body.segments, decide: decide))])
  }

  static func hub(_ menu: TextFlow, _ cases: [(String, TextFlow)], leaving: Set<Int>) -> TextFlow {
    Flow(segments: [.hub(Menu(step: menu.segments, choice: choice(cases), leaving: leaving))])
  }

  static func router(_ cases: [(String, TextFlow)], leaving: Set<Int>) -> TextFlow {
    let routes = Router.Routes(start: [], parts: [])
    return Flow(segments: [.router(Router(choice: choice(cases), leaving: leaving, routes: routes))])
  }

  static func fork(_ kind: String, name: String? = nil, _ branches: [TextFlow]) -> TextFlow {
    let branches = branches.map { Fork.Branch(name: nil, segments: $0.segments) }
    return Flow(segments: [.fork(Fork(kind: kind, name: name, branches: .fixed(branches), goal: join))])
  }

  /// A `ForEach` with a branch for each letter.
  static func each(name: String? = nil, _ branch: TextFlow) -> TextFlow {
    let letters: @Sendable (any Sendable) throws -> [any Sendable] = { value in
      (value as? String ?? "").map(String.init)
    }
    let branches = Fork.Branches.each(elements: letters, branch.segments)
    return Flow(segments: [.fork(Fork(kind: "each", name: name, branches: branches, goal: join))])
  }

  private static let join = Fork.Goal.all { results in results.map { "\($0)" }.joined() }

  private static func choice(_ cases: [(String, TextFlow)], otherwise: TextFlow? = nil) -> ActorFlow.Choice {
    let cases = cases.map { label, flow in
      ActorFlow.Choice.Case(
        label: label, name: label,
        match: { value in (value as? String).flatMap { $0.hasPrefix(label) ? $0 : nil } }, segments: flow.segments)
    }
    return ActorFlow.Choice(cases: cases, otherwise: otherwise?.segments)
  }
}

extension Raw {
  /// A flow with every component.
  static let shop = Flow("shop") {
    step("cart").onBackUp(.oneWay)
    choose(
      [
        ("guest", step("email")),
        (
          "member",
          Flow("account") {
            step("login"); within(.retry(attempts: 3, .none), step("profile"))
          }
        ),
      ], otherwise: step("sign-up"))
    loop(
      until: 9,
      Flow {
        step("scan"); step("confirm")
      })
    hub(
      step("menu"),
      [
        (
          "gift",
          Flow("wrapping") {
            step("paper"); step("card")
          }
        ), ("pay", TextFlow(segments: [])),
      ],
      leaving: [1])
    within(
      .timeout(.seconds(30)),
      fork(
        "parallel", name: "checks",
        [
          step("credit"),
          Flow {
            step("stock"); step("reserve")
          },
        ]))
    fork("race", [step("courier"), within(.timeout(.milliseconds(1_500)), step("post"))])
    each(
      name: "approvals",
      Flow {
        step("ask"); step("sign")
      })
    router([("box", step("pack")), ("label", step("print")), ("out", TextFlow(segments: []))], leaving: [2])
    within(
      .expiry(.seconds(7_200)),
      Flow("payment") {
        step("authorize"); within(.recover { "\($0)" }, within(.timeout(.seconds(90)), step("capture")))
      })
  }
}
