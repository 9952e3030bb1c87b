/// How much of signals a flow holds, so that nobody who sends them takes the room of everything else.
package enum SignalLimits {
  /// The UTF-8 bytes of a signal's name, and of a key.
  package static let nameBytes = 256
  /// The bytes of all signals that wait to be received, as they are stored; so also of one.
  package static let bufferedBytes = 1 << 20
  /// The bytes of all remembered keys, each with its signal's name. 10,000 of usual length fit.
  package static let rememberedKeyBytes = 1 << 20
}

extension FlowMachine {
  /// Refuses what is too large by itself, whether or not a step waits for it.
  func checkSizes(of signal: String, key: String?, _ size: Int) throws(FlowError) {
    let limit = SignalLimits.nameBytes
    guard signal.utf8.count <= limit else { throw error(.tooLarge, "a signal's name has at most \(limit) bytes") }
    guard key?.utf8.count ?? 0 <= limit else {
      throw error(
        .tooLarge, "a signal's key has at most \(limit) bytes; use a digest of a longer text")
    }
    guard signal.utf8.count + size <= SignalLimits.bufferedBytes else {
      throw error(
        .tooLarge,
        "a signal has at most \(SignalLimits.bufferedBytes) bytes; store larger values elsewhere, and send a reference")
    }
  }

  /// Refuses what would be buffered beyond the limits. What a step waits for that is still to ask for it again, because
  /// the machine was read back, has room: other signals must not stand in its way.
  func checkRoom(for signal: SignalBuffer.BufferedSignal) throws(FlowError) {
    let isFull = signals.buffer.count >= SignalBuffer.capacity
    guard isFull || signals.bufferedBytes + signal.size > SignalLimits.bufferedBytes else { return }
    guard !isAwaited(signal.signal) else { return }
    throw error(
      .signalsFull,
      isFull
        ? "\(SignalBuffer.capacity) signals are buffered; this one was refused, send it later"
        : "buffered signals have at most \(SignalLimits.bufferedBytes) bytes in all; this one was refused, send it later")
  }

  /// Whether more steps are to wait for a signal again than are buffered for them.
  private func isAwaited(_ signal: String) -> Bool {
    let waits = ([.main] + descendants(of: .main)).reduce(0) { count, track in
      count + look(at: track) { $0.reopening?.waits.count { $0.signal == signal } ?? 0 }
    }
    return waits > signals.buffer.count { $0.signal == signal }
  }

  /// An ending was accepted: nobody receives any more what waits to be received, and the rollback may need the room.
  mutating func dropBufferedSignals() {
    guard !signals.buffer.isEmpty else { return }
    discard(signals.takeBuffer())
  }
}
