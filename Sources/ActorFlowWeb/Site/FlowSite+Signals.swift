public import ActorFlow
import ActorFlowHosting

/// A message of another system, as the signal that it is for a flow.
public struct SignalMessage<Value: Sendable>: Sendable {
  /// The flow that the message is for.
  public var flow: FlowID
  /// The message's own id: the same message delivered again changes nothing.
  public var key: String
  /// The value of the signal.
  public var value: Value

  /// A message of these parts.
  public init(flow: FlowID, key: String, value: Value) {
    (self.flow, self.key, self.value) = (flow, key, value)
  }
}

extension FlowSite {
  /// Takes messages of another system as signals, at `POST /signals/{path}`. No other signal can be sent by HTTP.
  ///
  /// ```swift
  /// try site.signal(paid, at: "payments", verify: { try bank.verify($0) }) { request in
  ///   let notice = try JSONDecoder().decode(Bank.Notice.self, from: Data(request.body))
  ///   return SignalMessage(flow: FlowID(notice.order), key: notice.id, value: notice.cents)
  /// }
  /// ```
  ///
  /// The response is 200 when the message is in the store, also if it came before, and 404 for a flow that this site does
  /// not serve. ``Authenticate`` and ``Allow`` are not asked: the message's signature is what gives the right.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - path: The last part of the path.
  ///   - principal: The principal that the host's history names; `nil` for none.
  ///   - verify: Throws unless the request comes from that system, best by a signature over its body. It has no default. A
  ///     request that it refuses gets 401, and nothing of it is read.
  ///   - message: Reads the message. If it throws, the response is 422.
  /// - Throws: A `FlowError` with the code `badDefinition` if the path is taken, or is no part of a path.
  public mutating func signal<Value: Codable & Sendable>(
    _ signal: Signal<Value>, at path: String, by principal: Principal? = nil,
    verify: @escaping @Sendable (WebRequest) async throws -> Void,
    message: @escaping @Sendable (WebRequest) throws -> SignalMessage<Value>
  ) throws {
    guard !path.isEmpty, !path.contains("/"), path.utf8.count <= 512, !signals.contains(where: { $0.path == path })
    else {
      throw FlowError(
        .badDefinition, "no signal can be taken at \"\(path)\": use a single part of a path, and each for one signal")
    }
    signals.append(
      ServedSignal(path: path, principal: principal, verify: verify) { request in
        let message = try message(request)
        return ServedSignal.Sending(flow: message.flow) { flow in
          try await flow.send(message.value, to: signal, key: message.key)
        }
      })
  }
}

/// A signal that another system may send, without its type.
struct ServedSignal: Sendable {
  let path: String
  let principal: Principal?
  let verify: @Sendable (WebRequest) async throws -> Void
  let read: @Sendable (WebRequest) throws -> Sending

  struct Sending: Sendable {
    let flow: FlowID
    let send: @Sendable (HostedFlow) async throws -> Delivery
  }
}

extension Exchange {
  func signal(_ path: String) async throws -> WebResponse {
    guard let signal = site.signals.first(where: { $0.path.hasBytes(of: path) }) else {
      throw Problem(404, "notFound", "no signal is taken here")
    }
    do { try await signal.verify(request) } catch let error as CancellationError { throw error } catch {
      throw Problem(401, "notVerified", "the message does not prove where it comes from")
    }
    let sending: ServedSignal.Sending
    do { sending = try signal.read(request) } catch {
      throw Problem(422, "invalid", "the message cannot be read")
    }
    let flow = site.host.flow(sending.flow, by: signal.principal)
    let delivery = try await withRefusals {
      guard site.served(try await flow.view().definition) != nil else {
        throw Problem(404, "noSuchFlow", "there is no such flow")
      }
      return try await sending.send(flow)
    }
    return .json(.members([("delivery", .text("\(delivery)"))]))
  }
}
