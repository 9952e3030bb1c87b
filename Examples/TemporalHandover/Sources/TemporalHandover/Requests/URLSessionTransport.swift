import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport on `URLSession`.
///
/// This package has no client of its own choice, such as async-http-client, because that compiles BoringSSL and SwiftNIO,
/// minutes of work, for a few small requests. `URLSession` comes with the toolchain, uses the system's TLS for `https`,
/// and does what a long poll needs: many open connections, cancellation, and a limit on what is received. An application
/// that has another client conforms it to ``HTTPTransport``.
public final class URLSessionTransport: HTTPTransport {
  private let session: URLSession
  private let exchanges = Exchanges()

  /// Creates a transport.
  ///
  /// - Parameter connections: The number of connections to one server. Each long poll has one.
  public init(connections: Int = 256) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = max(connections, 1)
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request and returns the whole response.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let url = URL(string: request.url) else {
      throw HandoverError(.badAddress, "\"\(request.url)\" is no URL")
    }
    var prepared = URLRequest(url: url)
    prepared.httpMethod = request.method
    for (name, value) in request.headers { prepared.setValue(value, forHTTPHeaderField: name) }
    if !request.body.isEmpty { prepared.httpBody = Data(request.body) }
    // The session's own limit is one for silence. The race below limits the whole exchange.
    prepared.timeoutInterval = request.timeout / .seconds(1) + 1
    let task = session.dataTask(with: prepared)
    return try await withThrowingTaskGroup(of: HTTPResponse.self) { [exchanges] group in
      group.addTask { try await exchanges.run(task, limit: request.maximumReplyBytes) }
      group.addTask {
        try await Task.sleep(for: request.timeout)
        throw HandoverError(.unreachable, "there was no response within \(request.timeout)")
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CancellationError() }
      return response
    }
  }
}

/// The requests of a session that are under way.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
  private struct Exchange {
    let continuation: CheckedContinuation<HTTPResponse, any Error>
    let limit: Int
    var response = HTTPResponse(status: 0)
  }

  private let open = Mutex<[Int: Exchange]>([:])

  func run(_ task: URLSessionDataTask, limit: Int) async throws -> HTTPResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        open.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation, limit: limit) }
        // The handler may have run before there was an exchange to end.
        if Task.isCancelled { end(task, throwing: CancellationError()) } else { task.resume() }
      }
    } onCancel: {
      end(task, throwing: CancellationError())
    }
  }

  private func end(_ task: URLSessionTask, throwing error: (any Error)? = nil) {
    guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      task.cancel()
      exchange.continuation.resume(throwing: error)
    } else {
      exchange.continuation.resume(returning: exchange.response)
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    open.withLock { $0[dataTask.taskIdentifier]?.response.status = status }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = open.withLock { open in
      guard let exchange = open[dataTask.taskIdentifier] else { return false }
      guard exchange.response.body.count + data.count <= exchange.limit else { return true }
      open[dataTask.taskIdentifier]?.response.body += data
      return false
    }
    if isTooLarge { end(dataTask, throwing: HandoverError.replyTooLarge) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end(task, throwing: error)
  }
}
