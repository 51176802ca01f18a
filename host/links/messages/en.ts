/** Every text of the pages of payment links and points of sale. A word in braces is a placeholder. */
export const en = {
  payButton: 'Pay',
  amountLabel: 'Amount in {currency}',
  amountBetween: 'Between {least} and {most}',
  amountFrom: 'Minimum {least}',
  amountTo: 'Maximum {most}',
  soldOutTitle: 'Sold out',
  soldOutText: 'Everything on this page has been sold.',
  endedTitle: 'No longer available',
  endedText: 'This page no longer accepts payments. Ask the merchant for a new link.',
  reservedTitle: 'Temporarily unavailable',
  reservedText: 'All remaining items are reserved for payments in progress. Try again in half an hour.',
  busyText: 'Too many payments are in progress on this page. Try again later.',
  unknownTitle: 'Page not found',
  refusedAmount: 'This amount is not accepted. Enter another amount.',
  refusedForm: 'Try again. If this message appears again, allow cookies for this page.',
  refusedOften: 'Too many attempts from your network. Try again in half an hour.',
  unpairedTitle: 'Pair this device',
  unpairedText:
    'Scan the pairing code with this device, or enter it. Pairing codes are made in the dashboard, under Payment links.',
  pairingCode: 'Pairing code',
  pairButton: 'Pair device',
  pairRefused: 'This pairing code was used or has expired. Create a new one in the dashboard.',
  charge: 'Charge',
  waiting: 'Awaiting payment',
  seen: 'Payment detected, awaiting confirmation',
  notPaid: 'Expired',
  partly: 'Partially paid',
  cancelled: 'Cancelled',
  scan: 'Scan to pay',
  nextSale: 'New sale',
  today: 'Today',
  total: 'Paid today: {total}',
  noSales: 'No sales yet.',
  deleteDigit: 'Delete last digit',
  qrOf: 'QR code of the payment page',
  codeRead: 'The pairing code was read. Press the button to use this device as a point of sale.',
  noLongerPaired: 'This device is no longer paired. Create a new pairing code in the dashboard.',
  cancelSale: 'Cancel sale',
  cancelRefused: 'This sale cannot be cancelled: a payment was already detected.',
  resending: 'No connection. Trying again until it works. The sale is made only once.',
  stopSending: 'Stop trying',
  goOn: 'Continue to payment',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a text. */
export type LinkMessageName = keyof typeof en;

/** The texts in one language. */
export type LinkMessages = Readonly<Record<LinkMessageName, string>>;
