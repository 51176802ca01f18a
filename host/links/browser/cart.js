// @ts-check
/*
 * Adds up the items and the tip of a payment link while they are chosen. What is charged is computed by the till, from
 * the quantities and the tip alone.
 */
const MOST = 99;

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const item = target?.closest('.items li');
  const step = target?.closest('button[data-step]');
  const pick = target?.closest('label.pick');
  if (item == null || (step == null && pick == null)) return;
  event.preventDefault();
  const field = item.querySelector('input');
  const by = step instanceof HTMLElement ? Number(step.dataset['step']) : 1;
  if (field === null) return;
  field.value = String(Math.min(MOST, Math.max(0, quantityOf(field) + by)));
  addUp();
});
document.addEventListener('input', addUp);
document.addEventListener('shown', addUp);
addUp();

/** @param {HTMLInputElement | null} field */
function quantityOf(field) {
  return /^\d{1,2}$/.test(field?.value.trim() ?? '') ? Number(field?.value) : 0;
}

function addUp() {
  const cart = document.querySelector('.cart');
  if (!(cart instanceof HTMLElement)) return;
  const { currency = '', decimals = '0' } = cart.dataset;
  const places = Number(decimals);
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  const money = new Intl.NumberFormat(`${document.documentElement.lang}-u-nu-latn`, {
    ...{ style: 'currency', currency },
    ...digits,
  });
  /** @param {bigint} units */
  const written = (units) => {
    const text = units.toString().padStart(places + 1, '0');
    const at = text.length - places;
    return money.format(/** @type {any} */ (places === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`));
  };
  const base = baseOf(cart, places);
  for (const part of cart.querySelectorAll('[data-percent]'))
    if (part instanceof HTMLElement)
      part.textContent = base === 0n ? '' : written(percentOf(base, part.dataset['percent']));
  const total = cart.querySelector('.total output');
  if (total !== null) total.textContent = written(base + tipOn(cart, base, places));
  for (const item of cart.querySelectorAll('.items li'))
    item.classList.toggle('chosen', quantityOf(item.querySelector('input')) > 0);
}

/**
 * The amount without the tip: of the chosen items, of the link, or of the field.
 *
 * @param {HTMLElement} cart
 * @param {number} places
 */
function baseOf(cart, places) {
  const items = [...cart.querySelectorAll('.items li')];
  const { price } = cart.dataset;
  if (items.length > 0)
    return items.reduce((sum, item) => {
      const each = item instanceof HTMLElement ? BigInt(item.dataset['price'] ?? '0') : 0n;
      return sum + each * BigInt(quantityOf(item.querySelector('input')));
    }, 0n);
  return price === undefined ? unitsOf(document.getElementById('amount'), places) : BigInt(price);
}

/**
 * @param {HTMLElement} cart
 * @param {bigint} base
 * @param {number} places
 */
function tipOn(cart, base, places) {
  const chosen = cart.querySelector('input[name="tip"]:checked');
  const tip = chosen instanceof HTMLInputElement ? chosen.value : '';
  if (tip === 'own') return unitsOf(cart.querySelector('input[name="own-tip"]'), places);
  return percentOf(base, tip);
}

/**
 * Rounded half up to a minor unit, as the till does.
 *
 * @param {bigint} base
 * @param {string} [percent]
 */
function percentOf(base, percent = '') {
  return /^\d{1,3}$/.test(percent) ? (base * BigInt(percent) + 50n) / 100n : 0n;
}

/**
 * A typed amount in minor units; 0 while it is none.
 *
 * @param {Element | null} field
 * @param {number} places
 */
function unitsOf(field, places) {
  const text = field instanceof HTMLInputElement ? field.value.trim() : '';
  const [, whole = '', part = ''] = /^(\d{1,15})(?:[.,](\d{0,8}))?$/.exec(text) ?? [];
  return whole === '' || part.length > places ? 0n : BigInt(whole + part.padEnd(places, '0'));
}
