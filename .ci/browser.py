"""Walks through the shop with a real browser: `browser.py SHOP [WALK]...`, with the path of the program.

Each walk is a person who does what people do: two windows, a page that is late, the button for back, a double click, the
keyboard alone, no JavaScript, a refused form, a server that dies in the middle. Without names, all walks are done.
"""

import re
import shutil
import sys
import time
import traceback

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from shop import Shop


class Person:
    """A person at a browser window of her own."""

    def __init__(self, shop, name, javascript=True):
        self.shop = shop
        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=900,1100"]:
            options.add_argument(argument)
        if not javascript:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        self.name = name

    def __enter__(self):
        self.open("/login")
        Select(self.field("name")).select_by_value(self.name)
        self.field("password").send_keys("demo")
        self.press("Sign in")
        self.sees("Tea Shop")
        return self

    def __exit__(self, *_):
        self.browser.quit()

    @property
    def text(self):
        return self.browser.find_element(By.TAG_NAME, "body").text

    def open(self, path):
        self.browser.get(self.shop.address + path)

    def field(self, name):
        return self.browser.find_element(By.NAME, name)

    def button(self, label):
        return self.browser.find_element(By.XPATH, f"//button[normalize-space()='{label}']")

    def press(self, label):
        self.button(label).click()

    def unfolds(self, title):
        """Opens the part of the page with this title."""
        self.browser.find_element(By.XPATH, f"//summary[normalize-space()='{title}']").click()

    def sees(self, text):
        """Waits until the page has the text; fails with what the page has instead."""
        try:
            WebDriverWait(self.browser, 30, ignored_exceptions=[Exception]).until(lambda _: text in self.text)
        except Exception:
            raise AssertionError(f"{self.name} does not see “{text}”, but:\n{self.text}") from None

    def checkout(self):
        """Begins a checkout with two teapots in the cart, and returns its path."""
        self.open("/start/checkout")
        self.press("Start")
        self.sees("Your cart")
        self.put("teapot", 2)
        self.sees("48.00 €")
        return self.path

    @property
    def path(self):
        return re.sub(r"^https?://[^/]+", "", self.browser.current_url)

    def starts(self, definition):
        """Opens the form that starts a flow."""
        self.open(f"/start/{definition}")

    def hands_in(self, purpose, euros):
        """Starts an expense, and returns its path."""
        self.starts("expense")
        self.field("purpose").send_keys(purpose)
        self.field("euros").send_keys(euros)
        self.press("Start")
        self.sees("Waiting for the answer of another person")
        return self.path

    def focus(self):
        """The name of the field that has the focus."""
        return self.browser.switch_to.active_element.get_attribute("name")

    def put(self, article, quantity):
        Select(self.field("article")).select_by_value(article)
        self.field("quantity").send_keys(str(quantity))
        self.press("Put into the cart")

    def ships(self):
        """Chooses the delivery."""
        Select(self.field("shipping")).select_by_value("standard")
        self.field("street").send_keys("Main St 1")
        self.field("city").send_keys("Bern")
        self.submit_of("shipping")

    def submit_of(self, name):
        self.field(name).find_element(By.XPATH, "./ancestor::form//button[@type='submit']").click()

    def pays(self):
        """Confirms the payment at the bank, and comes back."""
        self.sees("at your bank")
        path = self.path
        self.browser.find_element(By.XPATH, "//a[contains(@href, '/bank/payments/')]").click()
        self.browser.find_element(By.XPATH, "//button[@value='confirm']").click()
        self.sees("paid")
        self.open(path)


def two_windows(shop):
    """The order of one window moves the other one on, and what the other one shows by then is not taken."""
    with Person(shop, "ann") as first, Person(shop, "ann", javascript=False) as second:
        path = first.checkout()
        second.open(path)
        second.sees("48.00 €")
        first.press("Order")
        first.sees("How shall we send goods")
        second.press("Order")
        second.sees("How shall we send goods")
        first.ships()
        first.sees("at your bank")


def live_page(shop):
    """A window that only looks on follows by itself."""
    with Person(shop, "ann") as first, Person(shop, "ann") as second:
        second.open(first.checkout())
        second.sees("48.00 €")
        first.press("Order")
        second.sees("How shall we send goods")


def written_text_is_kept(shop):
    """A page in which somebody writes is not replaced, but says that it has changed."""
    with Person(shop, "ann") as first, Person(shop, "ann") as second:
        second.open(first.checkout())
        second.field("quantity").send_keys("7")
        first.press("Order")
        second.sees("This page has changed meanwhile.")
        assert second.field("quantity").get_attribute("value") == "7"
        second.press("Put into the cart")
        second.sees("How shall we send goods")


def back_button(shop):
    """The button for back shows what is asked now, and a reload repeats nothing."""
    with Person(shop, "ann") as person:
        path = person.checkout()
        person.browser.refresh()
        person.sees("48.00 €")
        person.press("Order")
        person.sees("How shall we send goods")
        person.browser.back()
        if person.path == path:
            person.sees("How shall we send goods")
        person.open(path)
        person.ships()
        person.sees("at your bank")


def double_click(shop):
    """A double click puts two teapots into the cart, and not four."""
    with Person(shop, "ann") as person:
        person.open("/start/checkout")
        ActionChains(person.browser).double_click(person.button("Start")).perform()
        person.sees("Your cart")
        Select(person.field("article")).select_by_value("teapot")
        person.field("quantity").send_keys("2")
        ActionChains(person.browser).double_click(person.button("Put into the cart")).perform()
        person.sees("48.00 €")
        person.open(person.path)
        person.sees("48.00 €")


def keyboard_alone(shop):
    """A whole checkout is done with the keyboard: everything is reached with the key Tab, in the order of the page."""
    with Person(shop, "ann") as person:
        person.open("/start/checkout")
        tab_to_text(person, "Start").send_keys(Keys.ENTER)
        person.sees("Your cart")
        tab_to_field(person, "article").send_keys("Tea")
        tab_to_field(person, "quantity").send_keys("2")
        tab_to_text(person, "Put into the cart").send_keys(Keys.ENTER)
        person.sees("48.00 €")
        tab_to_text(person, "Order").send_keys(Keys.ENTER)
        person.sees("How shall we send goods")
        tab_to_field(person, "shipping").send_keys("Sta")
        tab_to_field(person, "street").send_keys("Main St 1")
        # Enter in a field sends the form.
        tab_to_field(person, "city").send_keys("Bern", Keys.ENTER)
        person.sees("at your bank")
        tab_to_text(person, "To the bank").send_keys(Keys.ENTER)
        person.sees("Pay 52.90 €")
        tab_to_text(person, "Confirm").send_keys(Keys.ENTER)
        person.sees("This payment is paid")
        tab_to_text(person, "Back to the shop").send_keys(Keys.ENTER)
        person.sees("Your parcel is")


def tab_to_text(person, text):
    return tab_to(person, lambda element: element.text == text)


def tab_to_field(person, name):
    return tab_to(person, lambda element: element.get_attribute("name") == name)


def tab_to(person, is_found):
    for _ in range(40):
        ActionChains(person.browser).send_keys(Keys.TAB).perform()
        element = person.browser.switch_to.active_element
        if is_found(element):
            return element
    raise AssertionError(f"the key Tab does not reach it in:\n{person.text}")


def without_javascript(shop):
    """A whole checkout in a browser that runs no scripts."""
    with Person(shop, "ann", javascript=False) as person:
        person.checkout()
        person.press("Order")
        person.sees("How shall we send goods")
        person.ships()
        person.pays()
        for _ in range(100):
            if "Your parcel is" in person.text:
                return
            person.browser.refresh()
        raise AssertionError(f"the parcel is not on its way:\n{person.text}")


def killed_server(shop):
    """The server dies while the person fills in the form; after its restart the page goes on."""
    with Person(shop, "ann") as person:
        person.checkout()
        person.press("Order")
        person.sees("How shall we send goods")
        shop.kill()
        shop.start()
        person.ships()
        person.sees("at your bank")
        shop.kill()
        shop.start()
        person.open(person.path)
        person.pays()
        person.sees("Your parcel is")


def approval(shop):
    """An expense goes through the hands of four people: one may not see it, and the page of the first follows the others."""
    with Person(shop, "tom") as tom, Person(shop, "ann") as ann, Person(shop, "mia") as mia, Person(shop, "fay") as fay:
        path = tom.hands_in("a train to Kiel", "129.90")
        ann.open(path)
        ann.sees("This is not yours.")
        mia.open("/tasks")
        mia.browser.find_element(By.XPATH, f"//a[@href='{path}']").click()
        mia.sees("Shall we pay 129.90 €?")
        mia.field("comment").send_keys("a good price")
        mia.press("Approve")
        fay.open("/tasks")
        fay.browser.find_element(By.XPATH, f"//a[@href='{path}']").click()
        fay.sees("To which account is a train to Kiel booked?")
        fay.field("account").send_keys("travel")
        fay.submit_of("account")
        tom.sees("Approved, and booked to travel.")


def refused_form(shop):
    """A form that is refused says so at once, keeps what was written, and has the focus in the field at fault."""
    with Person(shop, "tom") as tom, Person(shop, "mia") as mia:
        tom.starts("expense")
        tom.field("purpose").send_keys("a train to Kiel")
        tom.field("euros").send_keys("0")
        tom.press("Start")
        refused(tom, "euros", "The amount is from 0.01 to 100000 euros.")
        assert tom.field("purpose").get_attribute("value") == "a train to Kiel"
        assert tom.field("euros").get_attribute("value") == "0"
        tom.field("euros").clear()
        tom.field("euros").send_keys("12.50")
        tom.press("Start")
        tom.sees("Waiting for the answer of another person")
        mia.open(tom.path)
        mia.press("Reject")
        refused(mia, "comment", "A rejection needs a reason.")
        mia.field("comment").send_keys("go by bus")
        mia.press("Reject")
        mia.sees("Rejected: go by bus")


def refused(person, name, message):
    """Waits for the refusal of a field, and looks at the words, the marks and the focus that tell a person of it."""
    person.sees(message)
    alert = person.browser.find_element(By.CSS_SELECTOR, "[role=alert]")
    assert message in alert.text, alert.text
    field = person.field(name)
    assert field.get_attribute("aria-invalid") == "true"
    described = field.get_attribute("aria-describedby").split()
    assert any(message in person.browser.find_element(By.ID, part).text for part in described), described
    assert person.focus() == name, f"the focus is in {person.focus()}"


def cancellation(shop):
    """A payment that is cancelled leads back to the delivery; the order is given up, and stays so."""
    with Person(shop, "ann") as person:
        path = person.checkout()
        person.press("Order")
        person.sees("How shall we send goods")
        person.ships()
        person.sees("at your bank")
        payment = person.browser.find_element(By.XPATH, "//a[contains(@href, '/bank/payments/')]").get_attribute("href")
        person.press("Cancel")
        person.sees("How shall we send goods")
        person.browser.get(payment)
        person.sees("This payment is voided.")
        person.open(path)
        person.browser.find_element(By.TAG_NAME, "summary").click()
        person.field("_reason").send_keys("too dear")
        person.submit_of("_reason")
        person.sees("This was cancelled, and was undone.")
        person.open(path)
        person.sees("This was cancelled, and was undone.")
        assert not person.browser.find_elements(By.CSS_SELECTOR, "form, button"), "a flow that has ended has a form"


def operator(shop):
    """An operator looks at the flows, and writes a note into the history of one; the people of the flow see none of that."""
    with Person(shop, "tom") as tom, Person(shop, "oli") as oli:
        path = tom.hands_in("a lamp", "80")
        oli.open(path)
        oli.sees("This is not yours.")
        oli.open("/admin")
        oli.sees("Flows")
        oli.unfolds("Filter")
        oli.field("definition").send_keys("expense")
        oli.field("status").send_keys("waiting")
        oli.press("Filter")
        oli.browser.find_element(By.XPATH, f"//a[@href='/admin{path}']").click()
        oli.sees("expense/decision")
        assert "80.00" not in oli.text, "an operator sees a prompt"
        oli.unfolds("Note")
        oli.field("text").send_keys("tom has called")
        oli.press("Note")
        oli.sees("tom has called")
        tom.open("/admin")
        tom.sees("This is not allowed.")
        assert tom.browser.find_elements(By.LINK_TEXT, "Flows") == []


def labels(shop):
    """Each page says its language and title, has one heading, and a name for each control and each group."""
    with Person(shop, "ann") as ann, Person(shop, "tom") as tom, Person(shop, "mia") as mia, Person(shop, "fay") as fay:
        for path in ["/login", "/", "/start/checkout", "/tasks", ann.checkout()]:
            ann.open(path)
            has_names(ann)
        ann.press("Order")
        ann.sees("How shall we send goods")
        has_names(ann)
        ann.ships()
        ann.sees("at your bank")
        has_names(ann)
        ann.browser.find_element(By.XPATH, "//a[contains(@href, '/bank/payments/')]").click()
        ann.sees("Pay 52.90 €")
        has_names(ann)
        expense = tom.hands_in("a chair", "60")
        has_names(tom)
        tom.starts("expense")
        has_names(tom)
        mia.open(expense)
        has_names(mia)
        mia.press("Reject")
        mia.sees("A rejection needs a reason.")
        has_names(mia)
        mia.field("comment").send_keys("fine")
        mia.press("Approve")
        fay.open(expense)
        fay.sees("To which account")
        has_names(fay)
    with Person(shop, "oli") as oli:
        for path in ["/admin", f"/admin{expense}"]:
            oli.open(path)
            has_names(oli)


CONTROLS = "input:not([type=hidden]), button, select, textarea, fieldset, summary, a, img, [role=group], section"


def has_names(person):
    """Looks at the parts of a page that a screen reader reads out by their names."""
    page = person.browser
    page.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
    where = f"{person.path} of {person.name}"
    assert page.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en" and page.title, where
    assert len(page.find_elements(By.TAG_NAME, "h1")) == 1, where
    for element in page.find_elements(By.CSS_SELECTOR, CONTROLS):
        assert element.accessible_name.strip(), f"{where}: {element.get_attribute('outerHTML')[:200]}"
    names = [element.get_attribute("id") for element in page.find_elements(By.CSS_SELECTOR, "[id]")]
    assert len(names) == len(set(names)), f"{where}: {names}"


WALKS = [
    two_windows, live_page, written_text_is_kept, back_button, double_click, keyboard_alone, without_javascript,
    killed_server, approval, refused_form, cancellation, operator, labels,
]


def main():
    named, known = sys.argv[2:], {walk.__name__: walk for walk in WALKS}
    unknown = [name for name in named if name not in known]
    if unknown:
        sys.exit(f"no walk is called {', '.join(unknown)}; there are: {', '.join(known)}")
    walks = [known[name] for name in named] or WALKS
    failed = []
    with Shop(sys.argv[1]) as shop:
        for walk in walks:
            began = time.monotonic()
            try:
                walk(shop)
                print(f"passed: {walk.__name__} ({time.monotonic() - began:.0f} s): {walk.__doc__.splitlines()[0]}", flush=True)
            except Exception:
                failed.append(walk.__name__)
                print(f"FAILED: {walk.__name__}: {walk.__doc__}\n{traceback.format_exc(limit=4)}\n{shop.log()[-1_500:]}", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(walks)} walks failed: {', '.join(failed)}")
    print(f"{len(walks)} walks passed")


if __name__ == "__main__":
    main()
