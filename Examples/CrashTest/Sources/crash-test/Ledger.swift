import ActorFlow
import ActorFlowHosting
import ActorFlowPostgreSQL

/// An application's own tables beside those of its flows. Their rows are written in one transaction with an answer, or
/// with the record of an effect, so that there is one if and only if the other is stored.
struct Ledger: Sendable {
  private let store: PostgreSQLFlowStore
  private let schema: String

  /// Makes the tables, unless there are some.
  init(_ store: PostgreSQLFlowStore, schema: String) async throws {
    (self.store, self.schema) = (store, schema)
    try await store.transaction { transaction in
      try await transaction.execute("CREATE TABLE IF NOT EXISTS \(schema).crash_answers (run text, question text)")
      try await transaction.execute(
        "CREATE TABLE IF NOT EXISTS \(schema).crash_effects (run text, name text, made text)")
    }
  }

  /// Answers, and writes a row that says so. A request that is repeated finds its answer and its row, or neither.
  func answer(_ request: Player.Request, through host: FlowHost) async throws {
    let (run, question) = (request.form.run, request.question.description)
    try await store.transaction { transaction in
      let known = try await transaction.query(
        "SELECT 1 FROM \(schema).crash_answers WHERE run = $1 AND question = $2", [run, question])
      if known.isEmpty {
        try await transaction.execute("INSERT INTO \(schema).crash_answers VALUES ($1, $2)", [run, question])
      }
      try await host.flow(request.question.flow)
        .answer(request.question, with: request.text, key: request.key, in: transaction)
    }
  }

  /// Makes the result of an effect, and writes a row with it.
  func once(
    _ name: String, run: String, _ context: StepContext, _ make: @escaping @Sendable (String) throws -> String
  ) async throws -> String {
    try await context.once(name, in: store) { [schema] transaction, key in
      let made = try make(key)
      try await transaction.execute("INSERT INTO \(schema).crash_effects VALUES ($1, $2, $3)", [run, name, made])
      return made
    }
  }

  /// The questions with a row, by the run.
  func answers() async throws -> [String: [String]] {
    try await store.transaction { transaction in
      let rows = try await transaction.query("SELECT run, question FROM \(schema).crash_answers")
      return Dictionary(rows.map { ($0[0] ?? "", [$0[1] ?? ""]) }, uniquingKeysWith: +)
    }
  }

  /// The results with a row, by the run and the effect.
  func effects() async throws -> [[String]: [String]] {
    try await store.transaction { transaction in
      let rows = try await transaction.query("SELECT run, name, made FROM \(schema).crash_effects")
      return Dictionary(rows.map { ([$0[0] ?? "", $0[1] ?? ""], [$0[2] ?? ""]) }, uniquingKeysWith: +)
    }
  }
}
