import ActorFlow

/// The idempotency keys of requests. A client's key is good for the client alone, so it is joined with the principal.
struct RequestKey: Sendable {
  /// The key as the client gave it, with the principal in front of it.
  private let scoped: String

  private static let header = "Idempotency-Key"
  private static let maximumBytes = 256
  /// All anonymous clients share one scope, so their keys have to be hard to guess.
  private static let leastAnonymousBytes = 16

  /// Returns the key of a request: that of its header, or that of its form.
  ///
  /// - Throws: A ``Problem`` for a key that is empty, too long, or too easily guessed.
  static func key(of request: WebRequest, _ submission: Submission, by principal: Principal?) throws(Problem)
    -> RequestKey?
  {
    guard var key = request.headers[header] ?? submission.values[FormName.key] else { return nil }
    if key.count >= 2, key.hasPrefix("\""), key.hasSuffix("\"") { key = String(key.dropFirst().dropLast()) }
    guard (1...maximumBytes).contains(key.utf8.count) else {
      throw Problem(422, "badKey", "an idempotency key has 1 to \(maximumBytes) bytes")
    }
    guard principal != nil || key.utf8.count >= leastAnonymousBytes else {
      throw Problem(
        422, "badKey", "without a sign-in an idempotency key has at least \(leastAnonymousBytes) bytes, made at random")
    }
    // The length in front keeps the two texts apart, whatever characters they have.
    let owner = principal.map { "\($0.id.utf8.count) \($0.id)" } ?? "anonymous"
    return RequestKey(scoped: "\(owner) \(key)")
  }

  /// The key for the host.
  var forHost: String { "web-\(KeyBits.digest(of: scoped))" }

  /// Returns the id of the flow that a request with this key starts.
  func id(startedAs definition: String) -> FlowID {
    FlowID("\(definition)-\(KeyBits.digest(of: "start \(definition.utf8.count) \(definition) \(scoped)"))")
  }

  /// Returns the id of a flow that is started without a key.
  static func unique(startedAs definition: String) -> FlowID { FlowID("\(definition)-\(KeyBits.random())") }

  /// Returns a key for a form.
  static func random() -> String { "\(KeyBits.random())" }
}

/// The names of the fields that the site adds to forms.
enum FormName {
  static let key = "_key"
  static let question = "_question"
  static let revision = "_revision"
  static let prompt = "_prompt"
  static let reason = "_reason"
}
