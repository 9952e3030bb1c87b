public import ActorFlowWeb
public import Foundation

/// A bank of this package's own, with a page on which a customer confirms a payment. Its word comes to the shop as a
/// webhook. Each request may be repeated under its key.
public actor FakeBank {
  struct Payment: Codable {
    let id: String
    let key: String
    let order: String
    /// The amount, in cents.
    let total: Int
    var state = State.open
    /// Whether the shop knows that the payment is confirmed or refused.
    var isTold = true
  }

  enum State: String, Codable {
    case open, paid, refused, voided, refunded
  }

  private struct Books: Codable {
    /// The secret that the bank and the shop share.
    var secret = Token.random()
    var payments: [String: Payment] = [:]
  }

  private var books: PersistedValue<Books>
  private let (decisions, decided) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// The bank with the state of its file.
  ///
  /// - Parameter directory: The directory of the file; `nil` for a bank in memory.
  public init(directory: URL? = nil) throws {
    books = try PersistedValue("bank.json", in: directory, initial: Books())
    decided.yield()
  }

  /// Opens a payment that the customer has to confirm.
  func open(_ total: Int, for order: String, key: String) throws -> OpenPayment {
    let known = books.value.payments.values.first { $0.key == key }
    let payment = known ?? Payment(id: Token.random(), key: key, order: order, total: total)
    if known == nil { try books.change { $0.payments[payment.id] = payment } }
    return OpenPayment(id: payment.id)
  }

  /// Ends a payment: an open one cannot be confirmed any more, and a confirmed one is refunded.
  func void(_ id: String) throws {
    try books.change { books in
      switch books.payments[id]?.state {
      case .open: books.payments[id]?.state = .voided
      case .paid: books.payments[id]?.state = .refunded
      default: break
      }
    }
  }

  /// Ends the payment that was opened under a key, if there is one.
  func void(key: String) throws {
    if let payment = books.value.payments.values.first(where: { $0.key == key }) { try void(payment.id) }
  }

  func payment(_ id: String) -> Payment? { books.value.payments[id] }

  /// Takes the customer's decision about an open payment.
  func decide(_ id: String, isConfirmed: Bool) throws {
    guard books.value.payments[id]?.state == .open else { return }
    try books.change { books in
      books.payments[id]?.state = isConfirmed ? .paid : .refused
      books.payments[id]?.isTold = false
    }
    decided.yield()
  }

  /// The secret that the shop checks the bank's signature with.
  var secret: String { books.value.secret }

  /// Tells the shop about each decision until the calling task is cancelled, in the way that a bank does: by a signed
  /// request, again and again until the shop takes it.
  ///
  /// - Parameters:
  ///   - pause: The pause after a request that the shop did not take.
  ///   - send: Sends a request to the shop and returns the status of the response.
  public func tellShop(
    pausing pause: Duration = .seconds(1), _ send: @Sendable (WebRequest) async throws -> Int
  ) async {
    for await _ in decisions {
      while !Task.isCancelled, await !tellAll(send) {
        do { try await Task.sleep(for: pause) } catch { return }
      }
    }
  }

  /// Tells the shop what it does not know yet. Returns whether it took everything.
  func tellAll(_ send: @Sendable (WebRequest) async throws -> Int) async -> Bool {
    var isDone = true
    for payment in books.value.payments.values where !payment.isTold {
      let notice = BankNotice(payment: payment.id, order: payment.order, isPaid: payment.state != .refused)
      do {
        let status = try await send(BankSignature.request(for: notice, secret: secret, now: Date()))
        // 404 and 410: the shop has no such order any more, and asks for the refund itself.
        guard (200..<300).contains(status) || status == 404 || status == 410 else { throw NotTaken() }
        try books.change { $0.payments[payment.id]?.isTold = true }
      } catch { isDone = false }
    }
    return isDone
  }

  private struct NotTaken: Error {}
}

/// A payment that waits for the customer.
struct OpenPayment: Codable, Sendable, Equatable {
  let id: String
  /// The bank's page for it. Its address is as secret as the payment's id.
  var page: String { "/bank/payments/\(id)" }
}

/// The bank's word about a payment.
struct BankNotice: Codable, Sendable, Equatable {
  let payment: String
  let order: String
  let isPaid: Bool
}
