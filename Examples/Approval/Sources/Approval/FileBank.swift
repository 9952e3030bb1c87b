import ApprovalFlow

/// Transfers as lines of a file; the number of the line is that of the transfer.
actor FileBank: Bank {
  private let lines: KeyedLines
  private let isAway: Bool

  init(path: String, isAway: Bool) {
    (lines, self.isAway) = (KeyedLines(path: path), isAway)
  }

  func transfer(_ amount: Amount, to name: String, key: String) throws -> Payment {
    guard !isAway else { throw Problem("the bank is away") }
    return Payment(reference: "transfer \(try lines.append("\(amount)", name, key: key))")
  }

  func payment(key: String) throws -> Payment? {
    guard !isAway else { throw Problem("the bank is away") }
    return lines.number(of: key).map { Payment(reference: "transfer \($0)") }
  }

  func takeBack(_ payment: Payment) throws {
    guard !isAway else { throw Problem("the bank is away") }
    try lines.append("taken back", key: payment.reference)
  }
}
