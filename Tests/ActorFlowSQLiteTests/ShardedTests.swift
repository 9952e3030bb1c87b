#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import RandomPrograms
  import Testing

  @Suite("A sharded store over stores in SQLite", .timeLimit(.minutes(ProgramSettings.minutes)))
  struct ShardedTests {
    @Test("it does what every store must", arguments: FlowStoreConformance.all)
    func conforms(_ check: FlowStoreConformance.Check) async throws {
      let files = [try TestFiles(), try TestFiles(), try TestFiles()]
      defer { for file in files { file.remove() } }
      let harness = FlowStoreHarness(sharding: files.map(\.harness), of: SQLiteFlowStore.self)
      let result = try await check.run(on: harness)
      if case .skipped(let reason) = result { #expect(check.needs.contains(.severing), "\(reason)") }
    }

    @Test("beside one in memory, it does what both can", arguments: FlowStoreConformance.all)
    func mixed(_ check: FlowStoreConformance.Check) async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let clock = ManualWallClock()
      let parts = [
        MixedStore.harness(FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) }),
        MixedStore.harness(files.harness),
      ]
      let result = try await check.run(on: FlowStoreHarness(sharding: parts, of: MixedStore.self))
      let isInMemory = check.needs.isSubset(of: [.values, .replacing, .leases, .clock, .changes])
      #expect((result == .passed) == isInMemory, "\(check): \(result)")
    }

    @Test("a host, which may crash at any commit, does what the naive model does", arguments: [false, true])
    func game(crashes: Bool) async throws {
      let failures = await play(ProgramSettings.seeds(share: 1)) { seed in
        try await withStore { open in try await playHostGame(seed: seed, crashes: crashes, on: open) }
      }
      #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test("several attackers at once break no rule", arguments: [false, true])
    func scramble(crashes: Bool) async throws {
      let failures = await play(ProgramSettings.seeds(share: 1)) { seed in
        try await withStore { open in try await playHostedScramble(seed: seed, crashes: crashes, on: open) }
      }
      #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    /// Gives `body` a closure that opens a store, whose shards are closed and removed afterwards.
    private func withStore(
      _ body: (_ open: @escaping (ManualWallClock) async throws -> any LeasingFlowStore) async throws -> Void
    ) async throws {
      let files = try TestFiles()
      defer { files.remove() }
      var opened: [SQLiteFlowStore] = []
      let result: Result<Void, any Error>
      do {
        try await body { clock in
          for number in 0..<3 {
            opened.append(try await SQLiteFlowStore(file: files.path("\(number).db"), clock: clock))
          }
          return try await ShardedFlowStore(opened)
        }
        result = .success(())
      } catch { result = .failure(error) }
      for store in opened { await store.close() }
      try result.get()
    }
  }
#endif
