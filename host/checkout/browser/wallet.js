// @ts-check
/*
 * Offers the wallets in the browser (EIP-6963), and requests the payment from the chosen one (EIP-1193). No answer of a
 * wallet is trusted: the page shows only what the till has seen on the chain.
 */

/** @typedef {{ request(call: { method: string, params?: unknown[] }): Promise<unknown> }} Provider */
/** @typedef {{ name: string, provider: Provider }} Wallet */

const MOST_WALLETS = 8;
const MOST_LETTERS = 32;
/** The codes of EIP-1193 and of EIP-3326. */
const REFUSED = 4001;
const UNKNOWN_CHAIN = 4902;

/** @type {Map<unknown, Wallet>} */
const wallets = new Map();
/**
 * Payments that were passed to a wallet and not rejected: a page that is shown again must not request them twice.
 *
 * @type {Set<string>}
 */
const handed = new Set();
let asking = false;

addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = /** @type {CustomEvent} */ (event).detail ?? {};
  add(info?.uuid, info?.name, provider);
});
addEventListener('checkout:shown', offer);
dispatchEvent(new Event('eip6963:requestProvider'));
// A wallet from before EIP-6963.
if (wallets.size === 0) add('window.ethereum', null, /** @type {any} */ (window).ethereum);

/**
 * @param {unknown} id
 * @param {unknown} name
 * @param {any} provider
 */
function add(id, name, provider) {
  if (typeof provider?.request !== 'function' || wallets.has(id) || wallets.size === MOST_WALLETS) return;
  wallets.set(id, { name: typeof name === 'string' ? name.slice(0, MOST_LETTERS) : '', provider });
  offer();
}

/** Shows a button for each wallet when there is something to pay on an EVM chain. */
function offer() {
  const place = document.getElementById('wallets');
  if (place === null || wallets.size === 0) return;
  place.querySelectorAll('button').forEach((button) => button.remove());
  for (const wallet of [...wallets.values()].reverse()) place.prepend(buttonOf(wallet, place));
  place.hidden = false;
  if (handed.has(nameOf(place))) say(place, 'sent');
}

/**
 * @param {Wallet} wallet
 * @param {HTMLElement} place
 */
function buttonOf({ name, provider }, place) {
  const { pay = '', other = '' } = place.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.textContent = pay.replace('{wallet}', () => name || other);
  button.disabled = asking || handed.has(nameOf(place));
  button.addEventListener('click', () => void payBy(provider, place));
  return button;
}

/** @param {HTMLElement} place */
function nameOf({ dataset: { chain, to, value, input } }) {
  return [chain, to, value, input].join(' ');
}

/**
 * @param {Provider} provider
 * @param {HTMLElement} place
 */
async function payBy(provider, place) {
  if (asking || handed.has(nameOf(place))) return;
  asking = true;
  lock(true);
  say(place, 'asked');
  const name = nameOf(place);
  const outcome = await handOver(provider, place);
  asking = false;
  if (outcome === 'sent') handed.add(name);
  // The page may have been replaced meanwhile, with another amount.
  const shown = document.getElementById('wallets');
  if (shown === null) return;
  lock(handed.has(nameOf(shown)));
  say(shown, outcome);
}

/**
 * @param {Provider} provider
 * @param {HTMLElement} place
 * @returns {Promise<'sent' | 'refused' | 'wrong' | 'failed'>}
 */
async function handOver(provider, { dataset }) {
  const { chain = '', to, value, input, network } = dataset;
  try {
    await provider.request({ method: 'eth_requestAccounts' });
    if (!(await reach(provider, chain, network))) return 'wrong';
    // Another account may be selected on the other network.
    const accounts = await provider.request({ method: 'eth_accounts' });
    const from = Array.isArray(accounts) ? accounts[0] : undefined;
    const payment = { from, to, value, ...(input ? { data: input } : {}), chainId: chain };
    await provider.request({ method: 'eth_sendTransaction', params: [payment] });
    return 'sent';
  } catch (error) {
    return codeOf(error) === REFUSED ? 'refused' : 'failed';
  }
}

/**
 * Requests a change to the payment's network, and returns whether the wallet is on it.
 *
 * @param {Provider} provider
 * @param {string} chain
 * @param {string | undefined} network
 */
async function reach(provider, chain, network) {
  if (await isOn(provider, chain)) return true;
  const change = { method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] };
  try {
    await provider.request(change);
  } catch (error) {
    if (codeOf(error) === REFUSED) throw error;
    if (codeOf(error) !== UNKNOWN_CHAIN || network === undefined) return false;
    await provider.request({ method: 'wallet_addEthereumChain', params: [JSON.parse(network)] });
    if (!(await isOn(provider, chain))) await provider.request(change);
  }
  return isOn(provider, chain);
}

/**
 * @param {Provider} provider
 * @param {string} chain
 */
async function isOn(provider, chain) {
  return Number(await provider.request({ method: 'eth_chainId' })) === Number(chain);
}

/** Some wallets wrap the error of another. @param {any} error */
function codeOf(error) {
  return error?.data?.originalError?.code ?? error?.code;
}

/** @param {boolean} on */
function lock(on) {
  document.querySelectorAll('#wallets button').forEach((button) => button.toggleAttribute('disabled', on));
}

/**
 * @param {HTMLElement} place
 * @param {'asked' | 'sent' | 'refused' | 'wrong' | 'failed'} what
 */
function say(place, what) {
  const said = place.querySelector('[role="status"]');
  if (said !== null) said.textContent = place.dataset[what] ?? '';
}
