import ActorFlow

// The edits of an operator whose effect can be predicted.
extension Model {
  /// The steps with places on the stack or with a `backUp` to be called again, in the order of the program.
  package var editableSteps: [StepPlan] {
    let names = Set((places.filter { !$0.isFinal } + owed).map(\.plan.name))
    return program.steps.filter { names.contains($0.name) }
  }

  /// Whether the output of a step may be made anew by the next retry: what has failed comes behind it, and the store may
  /// have the step as the one that runs. The model does not know what an edited input makes of that.
  package func mayRunAgain(_ step: String) -> Bool {
    fault != nil && current == nil && (places.last?.plan.name == step || shown.last?.plan.name == step)
  }

  /// Adds to the input of a step, at all its places. A back enters it with that input, and so does a retry.
  package func changeInput(of step: String, by change: (Value) -> Value) {
    for place in places where place.plan.name == step && !place.isFinal { place.input = change(place.input) }
  }

  /// The step that has got nothing but plain answers so far, the number of the latest one, and that answer.
  package var editableAnswer: (step: String, number: Int, answer: Command)? {
    guard let place = current, let number = place.plainAnswers, let latest = place.latest, latest.command.isPlain else {
      return nil
    }
    switch place.state {
    case .asking(_, nil) where fault == nil: break
    case .failed where fault != nil && place.isEntered: break
    default: return nil
    }
    return (place.plan.name, number, latest.command)
  }

  /// Puts another answer in the place of the latest one. The step runs again with it; if it has suspended the flow, with
  /// the next retry.
  package func changeAnswer(to command: Command) {
    guard let place = current, let latest = place.latest else { return }
    place.latest = (command, latest.number)
    guard fault == nil else { return }
    obey(command, place, latest.number)
    settle()
  }

  /// The completed steps that are on the stack once, with a `backUp` that has not thrown, and that no later step names:
  /// none that receives notes, and no menu.
  package var forgettableSteps: [String] {
    let menus = Set(program.steps.flatMap(\.menus))
    return shown.dropLast().filter { place in
      guard case .made = place.state, place.isEntered, !place.isSkipped, place !== places.last else { return false }
      let name = place.plan.name
      return !place.plan.receives && !program.routerSteps.contains(name) && !menus.contains(name)
        && places.count { $0.plan.name == name } == 1 && !owed.contains { $0.plan.name == name }
    }.map(\.plan.name)
  }

  /// Takes a step from the stack: it is no place to back up to any more, and is not compensated. A way back that it has
  /// closed stays closed.
  package func forget(_ step: String) {
    for (index, place) in shown.enumerated() where place.plan.name == step && place.closes && index > 0 {
      shown[index - 1].isClosed = true
    }
    for place in places where place.plan.name == step { place.isFinal = true }
  }

  /// The keys of a step's payments, with those that its `backUp` has to refund when it is called again.
  package func paymentKeys(of step: String) -> [String] {
    Set((places.filter { !$0.isFinal } + owed).filter { $0.plan.name == step }.flatMap(\.payments.keys)).sorted()
  }
}

extension Command {
  /// Whether the step does nothing outside the flow for this answer but pay, and then asks in the plain way or fails.
  var isPlain: Bool {
    switch self {
    case .ask, .now, .pay, .fail: true
    default: false
    }
  }
}
