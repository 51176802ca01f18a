// @ts-check
/* Searches the documentation: the words of the field among the titles, calls and events of the index. */
const MOST = 12;

/** What can be found. The host defines it before this script. */
/** @type {readonly (readonly [slug: string, title: string, section: string, anchor: string, words: string])[]} */
const entries = Reflect.get(globalThis, 'docsIndex') ?? [];
const box = document.getElementById('site-search');
const field = document.getElementById('site-words');
const list = document.getElementById('site-found');
const count = document.getElementById('site-count');

if (box !== null && field instanceof HTMLInputElement && list !== null && count !== null) {
  box.hidden = false;
  field.addEventListener('input', () => show(find(field.value)));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'ArrowDown') move(event, 1);
  });
  list.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    if (event.key === 'Escape') {
      close();
      field.focus();
    }
  });
  list.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !box.contains(target)) close();
  });
}

/** The entries that have every word: those whose title has them first. @param {string} text */
function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  /** @param {string} among */
  const has = (among) => words.every((word) => among.toLowerCase().includes(word));
  /** @param {string} title */
  const rank = (title) => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  const inTitle = entries.filter(([, title]) => has(title)).sort(([, one], [, other]) => rank(one) - rank(other));
  const elsewhere = entries.filter(([, title, section, , more]) => !has(title) && has(`${title} ${section} ${more}`));
  return [...inTitle, ...elsewhere];
}

/** @param {typeof entries} found */
function show(found) {
  if (list === null || count === null || !(field instanceof HTMLInputElement)) return;
  list.replaceChildren(...found.slice(0, MOST).map(itemOf));
  const isEmpty = field.value.trim() === '';
  if (!isEmpty && found.length === 0) {
    const nothing = document.createElement('li');
    nothing.textContent = 'Nothing found.';
    list.append(nothing);
  }
  list.hidden = isEmpty;
  count.textContent = isEmpty ? '' : `${found.length} found`;
}

/** @param {(typeof entries)[number]} entry */
function itemOf([slug, title, section, anchor, words]) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const { to = '', first = '' } = box?.dataset ?? {};
  link.href = `${slug === '' ? first : to.replace('PAGE', slug)}${anchor === '' ? '' : `#${anchor}`}`;
  link.textContent = title;
  const where = document.createElement('span');
  where.textContent = words === '' ? section : `${section} · ${words}`;
  link.append(where);
  item.append(link);
  return item;
}

/** Moves the focus among the links. @param {KeyboardEvent} event @param {number} by */
function move(event, by) {
  if (list === null || !(field instanceof HTMLInputElement)) return;
  event.preventDefault();
  const links = [...list.querySelectorAll('a')];
  const next = links.findIndex((link) => link === document.activeElement) + by;
  if (next < 0) field.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}

function close() {
  if (list !== null) list.hidden = true;
}
