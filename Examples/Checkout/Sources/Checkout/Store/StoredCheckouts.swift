import ActorFlow
import ActorFlowHosting
import CheckoutFlow
import Foundation

/// The checkouts of a store, and the host that runs them.
struct StoredCheckouts: Sendable {
  private let folder: StoreFolder
  private let host: FlowHost
  private let flows: RegisteredFlow<ShoppingList, Receipt>

  /// Hosts this flow in a store.
  ///
  /// - Throws: ``Problem`` if a checkout waits there that began as another flow.
  init(_ folder: StoreFolder, hosting flow: Flow<ShoppingList, Receipt>) async throws {
    var options = FlowHost.Options()
    // While a basket is shown, its prices are refreshed.
    options.effectTime = .seconds(86_400 * 365)
    self.folder = folder
    host = try FlowHost(store: folder.store, options: options)
    do { flows = try await host.register(flow) } catch let error as FlowError where error.code == .badDefinition {
      throw Problem(
        "The checkouts in \(quoted(folder.path)) do not fit these options: go on with the --upsell and --expires that they "
          + "began with, or take another directory. \(error.message).")
    }
  }

  /// Returns the named checkout, the newest waiting one, or a new one, and prints which.
  func choose(_ name: String?, _ screen: Screen) async throws -> FlowID {
    let waiting = try await folder.waiting()
    let newest = waiting.last?.id
    let id: FlowID
    if let name {
      id = try Self.checked(name)
    } else if let newest {
      id = newest
    } else {
      id = try await folder.nextName()
    }
    if let view = waiting.first(where: { $0.id == id }) {
      let others = waiting.map(\.id).filter { $0 != id }.map(\.description).joined(separator: ", ")
      screen.say(
        "Going on with \(id), begun \(view.startedAt.formatted(.iso8601))."
          + (others.isEmpty ? "" : " There wait also: \(others); --flow NAME chooses."))
    } else if try await folder.store.load(id) != nil {
      screen.say("\(id) is over.")
    } else {
      screen.say("This is \(id). It is kept in \(folder.path).")
    }
    return id
  }

  private static func checked(_ name: String) throws -> FlowID {
    guard (1...40).contains(name.count), name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else { throw Problem("\(quoted(name)) is no name of a checkout; use 1 to 40 letters, digits and hyphens.") }
    return FlowID(name)
  }

  /// Begins the checkout, or continues it; nil if it is over.
  func conversation(with id: FlowID, confirmsByHand: Bool, in shop: Shop) async throws -> StoredConversation? {
    let isKnown = try await folder.store.load(id) != nil
    if !confirmsByHand { try await confirmOverdue() }
    if isKnown { return try await StoredConversation(host, goingOnWith: id, catalogue: shop.catalogue) }
    let conversation = StoredConversation(host, beginning: id, catalogue: shop.catalogue)
    try await flows.start(id: id, with: ShoppingList())
    return conversation
  }

  /// Sends the signals of the payment provider since the last start of the program, before a wait times out.
  private func confirmOverdue() async throws {
    for view in try await folder.waiting() { try await confirmOverdue(view.id) }
  }

  /// Sends one checkout the verdict of the card's bank, and then the confirmation, which the verdict may have led to.
  private func confirmOverdue(_ id: FlowID) async throws {
    let flow = host.flow(id)
    for form in try await flow.view().questions.compactMap({ try? $0.prompt(as: CancelPaymentForm.self) }) {
      try await flow.send(BankVerdict(payment: form.payment), to: BankVerdict.signal, key: form.providerKey)
    }
    for wait in try await flow.settled().waits where wait.signal == Confirmation.signal.name {
      try await flow.send(Confirmation(), to: Confirmation.signal, key: wait.providerKey)
    }
  }

  /// Runs the host and the provider while `body` talks. Then passivates every flow.
  func hosting(
    _ conversation: StoredConversation, confirmsByHand: Bool, _ body: () async throws -> Void
  ) async throws {
    let provider = Provider(conversation: conversation, events: host.flow(conversation.id).events)
    try await withThrowingTaskGroup { group in
      group.addTask { try await host.run() }
      if !confirmsByHand {
        group.addTask {
          // The checkout may have begun to wait before these events.
          try? await confirmOverdue(conversation.id)
          await provider.confirm()
        }
      }
      try await body()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// The outcome of the checkout.
  func outcome(of id: FlowID) async throws -> Outcome {
    switch try await flows.outcome(of: id) {
    case .finished(let receipt): return .finished(receipt)
    case .abandoned(let reason): return .abandoned(reason: reason)
    case .failed(let sentence), .suspended(let sentence): return .failed(Problem(sentence))
    case .cancelled: return .abandoned(reason: "it was cancelled")
    case .open: fallthrough
    @unknown default: return .waits("\(id) waits in \(folder.path). Start again with --store to go on.")
    }
  }
}
