import ActorFlow

// The choice of the next operation.
extension Driver {
  /// Returns any operation, likely or not.
  mutating func next() -> Operation {
    if random.chance(60), reference.at != .idle, reference.at != .end { return nextOfFlow() }
    let isPatient = random.chance(50)
    let names = reference.paths + ["a", "b", "c", "nowhere"]
    return random.pick([
      (20, .backUp(to: nil, isPatient: isPatient)),
      (9, .backUp(to: names[random.below(names.count)], isPatient: isPatient)),
      (4, .abandon(rollsBack: random.chance(75), isPatient: isPatient)),
      (2, .cancelCaller),
      (3, .settle), (3, .subscribe), (2, .drop),
      (6, .answer(random.pick([(6, .late), (1, .foreign), (1, .unknown), (1, .byType)]))),
      (4, .useOldContext(random.pick([(1, .ask), (1, .update), (1, .once), (1, .backUp), (1, .abandon)]))),
    ])
  }

  /// Returns an operation that the flow waits for, valid or invalid.
  private mutating func nextOfFlow() -> Operation {
    switch reference.at {
    case .asking:
      return random.pick([
        (50, .answer(.right)), (6, .answer(.twice)), (6, .answer(.byType)), (5, .answer(.wrongType)),
        (5, .answer(.refused)), (5, .answer(.stale)), (12, .update), (6, .giveUp),
      ])
    case .proceed:
      outputs += 1
      let effect: Effect = random.pick([
        (4, .works(isGated: true)), (6, .works(isGated: false)), (2, .failsBefore), (2, .failsAfter),
      ])
      return .command(
        random.pick([
          (45, .ask), (20, .once(Puppet.effectKeys[random.below(2)], effect)), (34, .proceed(output: "v\(outputs)")),
          (6, .backUp), (2, .go), (1, .fail), (1, .abandon), (1, .pretendCancelled),
        ]))
    case .make, .skip, .effect, .backUp, .idle, .end: return .command(.go)
    }
  }

  /// Returns the operation of the shortest way to the end.
  mutating func nextOfProgress() -> Operation {
    outputs += 1
    return switch reference.at {
    case .asking: .answer(.right)
    case .proceed: .command(.proceed(output: "v\(outputs)"))
    case .make, .skip, .effect, .backUp, .idle, .end: .command(.go)
    }
  }
}
