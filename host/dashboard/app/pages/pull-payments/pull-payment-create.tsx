import {
  AutocompleteArrayInput,
  BooleanInput,
  Create,
  DateTimeInput,
  SelectInput,
  TextInput,
  required,
} from 'react-admin';
import { CreateForm } from '../../components/create-form.tsx';
import { DecimalInput, useDecimals } from '../../components/decimal-input.tsx';
import { useCoinChoices, useFiatChoices } from '../../components/money.ts';
import { MoreOptions } from '../../components/more-options.tsx';
import { bodyOf } from '../links/link-form.ts';
import type { LinkForm } from '../links/link-form.ts';

/** A new pull payment; its page shows the URL where it can be claimed. */
export function PullPaymentCreate() {
  const coins = useCoinChoices();
  const fiats = useFiatChoices();
  const decimals = useDecimals('amount');
  return (
    <Create redirect="show" transform={(form: LinkForm) => bodyOf(decimals.read(form))}>
      <CreateForm defaultValues={{ auto_approve: false }}>
        <TextInput source="name" validate={required()} autoFocus helperText={false} />
        <SelectInput
          source="currency"
          validate={required()}
          choices={[...coins, ...fiats]}
          translateChoice={false}
          helperText="resources.pull-payments.currencyHelp"
        />
        <DecimalInput source="amount" isRequired helperText={false} />
        <BooleanInput source="auto_approve" helperText="resources.pull-payments.autoHelp" />
        <MoreOptions of={['coins', 'expires_at', 'reference', 'order']}>
          <AutocompleteArrayInput
            source="coins"
            choices={coins}
            translateChoice={false}
            helperText="resources.pull-payments.coinsHelp"
          />
          <DateTimeInput source="expires_at" helperText={false} />
          <TextInput source="reference" helperText={false} />
          <TextInput source="order" helperText={false} />
        </MoreOptions>
      </CreateForm>
    </Create>
  );
}
