/// What places were given, packed for an earlier snapshot of the same run.
///
/// It never changes, and a snapshot has that of every place: without this each commit would encode the whole stack anew.
package struct PackedInputs: Sendable {
  private struct Entry: Sendable {
    /// Kept, so that no other has its address.
    let cargo: Cargo
    let type: ObjectIdentifier
    let value: PackedValue
  }
  private var entries: [ObjectIdentifier: Entry] = [:]

  package init() {}

  /// The value as it was packed, declared as the same type.
  func value(of cargo: Cargo, as type: Any.Type) -> PackedValue? {
    guard let entry = entries[ObjectIdentifier(cargo)], entry.type == ObjectIdentifier(type) else { return nil }
    return entry.value
  }

  mutating func add(_ value: PackedValue, of cargo: Cargo, as type: Any.Type) {
    entries[ObjectIdentifier(cargo)] = Entry(cargo: cargo, type: ObjectIdentifier(type), value: value)
  }

  /// Forgets what is not among what a snapshot has, `count` of which it has from here.
  mutating func keep(_ used: [ObjectIdentifier: Int], count: Int) {
    guard entries.count > count else { return }
    entries = entries.filter { used[$0.key] != nil }
  }
}
