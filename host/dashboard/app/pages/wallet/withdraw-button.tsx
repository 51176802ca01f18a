import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { useRedirect, useTranslate } from 'react-admin';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PayoutEstimate } from '../../components/payout-estimate.tsx';
import type { Field, Values } from '../../components/field.ts';
import { useMoney } from '../../components/money.ts';
import { isSome } from '../../decimals.ts';
import type { SecurityRecord, TransferRecord, WalletRecord } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';
import { bodyOf } from './withdrawal-form.ts';
import type { WithdrawalForm } from './withdrawal-form.ts';

const LIGHTNING = 'BLN';

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
  const money = useMoney();
  const { data: security } = useQuery({
    queryKey: ['security'],
    queryFn: ({ signal }) => api.get<SecurityRecord>('security', {}, signal),
  });
  const chainOf = ({ coin }: Values): string => wallets.find((wallet) => wallet.coin === coin)?.chain ?? '';
  const onLightning = (values: Values): boolean => chainOf(values) === LIGHTNING;
  const asked = (values: Values): Values | null => {
    const { coin = '', amount = '' } = values;
    return coin === '' || amount === '' ? null : { chain: chainOf(values), coin, amount };
  };
  const full = wallets.filter(({ available }) => isSome(available));
  const fields: readonly (Field & { readonly name: keyof WithdrawalForm })[] = [
    {
      name: 'coin',
      label: 'resources.withdrawals.fields.coin',
      choices: full.map(({ coin, available }) => ({ id: coin, label: money(available, coin) })),
      initial: full[0]?.coin ?? '',
    },
    {
      name: 'amount',
      label: 'resources.withdrawals.fields.amount',
      type: 'decimal',
      most: ({ coin }) => full.find((wallet) => wallet.coin === coin)?.available,
    },
    { name: 'invoice', label: 'resources.withdrawals.fields.invoice', shown: onLightning },
    {
      name: 'verify_code',
      label: 'tillgate.stepUp.totp',
      type: 'code',
      help: 'resources.withdrawals.codeHelp',
      shown: (values) => security?.totp_for_payouts === true || onLightning(values),
    },
  ];
  return (
    <FormDialog
      label="resources.withdrawals.request"
      success="resources.withdrawals.requested"
      text
      submit={withdraw}
      fields={fields}
      preview={(values) =>
        onLightning(values) ? null : (
          <PayoutEstimate path="payout-quotes" query={asked(values)} cure={<AddressesLink />} />
        )
      }
    />
  );
}

function AddressesLink() {
  const translate = useTranslate();
  return (
    <Button color="inherit" size="small" component={Link} to="/withdrawal-addresses">
      {translate('resources.withdrawal-addresses.name', { smart_count: 2 })}
    </Button>
  );
}
