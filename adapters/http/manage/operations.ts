import type { Operation } from '../operation.ts';
import { accountOperations } from './account-operations.ts';
import { appKeyOperations, appOperations } from './app-operations.ts';
import { credentialOperations, securityOperations } from './credential-operations.ts';
import type { ManageDeps } from './deps.ts';
import { auditOperations, callbackOperations, orderDeskOperations } from './desk-operations.ts';
import { sessionGate } from './gate.ts';
import { gatewayOperations } from './gateway-operations.ts';
import { watchAddressOperations, withdrawalAddressOperations, withdrawalOperations } from './money-operations.ts';
import { manageRows } from './operation.ts';
import { sessionOperations } from './session-operations.ts';

/** The rows of the management API (decisions, section 9), for the operations table. */
export function manageOperations(deps: ManageDeps): readonly Operation[] {
  const gate = sessionGate(deps.manage.sessions);
  const row = manageRows(gate);
  const parts = [
    accountOperations,
    appOperations,
    appKeyOperations,
    gatewayOperations,
    credentialOperations,
    securityOperations,
    callbackOperations,
    orderDeskOperations,
    withdrawalAddressOperations,
    watchAddressOperations,
    withdrawalOperations,
    auditOperations,
  ];
  return [...sessionOperations(deps, gate), ...parts.flatMap((part) => part(deps, row))];
}
