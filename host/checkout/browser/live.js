// @ts-check
/*
 * Keeps the page up to date: an event stream reports changes of the order, polling replaces it where there is no
 * stream, and only the parts that differ are replaced.
 */
const POLL_MS = 5_000;
const SELDOM_MS = 15_000;
const LEAVE_MS = 5_000;

const main = /** @type {HTMLElement} */ (document.getElementById('checkout'));
const path = location.pathname;
/**
 * The server's HTML of each part, to find those that differ: scripts change the parts later.
 *
 * @type {Map<string, string>}
 */
const sent = new Map();
/** @type {EventSource | null} */
let stream = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** The state that polling found last. @type {string | null} */
let polled = null;
let leaving = false;

document.documentElement.classList.add('script');
remember();
// Shows the refusal of a form only once.
const query = new URLSearchParams(location.search);
if (query.has('error') || query.has('lang')) {
  query.delete('error');
  query.delete('lang');
  const rest = query.toString();
  history.replaceState(null, '', rest === '' ? path : `${path}?${rest}`);
}
follow();

addEventListener('checkout:stale', () => void refresh());
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => {
  if (event.persisted) void refresh();
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && main.dataset['follow'] !== 'never') void refresh();
});

function remember() {
  sent.clear();
  for (const part of main.children) sent.set(part.id, part.outerHTML);
}

/** Starts or continues the kind of updates that the order needs now. */
function follow() {
  const { follow: how, every, redirect } = main.dataset;
  if (how === 'stream') listen();
  else stop();
  if (how === 'seldom') again(refresh, SELDOM_MS);
  // The coins' rates change without a change of the order.
  if (how === 'stream' && every !== undefined) again(refresh, Number(every) * 1000);
  // In a frame over a shop's page, that page goes on by itself.
  if (redirect !== undefined && !leaving && parent === window) {
    leaving = true;
    setTimeout(() => location.replace(redirect), LEAVE_MS);
  }
}

function listen() {
  if (stream !== null) return;
  stream = new EventSource(`${path}/events`);
  stream.addEventListener('state', (event) => {
    if (event.lastEventId !== main.dataset['version']) void refresh();
  });
  stream.addEventListener('open', () => {
    polled = null;
    if (main.dataset['every'] === undefined) clearTimeout(timer);
  });
  // The browser reconnects by itself or has given up; until there is a stream, the state is polled.
  stream.addEventListener('error', () => again(poll, POLL_MS));
}

function stop() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
}

/**
 * @param {() => Promise<void>} ask
 * @param {number} ms
 */
function again(ask, ms) {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), ms);
}

async function poll() {
  const text = await fetchText(`${path}/state`);
  if (text !== null && text !== polled) {
    polled = text;
    await refresh();
  }
  if (stream !== null && stream.readyState !== EventSource.OPEN) again(poll, POLL_MS);
}

async function refresh() {
  const wanted = new URLSearchParams(location.search);
  wanted.set('part', 'main');
  const text = await fetchText(`${path}?${wanted}`);
  if (text !== null) show(text);
  follow();
  // A stream that was given up is reopened at the next try, not before.
  if (text === null || (stream !== null && stream.readyState !== EventSource.OPEN)) again(poll, POLL_MS);
}

/**
 * @param {string} url
 * @returns {Promise<string | null>} `null` after any failure, which is retried
 */
async function fetchText(url) {
  try {
    const reply = await fetch(url, { headers: { Accept: 'text/html, application/json' }, cache: 'no-store' });
    return reply.ok ? await reply.text() : null;
  } catch {
    return null;
  }
}

/** @param {string} html */
function show(html) {
  const next = new DOMParser().parseFromString(html, 'text/html').getElementById('checkout');
  if (next === null) return;
  const former = words();
  replaceParts(next);
  for (const name of ['data-version', 'data-follow', 'data-every', 'data-redirect']) {
    const value = next.getAttribute(name);
    if (value === null) main.removeAttribute(name);
    else main.setAttribute(name, value);
  }
  document.title = document.getElementById('title')?.textContent ?? document.title;
  if (words() !== former) say(words());
  dispatchEvent(new Event('checkout:shown'));
}

/**
 * Parts always have the same order; an unchanged one keeps its focus and the changes of scripts.
 *
 * @param {Element} next
 */
function replaceParts(next) {
  const hadFocus = main.contains(document.activeElement);
  let at = main.firstElementChild;
  for (const part of [...next.children]) {
    const known = document.getElementById(part.id);
    const html = part.outerHTML;
    const same = known !== null && sent.get(part.id) === html;
    sent.set(part.id, html);
    if (!same) {
      main.insertBefore(part, at);
      continue;
    }
    while (at !== null && at !== known) at = removed(at);
    at = known.nextElementSibling;
  }
  while (at !== null) at = removed(at);
  // The focused element was removed: the next Tab begins at the changed part, not at the top of the page.
  if (hadFocus && !main.contains(document.activeElement))
    document.getElementById('title')?.focus({ preventScroll: true });
}

/** @param {Element} part */
function removed(part) {
  const next = part.nextElementSibling;
  part.remove();
  return next;
}

function words() {
  return `${document.getElementById('title')?.textContent ?? ''}. ${document.getElementById('words')?.textContent ?? ''}`;
}

/** @param {string} text */
function say(text) {
  const said = document.getElementById('said');
  if (said !== null) said.textContent = text;
}
