import { useNotify } from 'react-admin';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/field.ts';
import { useService } from '../../components/service.ts';
import type { RescanResult } from '../../operator-records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.deposits';

/** Converts blocks to numbers and omits empty fields. */
function bodyOf({ chain, tx_hash, from, to }: Values): Record<string, unknown> {
  const given = Object.entries({ chain, tx_hash, from, to }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      (name === 'from' || name === 'to') && /^\d{1,15}$/.test(value ?? '') ? Number(value) : value,
    ]),
  );
}

/** Reads blocks again, to find missed payments. */
export function RescanButton() {
  const api = useApi();
  const service = useService();
  const notify = useNotify();
  const chains = new Map((service?.coins ?? []).map((coin) => [coin.chain, coin.chain_name]));
  const rescan = async (values: Values): Promise<void> => {
    const { from, to, found } = await api.post<RescanResult>('deposits/rescan', bodyOf(values));
    notify(`${KEY}.rescanned`, { type: 'success', messageArgs: { from, to, smart_count: found.length } });
  };
  return (
    <FormDialog
      label={`${KEY}.rescan`}
      size="small"
      text
      fields={[
        {
          name: 'chain',
          label: `${KEY}.rescanChain`,
          choices: [...chains].map(([id, name]) => ({ id, label: `${name} (${id})` })),
        },
        { name: 'tx_hash', label: `${KEY}.fields.tx_hash`, help: `${KEY}.txHelp` },
        { name: 'from', label: `${KEY}.fields.from`, type: 'code' },
        { name: 'to', label: `${KEY}.fields.to`, type: 'code' },
      ]}
      submit={rescan}
    />
  );
}
