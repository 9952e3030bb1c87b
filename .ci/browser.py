"""Walks through the shop with a real browser: `browser.py SHOP`, with the path of the program.

Each walk is a person who does what people do: two windows, a page that is late, the button for back, a double click, the
keyboard alone, no JavaScript, and a server that dies in the middle.
"""

import re
import sys
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
        self.browser = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
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
    """Everything is reached with the key Tab, in the order of the page, and sent with Enter."""
    with Person(shop, "ann") as person:
        person.open("/start/checkout")
        tab_to(person, lambda element: element.text == "Start").send_keys(Keys.ENTER)
        person.sees("Your cart")
        tab_to(person, lambda element: element.get_attribute("name") == "article").send_keys("Tea")
        tab_to(person, lambda element: element.get_attribute("name") == "quantity").send_keys("2")
        tab_to(person, lambda element: element.text == "Put into the cart").send_keys(Keys.ENTER)
        person.sees("48.00 €")


def tab_to(person, is_found):
    for _ in range(30):
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


def labels(shop):
    """Each page says its language and title, has one heading, and a name for each field and each group."""
    with Person(shop, "ann") as person:
        paths = ["/", "/start/checkout", "/tasks", person.checkout()]
        for path in paths:
            person.open(path)
            page = person.browser
            page.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
            assert page.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en" and page.title, path
            assert len(page.find_elements(By.TAG_NAME, "h1")) == 1, path
            for element in page.find_elements(By.CSS_SELECTOR, "input:not([type=hidden]), select, textarea, [role=group]"):
                assert element.accessible_name.strip(), f"{path}: {element.get_attribute('outerHTML')[:200]}"


def main():
    failed = []
    walks = [
        two_windows, live_page, written_text_is_kept, back_button, double_click, keyboard_alone, without_javascript,
        killed_server, labels,
    ]
    with Shop(sys.argv[1]) as shop:
        for walk in walks:
            try:
                walk(shop)
                print(f"passed: {walk.__doc__.splitlines()[0]}", flush=True)
            except Exception:
                failed.append(walk.__name__)
                print(f"FAILED: {walk.__doc__}\n{traceback.format_exc(limit=4)}\n{shop.log()[-1_500:]}", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(walks)} walks failed: {', '.join(failed)}")


main()
