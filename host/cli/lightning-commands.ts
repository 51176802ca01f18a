import {
  LIGHTNING_ASSET,
  OPERATOR,
  confirmNodeLife,
  dismissNodeLife,
  formatInstant,
  nodeLifeHold,
} from '../../core/index.ts';
import { nodeLifeRecord } from '../../adapters/http/manage/payouts/lightning.ts';
import type { CommandCall } from './command.ts';
import { withRuntime } from './with-till.ts';

const { chain: CHAIN } = LIGHTNING_ASSET;

export async function lightningStatus({ json, terminal }: CommandCall): Promise<number> {
  const life = await withRuntime(({ storage }) => storage.lightning.life());
  if (json) terminal.out(JSON.stringify(nodeLifeRecord(life)));
  else {
    const { number, status, reason, startedAt } = life;
    terminal.out(`Life ${number} of the Lightning node since ${formatInstant(startedAt)}, ${status}: ${reason}`);
    const hold = nodeLifeHold(life);
    if (hold !== null) terminal.out(`Payments over ${CHAIN} wait: ${hold}`);
  }
  return 0;
}

export async function lightningConfirm({ json, terminal }: CommandCall): Promise<number> {
  const life = await withRuntime((runtime) => confirmNodeLife(runtime, OPERATOR));
  terminal.out(
    json
      ? JSON.stringify(nodeLifeRecord(life))
      : `Life ${life.number} of the Lightning node is confirmed: payments resume, and earlier ones that the node does not know are held. "withdrawal list --status HELD" shows them: use "withdrawal settle" for those that were paid, "withdrawal approve" or "withdrawal reject" for the others.`,
  );
  return 0;
}

export async function lightningDismiss({ json, terminal }: CommandCall): Promise<number> {
  const life = await withRuntime((runtime) => dismissNodeLife(runtime, OPERATOR));
  terminal.out(json ? JSON.stringify(nodeLifeRecord(life)) : 'The Lightning node has lost nothing: payments resume.');
  return 0;
}
