extension FlowError {
  /// What went wrong. New codes may be added; switch with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String, Sendable {
      case notRunning, alreadyRunning, flowEnded, ending, moving, insideFlow, notInFlow
      case cannotBackUp, rollbackFailed, abandoned, stepFailed
      case noSuchQuestion, questionClosed, ambiguousQuestion, wrongAnswerType, staleRevision, principalNeeded
      case notActive, alreadyAsking, wrongPromptType, duplicateKey, wrongRecordType, typeMismatch
      case noMatchingCase, ambiguousBackUp, timedOut, noSuchStep, signalsFull, badDefinition
      case notStorable, noSuchFlow, alreadyStarted, parked, keyReused, tooLarge, badOptions
    }
    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The code of this name; nil if there is none.
    package init?(_ name: String) {
      guard let name = Name(rawValue: name) else { return nil }
      self.init(name)
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// No run has begun on this coordinator yet.
    public static let notRunning = Code(.notRunning)
    /// A run is under way on this coordinator; a coordinator runs one flow at a time.
    public static let alreadyRunning = Code(.alreadyRunning)
    /// The run has ended.
    public static let flowEnded = Code(.flowEnded)
    /// The flow is being abandoned, cancelled or rolled back after a failure.
    public static let ending = Code(.ending)
    /// The flow is already backing up.
    public static let moving = Code(.moving)
    /// A step of the flow asked its own coordinator for something that waits for that very step.
    public static let insideFlow = Code(.insideFlow)
    /// The step is used outside any flow.
    public static let notInFlow = Code(.notInFlow)
    /// There is no place to back up to.
    public static let cannotBackUp = Code(.cannotBackUp)
    /// The flow moved or ended as asked, but at least one step's `backUp` threw.
    public static let rollbackFailed = Code(.rollbackFailed)
    /// The flow was abandoned; the message is the reason.
    public static let abandoned = Code(.abandoned)
    /// A step threw a `CancellationError` although nobody had cancelled it.
    public static let stepFailed = Code(.stepFailed)
    /// No such question was ever asked by this flow.
    public static let noSuchQuestion = Code(.noSuchQuestion)
    /// The question was answered or withdrawn, its time was over, or its step was left; or the rendering's step has failed
    /// with the action.
    public static let questionClosed = Code(.questionClosed)
    /// Several open questions fit; name one by its id.
    public static let ambiguousQuestion = Code(.ambiguousQuestion)
    /// The answer is not of the type the prompt asks for.
    public static let wrongAnswerType = Code(.wrongAnswerType)
    /// The prompt changed since the answerer saw it.
    public static let staleRevision = Code(.staleRevision)
    /// The prompt's `authorize` takes a known principal, and the answer came without one.
    public static let principalNeeded = Code(.principalNeeded)
    /// The visit has ended, or has no open question to update.
    public static let notActive = Code(.notActive)
    /// The visit already has an open question.
    public static let alreadyAsking = Code(.alreadyAsking)
    /// The new prompt is of another type than the one the open question shows.
    public static let wrongPromptType = Code(.wrongPromptType)
    /// The visit already has an answer under this key; or one render asked for two effects, or two children of one type,
    /// under it.
    public static let duplicateKey = Code(.duplicateKey)
    /// A record of this key holds a value of another type.
    public static let wrongRecordType = Code(.wrongRecordType)
    /// A value was not of the type its place promises.
    public static let typeMismatch = Code(.typeMismatch)
    /// No case of a `Switch`, no branch of a `ForEach` or no route takes the value.
    public static let noMatchingCase = Code(.noMatchingCase)
    /// Several branches could back up; name one by its question or by a step.
    public static let ambiguousBackUp = Code(.ambiguousBackUp)
    /// A part of the flow did not end within its `.timeout`.
    public static let timedOut = Code(.timedOut)
    /// The flow has no such step, or none that can be used so.
    public static let noSuchStep = Code(.noSuchStep)
    /// More signals wait to be received than the flow keeps.
    public static let signalsFull = Code(.signalsFull)
    /// A definition that was put together at run time does not fit; the message lists every mistake with its place.
    public static let badDefinition = Code(.badDefinition)
    /// A value, a prompt or an answer cannot be stored, so that the flow cannot outlive the process.
    public static let notStorable = Code(.notStorable)
    /// The host's store has no flow of this id.
    public static let noSuchFlow = Code(.noSuchFlow)
    /// A flow of this id was started with another input, or of another definition.
    public static let alreadyStarted = Code(.alreadyStarted)
    /// The flow stands still because a step failed or its definition is missing; the message says what would free it.
    public static let parked = Code(.parked)
    /// The key of this request was used for another request.
    public static let keyReused = Code(.keyReused)
    /// A key, a signal, an answer or a flow is larger than allowed.
    public static let tooLarge = Code(.tooLarge)
    /// An option of a host has a value that no host can work with; the message names it and what is allowed.
    public static let badOptions = Code(.badOptions)
  }
}
