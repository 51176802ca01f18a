import { Edit, SaveButton, SimpleForm, Toolbar, useRecordContext } from 'react-admin';
import type { GatewayItem } from '../../operator-records.ts';
import { GatewayFields, GatewayOptions } from './gateway-fields.tsx';
import { bodyOf, changesOf, formOf } from './gateway-form.ts';
import type { GatewayForm } from './gateway-form.ts';

const changes = (form: GatewayForm, former?: { readonly previousData: GatewayItem }) =>
  former === undefined ? bodyOf(form) : changesOf(former.previousData, form);

/** A change of a gateway. */
export function GatewayEdit() {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} transform={changes}>
      <EditForm />
    </Edit>
  );
}

function EditForm() {
  const gateway = useRecordContext<GatewayItem>();
  if (gateway === undefined) return null;
  return (
    <SimpleForm
      record={formOf(gateway)}
      toolbar={
        <Toolbar>
          <SaveButton />
        </Toolbar>
      }
    >
      <GatewayFields />
      <GatewayOptions />
    </SimpleForm>
  );
}
