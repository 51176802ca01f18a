import { createManage, StoreAlerts } from '../../../core/index.ts';
import { leadsToRefused } from '../../../adapters/callbacks/checked-lookup.ts';
import { WebauthnVerifier } from '../../../adapters/passkeys/index.ts';
import { ownHosts } from '../own-hosts.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** The management API's use cases; commands use them too. */
export const manageRecipes = {
  storeAlerts: recipe(['storage', 'events', 'ids', 'clock', 'logger'], (ports) => new StoreAlerts(ports)),
  manage: recipe(
    [
      'config',
      'storage',
      'vault',
      'random',
      'ids',
      'clock',
      'digest',
      'passwordHasher',
      'breachedPasswords',
      'events',
      'secondFactor',
      'createAccount',
      'createOrder',
      'orderStateMachine',
      'orderQueries',
      'gateway',
      'chains',
      'assets',
      'lightning',
      'walletQueries',
      'requestRefund',
      'requestWithdrawal',
      'unassignedDeposits',
      'refusedAttempts',
      'rescanDeposits',
      'topUps',
      'baseUrl',
    ],
    ({
      config: {
        mode,
        callbacks: { allowPrivateNetworks, hosts },
        serviceName,
        auth,
        keys,
        gateway: { sales, allowPrivateUpstreams },
        gateways,
        limits,
        withdrawals,
      },
      passwordHasher: hasher,
      orderStateMachine: stateMachine,
      orderQueries: queries,
      gateway,
      baseUrl,
      ...parts
    }) =>
      createManage({
        ...parts,
        hasher,
        passkeyVerifier: new WebauthnVerifier({
          // Read at each use: with port 0 the address is known only once the server listens.
          address: () => baseUrl.url,
          name: serviceName,
          onlyHttps: mode === 'production',
        }),
        stateMachine,
        queries,
        admissionTally: (app) => gateway.admissionTally(app),
        upstreamHealth: (route) => gateway.upstreamHealth(route),
        settings: {
          sessionTtlSeconds: auth.tokenTtlSeconds,
          sessionIdleSeconds: auth.sessionIdleSeconds,
          sessionsPerAccount: auth.sessionsPerAccount,
          temporaryPasswordSeconds: auth.temporaryPasswordSeconds,
          stepUpSeconds: auth.stepUpSeconds,
          secondFactorOf: auth.secondFactor,
          graceSeconds: keys.graceSeconds,
          pageMax: 100,
          appsPerAccount: limits.appsPerAccount,
          newAppsPrepaid: sales?.newAppsPrepaid ?? null,
          addressHoldMs: withdrawals.addressHoldMs,
          approvals: withdrawals.approvals,
          routes: gateways,
          callbackPlaces: { allowPrivateNetworks, hosts },
          routePlaces: {
            ...{ ownHosts: () => ownHosts(baseUrl), allowPrivateUpstreams },
            leadsToRefused: (hostname) => leadsToRefused(hostname, allowPrivateUpstreams),
          },
        },
      }),
  ),
} satisfies Recipes;
