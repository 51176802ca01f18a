/** The longest that a request waits for its payment; then it is answered with 202. */
export const PAYMENT_WAIT_MS = 20_000;
/** The interval at which the payment's state is read. */
export const PAYMENT_POLL_MS = 250;
