#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of a note's file.
struct NoteFile: Sendable {
  private static let envelope = Envelope(magic: Array("AFNO".utf8), format: 1, what: "the file of a note")

  var key: String
  var note: StoreNote

  init(_ key: String, _ note: StoreNote) {
    (self.key, self.note) = (key, note)
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    self.init("", StoreNote([]))
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    try code(with: &reader)
    guard reader.remaining == 0 else { throw reader.malformed("there is more behind the note") }
  }

  private mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&key)
    try coder.code(&note.until)
    try coder.blob(&note.bytes)
  }
}
