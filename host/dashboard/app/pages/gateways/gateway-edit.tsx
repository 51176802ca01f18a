import { useRecordContext } from 'react-admin';
import { changesSent, EditForm, EditPage } from '../../components/edit-page.tsx';
import type { GatewayItem } from '../../operator-records.ts';
import { GatewayFields, GatewayOptions } from './gateway-fields.tsx';
import { bodyOf, changesOf, formOf } from './gateway-form.ts';

const changes = changesSent(bodyOf, changesOf);

export function GatewayEdit() {
  return (
    <EditPage transform={changes}>
      <GatewayForm />
    </EditPage>
  );
}

function GatewayForm() {
  const gateway = useRecordContext<GatewayItem>();
  if (gateway === undefined) return null;
  return (
    <EditForm wide record={formOf(gateway)}>
      <GatewayFields />
      <GatewayOptions />
    </EditForm>
  );
}
