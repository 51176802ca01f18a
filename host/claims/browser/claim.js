// @ts-check
/*
 * Sends the form without losing what was typed when it is refused, and shows what becomes of the claims. Without this
 * script the same form works.
 */
const POLL_MS = 10_000;
const path = location.pathname;
/** What the page has shown last. @type {string | null} */
let shown = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

document.documentElement.classList.add('script');
// Shows the refusal of a form only once.
if (location.search !== '') history.replaceState(null, '', path);
localTimes();
again();

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.classList.contains('claim')) return;
  event.preventDefault();
  void send(form);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void poll();
});

/** @param {HTMLFormElement} form */
async function send(form) {
  const button = form.querySelector('button');
  const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  if (button !== null) button.disabled = true;
  try {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const reply = await fetch(form.action, { method: 'POST', headers, body: JSON.stringify(fields) });
    if (reply.ok) await show(path, ['promise', 'status', 'refusal', 'form', 'claims']);
    else await refuse(await reply.json());
  } catch {
    // The answer was lost: the same form can be sent again, and is the same claim.
    await refuse({ code: 0 });
  } finally {
    if (button !== null) button.disabled = false;
  }
}

/** @param {{ code?: number, errors?: readonly { path: string }[] }} answer */
async function refuse({ code, errors }) {
  const field = errors?.[0]?.path;
  const query = field === undefined ? `error=${code ?? 0}` : `field=${encodeURIComponent(field)}`;
  await show(`${path}?${query}`, ['refusal']).catch(() => undefined);
  document.getElementById('refusal')?.scrollIntoView({ block: 'center' });
}

function again() {
  clearTimeout(timer);
  timer = setTimeout(() => void poll(), POLL_MS);
}

async function poll() {
  try {
    const reply = await fetch(`${path}/state`, { headers: { Accept: 'application/json' } });
    const text = reply.ok ? JSON.stringify((await reply.json()).data) : shown;
    // The first answer may already differ from the page, which was written before.
    if (text !== shown) await show(path, ['promise', 'status', 'claims']);
    shown = text;
  } catch {
    // The next poll tries again.
  }
  again();
}

/**
 * Replaces these parts of the page by those of a new one, in the order of the page.
 *
 * @param {string} url
 * @param {readonly string[]} ids
 */
async function show(url, ids) {
  const reply = await fetch(url, { headers: { Accept: 'text/html' } });
  // Of the main part alone: the style in the head has a nonce of its own, which the present page's policy refuses.
  const html = /<main [^]*<\/main>/.exec(await reply.text())?.[0] ?? '';
  const next = new DOMParser().parseFromString(html, 'text/html');
  const main = document.getElementById('claim');
  const parts = next.getElementById('claim');
  if (main === null || parts === null) return;
  const kept = [...main.children].filter(({ id }) => !ids.includes(id));
  const fresh = [...parts.children].filter(({ id }) => ids.includes(id));
  const order = ['promise', 'status', 'refusal', 'form', 'claims'];
  const all = [...kept, ...fresh.map((part) => document.importNode(part, true))];
  main.replaceChildren(...all.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id)));
  localTimes();
}

/** Times are written in the browser's own time zone. */
function localTimes() {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time'))
    if (time.dateTime !== '') time.textContent = format.format(new Date(time.dateTime));
}
