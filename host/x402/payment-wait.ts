/** A request waits so long for its payment; then it is answered with 202. */
export const PAYMENT_WAIT_MS = 20_000;
/** How often it looks. */
export const PAYMENT_POLL_MS = 250;
