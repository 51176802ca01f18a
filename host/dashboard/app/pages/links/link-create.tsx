import {
  AutocompleteArrayInput,
  Create,
  DateTimeInput,
  NumberInput,
  SelectInput,
  SimpleForm,
  TextInput,
  required,
} from 'react-admin';
import { useService } from '../../components/service.ts';

/** Of empty fields nothing is sent; a moment is sent in UTC. */
function bodyOf({ expires_at: end, ...fields }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const empty = (value: unknown): boolean =>
    value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  const given = Object.entries(fields).filter(([, value]) => !empty(value));
  const until = empty(end) ? {} : { expires_at: new Date(end as string | Date).toISOString() };
  return { ...Object.fromEntries(given), ...until };
}

/** A new payment link or counter; its page has the address, the QR code and the button. */
export function LinkCreate() {
  const service = useService();
  const coins = [...new Set((service?.coins ?? []).filter(({ status }) => status).map(({ currency }) => currency))];
  return (
    <Create redirect="show" transform={bodyOf}>
      <SimpleForm defaultValues={{ vs_currency: 'USD', face: 'LINK' }}>
        <TextInput source="title" validate={required()} autoFocus helperText={false} />
        <TextInput source="description" multiline helperText={false} />
        <SelectInput
          source="face"
          validate={required()}
          choices={['LINK', 'COUNTER'].map((id) => ({ id, name: `resources.links.faces.${id}` }))}
          helperText="resources.links.faceHelp"
        />
        <SelectInput
          source="vs_currency"
          validate={required()}
          choices={(service?.fiats ?? []).map(({ currency, name }) => ({
            id: currency,
            name: `${currency} – ${name}`,
          }))}
          translateChoice={false}
          helperText={false}
        />
        <TextInput source="vs_price" inputMode="decimal" helperText="resources.links.priceHelp" />
        <TextInput source="min_price" inputMode="decimal" helperText={false} />
        <TextInput source="max_price" inputMode="decimal" helperText={false} />
        <AutocompleteArrayInput
          source="coins"
          choices={coins.map((id) => ({ id, name: id }))}
          translateChoice={false}
          helperText="resources.links.coinsHelp"
        />
        <NumberInput source="max_sales" min={1} step={1} helperText="resources.links.salesHelp" />
        <DateTimeInput source="expires_at" helperText={false} />
        <TextInput source="return_url" type="url" helperText={false} />
        <TextInput source="callback_url" type="url" helperText={false} />
        <TextInput source="reference_prefix" helperText={false} />
      </SimpleForm>
    </Create>
  );
}
