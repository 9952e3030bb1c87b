import Foundation

extension TemporalHandover {
  /// Sends a request, again after a pause if the server is away or busy, and decodes the reply.
  ///
  /// Every request is safe to repeat: those that change something carry an id, by which the server knows them.
  func reply<Reply: Decodable>(
    _ type: Reply.Type, _ method: String, _ path: String, body: [UInt8] = [], timeout: Duration? = nil
  ) async throws -> Reply {
    let response = try await exchange(method, path, body: body, timeout: timeout ?? options.timeout)
    do { return try JSONDecoder().decode(Reply.self, from: Data(response.body)) } catch {
      throw HandoverError(
        .malformedReply, "the reply to \(method) \(path) is not as expected: \(Self.place(of: error))")
    }
  }

  private func exchange(
    _ method: String, _ path: String, body: [UInt8], timeout: Duration
  ) async throws -> HTTPResponse {
    var headers = ["Accept": Self.plainJSON]
    if !body.isEmpty { headers["Content-Type"] = Self.plainJSON }
    if let key = apiKey?.text { headers["Authorization"] = "Bearer \(key)" }
    let request = HTTPRequest(
      method: method, url: "\(baseURL)/api/v1/namespaces/\(Self.escaped(namespace))\(path)", headers: headers,
      body: body,
      timeout: timeout, maximumReplyBytes: options.maximumReplyBytes)
    var pause = options.firstPause
    var attempt = 1
    while true {
      do { return try await answered(request) } catch let error as HandoverError where error.code == .unreachable {
        guard attempt < options.attempts else { throw error }
      }
      attempt += 1
      try await clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(30))
    }
  }

  private func answered(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response: HTTPResponse
    do { response = try await transport.send(request) } catch let error as HandoverError { throw error } catch {
      try Task.checkCancellation()
      // Only the type: the text of an error may have the request in it.
      throw HandoverError(.unreachable, "the server at \(baseURL) does not answer (\(Self.name(of: error)))")
    }
    guard response.status != 200 else { return response }
    throw ServerRefusal(response).error(at: baseURL, namespace: namespace)
  }

  /// The form of JSON in which payloads are as they were sent, and not as the server would show them to people.
  private static let plainJSON = "application/json+no-payload-shorthand"

  /// Returns a text as one part of a path, or a value of a query.
  static func escaped(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  private static func name(of error: any Error) -> String {
    let error = error as NSError
    return "\(error.domain) \(error.code)"
  }

  /// Returns the place of a decoding error, without the values, which may be personal.
  static func place(of error: any Error) -> String {
    let (context, problem): (DecodingError.Context?, String) =
      switch error {
      case DecodingError.keyNotFound(let key, let context): (context, "\"\(key.stringValue)\" is missing")
      case DecodingError.typeMismatch(let type, let context): (context, "there is no \(type)")
      case DecodingError.valueNotFound(let type, let context): (context, "there is no \(type)")
      case DecodingError.dataCorrupted(let context):
        (context, context.codingPath.isEmpty ? "it is not JSON" : "not valid")
      default: (nil, "\(type(of: error))")
      }
    let path = (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }
    return path.isEmpty ? problem : "\(problem) at \(path.joined(separator: "."))"
  }
}
