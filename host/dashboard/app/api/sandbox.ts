/** Pays an order on the simulated chain, relative to the management API. Only a sandbox has it. */
export const SANDBOX_PAY = '../../sandbox/v1/pay';
