/** Pays an order on the simulated chain, relative to the management API. Only a sandbox has it. */
export const SANDBOX_PAY = '../../sandbox/v1/pay';
/** Mines blocks on a simulated chain. */
export const SANDBOX_BLOCKS = '../../sandbox/v1/blocks';
/** Enough for every chain's payments to be spendable. */
export const SANDBOX_DEPTH = 70;
