/// The events of a flow as server-sent events, in chunks of bytes.
///
/// An event has the number of an entry of the flow's history, the flow's revision, and the kind of the entry. It has nothing
/// of what people said: a client loads the page, for which it needs the right to look.
///
/// The stream comes from the store, so a client that goes on with `Last-Event-ID` misses nothing, at another process and
/// after a restart too. Before each event the client is authenticated anew and asked for its right to look. The stream
/// ends when the flow has ended, with an event `end`; without one when the client loses its right, the store fails, the
/// flow is deleted, or the iterating task is cancelled. It throws nothing.
///
/// Entries are read in pages of 64 at the pace of the reader. Each iteration reads for itself.
public struct WebEvents: AsyncSequence, Sendable {
  /// A chunk of bytes to send.
  public typealias Element = [UInt8]

  let exchange: Exchange
  let following: Following

  /// Begins to follow the flow.
  public func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange, following: following) }

  /// An iteration over the chunks.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let exchange: Exchange
    var following: Following

    /// Waits for the next chunk; `nil` at the end.
    public mutating func next() async -> [UInt8]? {
      do { return try await following.next(exchange) } catch {
        // The client comes again, and gets the reason as a status.
        following.isOver = true
        return nil
      }
    }
  }
}
