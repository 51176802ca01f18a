import Button from '@mui/material/Button';
import {
  ArrayInput,
  AutocompleteArrayInput,
  DateTimeInput,
  NumberInput,
  SimpleFormIterator,
  TextInput,
  required,
  useSimpleFormIterator,
  useTranslate,
} from 'react-admin';
import { useWatch } from 'react-hook-form';
import { DecimalInput } from '../../components/decimal-input.tsx';
import { useCoinChoices } from '../../components/money.ts';
import { MoreOptions } from '../../components/more-options.tsx';
import { tipsOf } from './link-form.ts';

export function LinkTexts() {
  return (
    <>
      <TextInput source="title" validate={required()} autoFocus helperText={false} />
      <TextInput source="description" multiline helperText={false} />
    </>
  );
}

const LIMITS = ['min_price', 'max_price'] as const;
const OPTIONS = ['tips', 'coins', 'max_sales', 'expires_at', 'return_url', 'callback_url', 'reference_prefix'] as const;

/** Whether the form has items, which exclude an amount. */
function useHasItems(): boolean {
  const items: unknown = useWatch({ name: 'items' });
  return Array.isArray(items) && items.length > 0;
}

/** What is sold, each with its price. */
export function LinkItems() {
  return (
    <ArrayInput source="items" helperText="resources.links.itemsHelp">
      <SimpleFormIterator inline disableReordering disableClear fullWidth addButton={<AddItem />}>
        <TextInput source="name" label="resources.links.itemName" validate={required()} helperText={false} />
        <DecimalInput source="price" label="resources.links.itemPrice" isRequired helperText={false} />
      </SimpleFormIterator>
    </ArrayInput>
  );
}

function AddItem() {
  const { add } = useSimpleFormIterator();
  const translate = useTranslate();
  return (
    <Button variant="outlined" onClick={() => add()}>
      {translate('ra.action.add')}
    </Button>
  );
}

export function LinkPriceField() {
  if (useHasItems()) return null;
  return <DecimalInput source="price" helperText="resources.links.priceHelp" />;
}

/** The fields that may be changed later besides the texts and the price; a fixed price has no limits. */
export function LinkTerms() {
  const coins = useCoinChoices();
  const price: unknown = useWatch({ name: 'price' });
  const hasItems = useHasItems();
  const isFixed = hasItems || (price !== undefined && price !== null && price !== '');
  return (
    <MoreOptions of={[...LIMITS, ...OPTIONS]}>
      {isFixed ? null : LIMITS.map((name) => <DecimalInput key={name} source={name} helperText={false} />)}
      <TipsInput />
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

function TipsInput() {
  const translate = useTranslate();
  const readable = (value: unknown): string | undefined =>
    tipsOf(value).every(Number.isInteger) ? undefined : translate('resources.links.tipsHelp');
  return <TextInput source="tips" autoComplete="off" validate={readable} helperText="resources.links.tipsHelp" />;
}
