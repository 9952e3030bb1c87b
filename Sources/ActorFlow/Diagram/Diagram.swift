/// What a diagram shows, in no language yet.
struct Diagram {
  struct Shape {
    enum Kind {
      case start, end, step, choice, fork, join
    }

    let kind: Kind
    let label: String
    /// What stands below the label, in smaller words.
    var notes: [String] = []
    /// The step or the fork that it shows.
    let node: Node?
    var isVisited = false
    var isCurrent = false
    var isWaiting = false
  }

  struct Arrow {
    let from: Int
    let to: Int
    let label: String
    /// Whether it leads back to what was passed already.
    let isReturn: Bool
  }

  /// A frame around some shapes.
  struct Cluster {
    let label: String
    var notes: [String] = []
    var items: [Item] = []
  }

  indirect enum Item {
    /// The number of a shape.
    case shape(Int)
    case cluster(Cluster)
  }

  var shapes: [Shape]
  var arrows: [Arrow]
  var items: [Item]
}
