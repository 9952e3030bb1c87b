import ActorFlow
import Testing

/// The code of the article "Migrating from Workflow".
enum WorkflowMigrationSnippets {
  struct Index: Sendable {
    let names: [String]
    func find(_ query: String) async -> [String] { names.filter { $0.hasPrefix(query) } }
  }

  struct SearchView: Prompt {
    enum Action: Sendable { case type(String), found([String]), pick(String) }
    typealias Answer = Action
    let query: String
    let results: [String]
  }

  struct Search: RenderedStep {
    struct State: Sendable, Equatable {
      var query = ""
      var results: [String] = []
    }
    let index: Index

    func makeState() -> State { State() }

    func apply(_ action: SearchView.Action, to state: inout State) -> String? {
      switch action {
      case .type(let query): state = State(query: query)
      case .found(let results): state.results = results
      case .pick(let name): return name
      }
      return nil
    }

    func render(_ state: State, in scope: inout RenderScope<Search>) -> SearchView {
      if !state.query.isEmpty {
        scope.run(state.query) { [index] sink in
          await sink(.found(await index.find(state.query)))
        }
      }
      return SearchView(query: state.query, results: state.results)
    }
  }

  static func pick(_ query: String, in index: Index) async throws -> String {
    let coordinator = FlowCoordinator()
    async let name = coordinator.run(Step("search") { (index: Index) in Search(index: index) }, with: index)

    for await event in coordinator.events {
      guard let question = event.position.questions.first, let view = question.prompt as? SearchView else { continue }
      if view.query.isEmpty {
        try await coordinator.answer(question.id, with: SearchView.Action.type(query))
      } else if let first = view.results.first {
        try await coordinator.answer(question.id, with: SearchView.Action.pick(first))
        break
      }
    }
    return try await name
  }
}

@Suite("Snippets: migrating from Workflow") struct WorkflowMigrationSnippetTests {
  @Test("the search of the article finds the typed text")
  func search() async throws {
    let index = WorkflowMigrationSnippets.Index(names: ["tea", "cake", "cocoa"])
    #expect(try await WorkflowMigrationSnippets.pick("c", in: index) == "cake")
  }
}
