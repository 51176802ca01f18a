/** The path, relative to the management API, that pays an order on the simulated chain. Only a sandbox has it. */
export const SANDBOX_PAY = '../../sandbox/v1/pay';
/** The path that mines blocks on a simulated chain. */
export const SANDBOX_BLOCKS = '../../sandbox/v1/blocks';
/** Enough blocks for every chain's payments to be spendable. */
export const SANDBOX_DEPTH = 70;
