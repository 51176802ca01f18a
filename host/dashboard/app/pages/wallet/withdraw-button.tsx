import { useState } from 'react';
import { useRedirect } from 'react-admin';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Field, Values } from '../../components/field.ts';
import type { TransferRecord, WalletRecord } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';
import { bodyOf } from './withdrawal-form.ts';
import type { WithdrawalForm } from './withdrawal-form.ts';

/** A balance without a digit other than zero cannot be withdrawn. */
const hasSome = ({ available }: WalletRecord): boolean => /[1-9]/.test(available);

/** Requests a withdrawal; repeating the form repeats the same request until it was accepted. */
export function WithdrawButton({ wallets }: { readonly wallets: readonly WalletRecord[] }) {
  const api = useApi();
  const redirect = useRedirect();
  const [keys] = useState(newIdempotencyKeys);
  const withdraw = async (values: Values): Promise<void> => {
    const body = bodyOf(values, wallets);
    const { id } = await api.post<TransferRecord>('payouts', body, { idempotencyKey: keys.of(body) });
    keys.done(body);
    redirect('show', 'withdrawals', id);
  };
  const full = wallets.filter(hasSome);
  const fields: readonly (Field & { readonly name: keyof WithdrawalForm })[] = [
    {
      name: 'coin',
      label: 'resources.withdrawals.fields.coin',
      choices: full.map(({ coin, chain, available }) => ({ id: coin, label: `${coin} · ${chain} · ${available}` })),
      initial: full[0]?.coin ?? '',
    },
    { name: 'amount', label: 'resources.withdrawals.fields.amount', type: 'decimal' },
    { name: 'verify_code', label: 'tillgate.stepUp.totp', type: 'code', help: 'resources.withdrawals.codeHelp' },
    ...(full.some(({ chain }) => chain === 'BLN')
      ? [{ name: 'invoice', label: 'resources.withdrawals.fields.invoice' } as const]
      : []),
  ];
  return (
    <FormDialog
      label="resources.withdrawals.request"
      success="resources.withdrawals.requested"
      text
      submit={withdraw}
      fields={fields}
    />
  );
}
