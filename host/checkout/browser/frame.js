// @ts-check
/*
 * In a frame over a shop's page: says what becomes of the order to that shop alone, and lets links to the shop replace
 * the whole page.
 */
/** What a shop's page is told of each state; it is told nothing of the others. @type {Record<string, string>} */
const SAID = {
  seen: 'paid',
  confirming: 'paid',
  paid: 'complete',
  overpaid: 'complete',
  paidLate: 'complete',
  expired: 'expired',
  lost: 'expired',
  late: 'expired',
  partial: 'expired',
  cancelled: 'invalid',
};

/** @type {HTMLMetaElement | null} */
const meta = document.querySelector('meta[name="shop-origins"]');
const shops = (meta?.content ?? '').split(' ').filter((origin) => origin !== '');
const invoiceId = location.pathname.split('/').at(-1);
/** @type {string | undefined} */
let last;

/** A browser delivers it only where the parent has this origin. @param {unknown} message */
function tell(message) {
  for (const origin of shops) parent.postMessage(message, origin);
}

function tellState() {
  for (const link of document.querySelectorAll('a[href]'))
    if (link instanceof HTMLAnchorElement && link.origin !== location.origin) link.target = '_top';
  const status = SAID[document.getElementById('status')?.dataset['state'] ?? ''];
  if (status === undefined || status === last) return;
  last = status;
  tell({ invoiceId, status });
}

if (parent !== window && shops.length > 0) {
  tell('loaded');
  tellState();
  addEventListener('checkout:shown', tellState);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') tell('close');
  });
}
