public import ActorFlow

/// A store that spreads flows over several stores, its shards, for a service that has outgrown one database server.
///
/// Each flow is in one shard, which its id decides, and every call about the flow is a call of that shard. So a write is
/// as durable, and as exclusive, as the shard makes it. The store gives leases if its shards do.
///
/// ```swift
/// let store = try await ShardedFlowStore([first, second, third])
/// let host = FlowHost(store: store)
/// ```
///
/// **Placement.** The number of a flow's shard is the remainder of a hash of its id by the number of shards. The hash is
/// the first eight bytes, as a big-endian number, of SHA-256 over the id's UTF-8 bytes. This rule never changes.
///
/// **Number and order.** Pass the same shards in the same order for the life of the data. Each shard has a mark with its
/// number, the number of all, and the set that it belongs to. A shard that was swapped, added, left out, emptied or used
/// in another set is refused with ``FlowStoreError/Code/misplaced`` before anything is read or written. The marks are made
/// the first time: all shards have to answer then, and to have no flows. To grow later, begin with more shards than
/// servers; see <doc:Stores#When-one-server-is-not-enough>.
///
/// **A shard that does not answer** fails the calls for its flows, and those that need all shards: lists, counts and
/// changes throw its error instead of leaving flows out. The calls by which hosts find work go on with the other shards,
/// so that these flows go on: claims, beats, `nextDue`, `wanted` and `leased` succeed if one shard answers. The shards that
/// they have left out are in ``failures``, and a host has the error in ``FlowHost/Health/lastStoreError``.
///
/// **Lists** are merged page by page. Questions ordered by a time have one order over all shards. Otherwise each shard's
/// flows are in the order of that shard; between shards, the flow whose id is first by bytes comes first. What comes
/// between two pages may be on a later page than its place says. Changes are merged by ``FlowSummary/changedAt``, so only
/// the order of changes in one shard is certain.
///
/// **Epochs** have a part in each shard. The first shard gives them their numbers, so hosts can attach only while it
/// answers. An epoch that is overdue ends shard by shard: the host that wants a flow ends the part of that flow's shard,
/// and with it the leases there. The owner's next beat is then refused with `fenced`, and ends the other parts. Until then
/// the owner can write the flows of the other shards, which no other host has.
///
/// Notes are in the first shard, and those of deleted flows in the shard of the flow.
public final class ShardedFlowStore<Shard: FlowStore>: FlowStore {
  /// The shards, in their order.
  public let shards: [Shard]
  let placement: ShardPlacement
  /// The shards whose marks were found to be right, and the set that these name.
  let marked = Lock<(numbers: Set<Int>, set: CommitID?)>(([], nil))
  /// The mutex for making and checking marks.
  let marking = AsyncMutex()
  let epochs = ShardEpochs()
  let failing = Lock<[Int: any Error]>([:])
  /// The shard that is asked first by the next claim.
  let turn = Lock(0)

  /// Creates a store of these shards, and checks their marks, or makes them if no shard has one.
  ///
  /// Shards that do not answer are checked later, before their first call. The store does not close its shards: close
  /// each of them when no host uses the store any more.
  ///
  /// - Parameter shards: The stores, at least one and at most 256, in the order that they had the first time.
  /// - Throws: ``FlowStoreError``: `misplaced` if these are not the shards that they were the first time, or there are
  ///   none or too many; `unavailable` or the error of a shard if none answers, or if one does not the first time.
  public init(_ shards: [Shard]) async throws {
    guard (1...ShardPlacement.most).contains(shards.count) else {
      throw FlowStoreError(
        .misplaced, "there are \(shards.count) shards; pass at least one and at most \(ShardPlacement.most)")
    }
    self.shards = shards
    placement = ShardPlacement(count: shards.count)
    try await checkAll()
  }

  /// Returns the index of the shard that has a flow, or gets it when it is started.
  public func shardIndex(of id: FlowID) -> Int { placement.shard(of: id) }

  /// The latest error of each shard that calls of hosts have left out, by the shard's index; empty if all answered.
  ///
  /// A shard is left out of claims, beats, `nextDue`, `wanted` and `leased` while it does not answer. Its error is here
  /// until it answers such a call again. Reading them asks no shard.
  public var failures: [Int: any Error] { failing.withLock { $0 } }

  /// Whether all shards keep the values of a flow apart from its body.
  public var keepsValuesApart: Bool { shards.allSatisfy(\.keepsValuesApart) }

  /// Whether a write may replace the history of its flow in all shards.
  public var canReplaceHistory: Bool { shards.allSatisfy(\.canReplaceHistory) }

  /// Whether all shards can tell which flows have changed.
  public var canListChanges: Bool { shards.allSatisfy(\.canListChanges) }

  /// The damage of all shards; `nil` if none knows of any.
  public var damage: StoreDamage? {
    let damages = shards.compactMap(\.damage)
    guard !damages.isEmpty else { return nil }
    return damages.reduce(into: StoreDamage()) { sum, damage in
      sum.flows += damage.flows
      sum.histories += damage.histories
      sum.mayHaveUnknown = sum.mayHaveUnknown || damage.mayHaveUnknown
    }
  }
}

extension ShardedFlowStore: StoreInParts {}

// MARK: - Calling shards

extension ShardedFlowStore {
  /// Returns a shard whose mark was found to be right.
  func shard(_ number: Int) async throws -> Shard {
    if !isMarked(number) { try await check(number) }
    return shards[number]
  }

  /// Returns the shard of a flow.
  func shard(of id: FlowID) async throws -> Shard { try await shard(placement.shard(of: id)) }

  /// Calls these shards at once. Returns their results in the order of `numbers`.
  func onEach<Value: Sendable>(
    _ numbers: some Collection<Int> & Sendable, _ call: @escaping @Sendable (Shard, Int) async throws -> Value
  ) async -> [(number: Int, result: Result<Value, any Error>)] {
    await withTaskGroup { group in
      for number in numbers {
        group.addTask {
          do { return (number, Result<Value, any Error>.success(try await call(self.shard(number), number))) } catch {
            return (number, .failure(error))
          }
        }
      }
      let results = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return numbers.compactMap { number in results[number].map { (number, $0) } }
    }
  }

  /// Calls all shards at once, and throws the error of any that fails.
  func onAll<Value: Sendable>(
    for purpose: String, _ call: @escaping @Sendable (Shard, Int) async throws -> Value
  ) async throws -> [Value] {
    try await onEach(shards.indices, call).map { number, result in
      do { return try result.get() } catch { throw incomplete(error, number, purpose) }
    }
  }

  /// Returns the error for a call that needs all shards.
  func incomplete(_ error: any Error, _ number: Int, _ purpose: String) -> any Error {
    guard let error = error as? FlowStoreError, error.code == .unavailable else { return error }
    return FlowStoreError(
      .unavailable, "shards[\(number)] of \(shards.count) does not answer, so \(purpose) would not be complete",
      underlying: error, retryAfter: error.retryAfter)
  }
}
