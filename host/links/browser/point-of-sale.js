// @ts-check
/*
 * A point of sale without page reloads: the pad types into the field, forms and links of the page are fetched and
 * replace the page, the order's event stream changes the colour, and a tone sounds at payment. Without this script the
 * same forms and links work.
 */
const POLL_MS = 5_000;
const PAID = ['SUCCESS', 'RESOLVED'];
const DAY_SECONDS = 86_400;
/** How long an answer is waited for. */
const TRY_MS = 10_000;
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
/** The till recognises a charge that is sent again for a day. */
const KEPT_MS = 12 * 3_600_000;
const KEPT = `charge ${location.pathname}`;

document.documentElement.classList.add('script');
document.cookie = `tillgate_zone=${-new Date().getTimezoneOffset()}; Path=/; Max-Age=${365 * DAY_SECONDS}; SameSite=Strict`;
/** @type {AudioContext | null} */
let audio = null;
/** @type {EventSource | null} */
let stream = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** What is being sent or loaded; a newer one ends the tries of those before it. */
let turn = 0;

const query = new URLSearchParams(location.search);
for (const name of ['error', 'lang', 'amount', 'cart']) query.delete(name);
history.replaceState(null, '', `${location.pathname}${query.size === 0 ? '' : `?${query}`}${location.hash}`);
takeCode();
begin();
resume();

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const key = target?.closest('button[data-key]');
  if (key instanceof HTMLButtonElement) type(key.dataset['key'] ?? '');
  if (target?.closest('button[data-stop]')) return giveUp();
  const link = target?.closest('[data-point-of-sale] a');
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  keep(null);
  void go(link.href);
});
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !['charge', 'cancel'].includes(form.id)) return;
  event.preventDefault();
  unlock();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.set(name, String(value));
  if (form.id === 'charge') return charge(fields);
  lock(true);
  void go(form.action, { method: 'POST', body: fields });
});
addEventListener('popstate', () => location.reload());

/**
 * Sends a charge until it is answered. It is kept with the form's own number, by which the till recognises it: however
 * often it arrives, also after a reload of this page, it is one sale.
 *
 * @param {URLSearchParams} fields
 */
function charge(fields) {
  lock(true);
  keep(fields.toString());
  void go(location.pathname, { method: 'POST', body: fields }).then((answered) => {
    if (answered) keep(null);
  });
}

/** Sends the charge again that had no answer when the page was left. */
function resume() {
  const { text = '', at = 0 } = kept();
  const form = document.getElementById('charge');
  if (!(form instanceof HTMLFormElement) || text === '' || Date.now() - at > KEPT_MS) return keep(null);
  const fields = new URLSearchParams(text);
  for (const [name, value] of fields) fill(form.elements.namedItem(name), value);
  document.dispatchEvent(new Event('shown'));
  charge(fields);
}

/**
 * @param {Element | RadioNodeList | null} field
 * @param {string} value
 */
function fill(field, value) {
  if (field instanceof RadioNodeList) field.value = value;
  else if (field instanceof HTMLInputElement && field.type !== 'hidden') field.value = value;
}

/** Whoever stops can charge once more with the same form, which gives the sale that may have been made. */
function giveUp() {
  const { text = '' } = kept();
  const sent = new URLSearchParams(text);
  for (const name of ['form', 'offer']) {
    const field = document.querySelector(`#charge input[name="${name}"]`);
    if (field instanceof HTMLInputElement) field.value = sent.get(name) ?? field.value;
  }
  turn += 1;
  keep(null);
  lock(false);
  offline(false);
  begin();
}

/** @returns {{ text?: string, at?: number }} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}');
  } catch {
    return {};
  }
}

/** @param {string | null} text */
function keep(text) {
  try {
    if (text === null) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, JSON.stringify({ text, at: Date.now() }));
  } catch {
    // A browser without storage sends again until the page is left.
  }
}

/** @param {boolean} on */
function lock(on) {
  document.querySelectorAll('#link form button').forEach((button) => button.toggleAttribute('disabled', on));
}

/** @param {boolean} on */
function offline(on) {
  document.getElementById('connection')?.toggleAttribute('hidden', !on);
}

/** Takes the code of a new device from the fragment, and removes it from the address. */
function takeCode() {
  const field = document.getElementById('code');
  const code = /^#([0-9a-f]{32})$/.exec(location.hash)?.[1];
  if (!(field instanceof HTMLInputElement) || code === undefined) return;
  field.value = code;
  const words = document.getElementById('words');
  if (words !== null) words.textContent = words.dataset['read'] ?? '';
  history.replaceState(null, '', location.pathname);
}

/** @param {string} key */
function type(key) {
  const field = document.getElementById('amount');
  if (!(field instanceof HTMLInputElement)) return;
  if (key === 'delete') field.value = field.value.slice(0, -1);
  else if (key !== '.' || !/[.,]/.test(field.value)) field.value = `${field.value}${key}`.slice(0, field.maxLength);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * The main part of a page: the styles in its head have a nonce of their own, which the present page's policy refuses.
 *
 * @param {string} html
 */
function parsed(html) {
  return new DOMParser().parseFromString(/<main [^]*<\/main>/.exec(html)?.[0] ?? '', 'text/html');
}

/**
 * Replaces the present page by another page of this point of sale. On a bad network the same request is sent until it
 * is answered: all of them may be sent again.
 *
 * @param {string} url
 * @param {RequestInit} [request]
 * @returns {Promise<boolean>} false where something else was done meanwhile
 */
async function go(url, request = {}) {
  stop();
  turn += 1;
  const mine = turn;
  for (let tries = 0; ; tries++) {
    const answer = await ask(url, request);
    if (mine !== turn) return false;
    const here = document.getElementById('link');
    if (answer !== null && here !== null) {
      here.replaceWith(document.importNode(answer.main, true));
      history.pushState(null, '', answer.url.replace(/[?&](error|amount|cart)=[^&]*/g, ''));
      scrollTo(0, 0);
      begin();
      return true;
    }
    offline(true);
    await new Promise((done) => setTimeout(done, PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]));
    if (mine !== turn) return false;
  }
}

/**
 * @param {string} url
 * @param {RequestInit} request
 * @returns {Promise<{ url: string, main: Element } | null>} `null` without an answer of the till
 */
async function ask(url, request) {
  try {
    const reply = await fetch(url, { ...request, cache: 'no-store', signal: AbortSignal.timeout(TRY_MS) });
    const main = parsed(await reply.text()).getElementById('link');
    return main === null || reply.status >= 500 ? null : { url: reply.url, main };
  } catch {
    return null;
  }
}

/** Follows the sale that is shown. */
function begin() {
  document.dispatchEvent(new Event('shown'));
  const sale = document.getElementById('sale');
  const order = sale?.dataset['order'];
  if (sale === null || order === undefined || sale.dataset['state'] !== 'waiting') return;
  const path = new URL(`../checkout/${order}`, location.href).pathname;
  stream = new EventSource(`${path}/events`);
  stream.addEventListener('state', (event) => follow(sale, JSON.parse(event.data)));
  stream.addEventListener('error', () => again(sale, path));
}

/**
 * @param {HTMLElement} sale
 * @param {string} path
 */
function again(sale, path) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      const reply = await fetch(`${path}/state`, { headers: { Accept: 'application/json' }, cache: 'no-store' });
      if (reply.ok) follow(sale, (await reply.json()).data);
    } catch {
      // Retried below.
    }
    if (sale.isConnected && sale.dataset['state'] === 'waiting') again(sale, path);
  }, POLL_MS);
}

/**
 * @param {HTMLElement} sale
 * @param {{ status: string, received: string, payment_uri: string }} state
 */
function follow(sale, { status, received, payment_uri: missing }) {
  if (!sale.isConnected || sale.dataset['state'] !== 'waiting') return;
  if (PAID.includes(status)) {
    show(sale, 'paid');
    sound();
  } else if (status !== 'PENDING') show(sale, 'over');
  else if (received !== '' && Number(received) > 0) show(sale, 'seen', missing === '' ? 'seen' : 'part');
}

/**
 * @param {HTMLElement} sale
 * @param {'paid' | 'seen' | 'over'} state
 * @param {string} [word]
 */
function show(sale, state, word = state) {
  sale.classList.remove('waiting', 'seen');
  sale.classList.add(state);
  const words = document.getElementById('words');
  const text = sale.dataset[word];
  if (words !== null && text !== undefined && words.textContent !== text) words.textContent = text;
  if (state === 'seen') return void renewScan();
  sale.dataset['state'] = state;
  document.getElementById('scan')?.remove();
  stop();
}

/** Replaces the QR code, which shows the amount still due and disappears when there is none. */
async function renewScan() {
  const { href } = location;
  try {
    const reply = await fetch(href, { cache: 'no-store' });
    const next = parsed(await reply.text());
    if (!reply.ok || location.href !== href || next.getElementById('link') === null) return;
    const found = next.getElementById('scan');
    if (found === null) document.getElementById('scan')?.remove();
    else document.getElementById('scan')?.replaceWith(document.importNode(found, true));
  } catch {
    // The next page starts its own updates.
  }
}

function stop() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
}

/** Browsers let a page play sound only after a touch. */
function unlock() {
  audio ??= new AudioContext();
  void audio.resume();
}

function sound() {
  if (audio === null) return;
  const now = audio.currentTime;
  [880, 1318.5].forEach((hertz, at) => {
    if (audio === null) return;
    const tone = new OscillatorNode(audio, { type: 'sine', frequency: hertz });
    const volume = new GainNode(audio, { gain: 0 });
    const from = now + at * 0.16;
    volume.gain.setValueAtTime(0.0001, from);
    volume.gain.exponentialRampToValueAtTime(0.4, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, from + 0.5);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.5);
  });
}
