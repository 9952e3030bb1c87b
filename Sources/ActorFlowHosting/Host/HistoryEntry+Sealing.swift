import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The details and answers of a history as they are stored. A store has one text for both, so that no store has to change
// its tables: a mark that no detail begins with, and base64 of what the codec made of the content.
extension HistoryEntry {
  private static let mark = "\u{1}"
  /// The kinds of stored content, its first byte.
  private static let (plainContent, codedContent): (UInt8, UInt8) = (0, 1)

  /// The part of an entry that may be about people.
  private struct Content: StoredPart {
    var detail: String?
    var answer: ByteList?

    static var placeholder: Content { Content() }

    mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
      try coder.code(&detail)
      try coder.code(&answer)
    }
  }

  private struct ByteList: StoredPart {
    var bytes: [UInt8]

    static var placeholder: ByteList { ByteList(bytes: []) }

    mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.blob(&bytes) }
  }

  /// Returns the entry as it is stored.
  ///
  /// - Parameter coding: The codec with the flow; without a codec only an answer changes the entry.
  /// - Throws: The error of the codec.
  func sealed(with coding: FlowCoding) throws -> HistoryEntry {
    guard detail != nil || answer != nil else { return self }
    let isPlain = coding.codec == nil && answer == nil && detail?.utf8.first != Self.mark.utf8.first
    if isPlain { return self }
    var writer = ByteWriter()
    _ = writer.coded(Content(detail: detail, answer: answer.map(ByteList.init)))
    let kind = coding.codec == nil ? Self.plainContent : Self.codedContent
    var entry = self
    entry.detail = Self.mark + Data([kind] + (try coding.encode(writer.bytes))).base64EncodedString()
    entry.answer = nil
    return entry
  }

  /// Whether the entry has more than a plain detail, so that it must be opened.
  var isSealed: Bool { detail?.utf8.first == Self.mark.utf8.first }

  /// Returns the entry with its detail and its answer. If the key was erased, it has neither.
  ///
  /// - Throws: The error of the codec; ``FlowStoreError`` with the code `corrupted` for content that is none.
  func opened(with coding: FlowCoding) throws -> HistoryEntry {
    guard isSealed, let text = detail?.dropFirst(), let bytes = Data(base64Encoded: String(text)).map([UInt8].init),
      let kind = bytes.first, kind == Self.plainContent || kind == Self.codedContent
    else { return self }
    var entry = self
    do {
      let content = Array(bytes.dropFirst())
      var reader = ByteReader(kind == Self.plainContent ? content : try coding.decode(content))
      let parts = try reader.coded(Content.placeholder)
      try reader.end()
      (entry.detail, entry.answer) = (parts.detail, parts.answer?.bytes)
    } catch is ErasedKey { (entry.detail, entry.answer) = (nil, nil) }
    return entry
  }
}
