import ActorFlowWeb

/// The bank's page for a payment: `/bank/payments/{id}`.
struct BankPages: Sendable {
  let bank: FakeBank

  func respond(to request: WebRequest) async throws -> WebResponse {
    let parts = request.path.split(separator: "/")
    guard parts.count == 3, parts[1] == "payments", let payment = await bank.payment(String(parts[2])) else {
      return Page.response("Fake Bank", "<p>The bank knows no such payment.</p>\n", status: 404)
    }
    if request.method == "POST" {
      guard let decision = request.form["decision"], ["confirm", "refuse"].contains(decision) else {
        return Page.response("Fake Bank", "<p>Please confirm or refuse.</p>\n", status: 422)
      }
      try await bank.decide(payment.id, isConfirmed: decision == "confirm")
      return Page.seeOther(request.path)
    }
    let back: HTML = "<p><a href=\"/flows/\(payment.order)\">Back to the shop</a></p>\n"
    guard payment.state == .open else {
      return Page.response("Fake Bank", "<p>This payment is \(payment.state.rawValue).</p>\n\(back)")
    }
    return Page.response(
      "Fake Bank",
      """
      <p>Pay \(Euros.text(payment.total)) to the shop?</p>
      <form method="post" class="actions">
      <button type="submit" name="decision" value="confirm">Confirm</button>
      <button type="submit" name="decision" value="refuse">Refuse</button>
      </form>
      \(back)
      """)
  }
}
