/** Every text of the payer's page. A word in braces is a placeholder. */
export const en = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Choose how to pay',
  chooseText: 'The amounts are at the present rate. It is fixed when you choose.',
  waitingTitle: 'Waiting for your payment',
  waitingText: 'Send the exact amount to the address below. This page follows by itself.',
  waitingLightningText: 'Pay the request below with a Lightning wallet. This page follows by itself.',
  closingTitle: 'The time to pay is over',
  closingText: 'Do not send anything now. A payment that was sent in time still counts and will appear here.',
  shortTitle: 'Part of the amount has arrived',
  shortText: '{received} {coin} arrived. Still to pay: {remaining} {coin}.',
  vanishedTitle: 'Your payment has disappeared',
  vanishedText:
    'It was seen, but replaced or withdrawn before the network confirmed it. If you sent it again, it will appear here by itself; otherwise you can still pay below.',
  seenTitle: 'Your payment was seen',
  seenText: 'There is nothing more to do. It will be complete in a moment.',
  confirmingText: 'There is nothing more to do. The network has confirmed it {count} of {needed} times.',
  recheckingTitle: 'Your payment is being checked again',
  recheckingText: 'The network rearranged its latest blocks. This usually settles by itself; there is nothing to do.',
  paidTitle: 'Paid',
  paidText: 'Your payment is complete. Thank you.',
  overpaidText:
    'Your payment is complete. {surplus} {coin} more than the amount arrived. The merchant has it; ask there to get it back.',
  paidLateText: 'Your payment came after the deadline and was accepted. Thank you.',
  expiredTitle: 'The time to pay is over',
  expiredText:
    'Nothing arrived in time. Do not send anything now; ask the merchant for a new order. If you have sent it already, it will still be recorded.',
  lostTitle: 'Your payment was not confirmed',
  lostText:
    'It was seen, but replaced or withdrawn before the network confirmed it, so the order received nothing. Do not send anything now; ask the merchant for a new order.',
  lateTitle: 'Your payment came late',
  lateText:
    '{received} {coin} was seen after the deadline. It is recorded, and the order is completed when it is confirmed.',
  partialTitle: 'Too little arrived in time',
  partialText:
    '{received} {coin} arrived, {remaining} {coin} is missing. You can leave an address for a refund, or ask the merchant.',
  refundingTitle: 'Your refund is on its way',
  refundingText: 'The merchant is sending your money back.',
  cancelledTitle: 'This order was cancelled',
  cancelledText: 'Do not send anything. Ask the merchant if you have questions.',
  refundedTitle: 'Refunded',
  refundedText: 'Your money was sent back.',

  // The order, and what is to be paid.
  order: 'Order {id}',
  coins: 'Pay with',
  onChain: 'on {chain}',
  onBoth: 'on {chain} or by Lightning',
  noCoins: 'No coin can be priced at the moment. Please try again in a minute.',
  payWith: 'Pay with {coin}',
  payLightning: 'Pay by Lightning instead',
  yourPayment: 'Your payment',
  stillToPay: 'Still to pay',
  amount: 'Amount',
  network: 'Network',
  rate: 'Exchange rate',
  validUntil: 'Valid until',
  details: 'More details',
  address: 'Address',
  paymentRequest: 'Payment request',
  tokenContract: 'Token contract',
  onlyThis: 'Send only {coin} on {chain}. Anything else may be lost.',
  exchangeHint:
    'Paying from an exchange? It may take its fee out of what you enter. Enter that much more, so that {amount} {coin} arrives here.',
  qrCode: 'QR code of the payment: {amount} {coin}',
  openWallet: 'Open in a wallet',
  otherCoin: 'Pay with another coin',
  confirmations: 'Confirmations',
  confirmationsOf: '{count} of {needed}',
  unconfirmed: 'Not in a block yet',
  transaction: 'Transaction',
  lookUp: 'View in a block explorer',
  due: 'Amount due',
  arrived: 'Arrived',
  missing: 'Missing',
  surplus: 'More than the amount',
  paidAt: 'Time of payment',
  receipt: 'Receipt',
  print: 'Print the receipt',
  timeLeft: 'Time left',
  lastMinute: 'One minute is left to pay.',

  // Copying.
  copy: 'Copy',
  copied: 'Copied',
  copyAmount: 'Copy the amount',
  copyAddress: 'Copy the address',
  copyRequest: 'Copy the payment request',
  copyContract: 'Copy the token contract',
  copyTransaction: 'Copy the transaction’s id',
  copyUri: 'Copy the payment link',

  // Refunds, and the way out.
  refundAsk: 'Leave an address for a refund',
  refundTitle: 'Address for a refund',
  refundLabel: 'Your own address on {chain}',
  refundSave: 'Save the address',
  refundNote:
    'The merchant decides on refunds. Money is sent to this address only. It cannot be changed here afterwards.',
  refundTo: 'A refund would go to',
  refundYours: 'Your refund',
  refundAmount: 'Amount',
  refundAmountNet: 'Amount, less the fee of the network',
  back: 'Back',
  toMerchant: 'Back to the merchant',
  leaving: 'You will be taken back to the merchant in a few seconds.',
  stay: 'Stay here and show the receipt',
  closeText: 'You can close this page. It stays at this address if you need it again.',
  support: 'Questions about this order? Ask the merchant:',

  // Refused forms, and pages without an order.
  refusedInput: 'That was not accepted. Check what you entered.',
  refusedCoin: 'This coin is not available any more. Please choose another.',
  refusedState: 'This cannot be changed any more.',
  refusedNow: 'That did not work just now. Please try again in a minute.',
  refusedOther: 'That did not work. Please try again.',
  unknownTitle: 'There is no such order',
  unknownText: 'Check the link, or ask the merchant for a new one.',
  awayTitle: 'Back in a moment',
  awayText: 'This page cannot be shown right now. Please reload it in a minute; no payment is lost.',
  topUpTitle: 'Prepaid units',
  topUpLeft: '{units} units are left for this App.',
  topUpPlans: 'Buy more',
  topUpUnits: '{units} units',
  topUpUnknownTitle: 'There is no such App',
  language: 'Language',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a text. */
export type MessageName = keyof typeof en;

/** The page's texts in one language. */
export type Messages = Readonly<Record<MessageName, string>>;
