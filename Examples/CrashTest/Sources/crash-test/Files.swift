/// The paths of all files.
struct Files {
  /// A directory for one run of the test.
  let directory: String

  var store: String { directory + "/store" }
  /// A name that no other run of the test has, of small letters, digits and underscores.
  var name: String {
    String(directory.split(separator: "/").last ?? "").lowercased().replacing("-", with: "_")
  }
  /// The executed effects: run, effect, key, result, and the number of the child.
  var effects: String { directory + "/effects" }
  /// The results that `once` and `attempt` have returned to a step: run, effect, result, and the number of the child.
  var records: String { directory + "/records" }
  /// Answers about to be sent: key, question, text, the run, the kind and the prompt of the question, and `row` if one is
  /// written in the ledger.
  var intents: String { directory + "/intents" }
  /// The requests that a host has acknowledged: see ``Acknowledgement``.
  var acknowledged: String { directory + "/acknowledged" }
  /// The errors of a child.
  var errors: String { directory + "/errors" }
}

/// A child's entry when a host's function has returned. The kind is the first field of a line.
enum Acknowledgement: String {
  /// A flow: its id and the name of its run. An id that is started again has another run.
  case started
  /// An answer: the run, the key, the question, the text, and the question's prompt.
  case answered
  /// An answer that came too late, because a signal was first: the run and the key.
  case refused
  /// An outcome: the run, and its result.
  case finished
  /// A finished flow that is about to be deleted: its id and its run. Written before the deletion.
  case deleting
}
