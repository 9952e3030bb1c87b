public import ActorFlow

/// A checkout of three steps, each of which asks and then does something once.
public enum Checkout {
  /// The definition, which knows nothing of Temporal: a `FlowHost` on any store runs it as well.
  ///
  /// - Parameters:
  ///   - provider: The provider that does the effects.
  ///   - hasGift: Whether the second version is meant, in which a gift is packed at last.
  public static func flow(_ provider: Provider, hasGift: Bool = false) -> Flow<Order, Order> {
    hasGift
      ? Flow("checkout") {
        Step("address") { AskingStep(provider, asks: "address") }
        Step("delivery") { AskingStep(provider, asks: "delivery") }
        Step("payment") { AskingStep(provider, asks: "payment") }
        Step("gift") { GiftStep(provider) }
      }
      : Flow("checkout") {
        Step("address") { AskingStep(provider, asks: "address") }
        Step("delivery") { AskingStep(provider, asks: "delivery") }
        Step("payment") { AskingStep(provider, asks: "payment") }
      }
  }

  /// A signal of a parcel service's.
  public static let noted = Signal<String>("noted")
}

/// An order: what was answered and done.
public struct Order: Codable, Sendable, Equatable {
  /// The goods.
  public var item: String
  /// The answers, by question.
  public var answers: [String: String] = [:]
  /// The receipts of the effects, by step.
  public var receipts: [String: String] = [:]

  /// An order of an item.
  public init(item: String) { self.item = item }
}

/// A question for a line of text.
public struct LineForm: Prompt, Codable {
  /// A line of text.
  public typealias Answer = String
  /// The name that survives a renaming of the type.
  public static let promptName = "line"
  /// The line that is asked for.
  public var asks: String

  /// A question for a line.
  public init(asks: String) { self.asks = asks }

  /// Refuses an empty line.
  public func validate(_ answer: String) throws {
    if answer.isEmpty { throw Refusal.invalid("the \(asks) is missing", field: asks) }
  }
}

actor AskingStep: FlowStep {
  private let provider: Provider
  private let name: String

  init(_ provider: Provider, asks name: String) { (self.provider, self.name) = (provider, name) }

  func proceed(_ order: Order, context: StepContext) async throws -> Order {
    var order = order
    order.answers[name] = try await context.ask(LineForm(asks: name))
    order.receipts[name] = try await context.once("effect") { [provider, name] key in
      try await provider.act(name, key)
    }
    return order
  }

  func backUp(context: RollbackContext) async throws {
    if case .done = await context.record("effect", as: String.self) { try await provider.act("undo \(name)", "") }
  }
}

actor GiftStep: FlowStep {
  private let provider: Provider

  init(_ provider: Provider) { self.provider = provider }

  func proceed(_ order: Order, context: StepContext) async throws -> Order {
    var order = order
    order.receipts["gift"] = try await context.once("gift") { [provider] key in try await provider.act("gift", key) }
    return order
  }

  func backUp(context: RollbackContext) {}
}
