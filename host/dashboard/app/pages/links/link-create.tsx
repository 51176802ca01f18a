import { Create, SelectInput, SimpleForm, required } from 'react-admin';
import { useService } from '../../components/service.ts';
import { LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf } from './link-form.ts';

/** A new payment link or counter; its page has the address, the QR code and the button. */
export function LinkCreate() {
  const service = useService();
  return (
    <Create redirect="show" transform={bodyOf}>
      <SimpleForm defaultValues={{ vs_currency: 'USD', face: 'LINK' }}>
        <LinkTexts />
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
        <LinkTerms />
      </SimpleForm>
    </Create>
  );
}
