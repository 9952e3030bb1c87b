#if SQLite
  import ActorFlow
  import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// An open question as a row. Rows are compared byte by byte, so that a text with other bytes is written.
  struct TaskRow {
    let question: String
    let place: Int
    let step: String
    let prompt: String
    let askedAt: StoredTime
    let due: StoredTime?
    let assignees: String

    init(_ task: OpenTask, at place: Int) throws {
      (question, self.place, step, prompt) = (task.question, place, task.step.path, task.prompt)
      (askedAt, due) = (StoredTime(task.askedAt), task.due.map { StoredTime($0) })
      assignees = try JSONText.encode(task.assignees)
    }

    /// The columns that ``init(_:from:)`` reads, in its order.
    static let columns = "t.question, t.place, t.step, t.prompt, t.asked_at, t.due_at, t.assignees"

    init(_ row: Statement, from column: Int32 = 0) {
      question = row.text(column)
      place = row.int(column + 1)
      step = row.text(column + 2)
      prompt = row.text(column + 3)
      askedAt = row.time(column + 4)
      due = row.isNull(column + 5) ? nil : row.time(column + 5)
      assignees = row.text(column + 6)
    }

    var task: OpenTask {
      get throws {
        OpenTask(
          question: question, step: StepID(step), prompt: prompt, assignees: try JSONText.texts(assignees),
          due: due?.date, askedAt: askedAt.date)
      }
    }

    func hasBytes(of other: TaskRow) -> Bool {
      place == other.place && askedAt == other.askedAt && due == other.due
        && question.utf8.elementsEqual(other.question.utf8) && step.utf8.elementsEqual(other.step.utf8)
        && prompt.utf8.elementsEqual(other.prompt.utf8) && assignees.utf8.elementsEqual(other.assignees.utf8)
    }
  }
#endif
