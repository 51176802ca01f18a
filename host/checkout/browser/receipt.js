// @ts-check
/* Formats times in the browser's own time zone, and prints the page. */
const locale = `${document.documentElement.lang}-u-nu-latn`;

function localise() {
  for (const time of document.querySelectorAll('time')) {
    const short = time.dataset['short'] !== undefined;
    const day = short ? {} : /** @type {const} */ ({ year: 'numeric', month: 'short', day: 'numeric' });
    const form = new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
    time.textContent = form.format(new Date(time.dateTime));
  }
}

document.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('button[data-print]') !== null) print();
});

localise();
addEventListener('checkout:shown', localise);
