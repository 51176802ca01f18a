import { Create, SelectInput, required } from 'react-admin';
import { CreateForm } from '../../components/create-form.tsx';
import { useFiatChoices } from '../../components/money.ts';
import { useLinkAmounts } from './link-amounts.ts';
import { LinkItems, LinkPriceField, LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf } from './link-form.ts';
import type { LinkForm } from './link-form.ts';
import { LinkPreview } from './link-preview.tsx';

/** A new payment link or point of sale; its page has the URL, the QR code and the button. */
export function LinkCreate() {
  const fiats = useFiatChoices();
  const amounts = useLinkAmounts();
  return (
    <Create redirect="show" transform={(form: LinkForm) => bodyOf(amounts.read(form))}>
      <CreateForm defaultValues={{ currency: 'USD', face: 'LINK' }} beside={<LinkPreview />}>
        <LinkTexts />
        <SelectInput
          source="face"
          validate={required()}
          choices={['LINK', 'POINT_OF_SALE'].map((id) => ({ id, name: `resources.links.faces.${id}` }))}
          helperText="resources.links.faceHelp"
        />
        <SelectInput
          source="currency"
          validate={required()}
          choices={fiats}
          translateChoice={false}
          helperText={false}
        />
        <LinkItems />
        <LinkPriceField />
        <LinkTerms />
      </CreateForm>
    </Create>
  );
}
