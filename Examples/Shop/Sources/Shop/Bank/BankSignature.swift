import ActorFlowWeb
import Crypto
import Foundation

/// The signature of the bank's messages: a time, and an HMAC of the time and the body with SHA-256.
enum BankSignature {
  private static let header = "Bank-Signature"
  /// The largest age of a message, in seconds. An older one may be a copy.
  private static let longestAge = 300.0

  /// Returns the request that tells the shop about a payment.
  static func request(for notice: BankNotice, secret: String, now: Date) throws -> WebRequest {
    let body = Array(try JSONEncoder().encode(notice))
    let time = Int(now.timeIntervalSince1970)
    return WebRequest(
      method: "POST", target: "/signals/payments",
      headers: ["Content-Type": "application/json", header: "t=\(time),v1=\(code(time, body, secret))"], body: body)
  }

  /// - Throws: An error unless the bank has signed this body, a short time ago.
  static func verify(_ request: WebRequest, secret: String, now: Date) throws {
    let pairs = (request.headers[header] ?? "").split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    let parts = Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    guard let time = parts["t"].flatMap({ Int($0) }), let signature = parts["v1"],
      abs(now.timeIntervalSince1970 - Double(time)) <= longestAge,
      Token.areEqual(String(signature), code(time, request.body, secret))
    else { throw NotSigned() }
  }

  private static func code(_ time: Int, _ body: [UInt8], _ secret: String) -> String {
    let message = Array("\(time).".utf8) + body
    return Token.hex(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Array(secret.utf8))))
  }

  /// The error for a message that does not come from the bank.
  struct NotSigned: Error {}
}
