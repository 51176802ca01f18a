import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import express from 'express';
import {
  createHttpServer,
  createOperations,
  expressBinding,
  HttpApi,
  manageOperations,
  randomTraceId,
} from '../../adapters/http/index.ts';
import { WebauthnVerifier } from '../../adapters/passkeys/index.ts';
import { CryptoRandom } from '../../adapters/crypto/index.ts';
import {
  ConfiguredRoutes,
  createManage,
  DEFAULT_ORDER_SETTINGS,
  LatePayments,
  OrderStateMachine,
  PayoutFeeEstimator,
  RescanDeposits,
  TopUps,
  UnassignedDeposits,
  WithdrawalLimits,
} from '../../core/index.ts';
import type {
  Account,
  AccountRole,
  AdmissionCount,
  AppId,
  BreachedPasswords,
  CallbackPlaces,
  GatewayRoute,
  Manage,
  PlanSales,
  RoutePlaces,
  SecondFactorDemand,
} from '../../core/index.ts';
import { eventPresenter } from '../../adapters/http/event-data.ts';
import { metricsText } from '../../host/index.ts';
import type { SettingsInput } from '../../host/settings/settings.ts';
import { ANY_PLACE } from '../support/any-place.ts';
import { establishAdmin } from '../support/established-admin.ts';
import { HttpClient } from '../support/http.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill, TestTillOptions } from '../support/till.ts';

/** The public address that passkeys are made for. */
export const PASSKEY_SITE = 'https://pay.example.com';
export const STEP_UP = '/manage/v1/session/step-up';

/** Somebody who is logged in. */
export interface Member {
  readonly account: Account;
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  /** Sends the access token with each request. */
  readonly client: HttpClient;
}

/** A till with its management API. */
export interface Fixture {
  readonly till: TestTill;
  readonly manage: Manage;
  /** Without credentials. */
  readonly client: HttpClient;
  readonly port: number;
  readonly admin: Member;
  /** Logged in and raised by a step-up, unless told otherwise. */
  newMember(role?: AccountRole, options?: { readonly raised?: boolean }): Promise<Member>;
  /** Another session of somebody. */
  login(email: string, password: string, more?: object): Promise<Reply>;
  readonly admission: Map<AppId, readonly AdmissionCount[]>;
  close(): Promise<void>;
}

/** What a data breach has made public, in this file. */
export const BREACHED_PASSWORD = 'a password that leaked';
const BREACHED: BreachedPasswords = { isBreached: (password) => Promise.resolve(password === BREACHED_PASSWORD) };

/** What of a {@link Fixture} differs from the ordinary. */
export interface FixtureOptions {
  readonly loginsPerMinute?: number;
  readonly secureCookies?: boolean;
  readonly sessionTtlSeconds?: number;
  /** How long it lasts without a request; as long as the session unless told otherwise. */
  readonly sessionIdleSeconds?: number;
  readonly sessionsPerAccount?: number;
  /** How long a step-up holds; as long as the session unless told otherwise. */
  readonly stepUpSeconds?: number;
  readonly secondFactorOf?: SecondFactorDemand;
  readonly addressHoldMs?: number;
  readonly routes?: readonly GatewayRoute[];
  /** Where routes of the management API may be found and lead; private networks by default. */
  readonly routePlaces?: Partial<RoutePlaces>;
  /** Where webhook endpoints may be; anywhere by default. */
  readonly callbackPlaces?: CallbackPlaces;
  /** The plans on sale; none by default. */
  readonly sales?: PlanSales;
  /** Settings of the till, as in `tillgate.config.json`. */
  readonly settings?: SettingsInput;
  /** Plugins with their options, beside those of the settings. */
  readonly plugins?: TestTillOptions['plugins'];
}

/** Starts a till and its management API over an open storage. */
export async function startFixture(store: TestStorage, options: FixtureOptions = {}): Promise<Fixture> {
  const till = await startTestTill(store, {
    ...(options.settings === undefined ? {} : { settings: options.settings }),
    ...(options.plugins === undefined ? {} : { plugins: options.plugins }),
  });
  const { clock, storage, chains, assets, events, metrics, digest, ids, orderQueries: queries } = till.till;
  const admission = new Map<AppId, readonly AdmissionCount[]>();
  const { hasher, createAccount } = till.accounts;
  const stateMachine = new OrderStateMachine({
    assets,
    events,
    metrics,
    settings: DEFAULT_ORDER_SETTINGS,
  });
  const latePayments = new LatePayments({ rates: till.till.rateBook, assets, settings: DEFAULT_ORDER_SETTINGS });
  const fees = new PayoutFeeEstimator({ storage, rates: till.till.rateBook, clock });
  const manage = createManage({
    storage,
    vault: till.vault,
    random: new CryptoRandom(),
    ids,
    clock,
    digest,
    hasher,
    breachedPasswords: BREACHED,
    events,
    presenter: eventPresenter(assets),
    secondFactor: till.till.manage.secondFactor,
    refusedAttempts: till.till.refusedAttempts,
    passkeyVerifier: new WebauthnVerifier({ address: () => PASSKEY_SITE, name: 'Tillgate', onlyHttps: true }),
    createAccount,
    createOrder: till.till.createOrder,
    stateMachine,
    queries,
    chains,
    assets,
    lightning: null,
    rates: till.till.rateBook,
    walletQueries: till.till.walletQueries,
    requestRefund: till.till.requestRefund,
    requestWithdrawal: till.till.requestWithdrawal,
    checkBatch: till.till.checkBatch,
    createPullPayment: till.till.createPullPayment,
    decideClaim: till.till.decideClaim,
    unassignedDeposits: new UnassignedDeposits({
      ...till.till,
      fees,
      stateMachine,
      limits: new WithdrawalLimits({ limits: till.config.withdrawals.limits, assets, rates: till.till.rateBook }),
      withdrawals: till.config.withdrawals,
    }),
    rescanDeposits: new RescanDeposits({ ...till.till, latePayments }),
    admissionTally: (id) => admission.get(id) ?? [],
    topUps: new TopUps({
      ...{ storage, clock, queries, createOrder: till.till.createOrder, baseUrl: { url: 'https://pay.example' } },
      ...{ orderTimeoutMs: 1_800_000, sales: options.sales ?? null },
    }),
    settings: {
      sessionTtlSeconds: options.sessionTtlSeconds ?? 3600,
      sessionIdleSeconds: options.sessionIdleSeconds ?? options.sessionTtlSeconds ?? 3600,
      ...(options.sessionsPerAccount === undefined ? {} : { sessionsPerAccount: options.sessionsPerAccount }),
      stepUpSeconds: options.stepUpSeconds ?? options.sessionTtlSeconds ?? 3600,
      secondFactorOf: options.secondFactorOf ?? 'nobody',
      newAppsPrepaid: options.sales?.newAppsPrepaid ?? null,
      graceSeconds: 86_400,
      pageMax: 100,
      addressHoldMs: options.addressHoldMs ?? 86_400_000,
      routes: new ConfiguredRoutes(options.routes),
      routePlaces: { ...ANY_PLACE, ownHosts: () => ['pay.example'], ...options.routePlaces },
      callbackPlaces: options.callbackPlaces ?? { allowPrivateNetworks: true, hosts: null },
    },
  });
  const loginsPerMinute = options.loginsPerMinute ?? 10_000;
  const settings = {
    serviceName: 'service',
    sandbox: true,
    pageMax: 100,
    requestsPerMinute: 100_000,
    payerWritesPerMinute: 10_000,
    loginsPerMinute,
    trustedHops: 0,
    allowPrivateNetworks: true,
  };
  const rows = manageOperations({
    settings: {
      secureCookies: options.secureCookies ?? false,
      allowPrivateNetworks: false,
    },
    manage,
    assets,
  });
  const api = new HttpApi(createOperations(settings, rows), {
    ...till.till,
    settings,
    orders: storage.orders,
    metricsText: () => metricsText(metrics),
    readiness: async () => {},
    traceId: randomTraceId,
  });
  const app = express();
  app.use(expressBinding(api));
  const server = createHttpServer(app, api);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new HttpClient(`http://127.0.0.1:${port}`);
  const clients = [client];
  const login: Fixture['login'] = (email, password, more = {}) =>
    client.post('/manage/v1/session', { email, password, ...more });
  const newMember: Fixture['newMember'] = async (role = 'user', { raised = true } = {}) => {
    const email = `${role}-${clients.length}@example.com`;
    const password = `correct horse ${clients.length}`;
    const account = await createAccount.run({ email, password, role });
    if (role === 'admin') await establishAdmin(storage, account.id);
    const opened = await login(email, password);
    const member = client.with(tokenOf(opened));
    clients.push(member);
    const { access_token: token } = raised ? await stepUp(member, { password }) : managed(opened);
    return { account, id: account.id, email, password, token: String(token), client: member };
  };
  return {
    till,
    manage,
    client,
    port,
    admin: await newMember('admin'),
    newMember,
    login,
    admission,
    async close() {
      for (const each of clients) each.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await till.close();
    },
  };
}

/** Headers with the access token of a reply. */
export function tokenOf(reply: Reply): { readonly Authorization: string } {
  return { Authorization: `Bearer ${managed<{ access_token: string }>(reply).access_token}` };
}

/** Raises the session of a client, which sends the new token from then on; returns what was answered. */
export async function stepUp(client: HttpClient, proof: object): Promise<Record<string, unknown>> {
  return renewed(client, await client.post(STEP_UP, proof));
}

/** Has a client send the new token of a reply from now on; returns what was answered. */
export function renewed(client: HttpClient, reply: Reply): Record<string, unknown> {
  client.send(tokenOf(reply));
  return managed(reply);
}

/** The envelope of the management API. */
export interface ManageEnvelope<T = unknown> {
  readonly data: T;
  readonly msg: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly reason?: string;
}

export function manageEnvelope<T = unknown>(reply: Reply): ManageEnvelope<T> {
  return JSON.parse(reply.text) as ManageEnvelope<T>;
}

/** A reply's data; fails the test unless it has this status. */
export function managed<T = Record<string, unknown>>(reply: Reply, status = 200): T {
  assert.equal(reply.status, status, reply.text);
  const { data, msg } = manageEnvelope<T>(reply);
  assert.equal(msg, 'ok');
  return data;
}

/** Fails the test unless the reply is a refusal of this status in its envelope. */
export function assertRefused(reply: Reply, status: number, path?: string): ManageEnvelope {
  assert.equal(reply.status, status, reply.text);
  const found = manageEnvelope(reply);
  assert.equal(found.data, null);
  assert.notEqual(found.msg, 'ok');
  if (path !== undefined)
    assert(
      found.errors?.some((error) => error.path === path),
      reply.text,
    );
  return found;
}

/** Fails the test unless the reply says that the session must be raised first. */
export function assertStepUp(reply: Reply, what = ''): void {
  assert.equal(assertRefused(reply, 403).reason, 'step_up_required', what);
}

/** A page of a list of the management API. */
export interface List<T = Record<string, unknown>> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}
