import {
  OPERATOR,
  TillgateError,
  addAuditRow,
  canPay,
  confirmRestore,
  dismissRestore,
  epochHold,
  findPayments,
  formatInstant,
  formatUnits,
  recoverCoins,
  requireChain,
} from '../../core/index.ts';
import type { PaymentFinding } from '../../core/index.ts';
import { payoutRecord } from '../../adapters/http/manage/payouts/payouts.ts';
import { EpochMarkerFile, markerPath } from '../boot/epoch-marker.ts';
import type { CommandCall } from './command.ts';
import { withRuntime, withTill } from './with-till.ts';

type FoundRecord = ReturnType<typeof payoutRecord> & {
  readonly found: PaymentFinding['kind'];
  readonly found_reason: string;
  readonly transactions: readonly {
    readonly tx_hash: string;
    readonly height: number | null;
    readonly received: string | null;
  }[];
};

/** `restore status`: the epoch, the waiting chains, and the state on chain of each payment in the backup. */
export async function restoreStatus({ json, terminal }: CommandCall): Promise<number> {
  const { epoch, waiting } = await withRuntime(async ({ storage }) => {
    const present = await storage.epochs.current();
    const chains = await storage.chains.states();
    const holds = chains.map(({ chain, caughtUpAt }) => ({ chain, hold: epochHold(present, caughtUpAt) }));
    return { epoch: present, waiting: holds.filter(({ hold }) => hold !== null) };
  });
  const { number, status, reason, startedAt, tillId } = epoch;
  // Without a restored backup no chain is opened, so the command works without nodes.
  const payments = number === 1 || status === 'dismissed' ? [] : await foundPayments();
  const record = { epoch: number, status, reason, started_at: formatInstant(startedAt), till_id: tillId, waiting };
  if (json) {
    terminal.out(JSON.stringify({ ...record, payments }));
    return 0;
  }
  terminal.out(`Epoch ${number} since ${record.started_at}, ${status}: ${reason}`);
  for (const { chain, hold } of waiting) terminal.out(`Payouts on ${chain} wait: ${hold}`);
  for (const each of payments)
    terminal.out(
      `${each.id}  ${each.status.padEnd(9)}  ${each.found.padEnd(7)}  ${each.amount} ${each.coin} to ${each.to_address}: ${each.found_reason}`,
    );
  return 0;
}

/** The payments of the backup as `withdrawal list` shows them, with their state on chain. */
function foundPayments(): Promise<readonly FoundRecord[]> {
  return withTill(async ({ storage, chains, lightningWork, assets }) => {
    const reports = await findPayments({ storage, chains, lightning: lightningWork?.node ?? null });
    return reports.map(({ transfer, finding: { kind, reason, transactions } }) => ({
      ...payoutRecord(transfer, assets),
      found: kind,
      found_reason: reason,
      transactions: transactions.map(({ txHash, height, obtainedUnits }) => ({
        tx_hash: txHash,
        height,
        received:
          obtainedUnits === null
            ? null
            : formatUnits(obtainedUnits, assets.require(transfer.chain, transfer.currency).decimals),
      })),
    }));
  });
}

export async function restoreConfirm({ json, terminal }: CommandCall): Promise<number> {
  // The held payments are reported with their amounts, which are known by the plugins' coins. No node is asked.
  const { epoch, held } = await withTill((_till, { config, storage, clock, ids, logger }) =>
    confirmRestore({ storage, clock, ids }, OPERATOR, new EpochMarkerFile(markerPath(config), logger).read()),
  );
  if (json) terminal.out(JSON.stringify({ epoch: epoch.number, held }));
  else
    terminal.out(
      `Epoch ${epoch.number} is confirmed. ${held} payments are held. "restore status" shows the state of each on chain: use "withdrawal settle" for those that were paid, "withdrawal approve" or "withdrawal reject" for the others.`,
    );
  return 0;
}

export async function restoreCoins({ operands, json, terminal }: CommandCall): Promise<number> {
  const code = operands[0] ?? '';
  const { found, gone } = await withTill(async ({ chains, storage }, { ids, clock }) => {
    const chain = requireChain(chains, code);
    if (!canPay(chain)) throw new TillgateError('NOT_READY', `The chain ${code} is watch-only.`);
    const recovered = await recoverCoins(chain, storage);
    const changes = {
      coins_found: { from: null, to: recovered.found },
      coins_gone: { from: null, to: recovered.gone },
    };
    await storage.transaction(async (tx) =>
      addAuditRow({ ids, clock }, tx, OPERATOR, { action: 'restore.coins', accountId: null, subjectId: code, changes }),
    );
    return recovered;
  });
  terminal.out(
    json
      ? JSON.stringify({ chain: code, found, gone })
      : `${code}: ${gone} coins were spent since the backup, ${found} unknown ones are the hot wallet's.`,
  );
  return 0;
}

export async function restoreDismiss({ json, terminal }: CommandCall): Promise<number> {
  const epoch = await withRuntime(({ storage, clock, ids }) => dismissRestore({ storage, clock, ids }, OPERATOR));
  terminal.out(
    json
      ? JSON.stringify({ epoch: epoch.number })
      : `No backup was restored: payments resume in epoch ${epoch.number}.`,
  );
  return 0;
}
