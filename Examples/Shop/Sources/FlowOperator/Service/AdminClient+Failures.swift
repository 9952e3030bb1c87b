import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

// Errors as operators read them: what happened, where, and what to do.
extension AdminClient {
  /// Returns the error for a request without a reply.
  ///
  /// - Parameters:
  ///   - isChange: Whether the request may have changed something.
  ///   - key: The request's idempotency key.
  func failure(of error: any Error, isChange: Bool, key: String?) -> any Error {
    switch error {
    case is CancellationError: return error
    case let error as HTTPClientError where error == .cancelled: return CancellationError()
    case is NIOTooManyBytesError:
      return ToolFailure.refused("the reply of \(place) is too long: ask for less at once with --limit or --page")
    case let error as NIOConnectionError:
      let isUnknown = error.connectionErrors.isEmpty
      let reason = isUnknown ? "there is no host \(error.host)" : Self.text(of: error.connectionErrors[0].error)
      return notReached(reason)
    case let error as IOError where error.errnoCode == ECONNREFUSED: return notReached(Self.text(of: error))
    case let error as HTTPClientError where Self.ofConnecting.contains(error): return notReached(Self.text(of: error))
    case let error as HTTPClientError where [.readTimeout, .deadlineExceeded].contains(error):
      return noReply("it has not replied within \(timeout) seconds", isChange, key)
    default: return noReply(Self.text(of: error), isChange, key)
    }
  }

  private static let ofConnecting: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout]

  private func notReached(_ reason: String) -> ToolFailure {
    .notReached("\(place) is not reached: \(reason). Does the service run, and is this its address?")
  }

  private func noReply(_ reason: String, _ isChange: Bool, _ key: String?) -> ToolFailure {
    var doubt = isChange ? " The change may have been made." : ""
    if let key, isChange { doubt += " The same command with --key \(key) makes it once." }
    return .notReached("\(place) gave no reply: \(reason).\(doubt)")
  }

  private static func text(of error: any Error) -> String {
    switch error {
    case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
    // Its description may have the headers of the request, and so the token.
    case let error as HTTPClientError: return error.shortDescription.lowercased()
    default: return "\(error)"
    }
  }

  /// Returns the error for a reply that refuses the request.
  func refusal(_ status: Int, _ body: ByteBuffer, retryAfter: String?) -> ToolFailure {
    guard let problem = JSONValue(body.readableBytesView), let code = problem["code"].string else {
      return (300..<400).contains(status)
        ? .refused("\(place) leads to another address, status \(status): give that one") : foreign(status)
    }
    var detail = problem["detail"].string ?? problem["title"].string ?? "no reason given"
    if detail.hasSuffix(".") { detail.removeLast() }
    let remedy: String
    switch (status, code) {
    case (401, _):
      remedy =
        !hasToken
        ? ". Give the operator's token with --token-file or in ACTORFLOW_TOKEN"
        : ". The service does not take this token: has it ended, or is it of another service?"
    case (403, "crossSite"): remedy = ". Is the token sent as this service expects? See --cookie"
    case (403, _): remedy = ". The operator has no right to this: see `allow` of the service's site"
    case (404, "notFound"):
      remedy =
        ". Does the service turn on operators' verbs with `site.admin()`, and does --url name the path of its site?"
    case (503, _):
      remedy = retryAfter.map { ". Try again in \($0) seconds" } ?? ". Try again later"
    default: remedy = ""
    }
    var failure = ToolFailure.refused("\(place) refused this, \(status) \(code): \(detail)\(remedy)")
    failure.code = code
    return failure
  }

  /// Returns the error for a reply that is none of an ActorFlow site's.
  func foreign(_ status: Int? = nil) -> ToolFailure {
    let reply = status.map { ", status \($0)" } ?? ""
    return .refused(
      "\(place) has no operators' verbs below /admin\(reply): is this the address of the service's site?")
  }
}
