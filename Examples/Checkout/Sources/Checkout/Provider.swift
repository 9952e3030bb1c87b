import ActorFlow
import CheckoutFlow

/// Stands in for the payment provider: confirms a payment a moment after a step begins to wait for it. Stands in for the
/// card's bank as well, which approves every payment.
struct Provider: Sendable {
  let conversation: any Conversation
  let events: AsyncStream<NavigationEvent>

  /// Confirms until the flow has ended. Like real providers, it sends every confirmation twice; the key makes it once.
  func confirm() async {
    for await event in events {
      if case .asked(let question) = event.change, let form = question.prompt as? CancelPaymentForm {
        try? await Task.sleep(for: .milliseconds(100))
        _ = try? await conversation.decide(BankVerdict(payment: form.payment), key: form.providerKey)
      }
      guard case .waiting(let wait) = event.change, wait.signal == Confirmation.signal.name else { continue }
      // The result of a confirmation that came too late is not needed.
      try? await Task.sleep(for: .milliseconds(100))
      for _ in 1...2 { _ = try? await conversation.confirm(key: wait.providerKey) }
    }
  }
}

// The provider sends the same key again after a restart of the program, too.
extension CancelPaymentForm {
  /// The key of the bank's verdict.
  var providerKey: String { "bank-\(payment)" }
}

extension Wait {
  /// The key of the confirmation for which a step waits.
  var providerKey: String { "provider-\(visit)" }
}
