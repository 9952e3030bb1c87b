import ActorFlow
import ActorFlowWeb
import Crypto
public import Foundation

/// The people behind requests: those who have signed in, by a cookie, and the operators' tool, by its token. The file has
/// the hashes of the cookies only.
public actor Sessions {
  private struct Session: Codable {
    let name: String
    let ends: Date
  }

  private static let cookie = "session"
  private static let time = 12 * 3_600
  /// The largest number of sessions; the ones that end first give way.
  private static let mostSessions = 10_000

  /// The token of the operators' tool.
  public nonisolated let operators: OperatorToken
  private var sessions: PersistedValue<[String: Session]>

  /// The sessions of the file, and the token of its own.
  ///
  /// - Parameter directory: The directory of the files; `nil` for sessions in memory.
  public init(directory: URL? = nil) throws {
    operators = try OperatorToken(directory: directory)
    sessions = try PersistedValue("sessions.json", in: directory, initial: [:])
  }

  /// Returns the person who sends a request.
  ///
  /// - Throws: An error if the request has no sign-in, its session has ended, or its token is wrong.
  func principal(of request: WebRequest) throws -> Principal {
    if let person = try operators.principal(of: request) { return person }
    guard let token = request.cookie(Self.cookie), let session = sessions.value[Self.hash(token)],
      session.ends > Date(), let principal = Accounts.principal(session.name)
    else { throw NotSignedIn() }
    return principal
  }

  /// Begins a session and returns the value of its `Set-Cookie` header.
  func begin(for principal: Principal) throws -> String {
    let token = Token.random()
    try sessions.change { sessions in
      sessions = sessions.filter { $0.value.ends > Date() }
      if sessions.count >= Self.mostSessions, let first = sessions.min(by: { $0.value.ends < $1.value.ends }) {
        sessions[first.key] = nil
      }
      sessions[Self.hash(token)] = Session(name: principal.id, ends: Date(timeIntervalSinceNow: Double(Self.time)))
    }
    return Self.header(token, lasting: Self.time)
  }

  /// Ends the session of a request and returns the value of the `Set-Cookie` header that removes the cookie.
  func end(of request: WebRequest) throws -> String {
    if let token = request.cookie(Self.cookie), sessions.value[Self.hash(token)] != nil {
      try sessions.change { $0[Self.hash(token)] = nil }
    }
    return Self.header("", lasting: 0)
  }

  /// Behind HTTPS add `Secure`; the example is served without.
  private static func header(_ token: String, lasting seconds: Int) -> String {
    "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(seconds)"
  }

  private static func hash(_ token: String) -> String { Token.hex(SHA256.hash(data: Array(token.utf8))) }

  /// The error for a request without a session.
  private struct NotSignedIn: Error {}
}
