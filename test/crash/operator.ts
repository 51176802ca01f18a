import { confirmNodeLife, confirmRestore, OPERATOR } from '../../core/index.ts';
import type { TransferId } from '../../core/index.ts';
import { withRuntime, withTill } from '../../host/cli/with-till.ts';
import { EpochMarkerFile, markerPath } from '../../host/boot/epoch-marker.ts';
import type { RuntimeOptions } from '../../host/boot/runtime.ts';

type Act = (words: readonly string[], options: RuntimeOptions) => Promise<unknown>;

/** The operator's decisions, made in a process beside the server by the use cases of the commands. */
const ACTS = {
  'deposit refund': ([id = '', address = ''], options) =>
    withTill(({ manage }) => manage.deposits.refund(OPERATOR, id, address), options),
  'transfer cancel': ([id = '', reason = ''], options) =>
    withTill(({ manage }) => manage.withdrawals.cancel(OPERATOR, id as TransferId, reason), options),
  'wallet write-off': ([address = '', reason = ''], options) =>
    withTill(({ manage }) => manage.chains.writeOffFrozen(OPERATOR, 'ETH', address, reason), options),
  'lightning confirm': (_words, options) => withRuntime((runtime) => confirmNodeLife(runtime, OPERATOR), options),
  'restore confirm': (_words, options) =>
    withTill(
      (_till, { config, storage, clock, ids, logger }) =>
        confirmRestore({ storage, clock, ids }, OPERATOR, new EpochMarkerFile(markerPath(config), logger).read()),
      options,
    ),
} as const satisfies Record<string, Act>;

/** The first word of the command line that runs one. */
export const OPERATE = 'operate';

export type OperatorAct = keyof typeof ACTS;

export async function operate([act, ...words]: readonly string[], options: RuntimeOptions): Promise<void> {
  const acts: Readonly<Record<string, Act>> = ACTS;
  await acts[act ?? '']?.(words, options);
}
