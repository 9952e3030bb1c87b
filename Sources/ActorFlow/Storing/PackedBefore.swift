/// Values of users' types, packed for an earlier snapshot of the same run.
///
/// The input of a place, the result of an effect and the result of a branch never change once stored, and every
/// snapshot contains them all. Without this cache each commit would encode the whole flow anew. If a snapshot was not
/// stored, discard the cache: the machine may use the same name for another value next.
package struct PackedBefore: Sendable {
  var payloads = PackedTable<ObjectIdentifier>()
  /// The effects' results, by their idempotency keys.
  var records = PackedTable<TextKey>()
  /// The branches' results, by their branches.
  var results = PackedTable<TrackID>()

  package init() {}

  mutating func begin() {
    payloads.begin()
    records.begin()
    results.begin()
  }

  /// Forgets the values that this snapshot does not contain.
  mutating func end() {
    payloads.end()
    records.end()
    results.end()
  }
}

/// A table of packed values of one kind, by their names.
struct PackedTable<Name: Hashable & Sendable>: Sendable {
  private struct Entry: Sendable {
    let value: PackedValue
    /// The declared type for encoding; `nil` for the value's own type.
    let type: ObjectIdentifier?
    /// The named object, retained so that no other object gets its address.
    let owner: Payload?
  }
  private var entries: [Name: Entry] = [:]
  /// The number of entries that this snapshot contains.
  private var used = 0
  /// The entries that this snapshot contains, if the one before did not contain all entries.
  private var kept: [Name: Entry]?

  mutating func begin() {
    kept = entries.count > used ? [:] : nil
    used = 0
  }

  /// Returns the value of this name as it was packed before, or packs it now.
  mutating func pack(
    _ value: any Sendable, named name: Name, of owner: Payload? = nil, as type: Any.Type? = nil,
    with codec: any ValueCodec
  ) throws -> PackedValue {
    used += 1
    let id = type.map(ObjectIdentifier.init)
    if let known = entries[name], known.type == id {
      kept?[name] = known
      return known.value
    }
    let entry = Entry(value: try PackedValue(value, as: type, with: codec), type: id, owner: owner)
    entries[name] = entry
    kept?[name] = entry
    return entry.value
  }

  mutating func end() {
    if let kept = kept.take() { entries = kept }
  }
}
