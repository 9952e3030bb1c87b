import Testing

@testable import ActorFlow

@Suite("Rule 8: sharing between the events of a fork") struct SharedViewTests {
  /// Returns a fork of this many branches, each of which has entered its step.
  private func driver(_ count: Int) throws -> TrackDriver {
    try TrackDriver(
      Flow {
        ForEach({ (count: Int) in Array(0..<count) }) {
          Step("s") { (number: Int) in "\(number)" }
          Step("t") { Asker() }
        }
      }, with: count)
  }

  @Test("an event of one branch shares the views of all others with the event before", arguments: [2, 33, 1_100])
  func shared(count: Int) throws {
    var driver = try driver(count)
    for (track, place) in driver.running.sorted(by: { $0.key < $1.key }).prefix(3) {
      let before = try #require(driver.events.last).position.branches
      _ = try driver.machine.ask(Form(text: "?"), key: nil, visit: place.visit.id, on: track)
      let after = driver.position.branches
      let changed = after.indices.filter { after[$0].view !== before[$0].view }
      #expect(after.count == count && changed.count == 1)
      driver.events = []
      driver.give { $0.publish(.launched) }
    }
  }

  @Test("a position is unchanged by later events")
  func old() throws {
    var driver = try driver(40)
    let first = driver.position
    let tracks = driver.running.keys.sorted()
    for (number, track) in tracks.enumerated() {
      let visit = try #require(driver.running[track]).visit.id
      _ = try driver.machine.ask(Form(text: "\(number)"), key: nil, visit: visit, on: track)
    }
    #expect(first.questions.isEmpty && first.branches.count == 40)
    #expect(driver.position.questions.compactMap { ($0.prompt as? Form)?.text } == (0..<40).map { "\($0)" })
  }

  @Test(
    "a list that shares storage: every version equals an array's", arguments: [0, 1, 31, 32, 33, 1_024, 1_025, 40_000])
  func list(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var (list, array) = (SharedList(0..<count), Array(0..<count))
    var versions = [(list, array)]
    for round in 0..<(count == 0 ? 0 : 50) {
      let index = random.below(count)
      (list[index], array[index]) = (-round, -round)
      versions.append((list, array))
    }
    #expect(versions.allSatisfy { list, array in list.elementsEqual(array) && list.count == array.count })
  }
}

@Suite("Data of each track") struct TrackMapTests {
  private struct Mark: TrackValue, Equatable {
    var number = 0
    static let noBranches: ContiguousArray = [TrackSlot.absent(Mark(number: -1))]
  }

  @Test("a change for a track that is over is dropped, also where its slot is used again")
  func absent() {
    var map = TrackMap<Mark>()
    let (old, other, new) = (TrackID(1, in: 1), TrackID(2, in: 3), TrackID(3, in: 1))
    #expect(map[old] == Mark(number: -1))
    map[old].number = 7
    #expect(map[old] == Mark(number: -1) && map.count == 0)
    map.insert(Mark(number: 1), for: old)
    map.insert(Mark(number: 2), for: other)
    #expect(map[old].number == 1 && map[other].number == 2)
    #expect(map.remove(old)?.number == 1 && map.remove(old) == nil)
    map.insert(Mark(number: 3), for: new)
    map[old].number = 9
    #expect(map[old].number == -1 && map[new].number == 3 && map.contains(new) && !map.contains(old))
    #expect(map.contains { $0.number == 2 } && !map.contains { $0.number == -1 })
  }
}
