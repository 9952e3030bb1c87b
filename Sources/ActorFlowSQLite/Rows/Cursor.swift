#if SQLite
  import ActorFlowHosting

  /// The last row of a page, as text: the list, numbers, and at last a text that may have any characters.
  struct Cursor: CustomStringConvertible {
    enum List: String { case flows, tasks, leases }

    let list: List
    let text: String
    let numbers: [Int]

    init(_ list: List, text: String, numbers: [Int] = []) {
      (self.list, self.text, self.numbers) = (list, text, numbers)
    }

    /// - Throws: ``FlowStoreError`` with the code `notFound` for a text that ``description`` has not made.
    init(_ cursor: String, of list: List) throws(FlowStoreError) {
      let count = list == .tasks ? 2 : 0
      let parts = cursor.utf8.split(
        separator: UInt8(ascii: ":"), maxSplits: count + 1, omittingEmptySubsequences: false)
      let numbers = parts.dropFirst().prefix(count).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
      guard parts.count == count + 2, numbers.count == count, parts[0].elementsEqual("sqlite-\(list)".utf8) else {
        throw FlowStoreError(.notFound, "the cursor is not from this store's list of \(list)")
      }
      self.init(list, text: String(decoding: parts[count + 1], as: UTF8.self), numbers: numbers)
    }

    var description: String {
      numbers.reduce("sqlite-\(list):") { $0 + "\($1):" } + text
    }
  }
#endif
