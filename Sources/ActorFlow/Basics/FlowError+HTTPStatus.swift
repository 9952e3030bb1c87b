extension FlowError.Code {
  /// Every code, in no order.
  public static var all: [FlowError.Code] { Name.allCases.map { FlowError.Code($0) } }

  /// The status of an HTTP response to the request that the error refused, for servers that put flows behind HTTP.
  ///
  /// A status below 500 tells the client what to change, or that the flow has gone on without this request. From 500 on
  /// the fault is not the client's: 503 asks to repeat the request later, 500 asks for a change of the service. The
  /// article <doc:Errors> lists all codes with what a caller does.
  public var httpStatus: Int {
    switch name {
    case .principalNeeded: 401
    case .noSuchFlow, .noSuchQuestion, .noSuchStep: 404
    case .notRunning, .alreadyRunning, .flowEnded, .ending, .moving, .cannotBackUp, .abandoned, .questionClosed,
      .ambiguousQuestion, .ambiguousBackUp, .ambiguousStep, .staleRevision, .notActive, .alreadyStarted, .suspended,
      .notSuspended, .notEnded, .compensationOwed:
      409
    case .erased, .redacted: 410
    case .tooLarge: 413
    case .wrongAnswerType, .typeMismatch, .keyReused, .badDefinition: 422
    case .signalsFull: 429
    case .hostStopping, .unmigrated, .wrongDeployment: 503
    case .insideFlow, .notInFlow, .rollbackFailed, .stepFailed, .alreadyAsking, .wrongPromptType, .duplicateKey,
      .wrongRecordType, .noMatchingCase, .noDecision, .timedOut, .notStorable, .badOptions, .stepsStillRunning,
      .inTransaction:
      500
    }
  }
}
