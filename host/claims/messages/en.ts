/** Every text of the claim page of a pull payment. A word in braces is a placeholder. */
export const en = {
  promised: 'You can claim',
  left: 'Still to claim',
  ofAmount: 'of {amount}',
  until: 'Claim it before',
  settledTitle: 'Paid',
  settledText: 'All of it has been claimed and paid.',
  expiredTitle: 'Expired',
  expiredText: 'The time to claim it has passed.',
  archivedTitle: 'Withdrawn',
  archivedText: 'The sender has withdrawn it. Nothing more can be claimed.',
  unknownTitle: 'Page not found',
  unknownText: 'Check the link, or ask the sender for a new one.',
  formTitle: 'Claim your payment',
  coin: 'Coin',
  address: 'Your address',
  addressOn: 'Your address on {chain}',
  addressNote: 'Check it carefully: a payment to a wrong address is lost.',
  amount: 'Amount in {currency}',
  amountNote: 'Leave it empty to claim everything.',
  claim: 'Claim',
  feesTitle: 'What arrives if you claim everything',
  arrives: 'About {amount}, after a network fee of about {fee}',
  feeUnknown: 'Not known at the moment',
  least: 'Minimum {amount}',
  noCoins: 'It cannot be claimed at the moment. Ask the sender.',
  claims: 'Claims',
  stateAwaiting: 'Waits for the sender’s approval',
  stateWaiting: 'Approved, waits to be paid',
  statePaying: 'Payment in progress',
  statePaid: 'Paid',
  stateFailed: 'Failed, can be claimed again',
  stateRejected: 'Rejected',
  notBefore: 'Paid after',
  refusedAmount:
    'This amount cannot be claimed. It must be at most what is left, and cover the network fee and the minimum.',
  refusedAddress: 'This address cannot be paid. Check that it belongs to the network of the coin.',
  refusedCoin: 'Choose one of the coins.',
  refusedFields: 'Check the coin, the address and the amount.',
  refusedState: 'It cannot be claimed at the moment. Reload the page, or ask the sender.',
  refusedAgain: 'This claim was sent before with other details. Reload the page.',
  refusedBalance: 'The sender cannot pay this amount at the moment. Ask the sender.',
  refusedOften: 'Too many attempts. Try again in a minute.',
  refusedOther: 'That did not work. Try again: the same claim is never paid twice.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a text. */
export type ClaimMessageName = keyof typeof en;

/** The texts in one language. */
export type ClaimMessages = Readonly<Record<ClaimMessageName, string>>;
