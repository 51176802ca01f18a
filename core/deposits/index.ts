export { ManageDeposits } from './manage-deposits.ts';
export type { RescanDeposits } from './rescan.ts';
export type { UnassignedDeposits } from './unassigned-deposits.ts';
