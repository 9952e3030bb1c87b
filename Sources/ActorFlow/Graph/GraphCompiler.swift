extension Graph {
  /// Compiles a definition: gives every step its path, its policies and its address. Runs no code of the user.
  package convenience init(compiling segments: [Segment]) {
    var compiler = GraphCompiler()
    compiler.add(segments)
    compiler.emit(.end)
    self.init(
      program: compiler.program, nodes: ContiguousArray(compiler.nodes.compactMap(\.self)),
      repeatedNames: compiler.names.repeated.map { $0.path(at: []) })
  }
}

/// Walks the segments once, with a stack for each kind of bracket. Recursion follows only the nesting in the source.
private struct GraphCompiler {
  private(set) var program: ContiguousArray<Instruction> = []
  /// The nodes; `nil` for a fork, whose node is made when its branches are known.
  private(set) var nodes: ContiguousArray<Node?> = []
  private(set) var names = PathNames()
  private var backUp: [Segment.Policy] = [.backUp(.automatic)]
  private var failure: [FailurePolicy?] = [nil]
  private var presentation: [Presentation?] = [nil]
  /// The number of open brackets whose steps are entered durably.
  private var durableEntries = 0
  /// The open policy brackets, each of which tells the stack to pop at its end.
  private var policies: [Segment.Policy] = []
  /// The nodes of the open components with a finalizer.
  private var finalizers: [Node] = []
  /// The open scopes: the kind, the address at which each began, and the number of nodes before it.
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
    case .carry: emit(.carry)
    case .join(let join): emit(.join(join))
    case .open(let name): names.open(name)
    case .close: names.close()
    case .begin(let policy): begin(policy)
    case .end: end()
    case .enter(let kind):
      scopes.append((kind, program.count, nodes.count))
      emit(.end)  // replaced at the end of the scope
    case .leave: leaveScope()
    case .enterFinally(let finalizer): enterFinally(finalizer)
    case .leaveFinally: emit(.leaveFinally(finalizers.removeLast()))
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
    var fixed = BackUpPolicy.automatic
    var chosen: ChosenBackUpPolicy?
    switch backUp[backUp.count - 1] {
    case .backUp(let policy): fixed = policy
    case .chosenBackUp(let policy): if fork == nil, policy.input == body.types.input { chosen = policy }
    case .failure, .presentation, .durableEntry: break
    }
    return Node(
      index: index, address: address, path: path, body: body, backUp: fixed, chosenBackUp: chosen,
      failure: failure[failure.count - 1], presentation: presentation[presentation.count - 1], fork: fork,
      entersDurably: durableEntries > 0)
  }
}

// MARK: - Brackets

extension GraphCompiler {
  private mutating func begin(_ policy: Segment.Policy) {
    policies.append(policy)
    switch policy {
    case .backUp, .chosenBackUp: backUp.append(policy)
    case .failure(let policy): failure.append(policy)
    case .presentation(let token): presentation.append(token)
    case .durableEntry: durableEntries += 1
    }
  }

  private mutating func end() {
    switch policies.removeLast() {
    case .backUp, .chosenBackUp: backUp.removeLast()
    case .failure: failure.removeLast()
    case .presentation: presentation.removeLast()
    case .durableEntry: durableEntries -= 1
    }
  }

  private mutating func enterFinally(_ finalizer: Finalizer) {
    let path = names.path(of: finalizer.name)
    let node = Node(
      index: nodes.count, address: program.count, path: path, body: .passing(finalizer.types), backUp: .passThrough,
      failure: failure[failure.count - 1], presentation: nil, fork: nil, finalizer: finalizer)
    nodes.append(node)
    finalizers.append(node)
    emit(.enterFinally(node))
  }

  private mutating func leaveScope() {
    let (kind, address, before) = scopes.removeLast()
    emit(.close)
    let only = nodes.count == before + 1 && isStraight(from: address) ? nodes[before] : nil
    let step = only?.finalizer == nil ? only : nil
    program[address] = .open(Scope(kind, first: address + 1, next: program.count, only: step))
  }

  /// Whether every instruction from there on leads to the next one only.
  private func isStraight(from address: Int) -> Bool {
    program[(address + 1)...].allSatisfy { instruction in
      switch instruction {
      case .choose, .decide, .resume, .deliver, .jump, .end, .fork: false
      case .step, .transform, .carry, .join, .open, .close, .enterFinally, .leaveFinally: true
      }
    }
  }
}

// MARK: - Branching

extension GraphCompiler {
  private mutating func add(_ choice: Choice) {
    add(choice) { compiler, _ in compiler.emitPlaceholder() }
  }

  /// Adds the cases one after the other. `after` ends each case. It returns the address of a jump that has to lead
  /// behind all cases, or `nil` if the case leads elsewhere.
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

  /// Emits an instruction that is replaced later, and returns its address.
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
    // Only the outputs of the router's steps are offered as updates, not the router's input.
    emit(.jump(program.count + 2))
    let address = program.count
    emit(.deliver)
    add(router.choice) { compiler, index in
      guard !router.leaving.contains(index) else { return compiler.emitPlaceholder() }
      compiler.emit(.jump(address))
      return nil
    }
  }

  /// Adds the fork, then its branches, each up to an `end` of its own. The walk continues after them.
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

  /// Adds a branch. A branch of one step or one named flow has that name; any other adds its name or its number.
  ///
  /// - Returns: The path of the branch.
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
