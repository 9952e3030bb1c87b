/// The content of a diagram, independent of any diagram language.
struct Diagram {
  struct Shape {
    enum Kind {
      case start, end, step, choice, fork, join
    }

    let kind: Kind
    let label: String
    /// The smaller lines below the label.
    var notes: [String] = []
    /// The step or the fork that the shape shows.
    let node: Node?
    var isVisited = false
    var isCurrent = false
    var isWaiting = false
  }

  struct Arrow {
    let from: Int
    let to: Int
    let label: String
    /// Whether the arrow leads back to an earlier shape.
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
