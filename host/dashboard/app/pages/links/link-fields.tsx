import { AutocompleteArrayInput, DateTimeInput, NumberInput, TextInput, required } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { DecimalInput } from '../../components/decimal-input.tsx';
import { useCoinChoices } from '../../components/money.ts';
import { MoreOptions } from '../../components/more-options.tsx';

export function LinkTexts() {
  return (
    <>
      <TextInput source="title" validate={required()} autoFocus helperText={false} />
      <TextInput source="description" multiline helperText={false} />
    </>
  );
}

const LIMITS = ['min_price', 'max_price'] as const;
const OPTIONS = ['coins', 'max_sales', 'expires_at', 'return_url', 'callback_url', 'reference_prefix'] as const;

export function LinkPriceField() {
  return <DecimalInput source="price" helperText="resources.links.priceHelp" />;
}

/** The fields that may be changed later besides the texts and the price; a fixed price has no limits. */
export function LinkTerms() {
  const coins = useCoinChoices();
  const price: unknown = useWatch({ name: 'price' });
  const isFixed = price !== undefined && price !== null && price !== '';
  return (
    <MoreOptions of={[...LIMITS, ...OPTIONS]}>
      {isFixed ? null : LIMITS.map((name) => <DecimalInput key={name} source={name} helperText={false} />)}
      <AutocompleteArrayInput
        source="coins"
        choices={coins}
        translateChoice={false}
        helperText="resources.links.coinsHelp"
      />
      <NumberInput source="max_sales" min={1} step={1} helperText="resources.links.salesHelp" />
      <DateTimeInput source="expires_at" helperText={false} />
      <TextInput source="return_url" type="url" helperText="resources.links.returnHelp" />
      <TextInput source="callback_url" type="url" helperText="resources.links.callbackHelp" />
      <TextInput source="reference_prefix" helperText="resources.links.prefixHelp" />
    </MoreOptions>
  );
}
