import type { WalletRecord, WithdrawalRequest } from '../../records.ts';

/** The form's fields, which are the API's; each may be empty. */
export type WithdrawalForm = Partial<Record<'coin' | 'amount' | 'verify_code' | 'invoice', string>>;

/** The body that requests a withdrawal; empty fields are omitted. */
export function bodyOf(
  { coin = '', amount = '', verify_code: code = '', invoice = '' }: WithdrawalForm,
  wallets: readonly Pick<WalletRecord, 'coin' | 'chain'>[],
): WithdrawalRequest {
  const chain = wallets.find((each) => each.coin === coin)?.chain ?? '';
  return {
    ...{ chain, coin, amount },
    ...(code === '' ? {} : { verify_code: code }),
    ...(invoice === '' ? {} : { invoice }),
  };
}
