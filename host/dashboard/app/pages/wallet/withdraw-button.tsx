import { useState } from 'react';
import { useRedirect } from 'react-admin';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/form-dialog.tsx';
import type { TransferRecord, WalletRecord } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';

/** A balance without a digit other than zero cannot be withdrawn. */
const hasSome = ({ available }: WalletRecord): boolean => /[1-9]/.test(available);

/** Requests a withdrawal; repeating the form repeats the same request until it was accepted. */
export function WithdrawButton({ wallets }: { readonly wallets: readonly WalletRecord[] }) {
  const api = useApi();
  const redirect = useRedirect();
  const [keys] = useState(newIdempotencyKeys);
  const withdraw = async ({ coin = '', ...fields }: Values): Promise<void> => {
    const chain = wallets.find((each) => each.coin === coin)?.chain;
    const given = Object.entries(fields).filter(([, value]) => value !== '');
    const body = { ...Object.fromEntries(given), chain, coin };
    const { id } = await api.post<TransferRecord>('payouts', body, { idempotencyKey: keys.of(body) });
    keys.done(body);
    redirect('show', 'withdrawals', id);
  };
  const full = wallets.filter(hasSome);
  return (
    <FormDialog
      label="resources.withdrawals.request"
      success="resources.withdrawals.requested"
      text
      submit={withdraw}
      fields={[
        {
          name: 'coin',
          label: 'resources.withdrawals.fields.coin',
          choices: full.map(({ coin, chain, available }) => ({
            id: coin,
            label: `${coin} · ${chain} · ${available}`,
          })),
          initial: full[0]?.coin ?? '',
        },
        { name: 'amount', label: 'resources.withdrawals.fields.amount', type: 'decimal' },
        {
          name: 'verify_code',
          label: 'tillgate.stepUp.totp',
          type: 'code',
          help: 'resources.withdrawals.codeHelp',
        },
        ...(full.some(({ chain }) => chain === 'BLN')
          ? [{ name: 'ln_invoices', label: 'resources.withdrawals.fields.ln_invoices' }]
          : []),
      ]}
    />
  );
}
