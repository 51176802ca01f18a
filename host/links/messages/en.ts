/** Every text of the pages of payment links and counters. A word in braces is a placeholder. */
export const en = {
  payButton: 'Pay',
  amountLabel: 'Amount in {currency}',
  amountBetween: 'From {least} to {most}.',
  amountFrom: 'At least {least}.',
  amountTo: 'At most {most}.',
  soldOutTitle: 'Sold out',
  soldOutText: 'Everything on this page is sold.',
  endedTitle: 'This page has ended',
  endedText: 'It takes no payments any more. Ask the merchant for a new link.',
  reservedTitle: 'Reserved at the moment',
  reservedText: 'What is left is reserved for payments that are under way. Please come back in half an hour.',
  busyText: 'Too many payments of this page are under way. Please try again later.',
  unknownTitle: 'There is no such page',
  refusedAmount: 'Check the amount.',
  refusedForm: 'Please press the button again. This page needs cookies.',
  refusedOften: 'Too many orders were made from here. Please try again in half an hour.',
  unpairedTitle: 'This device is not paired',
  unpairedText: 'Make a pairing code in the dashboard, under payment links, and scan it with this device.',
  pairingCode: 'Pairing code',
  pairButton: 'Pair this device',
  pairRefused: 'This code was used or is over. Make a new one in the dashboard.',
  charge: 'Charge',
  waiting: 'Waiting for the payment',
  seen: 'Payment seen, being confirmed',
  notPaid: 'Not paid in time',
  partly: 'Paid in part',
  cancelled: 'Cancelled',
  scan: 'Let the payer scan this code.',
  nextSale: 'Next sale',
  today: 'Today',
  total: 'Paid today: {total}',
  noSales: 'No sales yet.',
  deleteDigit: 'Delete a digit',
  qrOf: 'QR code of the payer’s page',
  goOn: 'Go on with your payment',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a text. */
export type LinkMessageName = keyof typeof en;

/** The texts in one language. */
export type LinkMessages = Readonly<Record<LinkMessageName, string>>;
