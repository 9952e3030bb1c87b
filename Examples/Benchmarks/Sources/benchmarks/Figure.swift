/// A measured figure. The raw value is the key in the output; measured on all cores it gets the suffix `All`.
enum Figure: String, CaseIterable {
  case run8, step, stepWithSubscriber, stepWith64Parked, stepWith64Waiting, question, backUp, abandon5,
    stepOfAnOutsideCall
  case parallel2, choice = "switch", loop, timeoutArmed, wideFork
  case action, action8, effectKept
  case bytesPerWaitingFlow, bytesPerRendered, bytesPerRendered8, millionth, committedStepAt100000,
    settledBytesPerStep, scaling2, define
  case hostedAnswerMemory, hostedAnswerHot, hostedAnswerFile, bytesPerParkedFlow, inboxAmong100000, resumeAfter10000,
    resumeUnsettled, openFile, openFileMemory

  /// The unit of the figure.
  enum Unit: String {
    case hops, bytes, ratio
    case milliseconds = "ms"
    case megabytes = "MB"
  }

  /// The largest or smallest accepted value.
  enum Bar {
    case atMost(Double)
    case atLeast(Double)
    /// At most this many times the figure of `step`.
    case timesStep(Double)
    /// At most this much more than the figure of `step`.
    case stepPlus(Double)
  }

  var unit: Unit {
    switch self {
    case .bytesPerWaitingFlow, .bytesPerRendered, .bytesPerRendered8, .settledBytesPerStep, .bytesPerParkedFlow: .bytes
    case .millionth, .committedStepAt100000, .scaling2, .wideFork: .ratio
    case .hostedAnswerFile, .inboxAmong100000, .resumeAfter10000, .resumeUnsettled: .ratio
    case .openFile: .milliseconds
    case .openFileMemory: .megabytes
    default: .hops
    }
  }

  var meaning: String {
    switch self {
    case .run8: "launch to result of 8 automatic steps, with its coordinator"
    case .step: "one more automatic step: (512 steps - 64 steps) / 448"
    case .stepWithSubscriber: "as step, with one subscriber reading to the end"
    case .stepWith64Parked: "as step, with 64 subscriptions that do not read"
    case .stepWith64Waiting: "as step, with 64 subscribers reading to the end"
    case .question: "asked, seen by settled(), answered, the asker resumed"
    case .backUp: "back to the last question, asked again, answered, at the next question"
    case .abandon5: "abandon a flow waiting at step 5 of 8, until run has thrown"
    case .stepOfAnOutsideCall: "an answer, until settled() shows the question of the next step"
    case .parallel2: "a Parallel of two automatic branches, from its entering until the next step's"
    case .choice: "a Switch whose second case has one automatic step"
    case .loop: "one more iteration of a Loop around one automatic step"
    case .timeoutArmed: "what a timeout that does not fire adds to an automatic step"
    case .wideFork: "a question in a fork of 1,024, asked and answered / in a fork of 64"
    case .action: "an action until the new rendering is published, one node"
    case .action8: "an action of a leaf under 8 nested children, its output mapped at every level"
    case .effectKept: "what an effect that is kept adds to a render"
    case .bytesPerRendered: "as bytesPerWaitingFlow, the fifth step showing a rendering"
    case .bytesPerRendered8: "as bytesPerRendered, with 8 nested children"
    case .bytesPerWaitingFlow: "resident growth per live flow waiting at step 5 of 8, with its caller's task"
    case .millionth: "a step after 1,000,000 steps of one run / after 1,000"
    case .committedStepAt100000: "a step whose inputs are committed, on a stack of 100,000 / on one of 8"
    case .settledBytesPerStep: "resident growth per step of a run that settles every 100 steps"
    case .scaling2: "throughput of 2 drivers over 512-step flows / of 1"
    case .define: "building and compiling an 8-step flow, once"
    case .hostedAnswerMemory:
      "a hosted flow on MemoryFlowStore: from an answer until the next question is stored and read"
    case .hostedAnswerHot: "as hostedAnswerMemory, of a flow that stays in memory"
    case .hostedAnswerFile:
      "flows answered per second on FileFlowStore / with a log of the same commits written and synced bare"
    case .bytesPerParkedFlow: "resident growth of a host per waiting flow, without its store and index"
    case .inboxAmong100000: "a person's three tasks among 100,000 waiting flows / among 100"
    case .resumeAfter10000: "taking up a flow after 10,000 settled iterations / after 10"
    case .resumeUnsettled: "as resumeAfter10000, of 1,000 iterations whose places are all kept"
    case .openFile: "opening a FileFlowStore with 10,000 waiting and 100,000 finished flows"
    case .openFileMemory: "what a process that has opened that store has in memory"
    }
  }

  /// The bar on one core, or on all cores. `--check` judges it.
  func bar(onAllCores: Bool) -> Bar? {
    switch (self, onAllCores) {
    case (.run8, false): .atMost(90)
    case (.step, false): .atMost(8)
    case (.stepWithSubscriber, let all): .stepPlus(all ? 4 : 2)
    case (.stepWith64Parked, false): .timesStep(1.1)
    case (.question, false): .atMost(28)
    case (.stepOfAnOutsideCall, false): .atMost(40)
    case (.backUp, false): .atMost(85)
    case (.abandon5, false): .atMost(75)
    case (.choice, false): .stepPlus(2.5)
    case (.loop, false): .stepPlus(2)
    case (.wideFork, false): .atMost(1.5)
    case (.action, false): .atMost(20)
    case (.action8, false): .atMost(130)
    case (.effectKept, false): .atMost(5)
    case (.bytesPerWaitingFlow, false): .atMost(7_000)
    case (.bytesPerRendered, false): .atMost(8_000)
    case (.bytesPerRendered8, false): .atMost(12_000)
    case (.millionth, false), (.committedStepAt100000, false): .atMost(1.15)
    case (.settledBytesPerStep, false): .atMost(1)
    case (.hostedAnswerFile, true): .atLeast(0.7)
    case (.bytesPerParkedFlow, false): .atMost(100)
    case (.inboxAmong100000, false): .atMost(1.5)
    case (.resumeAfter10000, false): .atMost(1.2)
    default: nil
    }
  }

  /// The goal on one core, or on all cores. It is printed, and not judged.
  func goal(onAllCores: Bool) -> Bar? {
    switch (self, onAllCores) {
    case (.define, false): .atMost(140)
    case (.parallel2, false): .atMost(75)
    case (.timeoutArmed, false): .atMost(4)
    case (.action, false): .atMost(12)
    case (.action8, false): .atMost(90)
    case (.scaling2, true): .atLeast(1.8)
    case (.hostedAnswerMemory, false): .atMost(900)
    case (.openFile, true): .atMost(1_000)
    case (.openFileMemory, true): .atMost(60)
    default: nil
    }
  }

  /// Whether the same work is done by a plain actor as well; see ``Plain``.
  var hasFloor: Bool {
    switch self {
    case .run8, .step, .question, .backUp, .abandon5, .stepOfAnOutsideCall, .parallel2, .bytesPerWaitingFlow: true
    default: false
    }
  }

  /// Whether the figure means anything on one core.
  var isMeasuredPinned: Bool { ![.scaling2, .openFile, .openFileMemory].contains(self) }

  /// The key of the floor in a worker's output.
  var floorKey: String { rawValue + ".floor" }

  func key(onAllCores: Bool) -> String { onAllCores ? rawValue + "All" : rawValue }
}
