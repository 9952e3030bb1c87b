import Foundation

/// The refusal of a request by the server: the status of HTTP, and the code, the message and the details of gRPC.
struct ServerRefusal: Error {
  let status: Int
  let message: String
  let details: [Detail]

  /// A detail, of which every kind has other fields.
  struct Detail: Decodable {
    let kind: String
    let startRequestId: String?
    let runId: String?

    enum CodingKeys: String, CodingKey {
      case kind = "@type"
      case startRequestId, runId
    }
  }

  private struct Body: Decodable {
    let message: String?
    let details: [Detail]?
  }

  init(_ response: HTTPResponse) {
    let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
    status = response.status
    message = String((body?.message ?? "no reason given").prefix(500))
    details = body?.details ?? []
  }

  /// Returns the detail of a kind, by the last part of the kind's name.
  func detail(_ kind: String) -> Detail? { details.first { $0.kind.hasSuffix(".\(kind)") } }

  /// Returns the error to throw, or this refusal where a caller is to look at it.
  func error(at baseURL: String, namespace: String) -> any Error {
    if detail("NamespaceNotFoundFailure") != nil {
      return HandoverError(.noSuchNamespace, "the server at \(baseURL) has no namespace \"\(namespace)\"")
    }
    switch status {
    case 401, 403:
      return HandoverError(.notAllowed, "the server at \(baseURL) does not allow this: \(message); check the API key")
    // A `200` that is no success, and a redirect, come from something else at this address.
    case 200..<400:
      return HandoverError(.malformedReply, "\(baseURL) answers \(status); is it the HTTP port of a Temporal server?")
    case 408, 429, 500...:
      return HandoverError(.unreachable, "the server at \(baseURL) answers \(status): \(message)")
    case 404 where details.isEmpty:
      return HandoverError(
        .malformedReply, "\(baseURL) does not know this path: \(message); is it the HTTP port of a Temporal server?")
    default: return self
    }
  }

  /// Returns the error for a refusal that no caller has an answer to.
  func refused(_ action: String) -> HandoverError {
    HandoverError(.refused, "the server refuses to \(action): \(message) (\(status))")
  }
}
