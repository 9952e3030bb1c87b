// Drawing the segments that branch.
extension DiagramMaker {
  mutating func add(_ choice: Choice) {
    if let part = choice.earlyEnd { return add(part) }
    let diamond = addShape(.choice, "?")
    ends = ways(of: choice, from: diamond).flatMap(\.self)
  }

  /// Draws an early end as an arrow from the component that may finish to the end of its flow, without a diamond.
  private mutating func add(_ part: Choice.EarlyEnd) {
    switch part {
    case .junction(let next):
      let mayFinish = ends.filter { !proceeding.contains($0.from) }
      let outcomes = finishing + mayFinish.map { ($0.from, $0.label.isEmpty ? "finish" : "\($0.label), finish") }
      finishing = []
      add(next)
      finishing = outcomes + finishing
    case .proceeding: proceeding.formUnion(ends.map(\.from))
    case .end: endOutcomes()
    }
  }

  /// Draws the cases one after the other.
  ///
  /// - Returns: The loose ends of each case; the last element is that of `otherwise`, if there is one.
  private mutating func ways(of choice: Choice, from shape: Int) -> [[LooseEnd]] {
    var ways: [[LooseEnd]] = []
    var outcomes: [LooseEnd] = []
    for way in choice.cases {
      ends = [(shape, way.label)]
      if let name = way.name { openName(name) }
      add(way.segments)
      if way.name != nil { closeName() }
      ways.append(ends)
      outcomes += finishing
      finishing = []
    }
    if let otherwise = choice.otherwise {
      ends = [(shape, "otherwise")]
      add(otherwise)
      ways.append(ends)
    }
    (ends, finishing) = ([], outcomes + finishing)
    return ways
  }

  mutating func add(_ loop: Repetition) {
    let first = shapes.count
    add(loop.body)
    guard shapes.count > first else { return }
    let diamond = addShape(.choice, "done?")
    lead([(diamond, "")], backTo: first, "again")
    ends = [(diamond, "done")]
  }

  mutating func add(_ menu: Menu) {
    add(menu.step)
    let step = shapes.count - 1
    var leaving: [LooseEnd] = []
    for (index, way) in ways(of: menu.choice, from: step).enumerated() {
      if menu.leaving.contains(index) { leaving += way } else { lead(way, backTo: step, "returns") }
    }
    ends = leaving
  }

  mutating func add(_ router: Router) {
    let diamond = addShape(.choice, "by type")
    var leaving: [LooseEnd] = []
    for (index, way) in ways(of: router.choice, from: diamond).enumerated() {
      if router.leaving.contains(index) { leaving += way } else { lead(way, backTo: diamond, "next") }
    }
    ends = leaving
  }

  mutating func add(_ fork: Fork) {
    let node = nextNode()
    let name = node?.info.id.name ?? fork.kind
    openCluster(fork.name == nil ? name : "\(name) (\(fork.kind))")
    let bar = addShape(.fork, "fork", of: node)
    var results: [LooseEnd] = []
    switch fork.branches {
    case .fixed(let branches):
      open(path: node?.info.id.path ?? "")
      for (number, branch) in branches.enumerated() {
        results += ends(of: branch, number: number, from: bar)
      }
    case .each(_, let segments):
      open(path: (node?.info.id.path ?? "") + "/*")
      ends = [(bar, "each element")]
      add(segments)
      endOutcomes()
      results = ends
    }
    closeName()
    ends = results
    let join = addShape(.join, "join")
    closeCluster()
    ends = [(join, "")]
  }

  /// Draws a branch. The arrow to it is labelled with the name that the definition gives it, if any.
  private mutating func ends(of branch: Fork.Branch, number: Int, from bar: Int) -> [LooseEnd] {
    if branch.name == nil, branch.segments.onlyName != nil {
      ends = [(bar, "")]
      add(branch.segments)
      endOutcomes()
    } else {
      let name = openName(branch.name ?? "\(number)")
      ends = [(bar, branch.name == nil ? "" : name)]
      add(branch.segments)
      endOutcomes()
      closeName()
    }
    return ends
  }
}
