/// The names of a type, made once for each type of the program.
///
/// Making them costs about 30,000 instructions, several times for each answer of a hosted flow (`hostedAnswerHot`).
package struct TypeName: Sendable {
  /// The name with those of its module and of the types around it, as in `Shop.Checkout.AddressForm`.
  package let qualified: String
  /// The name by itself, as in `AddressForm`.
  package let short: String
  /// Whether another process gives the type the same qualified name. A private or local type has an address in its name.
  package let isStable: Bool

  private init(making type: Any.Type) {
    qualified = String(reflecting: type)
    short = "\(type)"
    isStable = Self.isStable(qualified)
  }

  /// Returns the names of a type.
  package init(of type: Any.Type) {
    let id = ObjectIdentifier(type)
    if let known = Self.known.withLock({ $0[id] }) {
      self = known
    } else {
      let made = Self(making: type)
      Self.known.withLock { $0[id] = made }
      self = made
    }
  }

  /// A type lives as long as its process, so there are at most as many entries as types.
  private static let known = Lock<[ObjectIdentifier: TypeName]>([:])

  /// Whether another process gives a type with this name the same name.
  package static func isStable(_ name: String) -> Bool {
    // Searching for a text is slow, and most names have no such byte.
    !name.utf8.contains(UInt8(ascii: "(")) || !name.contains("(unknown context at ")
  }
}
