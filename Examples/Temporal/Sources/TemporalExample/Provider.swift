internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#endif

/// A provider of effects, which writes each call into a ledger before it answers: the witness of what was really done.
public struct Provider: Sendable {
  private let ledger: String?
  private let slowest: Duration

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - ledger: The path of the ledger, to which several processes may append; `nil` for none.
  ///   - slowest: The longest time that a call takes.
  public init(ledger: String? = nil, slowest: Duration = .zero) { (self.ledger, self.slowest) = (ledger, slowest) }

  /// Does something, and returns the number of its receipt. Each call has another one, also under one key.
  @discardableResult
  func act(_ what: String, _ key: String) async throws -> String {
    let receipt = "\(UInt32.random(in: 0 ... .max))"
    if let ledger { try append("\(key)\t\(what)\t\(receipt)\n", to: ledger) }
    if slowest > .zero { try await Task.sleep(for: slowest * Double.random(in: 0...1)) }
    return receipt
  }

  private func append(_ line: String, to path: String) throws {
    guard let file = fopen(path, "a") else { throw LedgerError() }
    defer { fclose(file) }
    guard fputs(line, file) >= 0 else { throw LedgerError() }
  }

  private struct LedgerError: Error {}

  /// A line of a ledger.
  public struct Entry: Sendable {
    /// The idempotency key of the call.
    public let key: String
    /// The name of the effect.
    public let what: String
    /// The number of the receipt.
    public let receipt: String
  }

  /// Reads a ledger, oldest entry first.
  public static func entries(of path: String) throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return parts.count == 3 ? Entry(key: parts[0], what: parts[1], receipt: parts[2]) : nil
    }
  }
}
