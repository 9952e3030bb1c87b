import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Asks the person who has a seat, reminds every day, lets the seat be handed on, and gives up after four days.
///
/// Between two answers the step is not in memory, so it stores nothing in its properties. The beginning of the four
/// days is in a record; the person who has the seat follows from the answers, which are replayed when the step is
/// entered again.
actor SeatStep: FlowStep {
  private let seat: Seat
  private let post: any Post
  private let clock: any WallClock

  private static let day: TimeInterval = 86_400
  private static let daysToDecide = 4

  init(_ seat: Seat, post: any Post, clock: any WallClock) {
    (self.seat, self.post, self.clock) = (seat, post, clock)
  }

  func proceed(_ tally: Tally, context: StepContext) async throws -> Tally {
    let claim = tally.claim
    let began = try await context.once("began") { [clock] _ in clock.now }
    let due = began.addingTimeInterval(Double(Self.daysToDecide) * Self.day)
    var (holder, round) = (claim.holder(of: seat), 1)
    try await notify(holder, "Please decide about \(claim.summary).", as: "asked", context)
    while true {
      let form = BallotForm(claim: claim, seat: seat, holder: holder, due: due)
      switch try await ask(form, round, until: due, context) {
      case .decision(let ballot):
        return try await self.tally(tally, holder, ballot.approves ? .approved : .rejected, ballot.comment, context)
      case nil:
        return try await self.tally(tally, holder, .silent, "", context)
      case .handOn(let next):
        try await notify(next, "\(holder) asks you to decide about \(claim.summary).", as: "handed-\(round)", context)
        (holder, round) = (next, round + 1)
      }
    }
  }

  /// There is nothing to compensate: a message cannot be taken back.
  func backUp(context: RollbackContext) {}

  /// Asks while there is time. The current person is reminded, and has no more time than the one before.
  private func ask(
    _ form: BallotForm, _ round: Int, until due: Date, _ context: StepContext
  ) async throws -> Response? {
    let rest = Duration.seconds(max(due.timeIntervalSince(clock.now), 0))
    return try await context.ask(
      form, key: "round-\(round)", within: rest,
      reminding: .every(.seconds(Self.day), max: Self.daysToDecide - 1) { _ in
        try await self.remind(form, round, due, context)
      })
  }

  /// Several reminders that are due at once, because the program did not run for days, are sent as one.
  private func remind(_ form: BallotForm, _ round: Int, _ due: Date, _ context: StepContext) async throws {
    let days = Int((due.timeIntervalSince(clock.now) / Self.day).rounded(.up))
    guard days > 0 else { return }
    let text = "\(form.claim.summary) still waits for you; \(days) day\(days == 1 ? " is" : "s are") left."
    try await notify(form.holder, text, as: "reminder-\(round)-\(days)", context)
  }

  private func tally(
    _ tally: Tally, _ holder: String, _ decision: Vote.Decision, _ comment: String, _ context: StepContext
  ) async throws -> Tally {
    // Recorded, so that the time stays the same if the step is entered again.
    let at = try await context.once("decided") { [clock] _ in clock.now }
    var tally = tally
    tally.votes.append(Vote(seat: seat, by: holder, decision: decision, comment: comment, at: at))
    return tally
  }

  private func notify(_ name: String, _ text: String, as key: String, _ context: StepContext) async throws {
    try await context.once("notice-\(key)") { [post] idempotencyKey in
      try await post.send(Notice(key: idempotencyKey, to: name, text: text))
    }
  }
}
