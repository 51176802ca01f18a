import { Create } from 'react-admin';
import { CreateForm } from '../../components/create-form.tsx';
import { GatewayFields } from './gateway-fields.tsx';
import { bodyOf } from './gateway-form.ts';
import type { GatewayForm } from './gateway-form.ts';

const NEW: GatewayForm = {
  network: 'mainnet',
  protocol: 'jsonrpc',
  admission: 'enforce',
  enabled: true,
  upstreams: [{ url: '' }],
};

/** A new gateway with default rules and limits, which can be changed afterwards. */
export function GatewayCreate() {
  return (
    <Create redirect="show" transform={bodyOf}>
      <CreateForm wide defaultValues={NEW}>
        <GatewayFields />
      </CreateForm>
    </Create>
  );
}
