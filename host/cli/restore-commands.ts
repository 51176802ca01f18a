import {
  OPERATOR,
  TillgateError,
  addAuditRow,
  canPay,
  confirmRestore,
  dismissRestore,
  epochHold,
  formatInstant,
  recoverCoins,
  requireChain,
} from '../../core/index.ts';
import { EpochMarkerFile, markerPath } from '../epoch-marker.ts';
import type { CommandCall } from './command.ts';
import { withRuntime, withTill } from './with-till.ts';

/** `restore status` */
export async function restoreStatus({ json, terminal }: CommandCall): Promise<number> {
  const { epoch, waiting } = await withRuntime(async ({ storage }) => {
    const present = await storage.epochs.current();
    const chains = await storage.chains.states();
    const holds = chains.map(({ chain, caughtUpAt }) => ({ chain, hold: epochHold(present, caughtUpAt) }));
    return { epoch: present, waiting: holds.filter(({ hold }) => hold !== null) };
  });
  const { number, status, reason, startedAt, tillId } = epoch;
  const record = { epoch: number, status, reason, started_at: formatInstant(startedAt), till_id: tillId, waiting };
  if (json) {
    terminal.out(JSON.stringify(record));
    return 0;
  }
  terminal.out(`Epoch ${number} since ${record.started_at}, ${status}: ${reason}`);
  for (const { chain, hold } of waiting) terminal.out(`Payouts on ${chain} wait: ${hold}`);
  return 0;
}

/** `restore confirm` */
export async function restoreConfirm({ json, terminal }: CommandCall): Promise<number> {
  const { epoch, held } = await withRuntime(({ config, storage, clock, ids, logger }) =>
    confirmRestore({ storage, clock, ids }, OPERATOR, new EpochMarkerFile(markerPath(config), logger).read()),
  );
  if (json) terminal.out(JSON.stringify({ epoch: epoch.number, held }));
  else
    terminal.out(
      `Epoch ${epoch.number} is confirmed. ${held} payments are held: find each on its chain, then "withdrawal approve" what was not paid and "withdrawal reject" what was. "withdrawal list --status HELD" lists them.`,
    );
  return 0;
}

/** `restore coins CODE` */
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
    await storage.transaction((tx) =>
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

/** `restore dismiss` */
export async function restoreDismiss({ json, terminal }: CommandCall): Promise<number> {
  const epoch = await withRuntime(({ storage, clock, ids }) => dismissRestore({ storage, clock, ids }, OPERATOR));
  terminal.out(
    json ? JSON.stringify({ epoch: epoch.number }) : `No backup was restored: payments go on in epoch ${epoch.number}.`,
  );
  return 0;
}
