import Testing

@testable import ActorFlowHosting

@Suite struct SortedListTests {
  @Test("a sorted list equals a sorted set after any insertions and removals")
  func random() {
    var random = SystemRandomNumberGenerator()
    var list = SortedList<Int>()
    var naive: Set<Int> = []
    for _ in 0..<20_000 {
      let element = Int.random(in: 0..<4_000, using: &random)
      if Int.random(in: 0..<5, using: &random) < 3 {
        list.insert(element)
        naive.insert(element)
      } else {
        list.remove(element)
        naive.remove(element)
      }
    }
    #expect(list.count == naive.count)
    #expect(elements(list, after: nil) == naive.sorted())
    for start in [0, 17, 1_999, 3_999, 5_000] {
      #expect(elements(list, after: start) == naive.sorted().filter { $0 > start })
      #expect(list.contains(start) == naive.contains(start))
    }
  }

  @Test("a visit ends when it is told to")
  func ends() {
    var list = SortedList<Int>()
    for element in 0..<2_000 { list.insert(element) }
    var seen: [Int] = []
    list.visit(after: 1_000) { element in
      seen.append(element)
      return seen.count < 3
    }
    #expect(seen == [1_001, 1_002, 1_003])
  }

  private func elements(_ list: SortedList<Int>, after start: Int?) -> [Int] {
    var all: [Int] = []
    list.visit(after: start) {
      all.append($0)
      return true
    }
    return all
  }
}
