#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL

  // The code of the documentation of transactions. It is compiled and not run.

  private struct Order: Codable, Sendable {
    let id: String
    let city: String
    let cents: Int
  }

  /// A client of the caller's, in a transaction.
  private protocol Client: Sendable {
    func texts(_ sql: String, _ values: [String?]) async throws -> [[String?]]
    func commit() async throws
  }

  private struct NotStored: Error {}

  private func start(
    _ order: Order, _ checkouts: RegisteredFlow<Order, Void>, _ store: PostgreSQLFlowStore
  ) async throws {
    try await store.transaction { transaction in
      try await transaction.execute("INSERT INTO orders VALUES ($1, $2)", [order.id, order.city])
      try await checkouts.start(id: FlowID(order.id), with: order, in: transaction)
    }
    try await store.transaction { transaction in
      try await transaction.execute("INSERT INTO orders VALUES ($1::uuid, $2)", [order.id, order.city])
    }
  }

  private func join(
    _ client: some Client, _ host: FlowHost, _ store: PostgreSQLFlowStore, _ question: Question.ID, _ address: String
  ) async throws {
    let transaction = store.joining { sql, values in try await client.texts(sql, values) }
    let change = try await host.flow("order-17").answer(question, with: address, in: transaction)
    var failure: (any Error)?
    do { try await client.commit() } catch { failure = error }
    if case .rolledBack = try await change.settle() { throw failure ?? NotStored() }
  }

  private func invoice(_ order: Order, _ context: StepContext, _ store: PostgreSQLFlowStore) async throws {
    try await context.once("invoice", in: store) { transaction, _ in
      try await transaction.execute("INSERT INTO invoices VALUES ($1)", [order.id])
    }
  }
#endif
