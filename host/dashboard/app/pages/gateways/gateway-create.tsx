import { Create, SimpleForm } from 'react-admin';
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

/** A new gateway; its rules and limits are the defaults, and can be changed afterwards. */
export function GatewayCreate() {
  return (
    <Create redirect="show" transform={bodyOf}>
      <SimpleForm defaultValues={NEW}>
        <GatewayFields />
      </SimpleForm>
    </Create>
  );
}
