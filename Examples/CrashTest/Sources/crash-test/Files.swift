/// Where everything is.
struct Files {
  /// A directory for one run of the test.
  let directory: String

  var store: String { directory + "/store" }
  /// What effects did: flow, effect, key, what was made.
  var effects: String { directory + "/effects" }
  /// Answers that are about to be given: key, question, text, and the run, the kind and what is shown of the question.
  var intents: String { directory + "/intents" }
  /// What a host has returned from: see ``Acknowledgement``.
  var acknowledged: String { directory + "/acknowledged" }
  /// What went wrong in a child.
  var errors: String { directory + "/errors" }
}

/// What a child writes down when a host's function has returned. It is the first field of a line.
enum Acknowledgement: String {
  /// A flow: its id and the name of its run. An id that is started again has another run.
  case started
  /// An answer: the run, the key, the question, the text, and what the question showed.
  case answered
  /// An answer that came too late, because a signal was first: the run and the key.
  case refused
  /// An outcome: the run, and what it has made.
  case finished
  /// A flow that has finished is about to be deleted: its id and its run. Written before.
  case deleting
}
