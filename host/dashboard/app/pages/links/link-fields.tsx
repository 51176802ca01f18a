import { AutocompleteArrayInput, DateTimeInput, NumberInput, TextInput, required } from 'react-admin';
import { useService } from '../../components/service.ts';

export function LinkTexts() {
  return (
    <>
      <TextInput source="title" validate={required()} autoFocus helperText={false} />
      <TextInput source="description" multiline helperText={false} />
    </>
  );
}

/** The fields besides the texts that may be changed later. */
export function LinkTerms() {
  const service = useService();
  const coins = [...new Set((service?.coins ?? []).filter(({ enabled }) => enabled).map(({ coin }) => coin))];
  return (
    <>
      <TextInput source="price" inputMode="decimal" helperText="resources.links.priceHelp" />
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
    </>
  );
}
