/// Who may act on a rendered step: one at a time, in the order in which they came.
///
/// There are two ways to keep others out. A **turn** is short: an action is applied, rendered and committed. A **claim**
/// is as long as a user's `validate`: an answerer who was overtaken too often has it while he validates once more. A
/// claim keeps out actions, nothing else: effects start and end meanwhile, and the visit's end ends it.
struct ActionTurns {
  /// An answerer who was overtaken this often gets a claim.
  static let patience = 3

  private var isBusy = false
  private var inLine: [UnsafeContinuation<Void, Never>] = []
  /// The claim that is held; claims are numbered, so that one that has ended ends no other one.
  private var claim: Int?
  private var lastClaim = 0
  private var outside: [UnsafeContinuation<Void, Never>] = []

  /// Takes the turn of an action, if it is free and no claim keeps it out.
  mutating func begin(_ claim: Int?) -> Bool { admits(claim) && begin() }

  /// Takes the turn, if it is free.
  mutating func begin() -> Bool {
    guard !isBusy else { return false }
    isBusy = true
    return true
  }

  /// Waits for the turn. Whoever is resumed has it.
  mutating func line(up waiter: UnsafeContinuation<Void, Never>) { inLine.append(waiter) }

  /// Ends the turn.
  ///
  /// - Returns: Who has it now.
  mutating func end() -> UnsafeContinuation<Void, Never>? {
    guard inLine.isEmpty else { return inLine.removeFirst() }
    isBusy = false
    return nil
  }

  /// Whether an action may come in.
  func admits(_ claim: Int?) -> Bool { self.claim == nil || self.claim == claim }

  /// Waits until a claim has ended. Whoever is resumed looks again.
  mutating func wait(_ waiter: UnsafeContinuation<Void, Never>) { outside.append(waiter) }

  /// An answerer was overtaken once more.
  ///
  /// - Returns: What he tries next with. While another has a claim, he gets none; his own he keeps.
  mutating func overtake(_ attempt: ActionAttempt) -> ActionAttempt {
    var next = ActionAttempt(overtaken: attempt.overtaken + 1, claim: attempt.claim)
    guard next.overtaken >= Self.patience, claim == nil else { return next }
    lastClaim += 1
    claim = lastClaim
    next.claim = lastClaim
    return next
  }

  /// Ends a claim, if it still is; nil: whichever is.
  ///
  /// - Returns: Who waited for that.
  mutating func endClaim(_ ended: Int? = nil) -> [UnsafeContinuation<Void, Never>] {
    guard let claim, ended == nil || ended == claim else { return [] }
    self.claim = nil
    defer { outside = [] }
    return outside
  }
}

extension RenderRunner {
  func waitForTurn() async {
    await withUnsafeContinuation { turns.line(up: $0) }
  }

  /// Waits for a turn, and outside for the claims of others. One may be granted while this waits in line.
  func waitForTurn(_ claim: Int?) async {
    while true {
      while !turns.admits(claim) { await withUnsafeContinuation { turns.wait($0) } }
      if !turns.begin() { await waitForTurn() }
      if turns.admits(claim) { return }
      endTurn()
    }
  }

  func endTurn() { turns.end()?.resume() }

  func endClaims(_ ended: Int? = nil) {
    for waiter in turns.endClaim(ended) { waiter.resume() }
  }
}
