/// Where everything is.
struct Files {
  /// A directory for one run of the test.
  let directory: String

  var store: String { directory + "/store" }
  /// What effects did: flow, effect, key, what was made.
  var effects: String { directory + "/effects" }
  /// Answers that are about to be given: key, question, text.
  var intents: String { directory + "/intents" }
  /// What a host has returned from: see ``Acknowledgement``.
  var acknowledged: String { directory + "/acknowledged" }
  /// What went wrong in a child.
  var errors: String { directory + "/errors" }
}

/// What a child writes down when a host's function has returned. It is the first field of a line.
enum Acknowledgement: String {
  /// A flow: its id.
  case started
  /// An answer: the flow, the key, the question, the text, and what the question showed.
  case answered
  /// An outcome: the flow, and what it has made.
  case finished
}
