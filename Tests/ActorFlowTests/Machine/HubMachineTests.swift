import Testing

@testable import ActorFlow

@Suite("Hubs on the machine") struct HubMachineTests: AskingFlows {
  private func hub(_ side: some FlowComponent<String, String>, _ menu: String = "menu") -> Hub<String, String> {
    Hub(step(menu)) {
      Case("side", { (pick: String) in pick == "side" ? pick : nil }) { side }
    } done: { (pick: String) -> String? in
      pick == "done" ? pick : nil
    }
  }

  /// Returns a driver whose hub has returned to its menu from one side branch.
  private func resumed() throws -> TrackDriver {
    var driver = try TrackDriver(
      Flow {
        step("before")
        hub(step("side"))
        step("after")
      })
    try driver.pass("before")
    try driver.pass("menu", making: "side")
    try driver.pass("side")
    #expect(driver.steps == "menu")
    return driver
  }

  @Test("Rule 2: a menu that is left after it was resumed and before its next proceed is compensated", arguments: 0..<3)
  func leftBeforeProceed(request: Int) throws {
    var driver = try resumed()
    let menu = try #require(driver.running[.main]).visit.id
    switch request {
    case 0: try driver.abandon()
    case 1: driver.cancel()
    default: try driver.backUp()
    }
    let left = driver.machine.notBegun(menu)
    #expect(left)
    try driver.comeBack()
    #expect(driver.compensatedLine == "side menu before")
  }

  @Test("Rule 2: a menu that a failing sibling cancels before its next proceed is compensated")
  func cancelledBySibling() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          hub(step("side"))
          step("sibling")
        } join: {
          $0 + $1
        }
      })
    try driver.pass("menu", making: "side")
    try driver.pass("side")
    let (track, menu) = (try driver.track(of: "menu"), try #require(driver.running[driver.track(of: "menu")]).visit.id)
    try driver.fail("sibling")
    let left = driver.machine.notBegun(menu, on: track)
    #expect(left)
    try driver.comeBack()
    #expect(driver.undone.filter { $0 != "sibling" } == ["side", "menu"])
  }

  @Test("a back from a later side branch passes over a menu that has asked nothing", arguments: [false, true])
  func silentMenu(asks: Bool) throws {
    var driver = try TrackDriver(Flow { hub(step("side")) })
    if asks { try driver.answer(driver.ask("menu")) }
    try driver.make("side", at: "menu")
    #expect(driver.machine.position.canBackUp == asks)
    try driver.pass("side")
    try driver.make("side", at: "menu")
    #expect(driver.steps == "side")
    #expect(driver.machine.position.canBackUp == asks)
  }

  @Test("a back leads to a menu that has asked, also after a one-way step in an inner side branch")
  func closedInnerHub() throws {
    var driver = try TrackDriver(Flow { hub(hub(step("side").onBackUp(.oneWay), "inner"), "outer") })
    try driver.pass("outer", making: "side")
    try driver.pass("inner", making: "side")
    try driver.pass("side")
    #expect(!driver.machine.position.canBackUp, "no back leads behind the one-way step")
    try driver.pass("inner", making: "done")
    try driver.make("side", at: "outer")
    #expect(driver.steps == "inner")
    #expect(driver.machine.position.canBackUp)
  }

  @Test("Rule 2: a menu that is left before its first proceed owes nothing")
  func leftBeforeFirstProceed() throws {
    var driver = try TrackDriver(
      Flow {
        step("before")
        hub(step("side"))
      })
    try driver.pass("before")
    let menu = try #require(driver.running[.main]).visit.id
    try driver.abandon()
    let left = driver.machine.notBegun(menu)
    #expect(left)
    try driver.comeBack()
    #expect(driver.compensatedLine == "before")
  }

  @Test("Rule 4: places are compensated newest first, and a menu was entered before its side branches")
  func order() throws {
    var driver = try resumed()
    try driver.make("side", at: "menu")
    try driver.pass("side")
    try driver.pass("menu", making: "done")
    #expect(driver.steps == "after")
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "after side side menu before")
  }

  @Test("Rule 4: a hub is compensated in the same order inside a fork as outside")
  func orderInFork() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          Flow {
            hub(step("side"))
            step("after")
          }
          step("sibling")
        } join: {
          $0 + $1
        }
      })
    try driver.pass("menu", making: "side")
    try driver.pass("side")
    try driver.pass("menu", making: "done")
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.undone.filter { $0 != "sibling" } == ["after", "side", "menu"])
  }

  @Test("Rule 4: of nested hubs the inner menu is compensated after the inner side branch")
  func nested() throws {
    let inner = Hub(step("inner")) {
      Case("deep", { (pick: String) in pick == "deep" ? pick : nil }) { step("deep") }
    } done: { (pick: String) -> String? in
      pick == "out" ? pick : nil
    }
    var driver = try TrackDriver(
      Flow {
        hub(inner, "outer")
        step("after")
      })
    try driver.pass("outer", making: "side")
    try driver.pass("inner", making: "deep")
    try driver.pass("deep")
    try driver.pass("inner", making: "out")
    #expect(driver.steps == "outer")
    try driver.pass("outer", making: "done")
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "after deep inner outer")
  }

  @Test(
    "a back that lands on the menu keeps the places of its finished side branches, and the menu is the newest entering")
  func landing() throws {
    var driver = try resumed()
    try driver.pass("menu", making: "done")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "menu" && driver.compensatedLine == "after menu")
    driver.forget()
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "menu side before")
  }

  @Test("Rule 4: a menu whose backUp throws is not called again when the side branches below it are compensated")
  func failingMenu() throws {
    var driver = try resumed()
    driver.failing = ["menu"]
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "side menu before" && driver.lines.last == "rolledBack 1")
  }
}
