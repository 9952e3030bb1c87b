import Foundation
import ActorFlow

/// The address at which a ``CallbackReceiver`` is, and the secret by which it knows the server.
///
/// The server must be allowed to call it, by its setting `callback.allowedAddresses`. `http` needs `AllowInsecure` there.
public struct Callbacks: Sendable {
  private let url: String
  private let secret: Secret

  /// Creates the address.
  ///
  /// - Parameters:
  ///   - url: The URL of the route, such as `https://shop.example/temporal/closed`, without a query. The ids of the flow
  ///     and the workflow and the key are added. The server refuses a start whose URL then has more than 1,000 bytes.
  ///   - secret: A secret of at least 16 bytes, the same at all hosts. It is not sent: each callback has a key made of it.
  /// - Throws: A ``HandoverError`` with the code `badAddress`.
  public init(url: String, secret: String) throws(HandoverError) {
    guard secret.utf8.count >= 16 else {
      throw HandoverError(.badAddress, "the secret of callbacks must have at least 16 bytes")
    }
    self.url = try ServerAddress(url).text
    self.secret = Secret(text: secret)
  }

  /// Returns the callback to give to the server with a start.
  func callback(for target: CallbackTarget) -> CompletionCallback {
    CompletionCallback(url: "\(url)?\(target.query)", header: ["Authorization": "Bearer \(code(of: target))"])
  }

  /// Whether a request has the key of this callback. The time that this takes does not depend on what is wrong.
  func isSigned(_ request: HTTPRequest, for target: CallbackTarget) -> Bool {
    let (given, expected) = (
      Array((request.header("Authorization") ?? "").utf8), Array("Bearer \(code(of: target))".utf8)
    )
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The key of one callback: nobody can make that of another workflow, or of another flow, from it.
  private func code(of target: CallbackTarget) -> String {
    HMAC.code(for: Array(target.query.utf8), secret: Array(secret.text.utf8))
      .map {
        let digits = String($0, radix: 16); return digits.count == 1 ? "0\(digits)" : digits
      }.joined()
  }
}

/// A callback as the server's API has it.
struct CompletionCallback: Encodable {
  let url: String
  let header: [String: String]
}

/// The wait that a callback is for: the flow, the workflow, and the key under which it was started.
struct CallbackTarget: Hashable {
  let flow: FlowID
  let workflow: String
  let key: String

  init(flow: FlowID, workflow: String, key: String) {
    self.flow = flow
    self.workflow = workflow
    self.key = key
  }

  /// The target as a query of a URL.
  var query: String {
    [("flow", flow.description), ("workflow", workflow), ("key", key)]
      .map { "\($0.0)=\(TemporalHandover.escaped($0.1))" }.joined(separator: "&")
  }

  /// Reads the target of a URL, or of a path with a query; `nil` if a part is missing or there twice.
  init?(url: String) {
    guard let mark = url.firstIndex(of: "?") else { return nil }
    var values: [String: String] = [:]
    for pair in url[url.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding,
        values.updateValue(value, forKey: String(parts[0])) == nil
      else { return nil }
    }
    guard let flow = values["flow"], let workflow = values["workflow"], let key = values["key"] else { return nil }
    self.init(flow: FlowID(flow), workflow: workflow, key: key)
  }
}
