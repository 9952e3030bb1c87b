import ActorFlow

/// The open questions of all flows and those of each assignee, in the orders of inboxes.
///
/// The lists of an order by time are made when that order is asked for first: until then, a commit does not pay for them.
struct TaskIndex: Sendable {
  /// The lists of one order.
  struct Lists<Place: TaskPlace>: Sendable {
    private var all = SortedList<Place>()
    private var byAssignee: [TextKey: SortedList<Place>] = [:]

    /// The lists in which each question of these people is; all questions for `nil`.
    func lists(of assignees: [String]?) -> [SortedList<Place>] {
      assignees.map { $0.compactMap { byAssignee[TextKey($0)] } } ?? [all]
    }

    mutating func insert(_ place: Place, for assignees: [String]) {
      all.insert(place)
      for assignee in assignees { byAssignee[TextKey(assignee), default: SortedList()].insert(place) }
    }

    mutating func remove(_ place: Place, for assignees: [String]) {
      all.remove(place)
      for assignee in assignees {
        let name = TextKey(assignee)
        byAssignee[name]?.remove(place)
        if byAssignee[name]?.count == 0 { byAssignee[name] = nil }
      }
    }
  }

  private(set) var byFlow = Lists<TaskKey>()
  private(set) var byDue: Lists<TimedTaskKey>?
  private(set) var byAsked: Lists<TimedTaskKey>?

  mutating func insert(_ tasks: [OpenTask], of flow: TextKey) {
    for task in tasks {
      byFlow.insert(TaskKey(task, of: flow), for: task.assignees)
      byDue?.insert(TimedTaskKey(task, of: flow, by: .due), for: task.assignees)
      byAsked?.insert(TimedTaskKey(task, of: flow, by: .asked), for: task.assignees)
    }
  }

  mutating func remove(_ tasks: [OpenTask], of flow: TextKey) {
    for task in tasks {
      byFlow.remove(TaskKey(task, of: flow), for: task.assignees)
      byDue?.remove(TimedTaskKey(task, of: flow, by: .due), for: task.assignees)
      byAsked?.remove(TimedTaskKey(task, of: flow, by: .asked), for: task.assignees)
    }
  }

  /// Returns the lists of an order by time, and makes them first if they are not there.
  ///
  /// - Parameter tasks: A closure that returns the open questions of a flow.
  mutating func timed(_ order: TaskQuery.Order, tasks: (TextKey) -> [OpenTask]) -> Lists<TimedTaskKey> {
    if let lists = order == .due ? byDue : byAsked { return lists }
    var lists = Lists<TimedTaskKey>()
    var last: TextKey?
    SortedList.visit(byFlow.lists(of: nil), after: nil) { key in
      // The questions of a flow follow each other.
      if key.flow != last {
        for task in tasks(key.flow) {
          lists.insert(TimedTaskKey(task, of: key.flow, by: order), for: task.assignees)
        }
      }
      last = key.flow
      return true
    }
    if order == .due { byDue = lists } else { byAsked = lists }
    return lists
  }
}
