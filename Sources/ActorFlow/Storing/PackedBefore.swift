/// Values of users' types, packed for an earlier snapshot of the same run.
///
/// What a place was given, what an effect has returned, what a branch has made: once stored, none of them ever changes, and
/// a snapshot has them all. Without this each commit would encode the whole flow anew. Whoever has not stored a snapshot
/// forgets all this: what the machine does next may have the same name and another value.
package struct PackedBefore: Sendable {
  var cargoes = PackedTable<ObjectIdentifier>()
  /// By their idempotency keys.
  var records = PackedTable<String>()
  /// By the branches that made them.
  var results = PackedTable<TrackID>()

  package init() {}

  mutating func begin() {
    cargoes.begin()
    records.begin()
    results.begin()
  }

  /// Forgets what this snapshot does not have.
  mutating func end() {
    cargoes.end()
    records.end()
    results.end()
  }
}

/// Packed values of one kind, by what names them.
struct PackedTable<Name: Hashable & Sendable>: Sendable {
  private struct Entry: Sendable {
    let value: PackedValue
    /// What it was declared as; nil: as what it is.
    let type: ObjectIdentifier?
    /// Kept, so that no other has its address.
    let owner: Cargo?
  }
  private var entries: [Name: Entry] = [:]
  /// How many of the entries this snapshot has.
  private var used = 0
  /// What this snapshot has, if the one before had less than all entries.
  private var kept: [Name: Entry]?

  mutating func begin() {
    kept = entries.count > used ? [:] : nil
    used = 0
  }

  /// The value of this name as it was packed before, or as it is packed now.
  mutating func pack(
    _ value: any Sendable, named name: Name, of owner: Cargo? = nil, as type: Any.Type? = nil,
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
