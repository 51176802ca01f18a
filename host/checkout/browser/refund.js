// @ts-check
/*
 * Keeps a refused refund address in its field, so that the payer can correct it. It stays in this tab: an address in
 * the URL would let anyone send a link with their own address in the field.
 */
const field = document.getElementById('address');

if (field instanceof HTMLInputElement) {
  const name = `refund-address ${location.pathname}`;
  if (document.getElementById('refusal') !== null) field.value = sessionStorage.getItem(name) ?? field.value;
  sessionStorage.removeItem(name);
  field.form?.addEventListener('submit', () => sessionStorage.setItem(name, field.value));
}
