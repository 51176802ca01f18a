import { Create, SelectInput, required } from 'react-admin';
import { CreateForm } from '../../components/create-form.tsx';
import { useService } from '../../components/service.ts';
import { LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf } from './link-form.ts';

/** A new payment link or point of sale; its page has the URL, the QR code and the button. */
export function LinkCreate() {
  const service = useService();
  return (
    <Create redirect="show" transform={bodyOf}>
      <CreateForm defaultValues={{ currency: 'USD', face: 'LINK' }}>
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
          choices={(service?.fiats ?? []).map(({ currency, name }) => ({
            id: currency,
            name: `${currency} – ${name}`,
          }))}
          translateChoice={false}
          helperText={false}
        />
        <LinkTerms />
      </CreateForm>
    </Create>
  );
}
