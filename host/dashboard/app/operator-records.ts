import type { z } from 'zod';
import type { accountDetailSchema, accountSchema } from '../../../adapters/http/manage/access/accounts.ts';
import type { alertSchema } from '../../../adapters/http/manage/notify/alerts.ts';
import type { auditChainSchema, auditSchema } from '../../../adapters/http/manage/access/audit.ts';
import type { chainSchema, walletSchema } from '../../../adapters/http/manage/payouts/chains.ts';
import type { depositSchema, rescanSchema } from '../../../adapters/http/manage/deposits/deposits.ts';
import type { gatewaySchema } from '../../../adapters/http/manage/gateway/gateways.ts';
import type { payoutDetailSchema, payoutSchema } from '../../../adapters/http/manage/payouts/payouts.ts';

export type AccountItem = z.output<typeof accountSchema>;
export type AccountFile = z.output<typeof accountDetailSchema>;
export type TransferItem = z.output<typeof payoutSchema>;
/** A transfer with its approvals and its signed transactions. */
export type TransferFile = z.output<typeof payoutDetailSchema>;
export type ChainItem = z.output<typeof chainSchema>;
export type ChainWallet = z.output<typeof walletSchema>;
export type AlertItem = z.output<typeof alertSchema>;
export type DepositItem = z.output<typeof depositSchema>;
export type RescanResult = z.output<typeof rescanSchema>;
export type GatewayItem = z.output<typeof gatewaySchema>;
export type AuditItem = z.output<typeof auditSchema>;
export type AuditPiece = z.output<typeof auditChainSchema>;
