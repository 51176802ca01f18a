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
import { useService } from '../../components/service.ts';
import { bodyOf } from '../links/link-form.ts';

/** A new pull payment; its page shows the URL where it can be claimed. */
export function PullPaymentCreate() {
  const service = useService();
  const coins = [...new Set((service?.coins ?? []).filter(({ enabled }) => enabled).map(({ coin }) => coin))];
  const fiats = (service?.fiats ?? []).map(({ currency, name }) => ({ id: currency, name: `${currency} – ${name}` }));
  return (
    <Create redirect="show" transform={bodyOf}>
      <CreateForm defaultValues={{ auto_approve: false }}>
        <TextInput source="name" validate={required()} autoFocus helperText={false} />
        <SelectInput
          source="currency"
          validate={required()}
          choices={[...coins.map((id) => ({ id, name: id })), ...fiats]}
          translateChoice={false}
          helperText="resources.pull-payments.currencyHelp"
        />
        <TextInput source="amount" validate={required()} inputMode="decimal" helperText={false} />
        <AutocompleteArrayInput
          source="coins"
          choices={coins.map((id) => ({ id, name: id }))}
          translateChoice={false}
          helperText="resources.pull-payments.coinsHelp"
        />
        <DateTimeInput source="expires_at" helperText={false} />
        <BooleanInput source="auto_approve" helperText="resources.pull-payments.autoHelp" />
        <TextInput source="reference" helperText={false} />
        <TextInput source="order" helperText={false} />
      </CreateForm>
    </Create>
  );
}
