/// What happens to the value between two steps.
package struct Edge: Sendable {
  package enum Move: Sendable {
    case transform(Segment.Transform)
    case keep
    case join(Segment.Join)
  }

  package let moves: [Move]

  package var isEmpty: Bool { moves.isEmpty }

  /// Carries `cargo` over. Runs the closures of `.map` and `.carrying`, and throws what they throw.
  package func carry(_ cargo: Cargo) throws -> Cargo {
    var cargo = cargo
    for move in moves {
      switch move {
      case .transform(let change):
        cargo = cargo.with(try change(cargo.value))
      case .keep:
        cargo = Cargo(cargo.value, kept: Kept(cargo.value, below: cargo.kept))
      case .join(let join):
        guard let kept = cargo.kept else {
          throw FlowError(.typeMismatch, "`.carrying` has lost what it was to carry")
        }
        cargo = Cargo(try join(kept.value, cargo.value), kept: kept.below)
      }
    }
    return cargo
  }
}

/// What is on its way between two steps: the value, and what `.carrying` has set aside. One reference, because it is
/// passed through the walk and lies at every place.
package final class Cargo: Sendable {
  package let value: any Sendable
  package let kept: Kept?

  /// The same with another value.
  package func with(_ value: any Sendable) -> Cargo { Cargo(value, kept: kept) }

  package init(_ value: any Sendable, kept: Kept? = nil) {
    self.value = value
    self.kept = kept
  }
}

/// The values set aside by the `.carrying` around a place, innermost first. Shared by all places inside it.
package final class Kept: Sendable {
  package let value: any Sendable
  package let below: Kept?

  package init(_ value: any Sendable, below: Kept?) {
    self.value = value
    self.below = below
  }
}
