import { Create, SelectInput, TextInput, required } from 'react-admin';
import { useState } from 'react';
import { CreateForm } from '../../components/create-form.tsx';
import { DecimalInput, useDecimals } from '../../components/decimal-input.tsx';
import { useCoinName } from '../../components/money.ts';
import { useService } from '../../components/service.ts';
import { newIdempotencyKeys } from '../../till.ts';

interface OrderForm {
  readonly chainAndCoin?: string;
  readonly [field: string]: unknown;
}

/** The form has one field for the coin, the API has two; empty fields are omitted. */
function bodyOf({ chainAndCoin = '', ...fields }: OrderForm): Record<string, unknown> {
  const [chain, coin] = chainAndCoin.split(' ');
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(chain === undefined || coin === undefined ? {} : { chain, coin }),
  };
}

/** Creates an order; its page has the link for the payer. */
export function OrderCreate() {
  const service = useService();
  const [keys] = useState(newIdempotencyKeys);
  const coinName = useCoinName();
  const decimals = useDecimals('price');
  const coins = (service?.coins ?? []).filter(({ enabled }) => enabled);
  return (
    <Create
      redirect="show"
      transform={(form: OrderForm) => bodyOf(decimals.read(form))}
      mutationOptions={{ meta: { keys } }}
    >
      <CreateForm defaultValues={{ currency: 'USD', chainAndCoin: '' }}>
        <DecimalInput source="price" isRequired autoFocus helperText={false} />
        <SelectInput
          source="currency"
          validate={required()}
          choices={(service?.fiats ?? []).map(({ currency, name }) => ({
            id: currency,
            name: `${currency} – ${name}`,
          }))}
          translateChoice={false}
        />
        <SelectInput
          source="chainAndCoin"
          label="resources.orders.fields.coin"
          emptyText="resources.orders.payerChooses"
          choices={coins.map(({ chain, coin }) => ({ id: `${chain} ${coin}`, name: coinName(coin) }))}
          translateChoice={false}
          helperText="resources.orders.coinHelp"
        />
        <TextInput source="merchant_reference" helperText="resources.orders.referenceHelp" />
        <TextInput source="remark" helperText={false} />
      </CreateForm>
    </Create>
  );
}
