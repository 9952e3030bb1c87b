import ActorFlow

/// A place in the list of an epoch's leases, which shows one shard after the other.
struct ShardLeasePlace: Sendable {
  let number: Int
  /// The cursor of the shard; `nil` for its first page.
  let cursor: String?

  init(number: Int, cursor: String?) { (self.number, self.cursor) = (number, cursor) }

  init(_ text: String, of count: Int) throws(FlowStoreError) {
    let parts = try StoreCursor(text, parts: 3).parts
    guard parts[0] == "leases", let number = Int(parts[1]), (0..<count).contains(number) else {
      throw StoreCursor.malformed
    }
    self.init(number: number, cursor: parts[2].isEmpty ? nil : String(Substring(parts[2].utf8.dropFirst())))
  }

  var description: String { StoreCursor(["leases", "\(number)", cursor.map { "c" + $0 } ?? ""]).description }
}
