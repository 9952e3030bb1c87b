internal import ActorFlow

/// The rules that a `FlowHost` has for ids and keys, by which a request is refused before the server is called.
enum RequestTexts {
  private static let (idBytes, keyBytes) = (512, 256)

  /// Refuses an id that no flow can have.
  ///
  /// - Throws: `TemporalFlowError`: `notStorable` for an empty id or one with U+0000, `tooLarge` for more than 512 bytes.
  static func check(_ id: FlowID) throws {
    let count = id.description.utf8.count
    guard count > 0 else {
      throw TemporalFlowError(.notStorable, "the flow's id is empty; give it at least one character")
    }
    guard count <= idBytes else {
      throw TemporalFlowError(.tooLarge, "the flow's id has \(count) bytes; it must have at most \(idBytes)")
    }
    guard id.description.utf8.contains(0) else { return }
    throw TemporalFlowError(
      .notStorable, "the flow's id contains U+0000, which databases cannot store; leave the character out")
  }

  /// Refuses a request to a flow whose id no flow can have.
  ///
  /// - Throws: `TemporalFlowError` with the code `noSuchFlow`.
  static func checkExists(_ id: FlowID) throws {
    do { try check(id) } catch {
      throw TemporalFlowError(.noSuchFlow, "there is no flow \"\(id.description.prefix(64))\": \(error)")
    }
  }

  /// Refuses a key that cannot be stored.
  ///
  /// - Throws: `TemporalFlowError`: `notStorable` for an empty key, `tooLarge` for more than 256 bytes.
  static func check(key: String) throws {
    guard !key.isEmpty else {
      throw TemporalFlowError(
        .notStorable, "the request's key is empty; give each request a key of its own, or none")
    }
    guard key.utf8.count > keyBytes else { return }
    throw TemporalFlowError(.tooLarge, "a key has at most \(keyBytes) bytes; use a digest of a longer text")
  }
}
