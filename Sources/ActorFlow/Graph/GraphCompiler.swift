extension Graph {
  /// Compiles a definition: gives every step its path, its policies and its address. Runs no code of the user's.
  package convenience init(compiling segments: [Segment]) {
    var compiler = GraphCompiler()
    compiler.add(segments)
    compiler.emit(.end)
    self.init(
      program: compiler.program, nodes: ContiguousArray(compiler.nodes.compactMap(\.self)),
      repeatedNames: compiler.names.repeated.map { $0.path(at: []) })
  }
}

/// Walks the segments once, with a stack for each kind of bracket; recurses only where the source nests.
private struct GraphCompiler {
  private(set) var program: ContiguousArray<Instruction> = []
  /// Nil: a fork, whose node is made when its branches are known.
  private(set) var nodes: ContiguousArray<Node?> = []
  private(set) var names = PathNames()
  private var backUp: [BackUpPolicy] = [.automatic]
  private var failure: [FailurePolicy?] = [nil]
  private var presentation: [Presentation?] = [nil]
  /// Which of the stacks each open policy bracket pushed on.
  private var policies: [Segment.Policy] = []
  /// The scopes whose end has not come yet: where they began, and how many nodes there were.
  private var scopes: [(kind: Scope.Kind, address: Int, nodes: Int)] = []

  mutating func add(_ segments: [Segment]) {
    for segment in segments { add(segment) }
  }

  mutating func emit(_ instruction: Instruction) { program.append(instruction) }

  private mutating func add(_ segment: Segment) {
    switch segment {
    case .step(let name, let body):
      let path = names.path(of: name)
      let node = node(nodes.count, at: program.count, path, body)
      nodes.append(node)
      emit(.step(node))
    case .transform(let change): emit(.transform(change))
    case .keep: emit(.keep)
    case .join(let join): emit(.join(join))
    case .open(let name): names.open(name)
    case .close: names.close()
    case .begin(let policy): begin(policy)
    case .end: end()
    case .enter(let kind):
      scopes.append((kind, program.count, nodes.count))
      emit(.end)  // replaced when the scope's end has come
    case .leave: leaveScope()
    case .choice(let choice): add(choice)
    case .loop(let loop): add(loop)
    case .hub(let menu): add(menu)
    case .router(let router): add(router)
    case .fork(let fork): add(fork)
    }
  }

  private func node(
    _ index: Int, at address: Int, _ path: [String], _ body: StepBody, fork: ForkPlan? = nil
  ) -> Node {
    Node(
      index: index, address: address, path: path, body: body, backUp: backUp[backUp.count - 1],
      failure: failure[failure.count - 1], presentation: presentation[presentation.count - 1], fork: fork)
  }
}

// MARK: - Brackets

extension GraphCompiler {
  private mutating func begin(_ policy: Segment.Policy) {
    policies.append(policy)
    switch policy {
    case .backUp(let policy): backUp.append(policy)
    case .failure(let policy): failure.append(policy)
    case .presentation(let token): presentation.append(token)
    }
  }

  private mutating func end() {
    switch policies.removeLast() {
    case .backUp: backUp.removeLast()
    case .failure: failure.removeLast()
    case .presentation: presentation.removeLast()
    }
  }

  private mutating func leaveScope() {
    let (kind, address, before) = scopes.removeLast()
    emit(.close)
    let only = nodes.count == before + 1 && isStraight(from: address) ? nodes[before] : nil
    program[address] = .open(Scope(kind, first: address + 1, next: program.count, only: only))
  }

  /// Whether no instruction from there on leads anywhere but to the next.
  private func isStraight(from address: Int) -> Bool {
    program[(address + 1)...].allSatisfy { instruction in
      switch instruction {
      case .choose, .decide, .resume, .deliver, .jump, .end, .fork: false
      case .step, .transform, .keep, .join, .open, .close: true
      }
    }
  }
}

// MARK: - What branches

extension GraphCompiler {
  private mutating func add(_ choice: Choice) {
    add(choice) { compiler, _ in compiler.emitPlaceholder() }
  }

  /// The cases one after the other. `after` ends each of them, and returns the address of a jump that is to lead behind
  /// them all, or nil if it leads elsewhere.
  private mutating func add(_ choice: Choice, after: (inout GraphCompiler, Int) -> Int?) {
    let address = emitPlaceholder()
    var addresses: [Int] = []
    var exits: [Int] = []
    for (index, way) in choice.cases.enumerated() {
      addresses.append(program.count)
      if let name = way.name { names.open(name) }
      add(way.segments)
      if way.name != nil { names.close() }
      if let exit = after(&self, index) { exits.append(exit) }
    }
    var otherwise: Int?
    if let segments = choice.otherwise {
      otherwise = program.count
      add(segments)
      if let exit = after(&self, choice.cases.count) { exits.append(exit) }
    }
    program[address] = .choose(choice, addresses: addresses, otherwise: otherwise)
    for exit in exits { program[exit] = .jump(program.count) }
  }

  /// An instruction that is replaced later.
  @discardableResult
  private mutating func emitPlaceholder() -> Int {
    emit(.end)
    return program.count - 1
  }

  private mutating func add(_ loop: Repetition) {
    let body = program.count
    add(loop.body)
    emit(.decide(loop, body: body))
  }

  private mutating func add(_ menu: Menu) {
    add(menu.step)
    guard case let node?? = nodes.last else { return }
    add(menu.choice) { compiler, index in
      guard !menu.leaving.contains(index) else { return compiler.emitPlaceholder() }
      compiler.emit(.resume(node))
      return nil
    }
  }

  private mutating func add(_ router: Router) {
    // What comes in is nobody's update: only what a step of the router makes is offered to those before it.
    emit(.jump(program.count + 2))
    let address = program.count
    emit(.deliver)
    add(router.choice) { compiler, index in
      guard !router.leaving.contains(index) else { return compiler.emitPlaceholder() }
      compiler.emit(.jump(address))
      return nil
    }
  }

  /// The fork itself, then its branches, each up to an `end` of its own; the walk goes on behind them.
  private mutating func add(_ fork: Fork) {
    let path = names.path(of: fork.name ?? fork.kind, isGiven: fork.name != nil)
    let address = emitPlaceholder()
    let over = emitPlaceholder()
    let index = nodes.count
    nodes.append(nil)
    names.push(path)
    var entries: [Int] = []
    var paths: [[String]] = []
    switch fork.branches {
    case .fixed(let branches):
      for (number, branch) in branches.enumerated() {
        entries.append(program.count)
        paths.append(addBranch(branch, number: number))
      }
    case .each(_, let segments):
      entries.append(program.count)
      paths.append(names.openElement())
      addBody(of: segments)
      names.close()
    }
    names.close()
    let plan = ForkPlan(fork, entries: entries, paths: paths)
    let node = node(index, at: address, path, .none, fork: plan)
    nodes[index] = node
    program[address] = .fork(node)
    program[over] = .jump(program.count)
  }

  /// A branch that is one step or one named flow is called as that; any other adds its name, or its number.
  ///
  /// - Returns: Its path.
  private mutating func addBranch(_ branch: Fork.Branch, number: Int) -> [String] {
    if branch.name == nil, let own = branch.segments.onlyName {
      let path = names.peek(own)
      addBody(of: branch.segments)
      return path
    }
    let path = names.open(branch.name ?? "\(number)")
    addBody(of: branch.segments)
    names.close()
    return path
  }

  private mutating func addBody(of segments: [Segment]) {
    add(segments)
    emit(.end)
  }
}
