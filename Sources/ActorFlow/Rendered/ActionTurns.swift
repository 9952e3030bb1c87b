/// Mutual exclusion of the actions on a rendered step: one at a time, in the order of arrival.
///
/// There are two ways to keep others out. A **turn** is short: an action is applied, rendered and committed. A
/// **claim** lasts as long as a user's `validate`: an answerer that was overtaken too often gets one while its answer is
/// validated once more. A claim keeps out only actions: effects start and end meanwhile, and the end of the visit ends
/// the claim.
struct ActionTurns {
  /// The number of times an answerer is overtaken before it gets a claim.
  static let patience = 3

  private var isBusy = false
  private var inLine: [OneShot] = []
  /// The claim that is held. Claims are numbered, so that ending an old claim never ends a newer one.
  private var claim: Int?
  private var lastClaim = 0
  private var outside: [OneShot] = []

  /// Takes the turn for an action, if the turn is free and no claim keeps the action out.
  mutating func begin(_ claim: Int?) -> Bool { admits(claim) && begin() }

  /// Takes the turn, if it is free.
  mutating func begin() -> Bool {
    guard !isBusy else { return false }
    isBusy = true
    return true
  }

  /// Waits for the turn. A resumed waiter has the turn.
  mutating func line(up waiter: OneShot) { inLine.append(waiter) }

  /// Ends the turn.
  ///
  /// - Returns: The waiter that has the turn now; `nil` if the turn is free.
  mutating func end() -> OneShot? {
    guard inLine.isEmpty else { return inLine.removeFirst() }
    isBusy = false
    return nil
  }

  /// Whether no foreign claim keeps out an action with this claim.
  func admits(_ claim: Int?) -> Bool { self.claim == nil || self.claim == claim }

  /// Waits until a claim has ended. A resumed waiter must check again.
  mutating func wait(_ waiter: OneShot) { outside.append(waiter) }

  /// Counts that an answerer was overtaken once more.
  ///
  /// - Returns: The next attempt. It has a claim if the answerer had one already, or if it was overtaken often enough
  ///   and no claim is held.
  mutating func overtake(_ attempt: ActionAttempt) -> ActionAttempt {
    var next = ActionAttempt(
      overtaken: attempt.overtaken + 1, claim: attempt.claim, answerer: attempt.answerer)
    guard next.overtaken >= Self.patience, claim == nil else { return next }
    lastClaim += 1
    claim = lastClaim
    next.claim = lastClaim
    return next
  }

  /// Ends a claim, if it is still held; `nil` ends the claim that is held.
  ///
  /// - Returns: The waiters to resume.
  mutating func endClaim(_ ended: Int? = nil) -> [OneShot] {
    guard let claim, ended == nil || ended == claim else { return [] }
    self.claim = nil
    defer { outside = [] }
    return outside
  }
}

extension RenderRunner {
  func waitForTurn() async {
    let waiter = OneShot()
    turns.line(up: waiter)
    await waiter.end()
  }

  /// Waits for a turn, and first for the end of foreign claims. A claim may be granted while this waits for the turn.
  func waitForTurn(_ claim: Int?) async {
    while true {
      while !turns.admits(claim) {
        let waiter = OneShot()
        turns.wait(waiter)
        await waiter.end()
      }
      if !turns.begin() { await waitForTurn() }
      if turns.admits(claim) { return }
      endTurn()
    }
  }

  func endTurn() { turns.end()?.fulfil(.success(())) }

  func endClaims(_ ended: Int? = nil) {
    for waiter in turns.endClaim(ended) { waiter.fulfil(.success(())) }
  }
}
