import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Asks people for one decision, reminds them every day, lets each hand on, and gives up after four days.
///
/// Between two answers the step is not in memory, so it stores nothing in its properties. The beginning of the four
/// days is in a record; the people who are asked follow from the answers, which are replayed when the step is entered
/// again.
actor SeatStep: FlowStep {
  private let seat: Seat
  private let services: Services

  private static let day: TimeInterval = 86_400
  private static let daysToDecide = 4

  init(_ seat: Seat, _ services: Services) {
    (self.seat, self.services) = (seat, services)
  }

  func proceed(_ tally: Tally, context: StepContext) async throws -> Tally {
    let claim = tally.claim
    var (tally, began, round) = (tally, tally.began, 1)
    if seat == .boss {
      began = try await context.once("began") { [services] _ in services.clock.now }
      tally.holders = [claim.boss].compactMap(\.self)
    }
    let due = began.addingTimeInterval(Double(Self.daysToDecide) * Self.day)
    if seat != .second {
      for name in tally.holders {
        try await notify(name, "Please decide about \(claim.summary).", as: "asked-\(name)", context)
      }
    }
    while true {
      let form = BallotForm(claim: claim, seat: seat, holders: tally.holders, approval: tally.approval, due: due)
      guard let response = try await ask(form, round, until: due, context) else {
        try await vote(form.assignees, .silent, "", &tally, context)
        return tally
      }
      // An operator may have put others in the places of those whom the step asked.
      tally.holders = response.holders
      switch response.choice {
      case .decision(let ballot):
        try await vote([response.by], ballot.approves ? .approved : .rejected, ballot.comment, &tally, context)
        return tally
      case .handOn(let next):
        let text = "\(response.by) asks you to decide about \(claim.summary)."
        try await notify(next, text, as: "handed-\(round)", context)
        if let index = tally.holders.firstIndex(of: response.by) { tally.holders[index] = next }
        round += 1
      }
    }
  }

  /// There is nothing to compensate: a message cannot be taken back.
  func backUp(context: RollbackContext) {}

  /// Asks while there is time. The current people are reminded, and have no more time than those before.
  private func ask(
    _ form: BallotForm, _ round: Int, until due: Date, _ context: StepContext
  ) async throws -> Response? {
    let rest = Duration.seconds(max(due.timeIntervalSince(services.clock.now), 0))
    return try await context.ask(
      form, key: "round-\(round)", within: rest,
      reminding: .every(.seconds(Self.day), max: Self.daysToDecide - 1) { _ in
        try await self.remind(form, round, due, context)
      })
  }

  /// Several reminders that are due at once, because the program did not run for days, are sent as one.
  private func remind(_ form: BallotForm, _ round: Int, _ due: Date, _ context: StepContext) async throws {
    let days = Int((due.timeIntervalSince(services.clock.now) / Self.day).rounded(.up))
    guard days > 0 else { return }
    let text = "\(form.claim.summary) still waits for you; \(days) day\(days == 1 ? " is" : "s are") left."
    for name in try await assignees(form, context) {
      try await notify(name, text, as: "reminder-\(round)-\(days)-\(name)", context)
    }
  }

  /// Returns the people who are asked now. An operator may have put others in the places of those whom the step asked:
  /// the store knows it.
  private func assignees(_ form: BallotForm, _ context: StepContext) async throws -> [String] {
    let tasks = try await services.store.load(context.flow)?.snapshot.tasks ?? []
    return tasks.first { $0.step == context.step }?.assignees ?? form.assignees
  }

  private func vote(
    _ names: [String], _ decision: Vote.Decision, _ comment: String, _ tally: inout Tally, _ context: StepContext
  ) async throws {
    // Recorded, so that the time stays the same if the step is entered again.
    let at = try await context.once("decided") { [services] _ in services.clock.now }
    for name in names {
      tally.votes.append(Vote(seat: seat, by: name, decision: decision, comment: comment, at: at))
      if let index = tally.holders.firstIndex(of: name) { tally.holders.remove(at: index) }
    }
  }

  private func notify(_ name: String, _ text: String, as key: String, _ context: StepContext) async throws {
    try await context.once("notice-\(key)") { [services] idempotencyKey in
      try await services.post.send(Notice(key: idempotencyKey, to: name, text: text))
    }
  }
}
